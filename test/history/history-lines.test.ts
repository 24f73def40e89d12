import { readFile } from "node:fs/promises";

import { describe, it } from "vitest";

import { damageText, readHistory } from "../../src/history/file/history-lines.ts";
import { type HistoryEntry, runningEntryOf } from "../../src/history/history.ts";
import { historyFile } from "../../src/memory/directory/history-file.ts";
import type { RolloutRecord } from "../../src/state/rollout-turn.ts";
import { SimulatedClock } from "../support/clock.ts";
import { shop } from "../support/fleets.ts";
import { entryAt, historyDirectory, openStore } from "../support/history-files.ts";
import { found } from "../support/kept-history.ts";
import { at, change, report } from "../support/reports.ts";

/** A run of two changes that is about to send the first. */
const running: HistoryEntry = runningEntryOf(
  report(shop, 9, {
    result: "applied",
    cause: "pending",
    changes: [change("policy/a"), change("policy/b")],
    outcomes: [],
  }),
  undefined,
);

/** What became of its changes as it went on. */
const steps = [
  ["unknown", "skipped"],
  ["done", "unknown"],
] as const;

describe("a history file with the lines of a run that was sending writes", () => {
  it("makes one interrupted entry of a run that never ended, once", async ({ expect }) => {
    await using place = await historyDirectory();
    const { log: file } = await openStore(historyFile(place.file));
    await file.appendAndWait(running);
    for (const [index, results] of steps.entries()) {
      const { zone, run } = running;
      await file.appendAndWait({ at: at(10 + index), zone, run, results });
    }
    const { entries } = await openStore(historyFile(place.file));
    const [one, two] = running.changes;
    const changes = [
      { ...one, result: "done" },
      { ...two, result: "unknown" },
    ];
    expect(entries).toEqual([{ ...running, at: at(11), result: "interrupted", changes }]);
    expect((await openStore(historyFile(place.file))).entries).toEqual(entries);
  });

  it("has one entry of a run that ended after its writes were recorded", async ({ expect }) => {
    await using place = await historyDirectory();
    const { log: file } = await openStore(historyFile(place.file));
    await file.appendAndWait(running);
    const { zone, run } = running;
    await file.appendAndWait({ at: at(10), zone, run, results: ["done", "unknown"] });
    const ended = { ...entryAt(11), run };
    file.append(ended);
    await file.settled();
    const { entries, damaged } = await openStore(historyFile(place.file));
    expect(entries).toEqual([ended]);
    expect(damaged).toEqual([]);
  });

  it("is read oldest first, although a killed run gets its entry late", async ({ expect }) => {
    await using place = await historyDirectory();
    const store = historyFile(place.file);
    const clock = new SimulatedClock(at(8));
    const { log: file } = await openStore(store, { clock });
    await file.appendAndWait(running);
    file.append(entryAt(11));
    await file.settled();
    await openStore(store, { clock });
    const { entries } = await readHistory(store.read());
    expect(entries.map(({ result, at: moment }) => [result, moment])).toEqual([
      ["interrupted", at(9)],
      [entryAt(11).result, at(11)],
    ]);
    // Its time is no clock that went back.
    expect(await found([await readFile(place.file)])).toEqual([]);
  });

  it("keeps what happened to a rollout between the lines of a run", async ({ expect }) => {
    await using place = await historyDirectory();
    const store = historyFile(place.file);
    const { log: file } = await openStore(store);
    const turn: RolloutRecord = {
      turn: "wave_began",
      wave: 2,
      zones: 31,
      at: at(10),
      revision: "sha256-1b23e5f4",
      commit: "5a40679",
    };
    await file.appendAndWait(running);
    file.append(turn);
    file.append({ ...entryAt(11), run: running.run });
    await file.settled();
    const { entries, rollouts, damaged } = await readHistory(store.read());
    expect(rollouts).toEqual([turn]);
    expect(entries).toHaveLength(1);
    expect(damaged).toEqual([]);
  });

  it.for([
    { length: 1, says: "1 line is damaged (line 1)" },
    { length: 2, says: "2 lines are damaged (lines 1, 2)" },
    { length: 10, says: "10 lines are damaged (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)" },
    { length: 11, says: "11 lines are damaged (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)" },
  ])("says of damage: $says", ({ length, says }, { expect }) => {
    expect(damageText(Array.from({ length }, (_, nth) => nth + 1))).toBe(says);
  });

  it("ignores the progress of a run whose first line was dropped", async ({ expect }) => {
    await using place = await historyDirectory();
    const { log: file } = await openStore(historyFile(place.file));
    const { zone, run } = running;
    await file.appendAndWait({ at: at(10), zone, run, results: ["done"] });
    const { entries, damaged } = await openStore(historyFile(place.file));
    expect([entries, damaged]).toEqual([[], []]);
  });
});
