import { generateKeyPairSync } from "node:crypto";

import { describe, it } from "vitest";

import { historyEntryFrom, historyJson } from "../../src/history/history-json.ts";
import { coerceObject, coerceObjects, type JsonObject } from "../../src/syntax/json.ts";
import { type Workplace, workplace } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { drifted, fleetOf, shop } from "../support/fleets.ts";
import { headOf, type Kept, kept, linesIn } from "../support/kept-history.ts";
import { at, declared, report, tokenUse } from "../support/reports.ts";
import { stop } from "../support/running.ts";
import { historyOf } from "../support/scenes.ts";

const blog = "blog.example.com";

/** A place with a history: the shop drifted for half an hour, and the blog drifts since then. */
async function placeWithHistory(): Promise<Workplace> {
  const place = await workplace();
  const clear = { result: "in_sync" } as const;
  const history = historyOf(fleetOf(declared(shop), declared(blog)), [
    report(shop, 0, clear),
    report(shop, 10, drifted),
    report(shop, 40, clear),
    report(blog, 45, drifted),
  ]);
  const lines = [...history.of(shop), ...history.of(blog)].map((entry) =>
    JSON.stringify(historyJson(entry)),
  );
  await place.write("state/history.jsonl", `${lines.join("\n")}\n{"at":"2026-11-2`);
  await place.write("zonewarden.yaml", "mode: observe\nstore: { path: state }\n");
  return place;
}

/** A file of a zone with a label. */
function labelled(zone: string, team: string): string {
  return `zones: [{ name: ${zone}, labels: { team: ${team} } }]\n`;
}

const until = at(60).toISOString();

/** A place whose history has these lines. */
async function placeOf(lines: readonly JsonObject[]): Promise<Workplace> {
  const place = await workplace();
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await place.write("state/history.jsonl", text);
  await place.write("zonewarden.yaml", "mode: observe\nstore: { path: state }\n");
  return place;
}

describe("zonewarden history of a zone with uses of our token elsewhere", () => {
  const uses = [
    tokenUse({ path: "/zones/z1/page_shield\u001B[31m\nforged line", isDrift: true }),
    tokenUse({ method: "DELETE", path: "/zones/z1/rulesets/r1" }),
  ];
  const history = historyOf(
    fleetOf(declared(shop)),
    [report(shop, 0, { result: "in_sync" })],
    uses,
  );
  const [entry] = history.of(shop);
  if (entry === undefined) throw new Error("a use is news");

  it("prints each, as text on one line and as JSON", async ({ expect }) => {
    await using place = await placeOf([historyJson(entry)]);
    const text = await place.run("history", "--until", until);
    expect(text.stdout.match(/^ {2}the token of credential shops .*$/gm)).toHaveLength(2);
    expect(text.stdout).toContain("was used elsewhere: DELETE /zones/z1/rulesets/r1 at");
    expect(text.stdout).not.toContain("\u001B");
    expect(text.stdout).not.toMatch(/^forged/m);
    const { stdout } = await place.run("history", "--until", until, "--format", "json");
    const [printed = {}] = coerceObjects(coerceObject(JSON.parse(stdout))["entries"]);
    expect(printed).toEqual(historyJson(entry));
    expect(historyEntryFrom(printed)?.tokenUses).toHaveLength(2);
  });

  it.for([
    { is: "no list", token_uses: "none" },
    { is: "without a moment", token_uses: [{ credential: "shops", zone: shop }] },
    { is: "without a credential", token_uses: [{ at: at(0).toISOString(), zone: shop }] },
    { is: "of a newer version", token_uses: [{ more: 1 }, 7, null] },
  ])("prints the run though the uses are $is", async ({ token_uses }, { expect }) => {
    await using place = await placeOf([{ ...historyJson(entry), token_uses }]);
    const { code, stdout } = await place.run("history", "--until", until);
    expect(code).toBe(0);
    expect(stdout).toContain("in sync");
    expect(stdout).not.toContain("used elsewhere");
  });
});

describe("zonewarden history", () => {
  it("prints what runs found, and how long zones drifted", async ({ expect }) => {
    await using place = await placeWithHistory();
    const { code, stdout, stderr } = await place.run("history", "--until", until);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n").filter((line) => line.startsWith("20"))).toHaveLength(3);
    expect(stdout).toContain(
      "~ policy/a  ▲ strengthens  found  somebody lowered the protection\n      enabled  false → true",
    );
    expect(stdout).toContain(`${shop}  drifted once, 30 min seen, at most 40 min\n`);
    expect(stdout).toContain(`${blog}  drifted once, 15 min seen, at most 15 min, still drifting`);
  });

  it.for([
    { args: [shop], zones: [shop], seconds: [1800] },
    { args: ["--since", at(30).toISOString()], zones: [blog, shop], seconds: [900, 600] },
    {
      args: ["*.example.com", "--since", at(50).toISOString()],
      zones: [blog, shop],
      seconds: [600, 0],
    },
    { args: ["quiet.example"], zones: [], seconds: [] },
    { args: ["--selector", "team=content"], zones: [blog], seconds: [900] },
    { args: ["-l", "team,team!=content", "*.example.com"], zones: [shop], seconds: [1800] },
    { args: ["-l", "team=press"], zones: [], seconds: [] },
  ])("counts drift for $args", async ({ args, zones, seconds }, { expect }) => {
    await using place = await placeWithHistory();
    await place.write("zones/shop.yaml", labelled(shop, "payments"));
    await place.write("zones/blog.yaml", labelled(blog, "content"));
    await place.write("zones/quiet.yaml", labelled("quiet.example", "press"));
    const ran = await place.run("history", ...args, "--until", until, "--format", "json");
    const found = coerceObjects(coerceObject(JSON.parse(ran.stdout))["drift"]);
    expect(found.map(({ zone }) => zone)).toEqual(zones);
    expect(ran.stderr.includes("records nothing of these zones")).toBe(zones.length === 0);
    expect(found.map(({ seen_seconds: seen }) => seen)).toEqual(seconds);
  });

  it.for([{ args: ["shpo.example.com"] }, { args: ["-l", "team=nope"] }])(
    "refuses $args, which neither the files nor the history know",
    async ({ args }, { expect }) => {
      await using place = await placeWithHistory();
      await place.write("zones/blog.yaml", labelled(blog, "content"));
      const { code, stdout, stderr } = await place.run("history", ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain("records nothing of these zones, and no zone file declares them");
    },
  );

  it.for([
    { args: ["--since", "yesterday"], says: "--since and --until take a moment" },
    { args: ["--until", "2026-13-01"], says: "--since and --until take a moment" },
    { args: ["--since", "2026-02-30"], says: "--since and --until take a moment" },
    { args: ["--since", "1d", "--until", "2d"], says: "--since is after --until" },
  ])("refuses $args", async ({ args, says }, { expect }) => {
    await using place = await placeWithHistory();
    const { code, stderr } = await place.run("history", ...args);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
  });

  it.for([
    { damage: 1, says: "1 line is damaged (line 2)" },
    { damage: 12, says: "12 lines are damaged (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …)" },
  ])("says where $damage lines are damaged, and exits with 5", async (row, { expect }) => {
    await using place = await placeWithHistory();
    const whole = await place.read("state/history.jsonl");
    const [first = "", ...others] = whole.split("\n");
    const damaged = Array.from({ length: row.damage }, () => first.slice(40));
    await place.write("state/history.jsonl", [first, ...damaged, ...others].join("\n"));
    const { code, stdout, stderr } = await place.run("history", "--until", until);
    expect(code).toBe(5);
    expect(stderr).toBe(
      `${place.directory}/state/history.jsonl: ${row.says}: what they recorded is missing here; restore the file from a backup, or delete them\n`,
    );
    expect(stdout.split("\n").filter((line) => line.startsWith("20"))).toHaveLength(3);
  });

  it("says where the history is when no file is configured", async ({ expect }) => {
    await using place = await workplace();
    await place.write("zonewarden.yaml", "mode: observe\n");
    const { code, stderr } = await place.run("history");
    expect(code).toBe(1);
    expect(stderr).toContain("sets no store");
  });

  it("is damaged: the daemon logs it when it starts", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: "store: { path: state }" });
    const { place } = example;
    const [entry] = historyOf(fleetOf(), [report(shop, 1, drifted)]).of(shop);
    if (entry === undefined) throw new Error("nothing was kept");
    const line = JSON.stringify(historyJson(entry));
    await place.write("state/history.jsonl", `${line}\n${line.slice(9)}\n${line}\n`);
    const daemon = place.start("run");
    await expect
      .poll(() => daemon.stdout(), { timeout: 10_000 })
      .toMatch(/"damage":"1 line is damaged \(line 2\)".*"msg":"history is damaged"/);
    await stop(daemon);
  });
});

const keys = generateKeyPairSync("ed25519");
const publicPem = keys.publicKey.export({ type: "spki", format: "pem" }).toString();
const privatePem = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

/** A place with the signed history of an installation, and the public key. */
async function placeWith(options: Kept = {}): Promise<Workplace & { readonly head: string }> {
  const place = await workplace();
  const { bytes } = await kept({ signKey: keys.privateKey, ...options });
  await place.write("zonewarden.yaml", "mode: observe\nstore: { path: state }\n");
  await place.write("state/history.jsonl", bytes.toString());
  await place.write("verify.pem", publicPem);
  return Object.assign(place, { head: headOf(bytes) });
}

describe("zonewarden history verify", () => {
  it("exits with 0 where no line was changed, and says what it cannot show", async ({ expect }) => {
    await using place = await placeWith();
    const { code, stdout, stderr } = await place.run("history", "verify");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`head ${place.head}, line 11 of the chain c1\n`);
    expect(stdout).toContain("Intact: from the first line to the last");
    expect(stdout).toContain("does not show whether lines at the end were removed");
    const proved = await place.run(
      "history",
      "verify",
      "--verify-key",
      "verify.pem",
      "--head",
      place.head,
    );
    expect(proved.code).toBe(0);
    expect(proved.stdout).toContain(
      "state/history.jsonl:11: signed: the last signed line; no line came after it",
    );
    expect(proved.stdout).not.toContain("does not show");
  });

  it("names the line that was changed, and exits with 5", async ({ expect }) => {
    await using place = await placeWith();
    const text = await place.read("state/history.jsonl");
    await place.write("copy.jsonl", text.replace(/"found"/, '"done"'));
    const { code, stdout } = await place.run("history", "verify", "copy.jsonl");
    expect(code).toBe(5);
    expect(stdout).toContain(
      "copy.jsonl:2: error: changed: the line was changed after it was written\n",
    );
    expect(stdout).toContain("Not intact: 1 finding.\n");
    const json = await place.run("history", "verify", "copy.jsonl", "--format", "json");
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({
      result: "changed",
      head: place.head,
      flaws: [{ file: "copy.jsonl", line: 2, code: "changed" }],
    });
  });

  it("finds removed last lines by the head that somebody has kept", async ({ expect }) => {
    await using place = await placeWith();
    const lines = linesIn(Buffer.from(await place.read("state/history.jsonl")));
    await place.write("state/history.jsonl", lines.slice(0, -2).join(""));
    const { code, stdout } = await place.run("history", "verify", "--head", place.head);
    expect(code).toBe(5);
    expect(stdout).toContain(
      `history.jsonl: error: head_missing: no line has the head ${place.head}`,
    );
  });

  it.for([
    { args: ["--head", "9f2c"], code: 1, says: "--head takes the 64 hexadecimal digits" },
    { args: ["--verify-key", "none.pem"], code: 1, says: "none.pem: cannot be read" },
    { args: ["--verify-key", "zonewarden.yaml"], code: 1, says: "it is not a public key" },
    { args: ["--config", "none.yaml"], code: 3, says: "none.yaml" },
  ])("refuses $args", async ({ args, code, says }, { expect }) => {
    await using place = await placeWith();
    const result = await place.run("history", "verify", ...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(says);
  });

  it("exits with 5 where the file is missing, and with 1 where none is configured", async ({
    expect,
  }) => {
    await using place = await placeWith();
    const { code, stdout } = await place.run("history", "verify", "none.jsonl");
    expect([code, stdout]).toEqual([5, expect.stringContaining("none.jsonl: error: empty")]);
    await place.write("zonewarden.yaml", "mode: observe\n");
    expect((await place.run("history", "verify")).code).toBe(1);
  });

  it("verifies what a daemon has written and signed, run after run, by the head in its log", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({
      config:
        'schedule: { cron: "0 * * * *" }\nstore: { path: state }\nhistory: { sign_key: sign.pem }',
    });
    const { place } = example;
    await place.write("sign.pem", privatePem);
    await place.write("verify.pem", publicPem);
    let head = "";
    for (let run = 0; run < 2; run += 1) {
      const daemon = place.start("run");
      await expect
        .poll(() => daemon.stdout().match(/"msg":"(plan applied|zonewarden started)"/g)?.length, {
          timeout: 10_000,
        })
        .toBe(run === 0 ? 3 : 1);
      if (run === 1) expect(daemon.stdout()).toContain(`"when":"start","head":"${head}"`);
      await stop(daemon);
      head = /"when":"stop","head":"([0-9a-f]{64})"/.exec(daemon.stdout())?.[1] ?? "";
    }
    const args = ["--format", "json", "--head", head, "--verify-key", "verify.pem"];
    const { code, stdout } = await place.run("history", "verify", ...args);
    expect(code).toBe(0);
    expect(coerceObject(JSON.parse(stdout))).toMatchObject({ result: "intact", head });
    expect(stdout).toContain("the last signed line; no line came after it");
    const printed = await place.run("history", "--format", "json");
    const entries = coerceObjects(coerceObject(JSON.parse(printed.stdout))["entries"]);
    // The second run may or may not have reached the zones.
    const applied = entries.filter(({ result }) => result === "applied");
    expect(applied.map(({ zone }) => zone)).toEqual(
      expect.arrayContaining(["shop.example.com", "www.brand.example"]),
    );
    expect(applied).toHaveLength(2);
  });
});
