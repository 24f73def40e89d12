import { describe, it } from "vitest";

import { headPortsOf } from "../../src/daemon/history-ports.ts";
import { HistoryHeads } from "../../src/history/file/history-heads.ts";
import type { Notification } from "../../src/notify/notification.ts";
import { SimulatedClock } from "../support/clock.ts";
import { entryAt, MemoryHistory, openStore } from "../support/history-files.ts";
import { headOf, linesIn } from "../support/kept-history.ts";
import { book } from "../support/log-book.ts";

const hourMs = 3_600_000;

/** Heads of a history that is written while a clock runs. */
async function watched(store: MemoryHistory, clock: SimulatedClock, isSigned = false) {
  const { logger, lines } = book();
  const told: Notification[] = [];
  const notify = (notification: Notification): void => void told.push(notification);
  const { log: file } = await openStore(store, { clock });
  const heads = new HistoryHeads({
    ...headPortsOf("history.jsonl", logger, notify),
    clock,
    isSigned,
  });
  heads.start(file);
  const logged = (): readonly unknown[] => lines().map(({ when }) => when);
  return { file, heads, told, logged, lines };
}

describe("the heads of the history", () => {
  it("are sent once a day, also where the daemon restarts every hour", async ({ expect }) => {
    const store = new MemoryHistory();
    const clock = new SimulatedClock();
    const sent: Notification[] = [];
    for (let hour = 0; hour < 49; hour += 1) {
      const { file, heads, told } = await watched(store, clock, true);
      await file.appendAndWait(entryAt(hour));
      await clock.advance(hourMs);
      await file.settled();
      await heads.stop(file);
      sent.push(...told);
    }
    expect(sent.map(({ reason, zone }) => [reason, zone])).toEqual(
      Array.from({ length: 3 }, () => ["HistoryHead", ""]),
    );
    const days = sent.map(({ at }) => Number(at) / hourMs);
    expect(days.slice(1).map((each, index) => each - (days[index] ?? 0))).toEqual([24, 24]);
  });

  it("are those of the file, and are not sent again where nothing was added", async ({
    expect,
  }) => {
    const store = new MemoryHistory();
    const clock = new SimulatedClock();
    const { file, heads, told, logged, lines } = await watched(store, clock);
    await file.appendAndWait(entryAt(1));
    await clock.advance(73 * hourMs);
    expect(told).toHaveLength(1);
    const head = headOf(store.bytes);
    expect(told[0]?.message).toContain(`head of the history: ${head} (line 3 of chain c1)`);
    await heads.stop(file);
    await clock.advance(25 * hourMs);
    expect(logged()).toEqual(["daily", "daily", "daily", "daily", "stop"]);
    expect(lines().at(-1)).toMatchObject({ msg: "history head", head, line: 3, chain: "c1" });
  });

  it.for([
    { isSigned: true, writes: true, kept: ["stop"] },
    // The head of the process before is the last line, or the process before was killed.
    { isSigned: true, writes: false, kept: [] },
    { isSigned: true, writes: false, wasKilled: true, kept: ["stop"] },
    { isSigned: false, writes: true, kept: [] },
  ])(
    "are kept in the file at the stop if a key signs them, and something was added: $kept",
    async ({ isSigned, writes, wasKilled = false, kept }, { expect }) => {
      const store = new MemoryHistory();
      const clock = new SimulatedClock();
      const first = await watched(store, clock, true);
      await first.file.appendAndWait(entryAt(1));
      if (!wasKilled) await first.heads.stop(first.file);
      const before = linesIn(store.bytes).length;
      const { file, heads } = await watched(store, clock, isSigned);
      if (writes) await file.appendAndWait(entryAt(2));
      await heads.stop(file);
      const added = linesIn(store.bytes).slice(before);
      const reasons = added.flatMap((line) => /"reason":"(\w+)"/.exec(line)?.[1] ?? []);
      expect(reasons).toEqual(kept);
    },
  );

  it("do not begin the file of a daemon that never wrote", async ({ expect }) => {
    const store = new MemoryHistory();
    const { file, heads } = await watched(store, new SimulatedClock(), true);
    await heads.stop(file);
    expect(store.bytes).toHaveLength(0);
  });

  it("are not sent again where the clock was set back to the moment of the last one", async ({
    expect,
  }) => {
    const store = new MemoryHistory();
    const clock = new SimulatedClock();
    const first = await watched(store, clock);
    await first.file.appendAndWait(entryAt(1));
    await clock.advance(hourMs);
    await first.heads.stop(first.file);
    const back = new SimulatedClock();
    const second = await watched(store, back);
    await second.file.appendAndWait(entryAt(2));
    await back.advance(hourMs);
    await second.heads.stop(second.file);
    expect([first.told, second.told].map(({ length }) => length)).toEqual([1, 0]);
  });

  it("are logged where lines were dropped", async ({ expect }) => {
    const { heads, lines } = await watched(new MemoryHistory(), new SimulatedClock());
    heads.dropped({ chain: "c1", n: 7, hash: "8f2b" });
    const logged = { when: "oldest entries dropped", head: "8f2b", line: 7, chain: "c1" };
    expect(lines()).toMatchObject([{ msg: "history head", path: "history.jsonl", ...logged }]);
  });

  it("go on where the clock was set back by a year", async ({ expect }) => {
    const store = new MemoryHistory();
    const first = await watched(store, new SimulatedClock(new Date("2027-11-20T12:00:00Z")));
    await first.file.appendAndWait(entryAt(1));
    await first.file.recordHead("daily");
    await first.heads.stop(first.file);
    const clock = new SimulatedClock();
    const { file, heads, told } = await watched(store, clock);
    await file.appendAndWait(entryAt(2));
    await clock.advance(hourMs);
    await heads.stop(file);
    expect(told).toHaveLength(1);
  });
});
