import { isDeepStrictEqual } from "node:util";

import * as fc from "fast-check";
import { describe, it } from "vitest";

import type { OpenedHistory } from "../../src/history/file/history-log.ts";
import type { HistoryStore } from "../../src/history/file/history-store.ts";
import { systemClock } from "../../src/host/clock.ts";
import { openDatabaseStore } from "../../src/memory/database-store.ts";
import type { LeaderTables } from "../../src/memory/database.ts";
import { openDirectoryStore } from "../../src/memory/directory/directory-store.ts";
import {
  heldMeasurements,
  measurementFiles,
} from "../../src/memory/directory/measurement-files.ts";
import type { StateDirectory } from "../../src/memory/directory/state-directory.ts";
import type { KeptStore } from "../../src/memory/kept-store.ts";
import { storedRollout, storeRollout } from "../../src/memory/stored-rollout.ts";
import { byEntryName } from "../../src/syntax/by-text.ts";
import type { Clock } from "../../src/zone/ports.ts";
import { type ZoneName, zoneName } from "../../src/zone/zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { entryAt, MemoryHistory, openStore, verified } from "../support/history-files.ts";
import { MemoryDirectory } from "../support/memory-directory.ts";
import { MemoryTables } from "../support/memory-tables.ts";
import { installation, noPostgres } from "../support/postgres.ts";
import { cases } from "../support/properties.ts";
import { named } from "../support/reports.ts";

const identity = { owner: "us", service: "https://service.example" };

/** A place where a store is kept, which outlives each process that uses it. */
interface Place extends AsyncDisposable {
  open(clock?: Clock): Promise<KeptStore>;
  /** What happens to the next batch: its answer is lost, or it is not stored at all. `down`: to each batch. */
  fault: "lost_answer" | "refused" | "down" | undefined;
}

const ignore = (): undefined => undefined;
const told = { onFailure: ignore, onRecovery: ignore, onLost: ignore };

function directoryOf(directory: MemoryDirectory): StateDirectory {
  return {
    read: (name) => directory.read(name),
    lines: (name) => directory.lines(name),
    create: (name, text) => directory.create(name, text),
    append: (name, offset, text) => directory.append(name, offset, text),
    overwrite: (name, text) => directory.overwrite(name, text),
    replace: (name, text) => directory.replace(name, text),
    rename: (from, to) => directory.rename(from, to),
    remove: (name) => directory.remove(name),
    names: () => directory.names(),
  };
}

function directoryPlace(): Promise<Place> {
  const [directory, history] = [new MemoryDirectory(), new MemoryHistory()];
  const records = new MemoryDirectory();
  let pid = 0;
  const failing = async <T>(act: () => Promise<T>): Promise<T> => {
    const { fault } = place;
    if (fault !== "down") place.fault = undefined;
    if (fault === "refused" || fault === "down") {
      throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
    }
    const done = await act();
    if (fault === "lost_answer") throw Object.assign(new Error("no answer"), { code: "EIO" });
    return done;
  };
  const place: Place = {
    fault: undefined,
    open: async (clock = systemClock) => {
      pid += 1;
      directory.files.delete("state.lock");
      const state = await openDirectoryStore(identity, {
        ...told,
        clock,
        directory: {
          ...directoryOf(directory),
          append: (name, offset, text) => failing(() => directory.append(name, offset, text)),
          replace: (name, text) => failing(() => directory.replace(name, text)),
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
        measurements: heldMeasurements(
          measurementFiles({
            ...directoryOf(records),
            replace: (name, text) => failing(() => records.replace(name, text)),
            remove: (name) => failing(() => records.remove(name)),
          }),
          state,
        ),
        isRestored: false,
        settleLoss: ignore,
        [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
      };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return Promise.resolve(place);
}

/** A database whose answers can be lost. */
function databasePlace(tables: LeaderTables, end: () => Promise<void>): Place {
  const failing = async <T>(act: () => Promise<T>): Promise<T> => {
    const { fault } = place;
    if (fault !== "down") place.fault = undefined;
    if (fault === "refused" || fault === "down") throw new Error("the connection is refused");
    const result = await act();
    if (fault === "lost_answer") throw new Error("the connection is lost");
    return result;
  };
  const place: Place = {
    fault: undefined,
    open: (clock = systemClock) =>
      openDatabaseStore(
        "database",
        {
          begin: (...args) => tables.begin(...args),
          reached: () => tables.reached(),
          historyBytes: () => tables.historyBytes(),
          historyLines: () => tables.historyLines(),
          store: (batch) => failing(() => tables.store(batch)),
          storeMeasurements: (batch) => failing(() => tables.storeMeasurements(batch)),
          measurement: (...args) => tables.measurement(...args),
          measurements: (...args) => tables.measurements(...args),
          measuredDays: () => tables.measuredDays(),
        },
        identity,
        undefined,
        { ...told, clock },
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

/** A process, and what it must find again after a restart. */
class Kept {
  readonly expected = new Map<string, string>();
  readonly #place: Place;
  #lines = 0;
  #store: KeptStore;
  #log: OpenedHistory["log"];

  static async start(place: Place): Promise<Kept> {
    const store = await place.open();
    return new Kept(place, store, (await openStore(historyOf(store))).log);
  }

  private constructor(place: Place, store: KeptStore, log: OpenedHistory["log"]) {
    this.#place = place;
    this.#store = store;
    this.#log = log;
  }

  /** Lets a step happen. */
  async does(what: string, key: string, nth: number): Promise<void> {
    const set = (text: string | undefined): void => this.#store.state.set(key, text);
    const acts: Readonly<Record<string, () => unknown>> = {
      set: () => {
        this.expected.set(key, `${nth} "ü"`);
        set(this.expected.get(key));
      },
      remove: () => {
        this.expected.delete(key);
        set(undefined);
      },
      line: () => {
        void this.#log.appendAndWait(entryAt(this.#lines));
        this.#lines += 1;
      },
      flush: () => this.#store.state.flush(),
      lost_answer: () => (this.#place.fault = "lost_answer"),
      refused: () => (this.#place.fault = "refused"),
      restart: () => this.restart(),
    };
    await acts[what]?.();
  }

  /** What the next process finds, and what of it is not as it was. */
  async restart(): Promise<readonly unknown[]> {
    this.#place.fault = undefined;
    const isFlushed = (await this.#store.state.flush()) || (await this.#store.state.flush());
    await this.#log[Symbol.asyncDispose]();
    await this.#store[Symbol.asyncDispose]();
    this.#store = await this.#place.open();
    const { state } = this.#store;
    const opened = await openStore(historyOf(this.#store));
    this.#log = opened.log;
    const found = new Map(state.keys("").map((key) => [key, state.get(key)]));
    const lines = Array.from({ length: this.#lines }, (_, nth) => entryAt(nth));
    return [
      ...(isFlushed ? [] : ["not flushed"]),
      ...(isDeepStrictEqual(found, this.expected) ? [] : [found]),
      ...(isDeepStrictEqual(opened.entries, lines) ? [] : [opened.entries]),
    ];
  }

  /** What the check of the history says against it. */
  async flaws(): Promise<readonly unknown[]> {
    const bytes: Uint8Array[] = [];
    for await (const piece of historyOf(this.#store).read()) bytes.push(piece);
    const { flaws } = await verified([Buffer.concat(bytes)]);
    return this.#lines === 0 ? [] : flaws;
  }
}

function nthZone(nth: number): ZoneName {
  return named(`z${nth}.example`);
}

function historyOf({ history }: KeptStore): HistoryStore {
  return history ?? new MemoryHistory();
}

for (const { medium, start, runs, skip } of media) {
  describe.skipIf(skip)(`a store in ${medium} ${skip ?? ""}`, () => {
    it("gives back the zones of a rollout, as they were changed last", async ({ expect }) => {
      await using place = await start();
      const waiting = new Map([0, 1, 2, 3, 4].map((nth) => [nthZone(nth), `r${nth % 2}`]));
      const gone = new Map([
        [nthZone(1), { former: "d", hash: "r0", origin: "r0", appliedAt: undefined, changed: [] }],
      ]);
      {
        await using first = await place.open();
        storeRollout(first.state, { revision: "r2", waiting, gone: new Map() });
        await first.state.flush();
        waiting.delete(nthZone(1));
        storeRollout(first.state, { revision: "r2", waiting, gone });
      }
      await using next = await place.open();
      expect(storedRollout(next.state, "r2")).toEqual({ revision: "r2", waiting, gone });
    });

    it("gives back what was flushed, and each line once and in order, whatever fails", async ({
      expect,
    }) => {
      const law = fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        async (steps) => {
          await using place = await start();
          const kept = await Kept.start(place);
          for (const [nth, [what, key]] of steps.entries()) await kept.does(what, key, nth);
          expect(await kept.restart()).toEqual([]);
          expect(await kept.restart()).toEqual([]);
          expect(await kept.flaws()).toEqual([]);
        },
      );
      await fc.assert(law, cases(runs));
    });
  });
}

/** What could not be stored, by what it is. */
const unstored = ["state", "history", "state and history"];

for (const { medium, start, skip } of media) {
  describe.skipIf(skip).for(unstored)(
    `%s that cannot be written to ${medium} ${skip ?? ""}`,
    (what) => {
      it("is tried again by itself: a kill after that loses nothing", async ({ expect }) => {
        await using place = await start();
        const clock = new SimulatedClock();
        const store = await place.open(clock);
        const { log, told: said } = await openStore(historyOf(store), { clock });
        place.fault = "down";
        if (what.includes("state")) store.state.set("a", "1");
        if (what.includes("history")) log.append(entryAt(1));
        if (what.includes("state")) expect(await store.state.flush()).toBe(false);
        await log.settled();
        place.fault = undefined;
        await clock.advance(5_000);
        await log.settled();
        // Nothing ends in order: the next process finds what is there.
        const next = await place.open();
        expect(next.state.get("a")).toBe(what.includes("state") ? "1" : undefined);
        const { entries } = await openStore(historyOf(next));
        expect(entries).toEqual(what.includes("history") ? [entryAt(1)] : []);
        expect(said.length).toBeLessThanOrEqual(2);
      });
    },
  );
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

const measuredZones = ["blog.example", "pay.example", "shop.example"].flatMap(
  (name) => zoneName(name) ?? [],
);
const measuredDays = ["2026-11-24", "2026-11-25", "2026-11-26"];

/** What a process does with measurements, or what befalls it. */
type MeasurementStep =
  | { readonly what: "write"; readonly day: string; readonly zones: readonly ZoneName[] }
  | { readonly what: "drop"; readonly day: string }
  | { readonly what: "refused" | "lost_answer" | "restart" };

const someDay = fc.constantFrom(...measuredDays);
const someZones = fc.uniqueArray(fc.constantFrom(...measuredZones), { minLength: 1 });

const measurementStep: fc.Arbitrary<MeasurementStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ what: fc.constant("write"), day: someDay, zones: someZones }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("drop"), day: someDay }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constantFrom("refused", "lost_answer", "restart") }),
  },
);

/** A text as a record, with what a quoting that is wrong would break. */
function textOf(zone: string, nth: number): string {
  return JSON.stringify({ zone, nth, text: `'ü' \\ "` });
}

type StoredText = string | undefined;

/** A place, and what may be stored there: more than one text where no answer came. */
class KeptRecords {
  readonly #place: Place;
  readonly #texts = new Map<string, readonly StoredText[]>();
  #store: KeptStore;

  constructor(place: Place, store: KeptStore) {
    this.#place = place;
    this.#store = store;
  }

  async does(acted: MeasurementStep, nth: number): Promise<void> {
    if (acted.what === "restart") this.#store = await this.#place.open();
    else if (acted.what === "write") await this.#writes(acted.day, acted.zones, nth);
    else if (acted.what === "drop") await this.#drops(acted.day);
    else this.#place.fault = acted.what;
  }

  mayBe(day: string, zone: string): readonly StoredText[] {
    return this.#texts.get(`${day} ${zone}`) ?? [undefined];
  }

  async #writes(day: string, zones: readonly ZoneName[], nth: number): Promise<void> {
    const texts = new Map(zones.map((zone) => [zone, textOf(zone, nth)]));
    const isDone = await this.#isDone(this.#store.measurements.write(day, texts));
    for (const [zone, text] of texts) this.#put(day, zone, text, isDone);
  }

  async #drops(first: string): Promise<void> {
    const isDone = await this.#isDone(this.#store.measurements.dropBefore(first));
    for (const day of measuredDays.filter((each) => each < first)) {
      for (const zone of measuredZones) this.#put(day, zone, undefined, isDone);
    }
  }

  async #isDone(act: Promise<void>): Promise<boolean> {
    try {
      await act;
      return true;
    } catch {
      return false;
    } finally {
      this.#place.fault = undefined;
    }
  }

  #put(day: string, zone: string, text: StoredText, isDone: boolean): void {
    const before = isDone ? [] : this.mayBe(day, zone);
    this.#texts.set(`${day} ${zone}`, [...before, text]);
  }
}

for (const { medium, start, runs, skip } of media) {
  describe.skipIf(skip)(`measurements in ${medium} ${skip ?? ""}`, () => {
    it("are those that were written last, or before where a write failed", async ({ expect }) => {
      const law = fc.asyncProperty(
        fc.array(measurementStep, { minLength: 3, maxLength: 20 }),
        async (steps) => {
          await using place = await start();
          const kept = new KeptRecords(place, await place.open());
          for (const [nth, acted] of steps.entries()) await kept.does(acted, nth);
          place.fault = undefined;
          const { measurements: reader } = await place.open();
          for (const day of measuredDays) {
            const found = new Map(await Array.fromAsync(reader.readAll(day)));
            for (const zone of measuredZones) {
              expect(kept.mayBe(day, zone)).toContain(found.get(zone));
              expect(await reader.read(day, zone)).toBe(found.get(zone));
            }
            expect((await reader.days()).includes(day)).toBe(found.size > 0);
          }
        },
      );
      await fc.assert(law, cases(runs * 2));
    });

    it("are read one after the other, each once, also where there are many", async ({ expect }) => {
      await using place = await start();
      const { measurements: store } = await place.open();
      const zones = Array.from({ length: 450 }, (_, nth) => `${nth}-a${".-_"[nth % 3]}b.example`);
      const names = zones.flatMap((name) => zoneName(name) ?? []);
      expect(names).toHaveLength(450);
      const [before, after] = [1, 2].map((nth) =>
        names.map((name): [ZoneName, string] => [name, textOf(name, nth)]),
      );
      await store.write("2026-11-25", new Map(before?.slice(0, 300)));
      await store.write("2026-11-25", new Map(after?.slice(150)));
      await store.write("2026-11-26", new Map(before?.slice(0, 3)));
      const found = await Array.fromAsync(store.readAll("2026-11-25"));
      const stored = [...(before?.slice(0, 150) ?? []), ...(after?.slice(150) ?? [])];
      expect(found.toSorted(byEntryName)).toEqual(stored.toSorted(byEntryName));
      expect(await Array.fromAsync(store.readAll("2026-11-24"))).toEqual([]);
    });
  });
}

for (const { medium, start, skip } of media.slice(1)) {
  describe.skipIf(skip)(`measurements of a term in ${medium} ${skip ?? ""}`, () => {
    it("end with it", async ({ expect }) => {
      await using place = await start();
      const { measurements: first } = await place.open();
      const [zone] = measuredZones;
      if (zone === undefined) throw new Error("no zone");
      await first.write("2026-11-25", new Map([[zone, '{"zone":"blog.example","n":1}']]));
      const { measurements: second } = await place.open();
      await expect(first.write("2026-11-25", new Map([[zone, "late"]]))).rejects.toThrow(
        "another process",
      );
      await expect(first.dropBefore("2026-11-26")).rejects.toThrow("another process");
      expect(await Array.fromAsync(second.readAll("2026-11-25"))).toEqual([
        [zone, '{"zone":"blog.example","n":1}'],
      ]);
    });
  });
}
