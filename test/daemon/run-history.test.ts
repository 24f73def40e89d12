import { generateKeyPairSync } from "node:crypto";

import { describe, it } from "vitest";

import { readSignKey } from "../../src/daemon/history-ports.ts";
import { type RunHistory, startHistory, triesAgain } from "../../src/daemon/run-history.ts";
import { NewLines } from "../../src/history/chain/history-chain.ts";
import { readHistory } from "../../src/history/file/history-lines.ts";
import type { HistoryStore } from "../../src/history/file/history-store.ts";
import { UnstoredLines } from "../../src/history/file/unstored-lines.ts";
import { nodeNamedFiles } from "../../src/host/named-files.ts";
import { TermOver } from "../../src/memory/database-store.ts";
import { heldHistoryFile } from "../../src/memory/directory/history-file.ts";
import type { Notification } from "../../src/notify/notification.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { scriptRecordOf } from "../../src/state/scripts/script-watch.ts";
import { SimulatedClock } from "../support/clock.ts";
import { drifted, fleetOf, shop, stepOf } from "../support/fleets.ts";
import { book } from "../support/log-book.ts";
import { at, change, declared, failure, hold, load, report } from "../support/reports.ts";
import { check, day, declaredScripts, readingOf } from "../support/watched.ts";

/** A history file in memory. */
function memoryStore(kept = ""): HistoryStore {
  let text = kept;
  return {
    place: "history.jsonl",
    canDrop: true,
    size: () => Promise.resolve(Buffer.byteLength(text)),
    read: async function* read() {
      await Promise.resolve();
      if (text !== "") yield Buffer.from(text);
    },
    add: ({ lines }) => {
      text += lines.text;
      return Promise.resolve();
    },
    truncate: () => Promise.resolve(),
  };
}

const ignore = (): undefined => undefined;
const termOver = (): Promise<never> => Promise.reject(new TermOver("term_over"));

function full(): Promise<never> {
  return Promise.reject(new Error("ENOSPC"));
}

function start(
  store: HistoryStore | undefined,
  clock = new SimulatedClock(),
  { logger } = book(),
  signKey?: string,
  notify: (notification: Notification) => void = ignore,
): Promise<RunHistory> {
  const maxAgeMs = 9_600 * 3_600_000;
  const config = { maxAgeMs, maxBytes: 1_000_000, signKey };
  const host = {
    clock,
    uniqueId: () => "c1",
    namedFiles: { ...nodeNamedFiles, read: () => Promise.resolve(Buffer.from(key)) },
  };
  return startHistory(
    config,
    store,
    { unstored: new UnstoredLines() },
    logger,
    { ...host, directory: "." },
    ignore,
    notify,
  );
}

const key = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });

/** A report of the shop that has sent a write. */
function applied(): Extract<ZoneReport, { readonly result: "applied" }> {
  const made = report(shop, 1, {
    result: "applied",
    cause: "pending",
    changes: [change("policy/a")],
  });
  if (made.result !== "applied") throw new Error(made.result);
  return made;
}

async function resultsIn(store: HistoryStore): Promise<readonly string[]> {
  const { entries } = await readHistory(store.read());
  return entries.map(({ result }) => result);
}

async function linesIn(store: HistoryStore): Promise<readonly string[]> {
  return (await Array.fromAsync(store.read())).map(String).join("").trim().split("\n");
}

const head = { at: at(3), revision: "r1", commit: undefined };
const turn = { ...head, turn: "wave_began", wave: 2, zones: 31 } as const;
const checked = check(declaredScripts([]), readingOf([]), day(1));
const scripts = scriptRecordOf(checked, { ...head, at: day(1), zone: shop });

describe("the history of a run that has recorded its writes", () => {
  it("gets the entry of its end although its zone was removed from the files meanwhile", async ({
    expect,
  }) => {
    const store = memoryStore();
    {
      await using history = await start(store);
      await history.recordBeforeWrite(applied());
      expect(await resultsIn(store)).toEqual(["running"]);
      await history.recordBeforeWrite(applied());
      const [, first = "", second = ""] = await linesIn(store);
      expect(JSON.parse(first)).toMatchObject({ changes: [{ key: "policy/a" }] });
      expect(JSON.parse(second)).toMatchObject({ run: applied().run, results: ["done"] });
      expect(second).not.toContain("changes");
      history.recordUndeclared(applied());
      history.recordUndeclared(applied());
    }
    expect(await resultsIn(store)).toEqual(["applied"]);
  });

  it("gets the entry of its end although that has nothing new", async ({ expect }) => {
    const store = memoryStore();
    {
      await using history = await start(store);
      const fleet = fleetOf(declared(shop));
      const held = report(shop, 1, {
        result: "held",
        cause: "pending",
        changes: [change("policy/a")],
        holds: [hold("quota")],
      });
      for (let run = 0; run < 2; run += 1) {
        await history.recordBeforeWrite({ ...applied(), run: `r${run}` });
        history.subscriber.zone(stepOf(fleet, { ...held, run: `r${run}` }));
      }
    }
    expect(await resultsIn(store)).toEqual(["held", "held"]);
  });

  it("does not begin with a store that cannot be opened now", async ({ expect }) => {
    await expect(start({ ...memoryStore(), size: full })).rejects.toThrow("ENOSPC");
  });

  it("ends with the process if there is no store", async ({ expect }) => {
    const log = book();
    const history = await start(undefined, new SimulatedClock(), log);
    await history.recordBeforeWrite(applied());
    history.recordRollout(turn);
    if (scripts !== undefined) history.recordScripts(scripts);
    await history[Symbol.asyncDispose]();
    expect(log.lines()).toEqual([]);
  });

  it("fails as long as it cannot be stored, and never without a store", async ({ expect }) => {
    const clock = new SimulatedClock();
    const [store, without] = [memoryStore(), await start(undefined, clock)];
    let isFull = true;
    const add: HistoryStore["add"] = (batch) => (isFull ? full() : store.add(batch));
    const history = await start({ ...store, add }, clock);
    await clock.run(history.recordBeforeWrite(applied()));
    expect([history.isFailing, without.isFailing]).toEqual([true, false]);
    isFull = false;
    await clock.advance(5_000);
    expect(history.isFailing).toBe(false);
    await history[Symbol.asyncDispose]();
  });

  it("does not wait for ever for a disk that hangs", async ({ expect }) => {
    const clock = new SimulatedClock();
    const hung = Promise.withResolvers<void>();
    const history = await start({ ...memoryStore(), add: () => hung.promise }, clock);
    await clock.run(history.recordBeforeWrite(applied()));
    expect(clock.monotonicMs()).toBe(5_000);
    hung.resolve();
    await history[Symbol.asyncDispose]();
  });
});

describe("the history of a process", () => {
  it("has runs with news, checks of scripts and turns of rollouts", async ({ expect }) => {
    const store = memoryStore();
    {
      await using history = await start(store);
      const fleet = fleetOf(declared(shop));
      for (const minute of [1, 2]) {
        history.subscriber.zone(stepOf(fleet, report(shop, minute, drifted)));
      }
      if (scripts !== undefined) history.recordScripts(scripts);
      history.recordRollout(turn);
      history.subscriber.gone([...fleet.zones], load({ at: at(3) }));
    }
    const kept = await readHistory(store.read());
    expect(kept.entries.map((entry) => entry.at)).toEqual([at(1), at(3)]);
    expect(kept.scripts).toEqual([scripts]);
    expect(kept.rollouts).toEqual([turn]);
    // The next process logs where it begins.
    const log = book();
    await using next = await start(store, undefined, log);
    expect(next.view.of(shop)).toEqual(kept.entries);
    expect(log.lines()).toMatchObject([{ msg: "history head", when: "start" }]);
  });

  it("keeps in memory the newest runs of 16 MiB of text", async ({ expect }) => {
    await using history = await start(undefined);
    const fleet = fleetOf(declared(shop));
    const failed = { result: "error", failure: failure("x".repeat(1024 ** 2)) } as const;
    for (let minute = 1; minute <= 36; minute += 2) {
      history.subscriber.zone(stepOf(fleet, report(shop, minute, failed)));
      history.subscriber.zone(stepOf(fleet, report(shop, minute + 1, drifted)));
    }
    const kept = history.view.of(shop).filter(({ result }) => result === "error");
    expect([kept.length, kept[0]?.at]).toEqual([15, at(7)]);
  });

  it.for([
    { text: "", warns: [] },
    { text: "{", warns: [{ msg: "incomplete last line removed from the history", bytes: 1 }] },
    {
      text: '{"at":"2026-11-20T12:00:00.000Z",\n',
      warns: [{ msg: "history is damaged", lines: 1, damage: "1 line is damaged (line 1)" }],
    },
  ])("says in the log what it found: $warns", async ({ text, warns }, { expect }) => {
    const log = book();
    await using _history = await start(memoryStore(text), undefined, log);
    const found = log.lines().filter(({ level }) => level === "warn");
    expect(found).toMatchObject(warns);
    expect(log.text()).not.toContain('"error"');
  });

  it("has all that happened when it ends, however slow its store is", async ({ expect }) => {
    const [store, clock] = [memoryStore(), new SimulatedClock()];
    const never = new AbortController().signal;
    const add: HistoryStore["add"] = async (batch) => {
      await clock.sleep(2_000, never);
      await store.add(batch);
    };
    const history = await start({ ...store, add }, clock, undefined, "key.pem");
    history.subscriber.zone(stepOf(fleetOf(declared(shop)), report(shop, 1, drifted)));
    await clock.run(Promise.resolve(history[Symbol.asyncDispose]()));
    expect(await resultsIn(store)).toEqual([drifted.result]);
    // It is signed, although it was not yet stored when the end began.
    expect((await linesIn(store)).at(-1)).toContain('"reason":"stop"');
  });

  it("is signed with the key of the configuration, and its head is sent", async ({ expect }) => {
    const [store, log, clock] = [memoryStore(), book(), new SimulatedClock()];
    const told: Notification[] = [];
    {
      const notify = (each: Notification): void => void told.push(each);
      await using history = await start(store, clock, log, "key.pem", notify);
      await history.recordBeforeWrite(applied());
      await clock.advance(3_600_000);
      await history.recordBeforeWrite(applied());
    }
    expect(told).toMatchObject([{ reason: "HistoryHead", at: clock.now() }]);
    expect((await linesIn(store)).at(-1)).toContain('"signature":"');
    expect(log.text()).not.toContain("not signed");
    expect(log.lines().at(-1)).toMatchObject({ msg: "history head", when: "stop" });
  });

  it.for([
    {
      namedFiles: { ...nodeNamedFiles, read: () => Promise.resolve(Buffer.from("no key")) },
      error: "it is not a private key in PEM without a password",
    },
    { namedFiles: nodeNamedFiles, error: "it does not exist" },
  ])("is not signed where its key cannot be used: $error", async (row, { expect }) => {
    const { namedFiles, error } = row;
    const log = book();
    const host = { namedFiles, directory: "/" };
    const config = { maxAgeMs: 1, maxBytes: 1, signKey: "missing/key.pem" };
    expect(await readSignKey(config, log.logger, host)).toBeUndefined();
    expect(log.lines()).toMatchObject([{ level: "error", path: "missing/key.pem", error }]);
  });

  it("says at its end how many lines are not stored", async ({ expect }) => {
    const [log, clock] = [book(), new SimulatedClock()];
    const history = await start({ ...memoryStore(), add: full }, clock, log);
    await clock.run(history.recordBeforeWrite(applied()));
    await clock.run(Promise.resolve(history[Symbol.asyncDispose]()));
    expect(log.lines().at(-1)).toMatchObject({ level: "error", path: "history.jsonl", lines: 1 });
  });

  it("does not say of each line that the term is over", async ({ expect }) => {
    const [log, clock] = [book(), new SimulatedClock()];
    const history = await start({ ...memoryStore(), add: termOver }, clock, log);
    await clock.run(history.recordBeforeWrite(applied()));
    expect(log.lines()).toEqual([]);
  });

  it.for([
    { waiting: 1, lost: [] },
    { waiting: 10_001, lost: [{ level: "error", path: "history.jsonl", lines: 1 }] },
  ])(
    "says in the log that it cannot be written, and what of $waiting lines is lost when it can",
    async ({ waiting, lost }, { expect }) => {
      const [log, clock] = [book(), new SimulatedClock()];
      let isFull = true;
      const add = (): Promise<void> => (isFull ? full() : Promise.resolve());
      const history = await start({ ...memoryStore(), add }, clock, log);
      for (let nth = 0; nth < waiting; nth += 1) history.recordRollout(turn);
      await clock.advance(5_000);
      isFull = false;
      await clock.advance(5_000);
      expect(log.lines()).toMatchObject([
        { level: "error", error: "ENOSPC" },
        { level: "info", path: "history.jsonl", msg: "history is written again" },
        ...lost,
      ]);
    },
  );
});

describe("what a term could not store of its history", () => {
  it.for([
    { when: "the process goes on", stops: false, isHeld: true, waits: false, isAborted: false },
    { when: "another process writes", stops: true, isHeld: false, waits: false, isAborted: false },
    { when: "the process ends", stops: true, isHeld: true, waits: true, isAborted: false },
    { when: "the process must end now", stops: true, isHeld: true, waits: true, isAborted: true },
  ])("is tried again after a second, or not: $when", async (row, { expect }) => {
    const [stop, abort] = [new AbortController(), new AbortController()];
    if (row.stops) stop.abort();
    const clock = new SimulatedClock();
    const waits: number[] = [];
    const state = { isHeld: () => Promise.resolve(row.isHeld) };
    const sleep = (ms: number, signal: AbortSignal): Promise<void> => {
      waits.push(ms);
      const slept = clock.sleep(ms, signal);
      if (row.isAborted) abort.abort();
      return slept;
    };
    let again: boolean | undefined;
    const signals = { stop: stop.signal, abort: abort.signal };
    void triesAgain(state, signals, { sleep }).then((is) => (again = is));
    await clock.advance(0);
    const mustWait = row.waits && !row.isAborted;
    expect([waits, again]).toEqual([row.waits ? [1_000] : [], mustWait ? undefined : false]);
    await clock.advance(1_000);
    expect(again).toBe(mustWait);
  });
});

const lines = new NewLines({ chain: "c1", n: 0, hash: "" }, undefined);

describe("the history file of a process whose state was taken over", () => {
  it.for([
    { what: "add", act: (store: HistoryStore) => store.add({ lines }) },
    { what: "truncate", act: (store: HistoryStore) => store.truncate(0) },
  ])("is read, and refuses to $what", async ({ what, act }, { expect }) => {
    const done: string[] = [];
    const record = (each: string): Promise<void> => {
      done.push(each);
      return Promise.resolve();
    };
    const file: HistoryStore = {
      ...memoryStore(),
      size: () => Promise.resolve(7),
      add: () => record("add"),
      truncate: () => record("truncate"),
    };
    let isHeld = true;
    const held = heldHistoryFile(file, { isHeld: () => Promise.resolve(isHeld) });
    await act(held);
    isHeld = false;
    await expect(act(held)).rejects.toThrow("taken over");
    expect([done, await held.size()]).toEqual([[what], 7]);
  });
});
