import { describe, it } from "vitest";

import {
  authorFrom,
  historyEntryFrom,
  historyJson,
  progressFrom,
  progressJson,
} from "../../src/history/history-json.ts";
import { afterProgress, type HistoryEntry, runningEntryOf } from "../../src/history/history.ts";
import { RecentHistory } from "../../src/history/recent-history.ts";
import { driftEpisodes, driftTimeIn, statusSpans } from "../../src/history/timeline.ts";
import { durationText } from "../../src/render/format.ts";
import { coerceObjects } from "../../src/syntax/json.ts";
import { a, b, drifted, fleetOf, held, pending, shop } from "../support/fleets.ts";
import {
  at,
  author,
  type Came,
  change,
  declared,
  failed,
  hold,
  load,
  report,
} from "../support/reports.ts";
import { historyOf, sceneHistory } from "../support/scenes.ts";
import { promoted, setBack } from "../support/stepped.ts";

const clear: Came = { result: "in_sync" };
const corrected: Came = { result: "applied", cause: "drift", changes: [a] };
const unreadable: Came = { result: "error" };

const mia = author({ name: "mia@shop.example", fields: ["enabled", "value"] });

/** Entries of the shop after runs at these minutes. */
function entriesAfter(...runs: readonly (readonly [number, Came])[]): readonly HistoryEntry[] {
  const reports = runs.map(([minute, came]) => report(shop, minute, came));
  return historyOf(fleetOf(), reports).of(shop);
}

function minutesOf(entries: readonly HistoryEntry[]): readonly number[] {
  return entries.map((entry) => (Number(entry.at) - Number(at(0))) / 60_000);
}

describe("what history keeps", () => {
  it.for([
    { when: "nothing ever happens", runs: [[1, clear] as const, [2, clear] as const], keeps: [] },
    {
      when: "the same drift is seen again and again, until it is gone",
      runs: [
        [1, clear] as const,
        ...[2, 3, 4].map((m) => [m, drifted] as const),
        [5, clear] as const,
      ],
      keeps: [2, 5],
    },
    {
      when: "each look finds drift and undoes it",
      runs: [1, 2, 3].map((m) => [m, corrected] as const),
      keeps: [1, 2, 3],
    },
    {
      when: "drift is undone at once, and nothing happens after it",
      runs: [[1, corrected] as const, [2, clear] as const, [3, clear] as const],
      keeps: [1],
    },
    {
      when: "the service is away for a while",
      runs: [
        [1, clear] as const,
        [2, unreadable] as const,
        [3, unreadable] as const,
        [4, clear] as const,
      ],
      keeps: [2, 4],
    },
    {
      when: "something else drifts",
      runs: [
        [1, drifted] as const,
        [2, { result: "planned", cause: "drift", changes: [b] }] as const,
        [3, { result: "planned", cause: "drift", changes: [b] }] as const,
      ],
      keeps: [1, 2],
    },
    {
      when: "a plan comes to be held for another reason",
      runs: [
        [1, held("weakening")] as const,
        [2, held("weakening")] as const,
        [3, held("contended")] as const,
      ],
      keeps: [1, 3],
    },
  ])("is of the minutes $keeps when $when", ({ runs, keeps }, { expect }) => {
    expect(minutesOf(entriesAfter(...runs))).toEqual(keeps);
  });

  it.for([
    { when: "while it drifts", runs: [[1, drifted] as const], keeps: [1, 9], seen: 8 },
    {
      when: "in order",
      runs: [
        [1, drifted],
        [2, clear],
      ] as const,
      keeps: [1, 2, 9],
      seen: 1,
    },
    { when: "and nothing was ever told of it", runs: [[1, clear] as const], keeps: [], seen: 0 },
  ])("ends when the zone leaves the files $when", ({ runs, keeps, seen }, { expect }) => {
    const fleet = fleetOf();
    const reports = runs.map(([minute, came]) => report(shop, minute, came));
    const history = historyOf(fleet, reports);
    for (const gone of fleet.declare([], at(9))) history.recordRemoval(gone, load({ at: at(9) }));
    const entries = history.of(shop);
    expect(minutesOf(entries)).toEqual(keeps);
    const time = driftTimeIn(shop, entries, { since: at(0), until: at(20) });
    expect(time).toMatchObject({ seenMs: seen * 60_000, isDrifting: false });
    expect(entries.map((each) => historyEntryFrom(historyJson(each)))).toEqual(entries);
    const [last] = entries.slice(-1);
    if (last?.at.getTime() === at(9).getTime()) {
      expect(last).toMatchObject({ run: "", result: "no_longer_declared", status: "unknown" });
    }
  });

  it("drops the oldest of all zones first when the bound is reached", ({ expect }) => {
    const [one] = entriesAfter([1, drifted]);
    if (one === undefined) throw new Error("nothing was kept");
    const size = JSON.stringify(historyJson({ ...one, zone: "a" })).length;
    const history = new RecentHistory(size * 3);
    for (const zone of ["a", "b", "a", "c", "b"]) history.restore({ ...one, zone });
    expect(["a", "b", "c"].map((zone) => history.of(zone).length)).toEqual([1, 1, 1]);
  });

  it("comes back from JSON as it was", ({ expect }) => {
    const entries = [...sceneHistory().of(shop), ...sceneHistory().of("pay.example.com")];
    expect(entries).toHaveLength(3);
    const again = entries.map((entry) =>
      historyEntryFrom(JSON.parse(JSON.stringify(historyJson(entry)))),
    );
    expect(again).toEqual(entries);
  });

  it.for([
    { when: "the service counted too much", step: setBack },
    {
      when: "a person asked",
      step: { ...setBack, event: "stopped", from: "log", cause: { by: "mia" } },
    },
    { when: "it was due", step: promoted },
    { when: "it was watched long enough", step: { ...promoted, event: "watched", from: 2 } },
  ] as const)("keeps a step that an object took because $when", ({ step }, { expect }) => {
    const [entry] = sceneHistory().of(shop);
    if (entry === undefined) throw new Error("nothing was kept");
    const { zone: _zone, ...stepEvent } = step;
    const stepped = { ...entry, stepEvents: [stepEvent] };
    expect(historyEntryFrom(JSON.parse(JSON.stringify(historyJson(stepped))))).toEqual(stepped);
  });

  it.for([{ key: "" }, { event: "moved" }, { from: null }, { to: [1] }])(
    "has no step of which it says %j",
    (damage, { expect }) => {
      const [entry] = sceneHistory().of(shop);
      if (entry === undefined) throw new Error("nothing was kept");
      const { zone: _zone, ...step } = setBack;
      const json = historyJson({ ...entry, stepEvents: [step] });
      const steps = coerceObjects(json["steps"]).flatMap((each) => [{ ...each, ...damage }, each]);
      expect(historyEntryFrom({ ...json, steps })?.stepEvents).toEqual([step]);
    },
  );

  it.for([{ count: 130 }, { requests: 20_000 }])(
    "has a step without the cause %j, which is not whole",
    (cause, { expect }) => {
      const [entry] = sceneHistory().of(shop);
      if (entry === undefined) throw new Error("nothing was kept");
      const { zone: _zone, ...step } = setBack;
      const json = historyJson({ ...entry, stepEvents: [step] });
      const steps = coerceObjects(json["steps"]).map((each) => ({ ...each, cause }));
      expect(historyEntryFrom({ ...json, steps })?.stepEvents).toEqual([
        { ...step, cause: undefined },
      ]);
    },
  );

  it("has an entry more once it is known who made the drift, and none when that is forgotten", ({
    expect,
  }) => {
    const changes = [{ ...a, authors: [mia] }];
    const known: Came = { result: "planned", cause: "drift", changes };
    const entries = entriesAfter([1, drifted], [2, known], [3, known], [4, drifted]);
    expect(minutesOf(entries)).toEqual([1, 2]);
    const again = entries.map((entry) =>
      historyEntryFrom(JSON.parse(JSON.stringify(historyJson(entry)))),
    );
    expect(again).toEqual(entries);
    expect(again[1]?.changes[0]?.authors).toEqual([mia]);
  });

  it.for([
    { at: "yesterday" },
    { trigger: "boredom" },
    { result: "exploded" },
    { status: "great" },
    { zone: "" },
  ])("is not made of an entry with %j", (damage, { expect }) => {
    const [entry] = sceneHistory().of(shop);
    if (entry === undefined) throw new Error("nothing was kept");
    expect(historyEntryFrom({ ...historyJson(entry), ...damage })).toBeUndefined();
  });

  it.for([{ verb: "improve" }, { effect: "better" }, { result: "lost" }])(
    "has no change of which it says %j",
    (damage, { expect }) => {
      const [entry] = entriesAfter([1, { result: "planned", cause: "drift", changes: [a, b] }]);
      if (entry === undefined) throw new Error("nothing was kept");
      const json = historyJson(entry);
      const [first, second] = coerceObjects(json["changes"]);
      const read = historyEntryFrom({ ...json, changes: [{ ...first, ...damage }, second] });
      expect(read?.changes).toEqual([entry.changes[1]]);
    },
  );

  it("has no hold whose reason is not known", ({ expect }) => {
    const [entry] = entriesAfter([
      1,
      { result: "held", cause: "drift", changes: [a], holds: [hold("quota")] },
    ]);
    if (entry === undefined) throw new Error("nothing was kept");
    const json = historyJson(entry);
    const holds = [{ reason: "mood", message: "not today" }, ...coerceObjects(json["holds"])];
    expect(historyEntryFrom({ ...json, holds })?.holds).toEqual(entry.holds);
    expect(entry.holds).toHaveLength(1);
  });

  it("keeps Git's name for the revision", ({ expect }) => {
    const [entry] = sceneHistory().of(shop);
    if (entry === undefined) throw new Error("nothing was kept");
    const labelled = { ...entry, commit: "8c9b6cfb5909-dirty" };
    expect(historyEntryFrom(JSON.parse(JSON.stringify(historyJson(labelled))))).toEqual(labelled);
  });

  it("cuts values that are longer than an expression can be", ({ expect }) => {
    const [whole, long] = ["x".repeat(4_096), `${"x".repeat(4_095)}yz`];
    const fields = [{ field: "expression", before: whole, after: long }];
    const changes = [change("custom_rule/a", "neutral", { fields })];
    const [entry] = entriesAfter([1, { result: "planned", cause: "drift", changes }]);
    const after = `${"x".repeat(4_095)}y… (4097 characters)`;
    expect(entry?.changes[0]?.fields).toEqual([{ field: "expression", before: whole, after }]);
  });

  it("reads the one cause of an entry of a former version", ({ expect }) => {
    const [entry] = entriesAfter([1, drifted]);
    if (entry === undefined) throw new Error("nothing was kept");
    const { causes: _causes, changes: _changes, ...rest } = historyJson(entry);
    expect(historyEntryFrom({ ...rest, cause: "pending" })?.causes).toEqual(["pending"]);
  });

  it.for([
    { what: "whole", damage: {}, finds: ["person dash true"] },
    { what: "without a moment", damage: { at: "yesterday" }, finds: [] },
    { what: "of a newer kind", damage: { kind: "robot" }, finds: [] },
    { what: "of a newer way", damage: { context: "mcp" }, finds: ["person other true"] },
    { what: "possibly certain", damage: { certain: "yes" }, finds: ["person dash false"] },
  ])("reads an author that is $what", ({ damage, finds }, { expect }) => {
    const json = { at: at(0).toISOString(), kind: "person", context: "dash", certain: true };
    const read = authorFrom({ ...json, ...damage });
    expect(read.map(({ kind, context, isCertain }) => `${kind} ${context} ${isCertain}`)).toEqual(
      finds,
    );
  });

  it("writes the progress of a run as that of one that goes on", ({ expect }) => {
    const progress = { at: at(3), zone: shop, run: "r7", results: ["done", "unknown"] } as const;
    const json = progressJson(progress);
    expect(json).toMatchObject({ zone: shop, run: "r7", result: "running" });
    expect(progressFrom(json)).toEqual(progress);
    const damages = [{ at: "?" }, { zone: "" }, { run: "" }, { results: "done" }, { results: [7] }];
    for (const damage of damages) {
      expect(progressFrom({ ...json, ...damage }), JSON.stringify(damage)).toBeUndefined();
    }
  });

  it.for([null, [], {}, { at: "yesterday" }, { at: "2026-01-01T00:00:00Z", zone: "a" }, "text"])(
    "is not made of %j",
    (value, { expect }) => {
      expect(historyEntryFrom(value)).toBeUndefined();
    },
  );
});

describe("the time that a zone drifted", () => {
  it.for([
    { when: "it never did", runs: [[1, clear] as const], seen: 0, most: 0, episodes: 0 },
    {
      when: "it was seen by one look and gone at a later one",
      runs: [
        [10, clear] as const,
        [25, drifted] as const,
        [40, drifted] as const,
        [55, clear] as const,
      ],
      seen: 30,
      most: 45,
      episodes: 1,
    },
    {
      when: "the look that saw it undid it",
      runs: [[10, clear] as const, [25, corrected] as const],
      seen: 0,
      most: 15,
      episodes: 1,
    },
    {
      when: "reads failed in between, which say nothing of it",
      runs: [
        [10, clear] as const,
        [20, drifted] as const,
        [30, unreadable] as const,
        [50, clear] as const,
      ],
      seen: 30,
      most: 40,
      episodes: 1,
    },
    {
      when: "it goes on",
      runs: [[10, clear] as const, [40, drifted] as const],
      seen: 20,
      most: 50,
      episodes: 1,
    },
    {
      when: "it was undone in part only",
      runs: [
        [10, clear] as const,
        [20, { ...corrected, outcomes: [failed("policy/a")], left: [a] }] as const,
        [30, corrected] as const,
      ],
      seen: 10,
      most: 20,
      episodes: 1,
    },
    {
      when: "it only waited for a new revision",
      runs: [[10, pending] as const],
      seen: 0,
      most: 0,
      episodes: 0,
    },
  ])(
    "is $seen min seen and at most $most when $when",
    ({ runs, seen, most, episodes }, { expect }) => {
      const time = driftTimeIn(shop, entriesAfter(...runs), { since: at(0), until: at(60) });
      expect(time.seenMs / 60_000).toBe(seen);
      expect(time.atMostMs / 60_000).toBe(most);
      expect(time.episodes).toBe(episodes);
    },
  );

  it.for([
    { since: 0, until: 60, seen: 30, episodes: 1 },
    { since: 30, until: 40, seen: 10, episodes: 1 },
    // It may have begun right after the look at 10.
    { since: 0, until: 10, seen: 0, episodes: 1 },
    { since: 0, until: 9, seen: 0, episodes: 0 },
    { since: 50, until: 60, seen: 0, episodes: 1 },
    { since: 51, until: 60, seen: 0, episodes: 0 },
  ])("counts within $since and $until alone", ({ since, until, seen, episodes }, { expect }) => {
    const entries = entriesAfter([10, clear], [20, drifted], [50, clear]);
    const time = driftTimeIn(shop, entries, { since: at(since), until: at(until) });
    expect([time.seenMs / 60_000, time.episodes]).toEqual([seen, episodes]);
  });

  it("begins where the first entry that is left says", ({ expect }) => {
    const more: Came = { result: "planned", cause: "drift", changes: [a, b] };
    const [, later, last] = entriesAfter([20, drifted], [25, drifted], [30, more], [40, clear]);
    if (later === undefined || last === undefined) throw new Error("nothing was kept");
    expect(driftEpisodes([later, last])).toEqual([
      { earliest: at(20), detected: at(20), gone: at(40) },
    ]);
  });

  it("may have begun after the last run that read the zone", ({ expect }) => {
    const entries = entriesAfter([10, clear], [20, unreadable], [30, drifted]);
    expect(entries.map(({ clearAt }) => clearAt)).toEqual([undefined, at(10)]);
  });

  it("does not end with what is known of its cause", ({ expect }) => {
    const forgotten: Came = { result: "planned", cause: "unknown", changes: [a] };
    const first = entriesAfter([20, drifted]);
    const second = entriesAfter([30, forgotten], [40, clear]);
    expect(driftEpisodes([...first, ...second])).toMatchObject([{ gone: at(40) }]);
  });

  it("ends where a run corrected what it did not know the cause of", ({ expect }) => {
    const cured: Came = { result: "applied", cause: "unknown", changes: [a] };
    const entries = entriesAfter([20, drifted], [30, cured], [40, pending]);
    expect(driftEpisodes(entries)).toMatchObject([{ detected: at(20), gone: at(30) }]);
  });

  it("does not end with a failed read after a restart that has forgotten it", ({ expect }) => {
    const first = entriesAfter([10, clear], [20, drifted]);
    const second = entriesAfter([30, unreadable], [40, clear]);
    expect(driftEpisodes([...first, ...second])).toMatchObject([{ gone: at(40) }]);
  });

  it("is that of each time, also where the last one was found after a restart", ({ expect }) => {
    const first = entriesAfter([10, clear], [20, drifted], [30, clear]);
    const second = entriesAfter([40, drifted]);
    expect(driftEpisodes([...first, ...second])).toEqual([
      { earliest: at(10), detected: at(20), gone: at(30) },
      { earliest: at(30), detected: at(40), gone: undefined },
    ]);
  });

  it("goes on after a restart that found it still there", ({ expect }) => {
    const first = entriesAfter([10, clear], [20, drifted]);
    const second = entriesAfter([30, drifted], [40, clear]);
    const [episode, ...more] = driftEpisodes([...first, ...second]);
    expect(more).toEqual([]);
    expect(episode).toEqual({ earliest: at(10), detected: at(20), gone: at(40) });
  });
});

describe("what a zone was", () => {
  it("has no gaps, and marks periods without a record", ({ expect }) => {
    const entries = entriesAfter([10, clear], [20, drifted], [40, clear]);
    const spans = statusSpans(
      entries,
      { status: "in_sync", statusSince: at(40) },
      { since: at(0), until: at(60) },
    );
    expect(spans).toEqual([
      { status: undefined, since: at(0), until: at(20) },
      { status: "drifted", since: at(20), until: at(40) },
      { status: "in_sync", since: at(40), until: at(60) },
    ]);
  });

  it("ends where the period ends, whatever it was later", ({ expect }) => {
    const entries = entriesAfter([10, clear], [20, drifted], [40, clear]);
    const now = { status: "in_sync", statusSince: at(40) } as const;
    expect(statusSpans(entries, now, { since: at(15), until: at(30) })).toEqual([
      { status: undefined, since: at(15), until: at(20) },
      { status: "drifted", since: at(20), until: at(30) },
    ]);
  });

  it("is one span where it stayed the same from one entry to the next", ({ expect }) => {
    const more: Came = { result: "planned", cause: "drift", changes: [a, b] };
    const entries = entriesAfter([10, drifted], [20, more], [40, clear]);
    const now = { status: "in_sync", statusSince: at(40) } as const;
    expect(statusSpans(entries, now, { since: at(10), until: at(60) })).toEqual([
      { status: "drifted", since: at(10), until: at(40) },
      { status: "in_sync", since: at(40), until: at(60) },
    ]);
  });

  it("is what it is now since when, where history is empty", ({ expect }) => {
    const spans = statusSpans(
      [],
      { status: "in_sync", statusSince: at(5) },
      { since: at(0), until: at(60) },
    );
    expect(spans.map(({ status }) => status)).toEqual([undefined, "in_sync"]);
  });
});

it.for([
  [0, "0 s"],
  [999, "0 s"],
  [61_000, "1 min 1 s"],
  [3_600_000, "1 h"],
  [12_000_000, "3 h 20 min"],
  [90_000_000, "1 day 1 h"],
  [86_400_000 * 40, "40 days"],
] as const)("%i ms are %s", ([ms, text], { expect }) => {
  expect(durationText(ms)).toBe(text);
});

describe("a change that corrects drift and applies a declaration too", () => {
  it("has in the history what the drift did", ({ expect }) => {
    const causes = [
      { cause: "drift", fields: ["action"] },
      { cause: "pending", fields: ["description"] },
    ] as const;
    const [entry] = entriesAfter([
      1,
      { result: "planned", cause: "drift", changes: [{ ...a, causes }] },
    ]);
    expect(entry?.changes).toMatchObject([{ causes: ["drift", "pending"], drift: "weakens" }]);
  });
});

describe("the entry of a run that was killed between two writes", () => {
  it("has Git's name for the revision, as every entry", ({ expect }) => {
    const run = { ...report(shop, 9, clear), commit: "c0ffee" };
    expect(runningEntryOf(run, undefined).commit).toBe("c0ffee");
    const history = new RecentHistory(1_000_000);
    expect(history.recordUndeclared(run).commit).toBe("c0ffee");
    expect(history.of(shop)).toMatchObject([{ at: at(9), commit: "c0ffee" }]);
  });

  it("is of a zone that is no longer declared, and keeps what no later line tells", ({
    expect,
  }) => {
    const entry = runningEntryOf(report(shop, 9, corrected), undefined);
    expect(entry).toMatchObject({ driftedSince: at(9), clearAt: undefined });
    expect(afterProgress(entry, { at: at(10), results: [] })).toEqual({ ...entry, at: at(10) });
  });

  it.for([
    { finds: "pending", before: [clear], since: undefined, clearAt: undefined },
    { finds: "pending", before: [clear, drifted], since: at(2), clearAt: undefined },
    { finds: "drift", before: [clear, clear], since: at(9), clearAt: at(2) },
    { finds: "drift", before: [clear, drifted, drifted], since: at(2), clearAt: undefined },
  ] as const)(
    "is of a zone that drifts since $since after it found $finds",
    ({ finds, before, since, clearAt }, { expect }) => {
      const fleet = fleetOf(declared(shop));
      for (const [index, came] of before.entries()) {
        fleet.recordZone(report(shop, index + 1, came));
      }
      const run = report(shop, 9, { result: "applied", cause: finds, changes: [a] });
      const entry = runningEntryOf(run, fleet.zone(shop));
      expect(entry).toMatchObject({ result: "running", driftedSince: since, causes: [finds] });
      expect(entry.clearAt).toEqual(clearAt);
    },
  );
});
