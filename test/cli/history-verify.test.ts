import { generateKeyPairSync } from "node:crypto";

import { describe, it } from "vitest";

import { coerceObject } from "../../src/syntax/json.ts";
import { type Workplace, workplace } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { headOf, type Kept, kept, linesIn } from "../support/kept-history.ts";

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
      "history.jsonl:11: signed: the last signed line; no line came after it",
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

  it("verifies what a daemon has written and signed, over a restart, by the head in its log", async ({
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
      daemon.signal("SIGTERM");
      await daemon.ended;
      head = /"when":"stop","head":"([0-9a-f]{64})"/.exec(daemon.stdout())?.[1] ?? "";
    }
    const args = ["--format", "json", "--head", head, "--verify-key", "verify.pem"];
    const { code, stdout } = await place.run("history", "verify", ...args);
    expect(code).toBe(0);
    expect(coerceObject(JSON.parse(stdout))).toMatchObject({ result: "intact", head });
    expect(stdout).toContain("the last signed line; no line came after it");
  });
});
