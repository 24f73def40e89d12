import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import {
  checkAt,
  config,
  evil,
  fourDays,
  hostile,
  packIn,
  pay,
  placeWith,
  run,
} from "../support/evidence-pack.ts";
import { historyOfChecks, schemaErrors } from "../support/evidence-story.ts";
import { bytesOf, kept, linesIn } from "../support/kept-history.ts";
import { day } from "../support/watched.ts";

describe("zonewarden evidence", () => {
  it("writes the same bytes each time, which the manifest names and the schema accepts", async ({
    expect,
  }) => {
    await using place = await placeWith(await historyOfChecks(fourDays));
    for (const out of ["one", "two"]) {
      const { code, stderr } = await run(place, out);
      expect(stderr).toContain("the last check of the period used commit c0ffee");
      expect(code).toBe(5);
    }
    const names = await readdir(path.join(place.directory, "one"));
    expect(names.toSorted()).toEqual([
      "SHA256SUMS",
      "authorised-scripts.csv",
      "changes.csv",
      "days.csv",
      "drift.csv",
      "evidence.html",
      "evidence.json",
      "findings.csv",
      "policies.csv",
      "revisions.csv",
      "seen-scripts.csv",
      "statuses.csv",
    ]);
    for (const name of names) {
      expect(await place.read(`two/${name}`)).toBe(await place.read(`one/${name}`));
    }
    const sums = (await place.read("one/SHA256SUMS")).trimEnd().split("\n");
    expect(sums).toHaveLength(names.length - 1);
    for (const line of sums) {
      const [hash, name = ""] = line.split("  ");
      const text = await place.read(`one/${name}`);
      expect(createHash("sha256").update(text).digest("hex")).toBe(hash);
    }
    expect(schemaErrors(await place.read("one/evidence.json"))).toBe(null);
  });

  it("keeps text from outside inert", async ({ expect }) => {
    await using place = await placeWith(await historyOfChecks(fourDays));
    await run(place, "out");
    const page = await place.read("out/evidence.html");
    expect(page).not.toMatch(/<(script|img|a|link|iframe)\b/i);
    expect(page).not.toMatch(/<[^>]*\b(src|href)=/);
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).toContain("default-src 'none'");
    const csv = await place.read("out/authorised-scripts.csv");
    expect(csv).toContain(`,'=HYPERLINK(1),`);
    expect(csv).toContain(`,"'@Alex, ""Doe""",`);
    expect(csv.split("\r\n")).toHaveLength(3);
  });

  it("shows findings, scripts and the head as they were recorded", async ({ expect }) => {
    const history = await historyOfChecks(fourDays);
    await using place = await placeWith(history);
    await run(place, "out");
    const { json, zone } = await packIn(place);
    const head = /"hash":"([0-9a-f]{64})"\}\n$/.exec(history.toString())?.[1];
    expect(json["history"]).toMatchObject({
      result: "intact",
      files: [{ file: `${place.directory}/state/history.jsonl`, head: { hash: head } }],
    });
    expect(await place.read("out/evidence.html")).toContain(head);
    expect(zone).toMatchObject({
      days: [0, 1, 2, 3].map((days) => {
        return { day: day(days).toISOString().slice(0, 10), status: "checked" };
      }),
      pauses: [],
      findings: [
        {
          kind: "unauthorised",
          subject: hostile,
          opened_at: day(1).toISOString(),
          closed_at: day(3).toISOString(),
          steps: [{ event: "opened", commit: "c0ffee" }, { event: "closed" }],
        },
      ],
      declared: { authorised: [{ url: pay, integrity: "pinned", review_by: "2027-11-01" }] },
    });
  });

  it("tells what is missing of a history", async ({ expect }) => {
    const history = await historyOfChecks(fourDays);
    const other = await historyOfChecks([checkAt(0, evil)], "other.example");
    const lines = linesIn(history);
    const changed = Buffer.from(history.toString().replace("appeared", "vanished"));
    for (const { bytes, says } of [
      { bytes: undefined, says: "The history has no lines" },
      { bytes: Buffer.from(""), says: "The history has no lines" },
      { bytes: changed, says: "The history is not intact (1 finding" },
      { bytes: bytesOf(lines.toSpliced(2, 1)), says: "The history is not intact" },
      { bytes: bytesOf([...lines, "?\n"]), says: "1 line of the history cannot be read" },
      { bytes: other, says: "as far as it tells, the zone was never monitored" },
      { bytes: other, says: "ends on 2026-11-02" },
      {
        bytes: await historyOfChecks([checkAt(2, pay), checkAt(0, evil), checkAt(3, pay)]),
        says: "The clock went back while the history was written",
      },
      {
        bytes: await historyOfChecks([checkAt(2, pay), checkAt(3, pay)]),
        says: "The history that was read begins on 2026-11-04",
      },
      {
        bytes: await historyOfChecks([checkAt(0, pay), checkAt(3, pay)]),
        says: "2 days of 4 without a complete check",
      },
      { bytes: (await kept()).bytes, says: "the zone was never monitored" },
    ]) {
      await using place = await placeWith(bytes);
      const { code, stderr } = await run(place, "out");
      expect(code, says).toBe(5);
      expect(stderr).toContain(says);
      const json = await place.read("out/evidence.json");
      expect(json).toContain(says);
      expect(schemaErrors(json)).toBe(null);
    }
  });

  it.for([config, `${config}inventory: { enabled: true, kinds: [cookies] }\n`])(
    "says that nothing is checked with %j",
    async (text, { expect }) => {
      await using place = await placeWith(undefined);
      await place.write("zonewarden.yaml", text);
      const { code, stderr } = await run(place, "out");
      expect(code).toBe(5);
      expect(stderr).toContain(
        "reads no inventory of scripts (inventory.enabled, inventory.kinds)",
      );
      expect(stderr).toContain("the zone was never monitored");
      expect(await place.read("out/days.csv")).toMatch(
        /^(shop\.example\.com,2026-11-0\d,no record\r\n){4}$/m,
      );
    },
  );

  it("joins kept copies of the history, and finds what none of them has", async ({ expect }) => {
    const lines = linesIn(await historyOfChecks(fourDays));
    await using place = await placeWith(undefined);
    await place.write("a.jsonl", lines.slice(0, 3).join(""));
    await place.write("b.jsonl", lines.join(""));
    await place.write("c.jsonl", lines.slice(4).join(""));
    const whole = await run(place, "whole", "--history", "a.jsonl", "b.jsonl");
    expect(whole.stderr.match(/^missing: .*$/gm)).toEqual([
      expect.stringContaining("not known of 1 of 1 revision"),
      expect.stringContaining("the last check of the period used commit c0ffee"),
    ]);
    const torn = await run(place, "torn", "--history", "a.jsonl", "c.jsonl");
    expect(torn.stderr).toContain("The history is not intact");
    expect(await place.read("torn/evidence.html")).toContain("are missing between a.jsonl");
    await place.write("d.jsonl", (await kept({ chain: "c2" })).bytes.toString());
    const two = await run(place, "two", "--history", "d.jsonl", "b.jsonl");
    expect(two.stderr).toContain("The history is not intact");
    expect(await place.read("two/evidence.html")).toContain("of another history than d.jsonl");
  });

  it.for([
    { flags: ["--since", "2026-02-30"], says: "--since and --until take days" },
    { flags: ["--since", "2026-11-06"], says: "--since is after --until" },
    { flags: ["--since", "1000-01-01"], says: "longer than ten years" },
    { flags: ["--zone", "no zone"], says: "--zone takes names of zones" },
    { flags: ["--head", "12"], says: "--head takes the 64 hexadecimal digits" },
    { flags: ["--verify-key", "none.pem"], says: "none.pem: cannot be read" },
  ])("refuses $flags", async ({ flags, says }, { expect }) => {
    await using place = await placeWith(await historyOfChecks(fourDays));
    const { code, stderr } = await run(place, "out", ...flags);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    await expect(place.read("out/evidence.json")).rejects.toThrow("ENOENT");
  });

  it("replaces no file unless it may", async ({ expect }) => {
    await using place = await placeWith(await historyOfChecks(fourDays));
    await place.write("out/findings.csv", "mine");
    expect((await run(place, "out")).stderr).toContain("out already has findings.csv");
    expect(await place.read("out/findings.csv")).toBe("mine");
    await run(place, "out", "--force");
    expect(await place.read("out/findings.csv")).toMatch(/^zone,opened,/);
  });
});
