import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { NewLines } from "../../src/history/chain/history-chain.ts";
import { recordIn } from "../../src/history/file/history-lines.ts";
import type { HistoryStore } from "../../src/history/file/history-store.ts";
import { UnstoredLines } from "../../src/history/file/unstored-lines.ts";
import { historyJson } from "../../src/history/history-json.ts";
import { historyFile } from "../../src/memory/directory/history-file.ts";
import { dayMs } from "../../src/syntax/time-units.ts";
import { SimulatedClock } from "../support/clock.ts";
import { entryAt, historyDirectory, MemoryHistory, openStore } from "../support/history-files.ts";
import { lineWithoutHash } from "../support/kept-history.ts";
import { at } from "../support/reports.ts";

const lines = new NewLines({ chain: "c1", n: 0, hash: "" }, undefined);

function notStored(): Promise<never> {
  return Promise.reject(new Error("ENOSPC"));
}

describe("the history file", () => {
  it("gives back after a restart what was appended, in order", async ({ expect }) => {
    await using place = await historyDirectory();
    const first = await openStore(historyFile(place.file));
    for (const minute of [1, 2, 3]) first.log.append(entryAt(minute));
    await first.log.settled();
    const second = await openStore(historyFile(place.file));
    expect(second.entries).toEqual([1, 2, 3].map(entryAt));
    expect(second.torn).toBe(0);
  });

  it("survives a kill after any byte: whole lines stay, a torn one goes, and it can be appended to", async ({
    expect,
  }) => {
    await using place = await historyDirectory();
    const whole = await openStore(historyFile(place.file));
    for (const minute of [1, 2]) whole.log.append(entryAt(minute));
    await whole.log.settled();
    const bytes = await readFile(place.file);
    const beginEnd = bytes.indexOf("\n") + 1;
    const firstEnd = bytes.indexOf("\n", beginEnd) + 1;
    const killedAfter = async (cut: number): Promise<void> => {
      const file = `${place.file}-${cut}`;
      await writeFile(file, bytes.subarray(0, cut));
      const opened = await openStore(historyFile(file));
      const complete = cut === bytes.length ? 2 : cut >= firstEnd ? 1 : 0;
      expect(opened.entries).toHaveLength(complete);
      expect(opened.torn).toBe(
        cut - ([bytes.length, firstEnd, beginEnd].find((end) => end <= cut) ?? 0),
      );
      opened.log.append(entryAt(3));
      await opened.log.settled();
      expect((await openStore(historyFile(file))).entries).toEqual([
        ...[1, 2].slice(0, complete).map(entryAt),
        entryAt(3),
      ]);
    };
    // Every byte around the ends of lines, and every thirtieth of the others.
    const ends = [0, beginEnd, firstEnd, bytes.length];
    const cuts = Array.from({ length: bytes.length + 1 }, (_, cut) => cut).filter(
      (cut) => cut % 30 === 0 || ends.some((end) => Math.abs(cut - end) <= 2),
    );
    await Promise.all(cuts.map(killedAfter));
  });

  it("passes over damaged lines in the middle, and says where they are", async ({ expect }) => {
    await using place = await historyDirectory();
    const first = await openStore(historyFile(place.file));
    first.log.append(entryAt(1));
    await first.log.settled();
    const nameless = '{"at":"2026-11-20T12:00:00.000Z","record":"begin"}';
    const undated = '{"at":"noon","record":"begin","chain":"c1"}';
    const unknown = nameless.replace("begin", 'head","chain":"c1","reason":"weekly');
    await appendFile(place.file, `\0\0\0\n{}\n${nameless}\n${undated}\n${unknown}\n`);
    expect(first.damaged).toEqual([]);
    const second = await openStore(historyFile(place.file));
    expect(second.damaged).toEqual([3, 4, 5, 6, 7]);
    second.log.append(entryAt(2));
    await second.log.settled();
    const third = await openStore(historyFile(place.file));
    expect(third.entries).toEqual([1, 2].map(entryAt));
    expect(third.damaged).toEqual([3, 4, 5, 6, 7]);
  });

  it.for(["kT9xQ2mN8vL4pR7wJ3hF6bD1sG5zC0yA_eU-iOqX", "mode: observe\n", "[1]"])(
    "is never made of another one that was named by mistake: %s",
    async (text, { expect }) => {
      await using place = await historyDirectory();
      await mkdir(path.dirname(place.file));
      await writeFile(place.file, text);
      const opening = openStore(historyFile(place.file));
      await expect(opening).rejects.toThrow("is not a history file");
      expect(await readFile(place.file, "utf8")).toBe(text);
    },
  );

  it("drops what is too old", async ({ expect }) => {
    await using place = await historyDirectory();
    const clock = new SimulatedClock(at(0));
    const first = await openStore(historyFile(place.file), { clock });
    for (const minute of [1, 2, 30]) first.log.append(entryAt(minute));
    await first.log.settled();
    // Exactly as old as it may be.
    await openStore(historyFile(place.file), { maxAgeMs: 30 * 60_000 });
    expect((await openStore(historyFile(place.file))).entries).toEqual([entryAt(30)]);
    const [, text = ""] = (await readFile(place.file, "utf8")).split("\n");
    const dropped = { lines: 3, firstAt: at(0), lastAt: at(2), last: { n: 3 } };
    expect(recordIn({ text })).toMatchObject({ at: at(60), record: "dropped", dropped });
    const younger = { maxAgeMs: 30 * 60_000 - 1 };
    const kept = await openStore({ ...historyFile(place.file), canDrop: false }, younger);
    expect(kept.told).toEqual([]);
    await openStore(historyFile(place.file), younger);
    expect((await openStore(historyFile(place.file))).entries).toEqual([]);
  });

  it("looks once a day for what is too old", async ({ expect }) => {
    const clock = new SimulatedClock(at(60));
    const { log, told } = await openStore(new MemoryHistory(), { clock, maxAgeMs: 30 * 60_000 });
    for (const [waitMs, drops] of [
      [0, 0],
      [dayMs - 1, 0],
      [1, 1],
      [dayMs - 1, 1],
      [1, 2],
    ] as const) {
      clock.step(waitMs);
      log.append(entryAt(1));
      await log.settled();
      expect(told).toHaveLength(drops);
    }
  });

  it("never outgrows its size by more than what is written at once, and keeps the latest", async ({
    expect,
  }) => {
    await using place = await historyDirectory();
    const maxBytes = 5_000;
    const store = historyFile(place.file);
    const { log: file, told } = await openStore(store, { maxBytes });
    for (let minute = 1; minute <= 50; minute += 1) {
      file.append(entryAt(minute));
      await file.settled();
      expect(await store.size()).toBeLessThanOrEqual(maxBytes);
    }
    const { entries } = await openStore(store);
    expect(entries.length).toBeGreaterThan(4);
    expect(entries.at(-1)).toEqual(entryAt(50));
    expect(told[0]).toMatch(/^dropped, as line \d+ says$/);
  });

  it("does not block while the disk is full, reports it once, and writes later", async ({
    expect,
  }) => {
    await using place = await historyDirectory();
    const real = historyFile(place.file);
    let [room, canTruncate] = [Infinity, true];
    const store: HistoryStore = {
      ...real,
      add: async (batch) => {
        if (room === Infinity) return real.add(batch);
        await appendFile(place.file, batch.lines.text.slice(0, room));
        return notStored();
      },
      truncate: (size) => (canTruncate ? real.truncate(size) : notStored()),
    };
    const clock = new SimulatedClock(at(60));
    const { log: file, told } = await openStore(store, { clock });
    file.append(entryAt(1));
    await file.settled();
    expect(clock.sleeping).toBe(0);
    const size = await real.size();
    [room, canTruncate] = [20, false];
    for (const minute of [2, 3]) {
      file.append(entryAt(minute));
      await file.settled();
      expect(await real.size()).toBe(size + 20);
    }
    [room, canTruncate] = [10, true];
    await clock.advance(5_000);
    await file.settled();
    expect(await real.size()).toBe(size + 10);
    room = Infinity;
    await clock.advance(4_999);
    expect(told).toEqual(["Error: ENOSPC"]);
    await clock.advance(1);
    await file.settled();
    expect(told).toEqual(["Error: ENOSPC", "recovered"]);
    file.append(entryAt(4));
    await file.settled();
    expect(told).toHaveLength(2);
    const { entries, damaged } = await openStore(real);
    expect(entries).toEqual([1, 2, 3, 4].map(entryAt));
    expect(damaged).toEqual([]);
  });

  it("reports a full disk before it names a chain after damaged lines", async ({ expect }) => {
    const store = new MemoryHistory(Buffer.from(lineWithoutHash(0)));
    store.add = notStored;
    expect((await openStore(store)).told).toEqual(["Error: ENOSPC"]);
  });

  it("keeps in order what comes while an append fails", async ({ expect }) => {
    await using place = await historyDirectory();
    const real = historyFile(place.file);
    const [begun, failure] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFull = true;
    const store: HistoryStore = {
      ...real,
      add: async (batch) => {
        if (!isFull) return real.add(batch);
        begun.resolve();
        return failure.promise;
      },
    };
    const { log: file, told } = await openStore(store);
    file.append(entryAt(1));
    file.append(entryAt(2));
    await begun.promise;
    file.append(entryAt(3));
    file.append(entryAt(4));
    failure.reject(new Error("ENOSPC"));
    await file.settled();
    expect((await openStore(real)).entries).toEqual([]);
    isFull = false;
    file.append(entryAt(5));
    await file.settled();
    expect(told).toEqual(["Error: ENOSPC", "recovered"]);
    expect((await openStore(real)).entries).toEqual([1, 2, 3, 4, 5].map(entryAt));
  });

  it("tells in the next term how many lines of the last one were too many to wait", async ({
    expect,
  }) => {
    await using place = await historyDirectory();
    const store = historyFile(place.file);
    const unstored = new UnstoredLines();
    const options = { unstored, maxBytes: 100_000_000 };
    const first = await openStore({ ...store, add: notStored }, options);
    const entry = entryAt(1);
    await first.log.appendAndWait(entry);
    for (let nth = 0; nth < 10_003; nth += 1) first.log.append(entry);
    await first.log[Symbol.asyncDispose]();
    expect(first.told).toEqual(["Error: ENOSPC"]);
    const second = await openStore(store, options);
    expect(second.told).toEqual(["recovered, 3 lines lost"]);
    expect((await openStore(store, options)).told).toEqual([]);
  });

  it("lets nobody wait for a line that was dropped", ({ expect }) => {
    const unstored = new UnstoredLines();
    const attempted: number[] = [];
    for (let nth = 0; nth <= 10_000; nth += 1) {
      unstored.add({ json: {}, isSigned: false, attempted: () => void attempted.push(nth) });
    }
    expect(attempted).toEqual([0]);
    expect(unstored.all).toHaveLength(10_000);
  });

  it.for([
    { isStored: false, minutes: [0, 1, 3, 2] },
    { isStored: true, minutes: [0, 1, 2, 3] },
  ])(
    "gets in the next term what the last one could not confirm, once: it is stored: $isStored",
    async ({ isStored, minutes }, { expect }) => {
      const store = new MemoryHistory(Buffer.from(lineWithoutHash(0)));
      const before = await openStore(store);
      await before.log.appendAndWait(entryAt(1));
      const unstored = new UnstoredLines();
      const full = new MemoryHistory(store.bytes);
      full.add = notStored;
      const clock = new SimulatedClock(at(60));
      const first = await openStore(full, { unstored, clock });
      await first.log.appendAndWait(entryAt(2));
      await first.log[Symbol.asyncDispose]();
      expect(clock.sleeping).toBe(0);
      const { unconfirmed } = unstored;
      if (isStored && unconfirmed !== undefined) await store.add(unconfirmed);
      const other = await openStore(store);
      await other.log.appendAndWait(entryAt(3));
      for (const term of [2, 3]) {
        const { log, entries } = await openStore(store, { unstored });
        expect(entries, `term ${term}`).toEqual(minutes.map(entryAt));
        await log[Symbol.asyncDispose]();
        expect((await openStore(store)).entries, `term ${term}`).toEqual(minutes.map(entryAt));
      }
    },
  );

  it("lets nobody wait for a line that cannot be written now", async ({ expect }) => {
    await using place = await historyDirectory();
    const real = historyFile(place.file);
    const [begun, failure] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const add = (): Promise<void> => {
      begun.resolve();
      return failure.promise;
    };
    const { log: file } = await openStore({ ...real, add });
    const first = file.appendAndWait(entryAt(1));
    await begun.promise;
    const second = file.appendAndWait(entryAt(2));
    failure.reject(new Error("ENOSPC"));
    await Promise.all([first, second, first.then(() => file.appendAndWait(entryAt(3)))]);
    const { entries } = await openStore(real);
    expect(entries).toEqual([]);
  });

  it("follows no symbolic link", async ({ expect }) => {
    await using place = await historyDirectory();
    await mkdir(path.dirname(place.file));
    const victim = path.join(path.dirname(place.file), "victim");
    await writeFile(victim, "mode: observe\n");
    await symlink(victim, `${place.file}.next`);
    const clock = new SimulatedClock(at(0));
    const first = await openStore(historyFile(place.file), { clock });
    for (const minute of [1, 2, 30]) first.log.append(entryAt(minute));
    await first.log.settled();
    await openStore(historyFile(place.file), { maxAgeMs: 31 * 60_000 });
    expect((await openStore(historyFile(place.file))).entries).toEqual([entryAt(30)]);

    await rm(place.file);
    await symlink(victim, place.file);
    await expect(openStore(historyFile(place.file))).rejects.toMatchObject({
      message: `${place.file} is a symbolic link`,
      code: "ELOOP",
    });
    await expect(historyFile(place.file).add({ lines })).rejects.toThrow("ELOOP");
    expect(await readFile(victim, "utf8")).toBe("mode: observe\n");
  });

  it("is not opened where it is a pipe or a device, which could wait for ever", async ({
    expect,
  }) => {
    await using place = await historyDirectory();
    await mkdir(path.dirname(place.file));
    execFileSync("mkfifo", [place.file]);
    for (const file of [place.file, "/dev/null", path.dirname(place.file)]) {
      await expect(openStore(historyFile(file))).rejects.toThrow(`${file} is no regular file`);
    }
    // A command names the directory that it was given for a history.
    const directory = path.dirname(place.file);
    const reading = Array.fromAsync(historyFile(directory).read());
    await expect(reading).rejects.toMatchObject({
      message: `${directory} is a directory`,
      code: "EISDIR",
      path: directory,
    });
  });

  it("waits for no reader of a pipe that takes its place", async ({ expect }) => {
    await using place = await historyDirectory();
    const { log: file, told } = await openStore(historyFile(place.file));
    file.append(entryAt(1));
    await file.settled();
    await rm(place.file);
    execFileSync("mkfifo", [place.file]);
    for (const minute of [2, 3]) {
      file.append(entryAt(minute));
      await file.settled();
    }
    expect(told).toEqual([expect.stringContaining("another program removed or replaced")]);
    await expect(historyFile(place.file).add({ lines })).rejects.toThrow("ENXIO");
  });

  it("says that it was removed before the first line of the process", async ({ expect }) => {
    await using place = await historyDirectory();
    const first = await openStore(historyFile(place.file));
    first.log.append(entryAt(1));
    await first.log.settled();
    const { log, told } = await openStore(historyFile(place.file));
    await rm(place.file);
    log.append(entryAt(2));
    await log.settled();
    expect(told).toEqual([expect.stringContaining("another program removed or replaced")]);
  });

  it.for(["removed", "replaced by an older copy"])(
    "says once that it was %s, and goes on with what is there",
    async (what, { expect }) => {
      await using place = await historyDirectory();
      const clock = new SimulatedClock(at(60));
      const { log, told } = await openStore(historyFile(place.file), { clock });
      log.append(entryAt(1));
      await log.settled();
      const older = await readFile(place.file);
      log.append(entryAt(2));
      await log.settled();
      expect(told).toEqual([]);
      await rm(place.file);
      if (what !== "removed") await writeFile(place.file, older);
      log.append(entryAt(3));
      await log.settled();
      await clock.advance(5_000);
      await log.settled();
      log.append(entryAt(4));
      await log.settled();
      expect(told).toEqual([
        `Error: another program removed or replaced ${place.file}: its earlier lines are lost`,
        "recovered",
      ]);
      const { entries } = await openStore(historyFile(place.file));
      expect(entries).toEqual((what === "removed" ? [3, 4] : [1, 3, 4]).map(entryAt));
    },
  );

  it("calls a line that is nested too deeply damaged", async ({ expect }) => {
    await using place = await historyDirectory();
    const first = await openStore(historyFile(place.file));
    first.log.append(entryAt(1));
    await first.log.settled();
    const value = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = JSON.stringify(historyJson(entryAt(2))).replace(/"fields":\[/, `$&${value},`);
    await appendFile(place.file, `${text}\n`);
    const second = await openStore(historyFile(place.file));
    expect(second.entries).toEqual([entryAt(1)]);
    expect(second.damaged).toEqual([3]);
  });

  it("writes at its end what still waits", async ({ expect }) => {
    await using place = await historyDirectory();
    const { log: file } = await openStore(historyFile(place.file));
    for (const minute of [1, 2, 3]) file.append(entryAt(minute));
    await file[Symbol.asyncDispose]();
    expect((await openStore(historyFile(place.file))).entries).toHaveLength(3);
  });

  it("tries once more at its end what fails to be written at this moment", async ({ expect }) => {
    await using place = await historyDirectory();
    const real = historyFile(place.file);
    const [begun, failure] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let attempts = 0;
    const store: HistoryStore = {
      ...real,
      add: async (batch) => {
        attempts += 1;
        if (attempts > 1) return real.add(batch);
        begun.resolve();
        return failure.promise;
      },
    };
    const { log: file } = await openStore(store);
    file.append(entryAt(1));
    await begun.promise;
    const ended = file[Symbol.asyncDispose]();
    failure.reject(new Error("ENOSPC"));
    await ended;
    expect((await openStore(real)).entries).toEqual([entryAt(1)]);
  });
});
