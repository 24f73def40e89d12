import { describe, it } from "vitest";

import { evidenceOf, type ZoneEvidence } from "../../src/evidence/evidence.ts";
import type { Period } from "../../src/history/timeline.ts";
import {
  type ScriptCheck,
  type ScriptRecord,
  scriptRecordOf,
  type ScriptWatch,
} from "../../src/state/scripts/script-watch.ts";
import type { DeclaredScripts } from "../../src/zone/declared-scripts.ts";
import { shop } from "../support/fleets.ts";
import { script } from "../support/inventory.ts";
import { authorised, check, day, declaredScripts, pay, readingOf } from "../support/watched.ts";

const files = { revision: "sha256-1", commit: "c0ffee" };
const period = { since: new Date("2026-11-02T00:00:00Z"), until: new Date("2026-11-06T00:00:00Z") };

/** What the pack says of the shop. */
function packOf(
  declared: DeclaredScripts,
  records: readonly ScriptRecord[],
  of: Period = period,
): ZoneEvidence {
  const noLines = { files: [], firstAt: undefined, lastAt: undefined, uncovered: [] };
  const history = { ...noLines, flaws: [], remarks: [], damaged: 0, isProved: false };
  const subjects = [{ zone: shop, declared: { scripts: declared, policies: [] } }];
  const read = { history, records, entries: [], past: new Map() };
  const [zone] = evidenceOf({ period: of, subjects, files, isChecking: true, ...read }).zones;
  if (zone === undefined) throw new Error("the pack has no zone");
  return zone;
}

function shownIn({ controls }: ZoneEvidence): string {
  return controls.flatMap(({ shown }) => shown).join("\n");
}

describe("the approvals in a pack", () => {
  it("count up to the end of the period", ({ expect }) => {
    const approvals = ["2026-11-01", "2026-11-05", "2026-11-06", "2026-11-07", "2027-01-01", ""];
    const entries = approvals.map((approvedOn) =>
      authorised(`${pay}?${approvedOn}`, { approvedOn }),
    );
    const unsigned = authorised(pay, { approvedBy: "" });
    const zone = packOf(declaredScripts([...entries, unsigned]), []);
    expect(shownIn(zone)).toContain(
      "Authorised entries: 7; approved before the end of the period: 2.",
    );
  });
});

const urls = ["a", "b", "c", "d", "e"].map((name) => `https://agency.example/${name}.js`);
const [idA = "", idB = ""] = check(
  declaredScripts([]),
  readingOf(urls.map(seen)),
  day(0),
).watch.findings.map(({ id }) => id);

function seen(url: string): ReturnType<typeof script> {
  return script(url, { lastSeenAt: day(0) });
}

function accepted(id: string, reason: string): DeclaredScripts["acknowledged"][number] {
  return { id, until: day(60), by: "Alex Doe", reason };
}

/** Five findings: two are acknowledged, one of these is opened again, and a third one is closed. */
function fiveFindings(): readonly ScriptRecord[] {
  const story = [
    { acknowledged: [], present: urls },
    { acknowledged: [accepted(idA, "a test"), accepted(idB, "a test")], present: urls },
    { acknowledged: [accepted(idA, "a longer test")], present: urls },
    { acknowledged: [accepted(idA, "a longer test")], present: urls.toSpliced(2, 1) },
  ];
  let watch: ScriptWatch | undefined;
  return story.map(({ acknowledged, present }, days) => {
    const declared = declaredScripts([], { acknowledged });
    const result = check(declared, readingOf(present.map(seen)), day(days), watch);
    watch = result.watch;
    return recordOf(result, days);
  });
}

function recordOf(result: ScriptCheck, days: number): ScriptRecord {
  const record = scriptRecordOf(result, { at: day(days), zone: shop, ...files });
  if (record === undefined) throw new Error("nothing was recorded");
  return record;
}

/** A finding that is opened on the first day, closed on the second, and opened again on the third. */
function comesBack(): readonly ScriptRecord[] {
  let watch: ScriptWatch | undefined;
  return [urls.slice(0, 1), [], urls.slice(0, 1)].map((present, days) => {
    const result = check(declaredScripts([]), readingOf(present.map(seen)), day(days), watch);
    watch = result.watch;
    return recordOf(result, days);
  });
}

function storiesIn({ findings }: ZoneEvidence): readonly string[] {
  return findings.map(({ openedAt, closedAt, steps }) => {
    const end = closedAt === undefined ? "open" : dayOf(closedAt);
    return `${dayOf(openedAt)} to ${end}: ${steps.map(({ event }) => event).join(" ")}`;
  });
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

describe("a finding that comes back", () => {
  it("has a story for each time", ({ expect }) => {
    expect(storiesIn(packOf(declaredScripts([]), comesBack()))).toEqual([
      "2026-11-02 to 2026-11-03: opened closed",
      "2026-11-04 to open: opened",
    ]);
  });

  it("has one story from its first opening where the line of its end is lost", ({ expect }) => {
    const zone = packOf(declaredScripts([]), comesBack().toSpliced(1, 1));
    expect(storiesIn(zone)).toEqual(["2026-11-02 to open: opened opened"]);
  });

  it.for([
    { ends: "as the period begins", since: day(1), stories: 2 },
    { ends: "before the period begins", since: new Date(Number(day(1)) + 1), stories: 1 },
  ])("has $stories stories in a pack if the first one ends $ends", (given, { expect }) => {
    const zone = packOf(declaredScripts([]), comesBack(), { ...period, since: given.since });
    expect(zone.findings).toHaveLength(given.stories);
  });
});

describe("the findings of a history whose first lines are not kept", () => {
  it.for([
    { lost: 0, says: "period: 5; acknowledged by a person: 2; closed: 1.", missing: undefined },
    { lost: 1, says: "period: 3; acknowledged by a person: 2; closed: 1.", missing: 2 },
    { lost: 2, says: "period: 3; acknowledged by a person: 2; closed: 1.", missing: 2 },
    { lost: 3, says: "period: 1; acknowledged by a person: 0; closed: 1.", missing: 4 },
  ])(
    "have their age and are counted without $lost of them",
    ({ lost, says, missing }, { expect }) => {
      const zone = packOf(declaredScripts([]), fiveFindings().slice(lost));
      expect(shownIn(zone)).toContain(`Findings that were there in the ${says}`);
      for (const { openedAt } of zone.findings) expect(openedAt).toEqual(day(0));
      expect(zone.limits.filter((limit) => limit.includes("of the last check"))).toEqual(
        missing === undefined
          ? []
          : [`${missing} findings of the last check are not shown: no line that is kept has them.`],
      );
    },
  );
});
