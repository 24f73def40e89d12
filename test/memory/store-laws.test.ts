import fc from "fast-check";
import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { openDirectoryStore } from "../../src/memory/directory/directory-store.ts";
import type { KeptStore } from "../../src/memory/kept-store.ts";
import { type LeaderTables, openPostgresStore } from "../../src/memory/postgres/postgres-store.ts";
import type { TermBatch } from "../../src/memory/postgres/tables.ts";
import { entryAt, MemoryHistory, openStore, verified } from "../support/history-files.ts";
import { MemoryDirectory } from "../support/memory-directory.ts";
import { MemoryTables } from "../support/memory-tables.ts";
import { installation, noPostgres } from "../support/postgres.ts";
import { cases } from "../support/properties.ts";

const identity = { owner: "us", service: "https://service.example" };

/** A place where a store is kept, which outlives each process that uses it. */
interface Place extends AsyncDisposable {
  open(): Promise<KeptStore>;
  /** What happens to the next batch: its answer is lost, or it is not stored at all. */
  fault: "lost_answer" | "refused" | undefined;
}

const ignore = (): undefined => undefined;
const told = { clock: systemClock, onFailure: ignore, onRecovery: ignore, onLost: ignore };

function directoryPlace(): Promise<Place> {
  const [directory, history] = [new MemoryDirectory(), new MemoryHistory()];
  let pid = 0;
  const failing = async <T>(act: () => Promise<T>): Promise<T> => {
    const { fault } = place;
    place.fault = undefined;
    if (fault === "refused") throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
    const done = await act();
    if (fault === "lost_answer") throw Object.assign(new Error("no answer"), { code: "EIO" });
    return done;
  };
  const place: Place = {
    fault: undefined,
    open: async () => {
      pid += 1;
      directory.files.delete("state.lock");
      const state = await openDirectoryStore(identity, {
        ...told,
        directory: {
          read: (name) => directory.read(name),
          create: (name, text) => directory.create(name, text),
          append: (name, offset, text) => failing(() => directory.append(name, offset, text)),
          replace: (name, text) => failing(() => directory.replace(name, text)),
          rename: (from, to) => directory.rename(from, to),
          remove: (name) => directory.remove(name),
          names: () => directory.names(),
        },
        process: { pid, hostName: "here", isRunning: () => false },
        uniqueId: () => `id${pid}`,
      });
      return {
        state,
        history: {
          place: history.place,
          canDrop: true,
          size: () => history.size(),
          read: () => history.read(),
          truncate: (size) => history.truncate(size),
          add: (batch) => failing(() => history.add(batch)),
        },
        isRestored: false,
        [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
      };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return Promise.resolve(place);
}

/** A database whose answers can be lost. */
function databasePlace(tables: LeaderTables, end: () => Promise<void>): Place {
  const place: Place = {
    fault: undefined,
    open: () =>
      openPostgresStore(
        "database",
        {
          begin: (...args) => tables.begin(...args),
          historyBytes: () => tables.historyBytes(),
          historyLines: () => tables.historyLines(),
          store: async (batch: TermBatch) => {
            const { fault } = place;
            place.fault = undefined;
            if (fault === "refused") throw new Error("the connection is refused");
            const result = await tables.store(batch);
            if (fault === "lost_answer") throw new Error("the connection is lost");
            return result;
          },
        },
        identity,
        undefined,
        told,
      ),
    [Symbol.asyncDispose]: end,
  };
  return place;
}

async function realPlace(): Promise<Place> {
  const { open } = await installation();
  const database = open();
  return databasePlace(database.tables, async () => database[Symbol.asyncDispose]());
}

const media = [
  { medium: "a directory", start: directoryPlace, runs: 60, skip: undefined },
  {
    medium: "tables in memory",
    start: () => Promise.resolve(databasePlace(new MemoryTables(), () => Promise.resolve())),
    runs: 60,
    skip: undefined,
  },
  { medium: "PostgreSQL", start: realPlace, runs: 4, skip: noPostgres },
] as const;

/** What a process does with its store. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant("set"), fc.constantFrom("a", "b", "c'\\", "d")) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("remove"), fc.constantFrom("a", "b")) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("line"), fc.constant("")) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("flush"), fc.constant("")) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("lost_answer"), fc.constant("")) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("refused"), fc.constant("")) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("restart"), fc.constant("")) },
);

for (const { medium, start, runs, skip } of media) {
  describe.skipIf(skip)(`a store in ${medium} ${skip ?? ""}`, () => {
    it("gives back what was flushed, and each line once and in order, whatever fails", async ({
      expect,
    }) => {
      const law = fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        async (steps) => {
          await using place = await start();
          const expected = new Map<string, string>();
          let lines = 0;
          let store = await place.open();
          let { log } = await openStore(store.history ?? new MemoryHistory());
          const restart = async (): Promise<void> => {
            place.fault = undefined;
            while (!(await store.state.flush()));
            await log[Symbol.asyncDispose]();
            await store[Symbol.asyncDispose]();
            store = await place.open();
            const opened = await openStore(store.history ?? new MemoryHistory());
            log = opened.log;
            const keys = store.state.keys("");
            expect(new Map(keys.map((key) => [key, store.state.get(key)]))).toEqual(expected);
            expect(opened.entries).toEqual(Array.from({ length: lines }, (_, nth) => entryAt(nth)));
          };
          for (const [nth, [what, key]] of steps.entries()) {
            if (what === "set") expected.set(key, `${nth} "ü"`);
            if (what === "remove") expected.delete(key);
            if (what === "set" || what === "remove") store.state.set(key, expected.get(key));
            if (what === "lost_answer" || what === "refused") place.fault = what;
            if (what === "flush") await store.state.flush();
            if (what === "restart") await restart();
            if (what === "line") {
              void log.appendAndWait(entryAt(lines));
              lines += 1;
            }
          }
          await restart();
          const bytes: Uint8Array[] = [];
          for await (const piece of store.history?.read() ?? []) bytes.push(piece);
          const { flaws } = await verified([Buffer.concat(bytes)]);
          expect(lines === 0 ? [] : flaws).toEqual([]);
          await log[Symbol.asyncDispose]();
          await store[Symbol.asyncDispose]();
        },
      );
      await fc.assert(law, cases(runs));
    });
  });
}

for (const { medium, start, skip } of media.slice(1)) {
  describe.skipIf(skip)(`the term of a leader in ${medium} ${skip ?? ""}`, () => {
    it("ends with the next one's: nothing of it is stored any more", async ({ expect }) => {
      await using place = await start();
      const first = await place.open();
      first.state.set("a", "first");
      expect(await first.state.flush()).toBe(true);
      const second = await place.open();
      const { log } = await openStore(second.history ?? new MemoryHistory());
      await log.appendAndWait(entryAt(1));
      first.state.set("a", "late");
      expect(await first.state.flush()).toBe(false);
      expect(await first.state.isHeld()).toBe(false);
      await expect(openStore(first.history ?? new MemoryHistory())).resolves.toBeDefined();
      const third = await place.open();
      expect(third.state.get("a")).toBe("first");
      expect((await openStore(third.history ?? new MemoryHistory())).entries).toEqual([entryAt(1)]);
    });
  });
}
