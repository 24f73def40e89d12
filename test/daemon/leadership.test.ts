import { describe, it } from "vitest";

import { Election } from "../../src/cluster/election.ts";
import { workWhileLeading } from "../../src/daemon/leadership.ts";
import { readHistory } from "../../src/history/file/history-lines.ts";
import { UnstoredLines } from "../../src/history/file/unstored-lines.ts";
import type { HistoryEntry } from "../../src/history/history.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { TermStore } from "../../src/memory/database-store.ts";
import { type Database, DatabaseError, type LeaderDatabase } from "../../src/memory/database.ts";
import { GateClosed } from "../../src/reconcile/run/write-gate.ts";
import { isAborted } from "../../src/zone/signals.ts";
import { SimulatedClock } from "../support/clock.ts";
import { entryAt, MemoryHistory, openStore, verified } from "../support/history-files.ts";
import { book, type Line } from "../support/log-book.ts";
import { MemoryTables } from "../support/memory-tables.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { SimulatedLease, SimulatedProcess } from "../support/simulated-cluster.ts";
import { termWork } from "../support/term-work.ts";

const never = new AbortController().signal;
const noAnswer = new DatabaseError("no answer", "ECONNREFUSED");
const identity = { owner: "us", service: "https://service.example" };

/** What a term has. */
interface Term {
  readonly store: TermStore;
  readonly log: Awaited<ReturnType<typeof openStore>>["log"];
  /** The entries that it found. */
  readonly entries: readonly HistoryEntry[];
  /** The term is over. */
  readonly stop: AbortSignal;
}

/** A database with a Lease in a row, and what happens to it. */
class Place implements AsyncDisposable {
  /** What becomes of what a term sends to the tables. */
  fault: "down" | "answers_lost" | "unreadable" | undefined;
  /** What the clock says. */
  monotonicMs = 1_000_000;
  /** How long the leader waited before it tried again, in milliseconds. */
  readonly waits: number[] = [];
  /** How often it was asked whose tables they are. */
  checks = 0;
  /** How often it was asked how far the store has come. */
  looks = 0;
  /** Called between two terms. */
  between: () => Promise<unknown> = () => Promise.resolve();
  /** Called when the Lease is acquired, before the term begins. */
  acquired: (lease: AbortSignal) => Promise<unknown> = () => Promise.resolve();
  /** What was logged until now. */
  log: () => readonly Line[] = () => [];
  /** What was told to those who watch the cluster. */
  readonly events: string[] = [];
  readonly query: (text: string) => Promise<unknown>;
  readonly open: () => Database;
  readonly #database: Database;

  private constructor(open: () => Database, query: Place["query"]) {
    this.open = open;
    this.#database = open();
    this.query = query;
  }

  static async start(): Promise<Place> {
    const { open, url } = await installation();
    const name = new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
    const server = await sharedPostgres();
    return new Place(open, (text) => server.query(text, name));
  }

  /** Another process takes the Lease. */
  async takeLease(from = "us", holder = "b"): Promise<void> {
    await this.query(
      `UPDATE zonewarden.lease SET holder = '${holder}', installation = '${from} at ${identity.service}', version = version + 1`,
    );
  }

  async giveLeaseBack(): Promise<void> {
    await this.query(
      "UPDATE zonewarden.lease SET holder = '', released_by = 'b', version = version + 1",
    );
  }

  /** As after a restore from a backup: the term is an earlier one. */
  async restore(): Promise<void> {
    await this.query(
      "UPDATE zonewarden.installation SET term = 0; UPDATE zonewarden.state SET value = '0' WHERE key = 'store-term'",
    );
  }

  /** The next Lease is lost before its term begins. */
  loseNext(): void {
    this.acquired = async (lease) => {
      this.acquired = () => Promise.resolve();
      await this.takeLease();
      await untilAborted(lease);
      await this.giveLeaseBack();
    };
  }

  /** Leads for so many terms; gives what was logged. */
  async lead(...terms: readonly ((term: Term) => Promise<void>)[]): Promise<readonly unknown[]> {
    const { leases } = this.#database;
    const clock = { ...systemClock, sinceBootMs: () => systemClock.monotonicMs() };
    const options = { lease: "row", leaseDurationMs: 3_000, identity: "a", page: "", ...identity };
    const election = new Election(options, { leases, clock, random: () => 0.5 });
    const acquire = election.acquire.bind(election);
    election.acquire = async (...args) => {
      const held = await acquire(...args);
      await this.acquired(held.signal);
      return held;
    };
    const { logger, lines } = book();
    this.log = lines;
    const ended = new AbortController();
    const unstored = new UnstoredLines();
    const left = [...terms];
    await workWhileLeading(
      {
        election,
        database: this.#leaderDatabase,
        identity,
        logger,
        // What is tried again, is tried again soon, and each term is short.
        clock: {
          ...systemClock,
          monotonicMs: () => this.monotonicMs,
          sleep: (ms, stop) => {
            this.waits.push(ms);
            return systemClock.sleep(ms / 100, stop);
          },
        },
        events: {
          record: ({ reason, type, note }) => this.events.push(`${type} ${reason}: ${note}`),
        },
        lost: () => undefined,
        begin: async (store) => {
          const { log, entries } = await openStore(store.history ?? new MemoryHistory(), {
            unstored,
          });
          return {
            run: async ({ stop }) => {
              await left.shift()?.({ store, log, entries, stop });
              if (left.length === 0) ended.abort();
              else throw stop.reason;
            },
            [Symbol.asyncDispose]: async () => {
              await log[Symbol.asyncDispose]();
              await this.between();
            },
          };
        },
      },
      { stop: ended.signal, abort: never },
    );
    return lines().map(({ msg }) => msg);
  }

  get #leaderDatabase(): LeaderDatabase {
    const { place, tables } = this.#database;
    const answer = async <T>(act: () => Promise<T>): Promise<T> => {
      if (this.fault === "down") throw noAnswer;
      const result = await act();
      if (this.fault === "answers_lost") throw noAnswer;
      return result;
    };
    return {
      place,
      tables: {
        createMissing: () => tables.createMissing(),
        check: (...args) => {
          this.checks += 1;
          return tables.check(...args);
        },
        storeId: () => tables.storeId(),
        reached: () => {
          this.looks += 1;
          return answer(() => tables.reached());
        },
        begin: (...args) => answer(() => tables.begin(...args)),
        store: (batch) => answer(() => tables.store(batch)),
        storeMeasurements: (batch) => answer(() => tables.storeMeasurements(batch)),
        measurement: (...args) => answer(() => tables.measurement(...args)),
        measurements: (...args) => answer(() => tables.measurements(...args)),
        measuredDays: () => answer(() => tables.measuredDays()),
        historyBytes: () => {
          const isUnreadable = this.fault === "unreadable";
          if (isUnreadable) this.fault = undefined;
          return isUnreadable ? Promise.reject(noAnswer) : answer(() => tables.historyBytes());
        },
        historyLines: () => tables.historyLines(),
      },
    };
  }

  /** What the check of the history says against it. */
  async flaws(): Promise<readonly unknown[]> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#database.tables.historyLines()) pieces.push(piece);
    return (await verified([Buffer.concat(pieces)])).flaws;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (isAborted(signal)) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

describe.skipIf(noPostgres)(`work under a Lease ${noPostgres ?? ""}`, () => {
  it("that ends with the loss of the Lease begins again with the Lease", async ({ expect }) => {
    await using place = await Place.start();
    place.between = () => place.giveLeaseBack();
    const reasons: unknown[] = [];
    const messages = await place.lead(
      async ({ stop }) => {
        await place.takeLease();
        await untilAborted(stop);
        reasons.push(stop.reason);
      },
      () => Promise.resolve(),
    );
    expect(reasons).toEqual([new GateClosed("lease_lost")]);
    expect(messages[0]).toBe("waiting for leadership");
    expect(place.log()[0]).toMatchObject({ lease: "row", identity: "a" });
    const lost = place.log().filter(({ msg }) => msg === "leadership lost");
    expect(lost).toMatchObject([{ lease: "row", identity: "a", reason: "taken" }]);
    const acquired = place.log().filter(({ msg }) => msg === "leadership acquired");
    expect(acquired).toHaveLength(2);
    // Whatever ends each term at once, there is no busy loop.
    expect(place.waits).toEqual([3_000]);
    expect(place.events).toEqual([
      "Normal LeaderElected: a leads",
      "Warning LeadershipLost: a stopped leading: taken",
      "Normal LeaderElected: a leads",
    ]);
    expect(acquired[1]).toMatchObject({ lease: "row", identity: "a" });
  });

  it("pauses after a term that was short", async ({ expect }) => {
    await using place = await Place.start();
    place.between = () => place.giveLeaseBack();
    const lasting =
      (ms: number) =>
      async ({ stop }: Term): Promise<void> => {
        place.monotonicMs += ms;
        await place.takeLease();
        await untilAborted(stop);
      };
    await place.lead(lasting(10_000), lasting(9_999), lasting(10_001), () => Promise.resolve());
    expect(place.waits).toEqual([3_000]);
  });

  it("leaves the Lease alone as long as the tables belong to another installation", async ({
    expect,
  }) => {
    await using place = await Place.start();
    await using other = place.open();
    await other.tables.begin({ ...identity, owner: "them" }, 0);
    const owners: unknown[] = [];
    place.acquired = async () => {
      owners.push(await place.query("SELECT owner FROM zonewarden.installation"));
    };
    const leading = place.lead(() => Promise.resolve());
    await eventually("it has tried again", () => place.checks > 2 || undefined);
    await place.takeLease("them");
    await place.query(`UPDATE zonewarden.installation SET owner = '${identity.owner}'`);
    const told = await eventually("it finds who uses the Lease", () => place.log()[2]);
    const said = (message: string): Promise<Line> =>
      eventually(message, () => place.log().find(({ msg }) => msg === message));
    await place.query("ALTER TABLE zonewarden.lease RENAME TO gone");
    const failed = await said("the Lease cannot be used");
    await place.query("ALTER TABLE zonewarden.gone RENAME TO lease");
    await place.takeLease("us", "c");
    const recovered = await said("the Lease can be used again");
    const leads = await said("another process leads");
    await place.giveLeaseBack();
    expect((await leading).slice(0, 2)).toEqual([
      "waiting for leadership",
      "the store cannot be opened: nothing is reconciled before it is",
    ]);
    expect(failed).toMatchObject({ level: "error", lease: "row" });
    expect(failed["error"]).toContain("zonewarden.lease");
    expect(recovered["lease"]).toBe("row");
    expect(leads).toMatchObject({ lease: "row", holder: "c" });
    expect(told).toMatchObject({ level: "error", lease: "row", holder: "b" });
    expect(told["installation"]).toBe("them at https://service.example");
    const claimed = `us at https://service.example, store ${await other.tables.storeId()}`;
    expect(await place.query("SELECT installation FROM zonewarden.lease")).toEqual([
      { installation: claimed },
    ]);
    expect(owners).toEqual([[{ owner: identity.owner }]]);
  });

  it("leaves tables alone that another installation took before the term", async ({ expect }) => {
    await using place = await Place.start();
    const own = (owner: string): Promise<unknown> =>
      place.query(`UPDATE zonewarden.installation SET owner = '${owner}'`);
    place.acquired = () => own("them");
    const leading = place.lead(() => Promise.resolve());
    const told = await eventually("it says what it found", () => place.log()[2]);
    expect(told).toMatchObject({ level: "error", path: "schema zonewarden of the database" });
    expect(told["error"]).toContain('belongs to owner "them"');
    const owners = await place.query("SELECT owner FROM zonewarden.installation");
    expect(owners).toEqual([{ owner: "them" }]);
    await own("");
    await leading;
  });

  it("ends with an error of the work that is not the loss of the Lease", async ({ expect }) => {
    await using place = await Place.start();
    const failing = place.lead(() => Promise.reject(new Error("a bug")));
    await expect(failing).rejects.toThrow("a bug");
  });

  it("does not begin with a Lease that is lost at once", async ({ expect }) => {
    await using place = await Place.start();
    place.loseNext();
    await place.lead(() => Promise.resolve());
    expect(place.events).toEqual([
      "Normal LeaderElected: a leads",
      "Warning LeadershipLost: a stopped leading: taken",
      "Normal LeaderElected: a leads",
    ]);
  });

  it("whose database lost what it had stored begins again, and knows it", async ({ expect }) => {
    await using place = await Place.start();
    const seen: boolean[] = [];
    const messages = await place.lead(
      async ({ store, stop }) => {
        seen.push(store.isRestored);
        store.state.set("a", "1");
        expect(await store.state.flush()).toBe(true);
        await place.restore();
        store.state.set("a", "2");
        expect(await store.state.flush()).toBe(false);
        await untilAborted(stop);
        place.loseNext();
      },
      ({ store }) => {
        seen.push(store.isRestored);
        return Promise.resolve();
      },
    );
    expect(messages).toContain("leadership lost");
    // The loss says why.
    expect(messages).not.toContain("state cannot be written");
    expect(seen).toEqual([false, true]);
    const lost = place.log().filter(({ msg }) => String(msg).includes("has lost what"));
    expect(lost).toMatchObject([{ level: "error", path: "schema zonewarden of the database" }]);
  });

  it("begins in a database that was restored while this process waited, and knows it", async ({
    expect,
  }) => {
    await using place = await Place.start();
    await using other = place.open();
    await other.tables.begin(identity, 0);
    await place.takeLease();
    const seen: boolean[] = [];
    const leading = place.lead(({ store }) => Promise.resolve(void seen.push(store.isRestored)));
    const looked = (looks: number): Promise<unknown> =>
      eventually("it has looked", async () => {
        await place.takeLease();
        return place.looks > looks || undefined;
      });
    await looked(1);
    await place.restore();
    await looked(place.looks + 1);
    await place.giveLeaseBack();
    await leading;
    expect(seen).toEqual([true]);
  });

  it.for([
    { what: "the line", set: "line = left(line, length(line) - 5)" },
    { what: "the hash", set: "hash = 'ffff'" },
    { what: "the number", set: "n = 14" },
  ])("goes on after $what of the last row is damaged", async ({ set }, { expect }) => {
    await using place = await Place.start();
    const appendOf =
      (nth: number) =>
      async ({ log, store }: Term): Promise<void> => {
        store.state.set("a", String(nth));
        await log.appendAndWait(entryAt(nth));
        expect(await store.state.flush()).toBe(true);
      };
    await place.lead(appendOf(1));
    await place.query(
      `UPDATE zonewarden.history SET ${set} WHERE n = (SELECT max(n) FROM zonewarden.history)`,
    );
    for (const nth of [2, 3]) {
      expect(await place.lead(appendOf(nth))).not.toContain("leadership lost");
    }
    await using database = place.open();
    const { entries } = await readHistory(database.tables.historyLines());
    expect(entries.slice(-2)).toEqual([2, 3].map(entryAt));
    // The chain begins with a line of its own.
    expect(await place.flaws()).toMatchObject([{ line: 2, code: "changed" }]);
  });

  it.for([
    { fault: "down", meanwhile: "nobody led", state: "kept" },
    { fault: "answers_lost", meanwhile: "nobody led", state: "kept" },
    { fault: "down", meanwhile: "another process led", state: "of another" },
  ] as const)(
    "stores with the next Lease what it could not store with the last one: $fault, $meanwhile",
    async ({ fault, meanwhile, state }, { expect }) => {
      await using place = await Place.start();
      // The fault lasts until the next term, or until another process led: the end of the term stores nothing either.
      place.acquired = () => {
        place.fault = undefined;
        return Promise.resolve();
      };
      place.between = async () => {
        if (meanwhile === "another process led") {
          await using other = place.open();
          const { term, head } = await other.tables.begin(identity, 0);
          const changes = [["a", "of another"]] as const;
          await other.tables.store({ term, changes, head, history: undefined });
          // The database answers again, and refuses what the end of the term stores.
          place.fault = undefined;
        }
        place.between = () => Promise.resolve();
        await place.giveLeaseBack();
      };
      const messages = await place.lead(
        async ({ store, log, stop }) => {
          await log.appendAndWait(entryAt(1));
          place.fault = fault;
          store.state.set("a", "kept");
          expect(await store.state.flush()).toBe(false);
          await log.appendAndWait(entryAt(2));
          await log.appendAndWait(entryAt(3));
          await place.takeLease();
          await untilAborted(stop);
          log.append(entryAt(4));
        },
        async ({ store, log, entries }) => {
          expect(store.isRestored).toBe(false);
          expect(store.state.get("a")).toBe(state);
          expect(entries).toEqual([1, 2, 3, 4].map(entryAt));
          log.append(entryAt(5));
          expect(await store.state.flush()).toBe(true);
        },
      );
      // That the database refuses the term too is no second loss.
      const losses = messages.filter((each) => each === "leadership lost");
      expect(losses).toHaveLength(1);
      expect(messages).toContain("state cannot be written");
      await using database = place.open();
      expect((await database.tables.entries()).get("a")).toBe(state);
      const { entries } = await readHistory(database.tables.historyLines());
      expect(entries).toEqual([1, 2, 3, 4, 5].map(entryAt));
      expect(await place.flaws()).toEqual([]);
    },
  );

  it("waits until the history can be read: it would store nothing of it", async ({ expect }) => {
    await using place = await Place.start();
    await place.query("DROP SCHEMA zonewarden CASCADE");
    place.fault = "unreadable";
    const messages = await place.lead(({ log }) => log.appendAndWait(entryAt(1)));
    expect(messages).toEqual([
      "waiting for leadership",
      "tables created",
      "leadership acquired",
      "state is empty: this is the first start with it",
      "the store cannot be opened: nothing is reconciled before it is",
    ]);
    expect(place.log()[1]).toMatchObject({ path: "schema zonewarden of the database" });
    expect(place.waits).toEqual([5_000]);
    await using database = place.open();
    expect((await readHistory(database.tables.historyLines())).entries).toEqual([entryAt(1)]);
  });
});

describe("a process that cannot use the database", () => {
  it.for([
    { fault: "check", begins: ["b at 0 s", "a at 130 s"] },
    { fault: "begin", begins: ["b at 63 s", "a at 126 s"] },
  ] as const)("leaves the Lease to others: $fault", async ({ fault, begins }, { expect }) => {
    const clock = new SimulatedClock();
    const lease = new SimulatedLease(clock);
    lease.giveBack();
    const [a, b] = [new AbortController(), new AbortController()];
    const began: string[] = [];
    const work = (name: string, tables: MemoryTables, stop: AbortSignal): Promise<void> => {
      const process = new SimulatedProcess(name, clock, lease, () => 0.5);
      return workWhileLeading(
        {
          election: process.election,
          clock: process.clock,
          database: { place: "the database", tables },
          identity,
          logger: book().logger,
          events: undefined,
          lost: () => undefined,
          begin: () => {
            began.push(`${name} at ${Math.floor(clock.monotonicMs() / 1_000)} s`);
            return Promise.resolve(termWork(({ stop: over }) => untilAborted(over)));
          },
        },
        { stop, abort: never },
      );
    };
    const cut = new MemoryTables();
    cut[fault] = (): Promise<never> => Promise.reject(noAnswer);
    const first = work("a", cut, a.signal);
    const second = work("b", new MemoryTables(), b.signal);
    await clock.advance(125_000);
    Reflect.deleteProperty(cut, fault);
    b.abort();
    await clock.advance(60_000);
    a.abort();
    await clock.advance(1_000);
    await Promise.all([first, second]);
    expect(began).toEqual(begins);
  });
});
