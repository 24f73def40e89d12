import { describe, it } from "vitest";

import { tokenUseJson } from "../../src/history/history-json.ts";
import { coerceObjects } from "../../src/syntax/json.ts";
import {
  checkAt,
  fourDays,
  hostile,
  packIn,
  pay,
  placeWith,
  run,
} from "../support/evidence-pack.ts";
import { EvidenceRuns } from "../support/evidence-runs.ts";
import { historyOfChecks } from "../support/evidence-story.ts";
import { tokenUse } from "../support/reports.ts";
import { authorised, day, declaredScripts } from "../support/watched.ts";

const start = day(0).toISOString();
const [second, third] = [day(1).toISOString(), day(2).toISOString()];

describe("the tables of a pack", () => {
  it("have who changed what, when, by which files, and the status over time", async ({
    expect,
  }) => {
    await using runs = await EvidenceRuns.start();
    await runs.moveTo(0);
    await runs.run("enforce");
    await runs.moveTo(0.75);
    await runs.at.edit({ actor: "alice@example.com", settings: { enabled: false } });
    await runs.moveTo(1);
    await runs.run("observe");
    await runs.moveTo(2);
    await runs.run("enforce");
    await runs.look(declaredScripts([authorised(pay)]));
    await using place = await placeWith(await runs.history());
    await run(place, "out", "--until", "2026-11-04");
    const by = `"changed by alice@example.com in the dashboard, at ${day(0.75).toISOString()}"`;
    const change = `setting/enabled,update,drift,${by},strengthens`;
    const files = "commit c0ffee,value: false → true";
    expect((await place.read("out/changes.csv")).split("\r\n").slice(1, -1)).toEqual([
      `shop.example.com,${second},${change},"found, not written",${files}`,
      `shop.example.com,${third},${change},done,${files}`,
    ]);
    expect((await place.read("out/drift.csv")).split("\r\n").slice(1, -1)).toEqual([
      `shop.example.com,${start},${second},${third},1 day,setting/enabled,alice@example.com in the dashboard`,
    ]);
    expect((await place.read("out/statuses.csv")).split("\r\n").slice(1, -1)).toEqual([
      `shop.example.com,2026-11-02T00:00:00.000Z,${second},no record`,
      `shop.example.com,${second},${third},drifted`,
      // Nothing is recorded after the last line of the history.
      `shop.example.com,${third},2026-11-05T00:00:00.000Z,no record`,
    ]);
  });
});

describe("a pack of a history with uses of our token elsewhere", () => {
  it("has them as the history has", async ({ expect }) => {
    await using runs = await EvidenceRuns.start();
    await runs.moveTo(1);
    await runs.at.edit({ actor: "alice@example.com", settings: { enabled: false } });
    await runs.run("observe", [tokenUse()]);
    await using place = await placeWith(await runs.history());
    await run(place, "out", "--until", "2026-11-04");
    const { zone } = await packIn(place);
    expect(zone["runs"]).toMatchObject([{ token_uses: [tokenUseJson(tokenUse())] }]);
  });
});

/** The rows of the table of days, with a space between cells. */
function dayRows(page: string): readonly string[] {
  const [, table = ""] = /<h3>Days<\/h3>.*?<tbody>(.*?)<\/tbody>/s.exec(page) ?? [];
  return [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell).join(" "),
  );
}

describe("the requirements in a pack", () => {
  it("have what was recorded for each of their parts, and no verdict", async ({ expect }) => {
    await using place = await placeWith(
      await historyOfChecks([...fourDays, checkAt(12, pay, hostile)]),
    );
    await run(place, "out", "--until", "2026-11-15");
    const { zone } = await packIn(place);
    const shown = coerceObjects(zone["controls"]).map(({ requirement, shown: lines }) => {
      return [requirement, lines];
    });
    expect(shown).toEqual([
      [
        "6.4.3",
        [
          "Authorised entries: 1; approved before the end of the period: 1.",
          "Findings (unauthorised): 2; not closed by the end of the period: 1.",
          "Findings (malicious): none.",
        ],
      ],
      [
        "6.4.3",
        [
          "Entries whose content is compared with that of the approval: 1; with listed hashes: 0; not at all (any): 0.",
          "Findings (changed): none.",
          "Findings (unverified): none.",
        ],
      ],
      [
        "6.4.3",
        [
          "Entries without a justification: 0; without an owner: 0.",
          "Findings (unjustified): none.",
          "Findings (review overdue): none.",
          "Findings (gone): none.",
        ],
      ],
      [
        "11.6.1",
        [
          "Recorded appearances, changes and disappearances of scripts: 4.",
          "Recorded runs with changes of policies, settings and rules: 0; periods of drift: 0.",
        ],
      ],
      [
        "11.6.1",
        [
          "Days with a complete check: 5 of 14. Recorded checks: 5.",
          `Longest time without a recorded check: 216 h, from ${day(3).toISOString()} to ${day(12).toISOString()}. Times longer than seven days: 1.`,
          "Findings (unmonitored): none.",
          "Findings (gap): 1; not closed by the end of the period: 0.",
        ],
      ],
      [
        "11.6.1",
        ["Findings that were there in the period: 3; acknowledged by a person: 0; closed: 2."],
      ],
    ]);
    for (const { not_shown: missing } of coerceObjects(zone["controls"])) {
      expect(missing).not.toBe("");
    }
    const page = await place.read("out/evidence.html");
    expect(page).toContain("<h1>Evidence for payment pages, 2026-11-02 to 2026-11-15</h1>");
    expect(page).toContain("It is no statement that a requirement is met");
    expect(dayRows(page)).toEqual([
      "2026-11-02 2026-11-05 4 checked",
      "2026-11-06 2026-11-13 8 no record (gap)",
      "2026-11-14 2026-11-14 1 checked",
      "2026-11-15 2026-11-15 1 no record (gap)",
    ]);
  });
});
