import { execFileSync } from "node:child_process";
import { mkdtemp, open, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";

import { describe, it, vi } from "vitest";

import { NewLines } from "../../src/history/chain/history-chain.ts";
import {
  fillDirectory,
  openDirectoryStore,
  readDirectoryStore,
} from "../../src/memory/directory/directory-store.ts";
import { historyFile } from "../../src/memory/directory/history-file.ts";
import { lineOf } from "../../src/memory/directory/journal-line.ts";
import {
  heldMeasurements,
  measurementFiles,
} from "../../src/memory/directory/measurement-files.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import { lockHolder } from "../../src/memory/directory/state-lock.ts";
import { logOpenedState } from "../../src/memory/open-store.ts";
import type { OpenResult, StateStore } from "../../src/memory/state-store.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { book } from "../support/log-book.ts";
import { MemoryDirectory } from "../support/memory-directory.ts";
import { named } from "../support/reports.ts";

const shop = { owner: "zonewarden", service: "https://api.example/client/v4" };

interface Opened {
  readonly store: StateStore;
  readonly clock: SimulatedClock;
  readonly failures: string[];
}

let ids = 0;

async function opened(
  directory: MemoryDirectory,
  identity = shop,
  process = { pid: 1, hostName: "a", isRunning: (_pid: number) => false },
  clock = new SimulatedClock(),
): Promise<Opened> {
  const failures: string[] = [];
  const store = await openDirectoryStore(identity, {
    directory,
    clock,
    process,
    uniqueId: () => String((ids += 1)),
    onFailure: ({ message }) => void failures.push(message),
    onRecovery: () => void failures.push("recovered"),
    onLost: ({ message }) => void failures.push(`lost: ${message}`),
  });
  return { store, clock, failures };
}

function contentOf(store: StateStore): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    store
      .keys("")
      .toSorted()
      .map((key) => [key, store.get(key)]),
  );
}

/** What a process that starts after the end of another one finds. */
async function afterRestart(
  directory: MemoryDirectory,
): Promise<Readonly<Record<string, string | undefined>>> {
  const { store } = await opened(new MemoryDirectory(directory.files));
  return contentOf(store);
}

/** Records of zones, of which two are longer than a piece of a file. */
function longRecords(...zones: readonly string[]): ReadonlyMap<ZoneName, string> {
  const long = "x".repeat(40_000);
  return new Map(zones.map((zone) => [named(zone), `{"zone":"${zone}","x":"${long}"}`]));
}

/** Puts a line with these changes in place of the second one of a text. */
function secondLine(...changes: readonly unknown[]): (text: string) => string {
  return (text) => text.split("\n").with(1, lineOf(changes).trimEnd()).join("\n");
}

describe("state in a directory", () => {
  it("is there after a restart", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { store } = await opened(directory);
    expect(store.opened).toEqual({ result: "empty" });
    store.set("zone/a", "1");
    store.set("zone/b", "2");
    store.set("zone/b", undefined);
    expect(await store.flush()).toBe(true);
    expect(await afterRestart(directory)).toEqual({ "zone/a": "1" });
    expect(store.keys("zone/")).toEqual(["zone/a"]);
  });

  it("is written once for many changes, and not at all for none", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { store, clock } = await opened(directory);
    for (let zone = 0; zone < 100; zone += 1) store.set(`zone/${zone}`, "in sync");
    await clock.advance(100);
    const written = directory.writes.splice(0).filter((write) => write.includes("jsonl"));
    for (let zone = 0; zone < 100; zone += 1) store.set(`zone/${zone}`, "in sync");
    await clock.advance(1_000);
    expect([written, directory.writes]).toEqual([["replace state.jsonl"], []]);
    store.set("zone/7", "drift");
    await clock.advance(100);
    expect(directory.writes).toEqual(["append state.jsonl"]);
  });

  it("appends one changed zone among ten thousand", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { store } = await opened(directory);
    for (let zone = 0; zone < 10_000; zone += 1) store.set(`zone/${zone}`, "x".repeat(350));
    await store.flush();
    directory.written = 0;
    store.set("zone/7", "y".repeat(350));
    await store.flush();
    expect(directory.written).toBeLessThan(500);
    expect(directory.files.get("state.jsonl")?.length).toBeLessThan(5_000_000);
  });

  it("appends each batch, after the first", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { store } = await opened(directory);
    for (let run = 0; run < 5; run += 1) {
      store.set("zone/a", String(run));
      await store.flush();
    }
    const written = directory.writes.filter((write) => write.includes("jsonl"));
    const [first, ...later] = written;
    expect([first, later.length, new Set(later)]).toEqual([
      "replace state.jsonl",
      4,
      new Set(["append state.jsonl"]),
    ]);
    await store[Symbol.asyncDispose]();
    const { store: next } = await opened(directory);
    next.set("zone/a", "5");
    await next.flush();
    expect(directory.writes.at(-1)).toBe("append state.jsonl");
    // What is longer than 256 KiB, and than twice what it held, is written anew.
    for (const [key, length, write] of [
      ["zone/a", 300_000, "replace"],
      ["zone/b", 350_000, "replace"],
      ["zone/c", 350_000, "append"],
    ] as const) {
      next.set(key, "x".repeat(length));
      await next.flush();
      expect(directory.writes.at(-1)).toBe(`${write} state.jsonl`);
    }
  });

  it("does not grow with the number of its changes and restarts", async ({ expect }) => {
    const directory = new MemoryDirectory();
    let { store } = await opened(directory);
    let longest = 0;
    for (let run = 0; run < 5_000; run += 1) {
      if (run % 700 === 699) {
        await store[Symbol.asyncDispose]();
        ({ store } = await opened(directory));
      }
      store.set("zone/a", `${run} ${"x".repeat(200)}`);
      await store.flush();
      longest = Math.max(longest, directory.files.get("state.jsonl")?.length ?? 0);
    }
    expect(longest).toBeLessThanOrEqual(256 * 1024);
    expect(longest).toBeGreaterThan(255 * 1024);
    expect(await afterRestart(directory)).toEqual({ "zone/a": `4999 ${"x".repeat(200)}` });
  });

  it("is what it was before a write or after it, wherever a crash cuts it", async ({ expect }) => {
    const states = [{}, { a: "1" }, { a: "1", b: "2€" }, { b: "3" }] as const;
    let cuts = 0;
    for (let from = 0; from < states.length - 1; from += 1) {
      const [before, after] = [states[from] ?? {}, states[from + 1] ?? {}];
      const start = new MemoryDirectory();
      await writeState(start, before);
      for (let bytes = 0; ; bytes += 1) {
        const directory = new MemoryDirectory(start.files);
        const { store } = await opened(directory);
        directory.crashAfter = bytes;
        setAll(store, after);
        if (await store.flush()) break;
        cuts += 1;
        expect([before, after]).toContainEqual(await afterRestart(directory));
      }
    }
    expect(cuts).toBeGreaterThan(100);
  });

  it("is what it was before its file is rewritten or after it, wherever a crash cuts it", async ({
    expect,
  }) => {
    const start = new MemoryDirectory();
    await writeState(start, { a: "1", b: "2" });
    for (let bytes = 0; bytes < 600; bytes += 1) {
      const directory = new MemoryDirectory(start.files);
      const { store } = await opened(directory);
      // Somebody removes the file while the program runs: it is written anew.
      directory.files.delete("state.jsonl");
      directory.crashAfter = bytes;
      store.set("a", "3");
      const isWritten = await store.flush();
      const found = await afterRestart(directory);
      expect(found).toEqual(isWritten ? { a: "3", b: "2" } : {});
    }
  });

  it.for([
    {
      when: "a byte in its middle is another one",
      change: (text: string) => text.replace("zone/a", "zone/z"),
      opens: { result: "lost", reason: "damaged", detail: "line 2 is damaged" },
    },
    {
      when: "a line is missing in its middle",
      change: (text: string) => text.split("\n").toSpliced(0, 1).join("\n"),
      opens: { result: "lost", reason: "foreign" },
    },
    {
      when: "one of its changes has a third part",
      change: secondLine(["zone/a", "1", "2"]),
      opens: { result: "lost", reason: "damaged", detail: "line 2 is damaged" },
    },
    {
      when: "one of its changes is a text of two characters",
      change: secondLine("ab"),
      opens: { result: "lost", reason: "damaged", detail: "line 2 is damaged" },
    },
    {
      when: "the value of its second change is a number",
      change: secondLine(["zone/a", "1"], ["zone/b", 2]),
      opens: { result: "lost", reason: "damaged", detail: "line 2 is damaged" },
    },
    {
      when: "the key of a change is no text",
      change: secondLine([1, "2"]),
      opens: { result: "lost", reason: "damaged", detail: "line 2 is damaged" },
    },
    {
      when: "a later line is damaged",
      change: (text: string) => `${text.replace("zone/b", "zone/z")}x`,
      opens: { result: "lost", reason: "damaged", detail: "line 3 is damaged" },
    },
    {
      when: "its last line is damaged",
      change: (text: string) => text.replace("zone/b", "zone/z"),
      opens: { result: "lost", reason: "damaged", detail: "line 3 is damaged" },
    },
    {
      when: "a line has a hole before its last one",
      change: (text: string) => text.replace('zone/a","1', "zone\0\0\0\0\0"),
      opens: { result: "lost", reason: "damaged", detail: "line 2 is damaged" },
    },
    {
      when: "its first line has no end",
      change: (text: string) => `${text.slice(0, text.indexOf("\n"))}x`,
      opens: { result: "lost", reason: "damaged", detail: "line 1 is damaged" },
    },
    {
      when: "it is another file",
      change: () => "a token\n",
      opens: { result: "lost", reason: "damaged", detail: "line 1 is damaged" },
    },
  ])("is not used where $when, and is kept aside", async ({ change, opens }, { expect }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { "zone/a": "1" });
    const { store: second } = await opened(directory);
    second.set("zone/b", "2");
    await second.flush();
    await second[Symbol.asyncDispose]();
    const text = change(directory.files.get("state.jsonl") ?? "");
    directory.files.set("state.jsonl", text);
    const { store } = await opened(directory);
    expect(store.opened).toMatchObject(opens);
    expect(contentOf(store)).toEqual({});
    store.set("zone/c", "3");
    await store.flush();
    const { reason } = { reason: "", ...store.opened };
    expect(directory.files.get(`state.jsonl.${reason}-2026-11-20-1`)).toBe(text);
    expect(await afterRestart(directory)).toEqual({ "zone/c": "3" });
  });

  it("that is set aside never takes the place of an earlier copy", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const texts = ["a token\n", "another token\n", "a third one\n"];
    for (const text of texts) {
      directory.files.set("state.jsonl", text);
      const { store } = await opened(directory);
      await store[Symbol.asyncDispose]();
    }
    const kept = [...directory.files].filter(([name]) => name.startsWith("state.jsonl.damaged-"));
    expect(kept.map(([, text]) => text)).toEqual(texts);
  });

  it("cannot be opened where its copy cannot be taken back", async ({ expect }) => {
    class Unwritable extends MemoryDirectory {
      override rename(): Promise<void> {
        return Promise.reject(new Error("the directory cannot be written"));
      }
    }
    const written = new MemoryDirectory();
    const { store } = await opened(written);
    store.set("zone/a", "1");
    await store[Symbol.asyncDispose]();
    const text = written.files.get("state.jsonl") ?? "";
    const copy = "state.jsonl.foreign-2026-11-20-1";
    const directory = new Unwritable(new Map([[copy, text]]));
    await expect(opened(directory)).rejects.toThrow("the directory cannot be written");
    expect([...directory.files]).toEqual([[copy, text]]);
  });

  it("is taken back by the installation that wrote it, the newest copy first", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory();
    const staging = { ...shop, owner: "staging" };
    for (const [identity, text] of [
      [shop, "1"],
      [staging, "2"],
    ] as const) {
      const { store } = await opened(directory, identity);
      store.set("zone/a", text);
      await store[Symbol.asyncDispose]();
    }
    const { store: back } = await opened(directory);
    expect(back.opened).toEqual({
      result: "loaded",
      entries: 1,
      takenBack: "state.jsonl.foreign-2026-11-20-1",
    });
    expect(contentOf(back)).toEqual({ "zone/a": "1" });
    back.set("zone/a", "3");
    await back[Symbol.asyncDispose]();
    const { store: again } = await opened(directory, staging);
    expect(contentOf(again)).toEqual({ "zone/a": "2" });
    await again[Symbol.asyncDispose]();
    const own = directory.files.get("state.jsonl.foreign-2026-11-20-3") ?? "";
    const { store: last } = await opened(directory);
    expect(contentOf(last)).toEqual({ "zone/a": "3" });
    last.set("zone/a", "4");
    await last[Symbol.asyncDispose]();
    // No copy is needed while the state itself can be used.
    directory.files.set("state.jsonl.foreign-2026-11-20-9", own);
    expect(contentOf((await opened(directory)).store)).toEqual({ "zone/a": "4" });
  });

  it("is not taken back from a copy of another file, which is not counted either", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { "zone/a": "1" });
    const text = directory.files.get("state.jsonl") ?? "";
    directory.files.set("history.jsonl.damaged-2026-11-19-7", text);
    directory.files.set("state.jsonl.damaged-2026-11-19-8.next", text);
    directory.files.set("state.jsonl", "a token\n");
    const { store } = await opened(directory);
    expect(contentOf(store)).toEqual({});
    expect(store.opened).toMatchObject({ keptAs: "state.jsonl.damaged-2026-11-20-1" });
  });

  it("that cannot be read is kept aside, with what the machine says of it", async ({ expect }) => {
    const directory = new Unreadable();
    directory.files.set("state.jsonl", "what nobody reads");
    const { store } = await opened(directory);
    expect(store.opened).toEqual({
      result: "lost",
      reason: "unreadable",
      detail: "EIO: the disk has a bad block",
      keptAs: "state.jsonl.unreadable-2026-11-20-1",
    });
    expect(directory.files.get("state.jsonl.unreadable-2026-11-20-1")).toBe("what nobody reads");
  });

  it("that can neither be read nor be set aside is told as lost", async ({ expect }) => {
    const directory = new Unreadable();
    const { store } = await opened(directory);
    const detail = "EIO: the disk has a bad block";
    expect(store.opened).toEqual({ result: "lost", reason: "unreadable", detail });
    const stuck = new Unreadable();
    stuck.rename = () => Promise.reject(Object.assign(new Error("EROFS"), { code: "EROFS" }));
    await expect(opened(stuck)).rejects.toThrow("EROFS");
  });

  it.for([
    { cut: "all of it", kept: () => 0, detail: "line 1 is damaged" },
    { cut: "the only line of entries", kept: (end: number) => end - 1, detail: "no line is whole" },
  ])("is damaged if somebody cut off $cut: no crash does", async (row, { expect }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { a: "1" });
    const whole = directory.files.get("state.jsonl") ?? "";
    directory.files.set("state.jsonl", whole.slice(0, row.kept(whole.length)));
    const { store, failures } = await opened(directory);
    expect(store.opened).toMatchObject({ result: "lost", reason: "damaged", detail: row.detail });
    store.set("a", "2");
    expect(await store.flush()).toBe(true);
    expect(failures).toEqual([]);
    expect(await afterRestart(directory)).toEqual({ a: "2" });
  });

  it("counts as lost until another one is written beside what was set aside", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory(new Map([["state.jsonl", "[]\n"]]));
    for (const detail of [
      "line 1 is damaged",
      "it was set aside before, and none was written since",
    ]) {
      const { store } = await opened(directory);
      const keptAs = "state.jsonl.damaged-2026-11-20-1";
      expect(store.opened).toEqual({ result: "lost", reason: "damaged", detail, keptAs });
      await store[Symbol.asyncDispose]();
    }
    const { store } = await opened(directory);
    store.set("a", "1");
    expect(await store.flush()).toBe(true);
    await store[Symbol.asyncDispose]();
    expect((await opened(directory)).store.opened).toEqual({ result: "loaded", entries: 1 });
  });

  it("tells once that it was removed, also while the disk is full", async ({ expect }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { a: "1" });
    const { store, failures } = await opened(directory);
    directory.files.delete("state.jsonl");
    directory.fault = new Error("ENOSPC");
    store.set("a", "2");
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await store.flush()).toBe(false);
    directory.fault = undefined;
    expect(await store.flush()).toBe(true);
    expect(failures).toEqual([
      expect.stringMatching(/^another program removed or replaced/),
      "ENOSPC",
      "recovered",
    ]);
  });

  it("is there without entries once all of them are removed", async ({ expect }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { a: "1" });
    const [header = ""] = (directory.files.get("state.jsonl") ?? "").split("\n");
    directory.files.set("state.jsonl", `${header}\n`);
    const { store } = await opened(directory);
    expect(store.opened).toEqual({ result: "loaded", entries: 0 });
  });

  it.for([
    { what: "another file took the place of its own", text: "a token\n" },
    { what: "somebody removed its file", text: undefined },
  ])("is written anew where $what", async ({ text }, { expect }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { a: "1", b: "2" });
    const { store, failures } = await opened(directory);
    if (text === undefined) directory.files.delete("state.jsonl");
    else directory.files.set("state.jsonl", text);
    store.set("a", "3");
    expect(await store.flush()).toBe(true);
    expect(failures).toEqual([
      "another program removed or replaced state.jsonl: it is written anew",
      "recovered",
    ]);
    expect(await afterRestart(directory)).toEqual({ a: "3", b: "2" });
  });

  it("does not take a part of its own line for another program's", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { store, failures } = await opened(directory);
    store.set("a", "1");
    expect(await store.flush()).toBe(true);
    directory.crashAfter = 5;
    store.set("a", "2");
    expect(await store.flush()).toBe(false);
    directory.crashAfter = Number.POSITIVE_INFINITY;
    expect(await store.flush()).toBe(true);
    expect(failures).toEqual([expect.stringMatching(/^after 5 bytes/), "recovered"]);
    expect(await afterRestart(directory)).toEqual({ a: "2" });
  });

  it("is not written anew where a line cannot be added", async ({ expect }) => {
    const directory = new Unappendable();
    const { store, failures } = await opened(directory);
    store.set("a", "1");
    expect(await store.flush()).toBe(true);
    store.set("a", "2");
    expect(await store.flush()).toBe(false);
    expect(failures).toEqual(["EIO"]);
    expect(await afterRestart(directory)).toEqual({ a: "1" });
  });

  it.for([2, "1"])("of version %j is kept beside that of this one", async (version, { expect }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { "zone/a": "1" });
    const newer = (directory.files.get("state.jsonl") ?? "").replace(
      /^.*\n/,
      lineOf({ format: "zonewarden-state", version, ...shop }),
    );
    directory.files.set("state.jsonl", newer);
    const { store } = await opened(directory);
    const keptAs = "state.jsonl.newer-2026-11-20-1";
    expect(store.opened).toMatchObject({ result: "lost", reason: "newer", keptAs });
    expect(contentOf(store)).toEqual({});
    await store[Symbol.asyncDispose]();
    expect(directory.files.get(keptAs)).toBe(newer);
  });

  it.for([
    { whose: "another owner", identity: { ...shop, owner: "staging" } },
    { whose: "another service", identity: { ...shop, service: "http://127.0.0.1:8787" } },
  ])("of $whose is not used", async ({ identity }, { expect }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { "zone/a": "1" });
    const { store } = await opened(directory, identity);
    expect(store.opened).toMatchObject({ result: "lost", reason: "foreign" });
    expect(contentOf(store)).toEqual({});
  });

  it("says that it cannot be written, keeps what it was told, and writes it later", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory();
    const { store, clock, failures } = await opened(directory);
    directory.fault = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    store.set("zone/a", "1");
    expect(await store.flush()).toBe(false);
    await clock.advance(20_000);
    expect([failures, store.status.status]).toEqual([["no space left"], "failing"]);
    expect(store.get("zone/a")).toBe("1");
    directory.fault = undefined;
    await clock.advance(5_000);
    await store.flush();
    expect([failures.at(-1), store.status]).toEqual(["recovered", { status: "ok" }]);
    expect(await afterRestart(directory)).toEqual({ "zone/a": "1" });
  });
});

async function writeState(
  directory: MemoryDirectory,
  content: Readonly<Record<string, string>>,
): Promise<void> {
  const { store } = await opened(directory);
  setAll(store, content);
  await store[Symbol.asyncDispose]();
}

function setAll(store: StateStore, content: Readonly<Record<string, string>>): void {
  for (const key of store.keys("")) if (!(key in content)) store.set(key, undefined);
  for (const [key, text] of Object.entries(content)) store.set(key, text);
}

describe("a state with a torn last line", () => {
  it("keeps what is before it where only the content of the line is lost", async ({ expect }) => {
    const directory = new MemoryDirectory();
    await writeState(directory, { a: "1" });
    const text = directory.files.get("state.jsonl") ?? "";
    directory.files.set("state.jsonl", `${text}${"\0".repeat(40)}\n`);
    const { store } = await opened(directory);
    expect(store.opened).toEqual({ result: "loaded", entries: 1 });
    expect(contentOf(store)).toEqual({ a: "1" });
  });

  it.for([1, 4, 20])(
    "keeps what is written after its last %d characters were lost",
    async (missing, { expect }) => {
      const directory = new MemoryDirectory();
      const { store: first } = await opened(directory);
      for (const key of ["a", "b"]) {
        first.set(key, "1");
        await first.flush();
      }
      const text = directory.files.get("state.jsonl") ?? "";
      directory.files.set("state.jsonl", text.slice(0, -missing));
      const torn = new MemoryDirectory(directory.files);
      const { store: second, failures } = await opened(torn);
      expect(contentOf(second)).toEqual({ a: "1" });
      second.set("c", "3");
      expect(await second.flush()).toBe(true);
      expect(failures).toEqual([]);
      expect(await afterRestart(torn)).toEqual({ a: "1", c: "3" });
    },
  );
});

/** A directory that makes and removes files slowly. */
class Slow extends MemoryDirectory {
  override async create(name: string, text: string): Promise<void> {
    await setImmediate();
    await super.create(name, text);
  }

  override async replace(name: string, text: string): Promise<void> {
    await setImmediate();
    await super.replace(name, text);
  }

  override async remove(name: string): Promise<void> {
    await setImmediate();
    await super.remove(name);
  }
}

/** A directory whose lock was given back right after it was found. */
class JustFree extends MemoryDirectory {
  #isFree = false;

  override async create(name: string, text: string): Promise<void> {
    if (!this.#isFree) {
      this.#isFree = true;
      throw Object.assign(new Error("EEXIST"), { code: "EEXIST" });
    }
    await super.create(name, text);
  }
}

/** A directory whose state cannot be read. */
class Unreadable extends MemoryDirectory {
  override async read(name: string): Promise<string | undefined> {
    if (name === "state.jsonl") throw new Error("EIO: the disk has a bad block");
    return super.read(name);
  }
}

/** A directory whose files do not grow. */
class Unappendable extends MemoryDirectory {
  override append(): Promise<void> {
    return Promise.reject(new Error("EIO"));
  }
}

/** A directory with a lock, to which another process does something just before a rename. */
class LockedMeanwhile extends Slow {
  readonly #meanwhile: (files: Map<string, string>) => void;

  constructor(lock: string, meanwhile: (files: Map<string, string>) => void) {
    super(new Map([["state.lock", lock]]));
    this.#meanwhile = meanwhile;
  }

  override async rename(from: string, to: string): Promise<void> {
    this.#meanwhile(this.files);
    await super.rename(from, to);
  }
}

/** The lock of a process. */
function lockOf(holder: object): string {
  return JSON.stringify({ id: "id", pid: 13, host: "a", beat: 0, ...holder });
}

describe("what was found in a state when it was opened", () => {
  it.for<{ readonly opened: OpenResult; readonly logs: object }>([
    { opened: { result: "empty" }, logs: { level: "info", msg: /first start/ } },
    {
      opened: { result: "loaded", entries: 7 },
      logs: { level: "info", msg: /^state loaded$/, entries: 7 },
    },
    {
      opened: { result: "loaded", entries: 7, takenBack: "state.jsonl.foreign-2026-11-20-1" },
      logs: { level: "warn", msg: /set aside before/, file: "state.jsonl.foreign-2026-11-20-1" },
    },
    {
      opened: { result: "lost", reason: "damaged", detail: "line 1 is damaged" },
      logs: { level: "error", msg: /without a memory/, reason: "damaged" },
    },
  ])("is in the log: $opened", ({ opened: found, logs }, { expect }) => {
    const { logger, lines } = book();
    logOpenedState(found, "/state", logger);
    const { msg, ...facts } = { msg: /./, ...logs };
    expect(lines()).toMatchObject([{ path: "/state", ...facts }]);
    expect(lines()[0]?.["msg"]).toMatch(msg);
  });
});

describe("a directory that is filled", () => {
  it("is marked as unfinished before anything is written, and not any more at the end", async ({
    expect,
  }) => {
    const directory = new Slow();
    let names: readonly string[] = [];
    await fillDirectory(directory, shop, new Map([["a", "1"]]), async () => {
      names = await directory.names();
    });
    expect(names).toHaveLength(1);
    expect(await directory.names()).toEqual(["state.jsonl"]);
    expect(await afterRestart(directory)).toEqual({ a: "1" });
  });

  it("is no store where that failed", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const filled = fillDirectory(directory, shop, new Map(), () =>
      Promise.reject(new Error("EIO")),
    );
    await expect(filled).rejects.toThrow("EIO");
    await expect(opened(directory)).rejects.toThrow("was interrupted");
    const view = await readDirectoryStore(shop, directory);
    expect(view.opened).toMatchObject({ result: "lost", reason: "unreadable" });
  });

  it("is no store where its state could not be written at the end", async ({ expect }) => {
    const directory = new MemoryDirectory();
    directory.crashAfter = 0;
    const filled = fillDirectory(directory, shop, new Map([["a", "1"]]), () => Promise.resolve());
    await expect(filled).rejects.toThrow("after 0 bytes of state.jsonl.next");
    directory.crashAfter = Infinity;
    await expect(opened(directory)).rejects.toThrow("was interrupted");
  });
});

function record(zone: string): string {
  return `{"zone":"${zone}","hours":[]}`;
}

describe("the lock of a state directory", () => {
  it("is taken at once where its holder has just given it back", async ({ expect }) => {
    const [clock, start] = [new SimulatedClock(), new SimulatedClock().now()];
    const directory = new JustFree();
    await clock.run(opened(directory, shop, undefined, clock));
    expect(clock.now()).toEqual(start);
  });

  const here = { pid: 12, hostName: "a", isRunning: (pid: number): boolean => pid === 11 };

  it("keeps a second process out, and says which one holds it", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { clock } = await opened(directory, shop, { ...here, pid: 11 });
    await expect(clock.run(opened(directory, shop, here, clock))).rejects.toMatchObject({
      name: "DirectoryLocked",
      message:
        "the store is in use by process 11 on a: stop it, or give this process a directory of its own (store.path)",
    });
  });

  it.for([
    { whose: "another program that got the process id", pid: 11, hostName: "a" },
    { whose: "a process of another machine", pid: 13, hostName: "b" },
    { whose: "a process of another machine with the same id", pid: 12, hostName: "b" },
    { whose: "nobody who can be read", lock: "{" },
  ])("of $whose is taken over only after 35 s in silence", async ({ lock, ...row }, { expect }) => {
    const directory = new MemoryDirectory();
    await opened(directory, shop, { ...here, ...row });
    if (lock !== undefined) directory.files.set("state.lock", lock);
    const [clock, start] = [new SimulatedClock(), new SimulatedClock().now()];
    const { store } = await clock.run(opened(directory, shop, here, clock));
    expect(Number(clock.now()) - Number(start)).toBe(35_000);
    store.set("a", "1");
    expect(await store.flush()).toBe(true);
  });

  it.for([
    { when: "its process is gone", pid: 13 },
    { when: "it is an earlier process of the same id, as in a container", pid: 12 },
  ])("is taken over where $when", async ({ pid }, { expect }) => {
    const directory = new MemoryDirectory();
    // In a container the first process of each start has the same id, and runs.
    const isRunning = (each: number): boolean => each === here.pid;
    await opened(directory, shop, { ...here, pid });
    const { store } = await opened(directory, shop, { ...here, isRunning });
    store.set("a", "1");
    expect(await store.flush()).toBe(true);
    expect([...directory.files.keys()].toSorted()).toEqual(["state.jsonl", "state.lock"]);
  });

  it("is put back where it is a new one, that another process took meanwhile", async ({
    expect,
  }) => {
    const taken = lockOf({ id: "other", pid: 11 });
    const directory = new LockedMeanwhile(lockOf({ pid: 13 }), (files) => {
      files.set("state.lock", taken);
    });
    await expect(opened(directory, shop, here)).rejects.toThrow("in use by process 11 on a");
    expect([...directory.files]).toEqual([["state.lock", taken]]);
  });

  it.for([
    { text: undefined, holder: undefined },
    { text: lockOf({ pid: 11 }), holder: "process 11 on a" },
    { text: lockOf({ pid: 13 }), holder: undefined },
    { text: lockOf({ pid: 12 }), holder: undefined },
    { text: lockOf({ pid: 13, host: "b" }), holder: "process 13 on b" },
    { text: "", holder: "another process" },
    { text: lockOf({ id: 1 }), holder: "another process" },
    { text: lockOf({ pid: "13" }), holder: "another process" },
    { text: lockOf({ host: null }), holder: "another process" },
    { text: lockOf({ beat: "0" }), holder: "another process" },
  ])(
    "is told without taking it: $text is that of $holder",
    async ({ text, holder }, { expect }) => {
      const directory = new MemoryDirectory();
      if (text !== undefined) directory.files.set("state.lock", text);
      expect(await lockHolder(directory, { process: here })).toBe(holder);
      expect(directory.writes).toEqual([]);
    },
  );

  it("is taken where another process has just removed the stale one", async ({ expect }) => {
    const directory = new LockedMeanwhile(lockOf({ pid: 13 }), (files) => {
      files.delete("state.lock");
    });
    const { store } = await opened(directory, shop, here);
    expect(await store.isHeld()).toBe(true);
    expect(directory.files.get("state.lock")).toContain('"pid":12');
  });

  it("stays if it cannot be moved away", async ({ expect }) => {
    const directory = new LockedMeanwhile(lockOf({ pid: 13 }), () => {
      throw Object.assign(new Error("EROFS"), { code: "EROFS" });
    });
    await expect(opened(directory, shop, here)).rejects.toThrow("EROFS");
  });

  it("is renewed while the disk is full", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { clock } = await opened(directory, shop, { ...here, pid: 11 });
    directory.fault = new Error("ENOSPC");
    await clock.advance(20_000);
    expect(directory.files.get("state.lock")).toContain('"beat":2');
  });

  it("that somebody removed is no longer renewed, and free for another process", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory();
    const { clock, failures } = await opened(directory, shop, { ...here, pid: 11 });
    await clock.advance(10_000);
    expect(directory.files.get("state.lock")).toContain('"beat":1');
    await directory.remove("state.lock");
    await clock.advance(10_000);
    await opened(directory, shop, here);
    await clock.advance(10_000);
    expect(failures).toEqual([expect.stringMatching(/^lost: .* in use by process 12 on a/)]);
  });

  it("that somebody removed is back with the next write", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { store } = await opened(directory, shop, { ...here, pid: 11 });
    await directory.remove("state.lock");
    store.set("a", "1");
    directory.fault = new Error("ENOSPC");
    expect(await store.flush()).toBe(false);
    directory.fault = undefined;
    expect(await store.flush()).toBe(true);
    expect(directory.files.get("state.lock")).toContain('"pid":11');
  });

  it("leaves the lines of a day sorted by zone, however long they are", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const files = measurementFiles(directory);
    await files.write("2026-11-20", longRecords("b.example", "d.example"));
    await files.write(
      "2026-11-20",
      longRecords("e.example", "a.example", "c.example", "d.example"),
    );
    directory.files.set("2026-11-19.json~", "");
    expect(await files.days()).toEqual(["2026-11-20"]);
    const all = await Array.fromAsync(files.readAll("2026-11-20"));
    expect(all.map(([zone]) => zone.slice(0, 1)).join("")).toBe("abcde");
  });

  it("writes a day in pieces of several lines, which do not grow with the fleet", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory();
    const pieces: string[] = [];
    directory.replace = async (_name, given) => {
      for await (const piece of given) pieces.push(piece);
    };
    const names = ["a", "b", "c", "d", "e"].map((name) => `${name}.example`);
    await measurementFiles(directory).write("2026-11-20", longRecords(...names));
    expect(pieces.map((piece) => piece.split("\n").length - 1)).toEqual([2, 2, 1]);
    // A piece that is full is not filled further.
    const line = `{"zone":"a.example",${"x".repeat(65_536 - 21)}`;
    pieces.length = 0;
    const full = new Map([...longRecords("b.example"), [named("a.example"), line]]);
    await measurementFiles(directory).write("2026-11-20", full);
    expect(pieces[0]).toHaveLength(65_536);
  });

  it("has the days that are days, in their order, and no line that is damaged", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory(
      new Map([
        ["2026-11-21.jsonl", `${record("shop.example")}\n`],
        [
          "2026-11-20.jsonl",
          `${record("a.example")}\n{"zone":"b.ex\n-${record("c.example")}\n${record("shop.example")}\n`,
        ],
        ["2026-11-40.jsonl", ""],
        ["state.jsonl", ""],
      ]),
    );
    const files = measurementFiles(directory);
    expect(await files.days()).toEqual(["2026-11-20", "2026-11-21"]);
    const all = await Array.fromAsync(files.readAll("2026-11-20"));
    expect(all.map(([zone]) => zone)).toEqual(["a.example", "shop.example"]);
    await files.write("2026-11-20", new Map([[named("d.example"), record("d.example")]]));
    const kept = directory.files.get("2026-11-20.jsonl")?.split("\n");
    expect(kept?.map((line) => line.slice(9, 13))).toEqual([
      "a.ex",
      "b.ex",
      '"c.e',
      "d.ex",
      "shop",
      "",
    ]);
    await files.dropBefore("2026-11-21");
    expect([...directory.files.keys()]).toEqual([
      "2026-11-21.jsonl",
      "2026-11-40.jsonl",
      "state.jsonl",
    ]);
  });

  it("ends the changes of the measurements too, once it is lost", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const files = measurementFiles(directory);
    const ofOther = heldMeasurements(files, { isHeld: () => Promise.resolve(false) });
    const records = new Map([[named("shop.example"), '{"zone":"shop.example"}']]);
    await heldMeasurements(files, { isHeld: () => Promise.resolve(true) }).write(
      "2026-11-20",
      records,
    );
    await expect(ofOther.write("2026-11-21", records)).rejects.toThrow("taken over");
    await expect(ofOther.dropBefore("2026-11-21")).rejects.toThrow("taken over");
    expect(await ofOther.days()).toEqual(["2026-11-20"]);
  });

  it("is free again once the store is closed", async ({ expect }) => {
    const directory = new Slow();
    const { store, clock, failures } = await opened(directory, shop, { ...here, pid: 11 });
    await store[Symbol.asyncDispose]();
    // What ends after the store may still ask.
    expect(await store.isHeld()).toBe(true);
    expect(directory.files.has("state.lock")).toBe(false);
    const { store: next } = await opened(directory, shop, here);
    await clock.advance(10_000);
    expect(failures).toEqual([]);
    // Somebody removes the lock.
    directory.files.delete("state.lock");
    await next[Symbol.asyncDispose]();
  });

  it("stays that of another process which took it over, when the store is closed", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory();
    const { store } = await opened(directory, shop, { ...here, pid: 11 });
    const taken = lockOf({ id: "other", pid: 12 });
    directory.files.set("state.lock", taken);
    await store[Symbol.asyncDispose]();
    expect(directory.files.get("state.lock")).toBe(taken);
  });

  it("is free again though it was being renewed when the store was closed", async ({ expect }) => {
    const { promise: isWritten, resolve: write } = Promise.withResolvers<void>();
    class SlowDirectory extends MemoryDirectory {
      override async overwrite(name: string, text: string): Promise<void> {
        if (name === "state.lock") await isWritten;
        await super.overwrite(name, text);
      }
    }
    const directory = new SlowDirectory();
    const { store, clock } = await opened(directory, shop, { ...here, pid: 11 });
    await clock.advance(10_000);
    const closed = store[Symbol.asyncDispose]();
    await clock.advance(1);
    write();
    await closed;
    await clock.advance(1);
    expect(directory.files.has("state.lock")).toBe(false);
  });

  it("that another process took over ends the writing of the first one", async ({ expect }) => {
    const directory = new MemoryDirectory();
    const { store, failures } = await opened(directory, shop, { ...here, pid: 13 });
    await opened(directory, shop, here);
    store.set("a", "1");
    expect(await store.flush()).toBe(false);
    expect(failures).toEqual([
      expect.stringMatching(/^lost: .* in use by process 12 on a/),
      expect.stringMatching(/^the .* in use by process 12 on a/),
    ]);
  });

  it("that another process took over is told at the next renewal, and before a write", async ({
    expect,
  }) => {
    const directory = new MemoryDirectory();
    const { store, failures, clock } = await opened(directory, shop, { ...here, pid: 13 });
    expect(await store.isHeld()).toBe(true);
    await opened(directory, shop, here);
    expect(failures).toEqual([]);
    await clock.advance(10_000);
    expect(failures).toEqual([expect.stringMatching(/^lost: .* in use by process 12 on a/)]);
    expect(await store.isHeld()).toBe(false);
    expect(failures).toHaveLength(2);
  });
});

interface Syncing {
  readonly sync: () => Promise<void>;
  readonly datasync: () => Promise<void>;
}

/** What all open files have in common. */
function hasSync(value: unknown): value is Syncing {
  return typeof value === "object" && value !== null && "sync" in value && "datasync" in value;
}

async function* piecesOf(pieces: readonly string[]): AsyncGenerator<string> {
  await Promise.resolve();
  yield* pieces;
}

async function* failing(): AsyncGenerator<string> {
  yield* piecesOf(["a piece\n"]);
  throw new Error("no more pieces");
}

describe("state on a disk", () => {
  it("is there after a crash: its file is synced, then its directory, and each line added", async ({
    expect,
  }) => {
    const place = await mkdtemp(path.join(tmpdir(), "zonewarden-state-"));
    try {
      await using handle = await open(place);
      const files: unknown = Object.getPrototypeOf(handle);
      if (!hasSync(files)) throw new Error("an open file cannot be synced");
      using sync = vi.spyOn(files, "sync");
      using datasync = vi.spyOn(files, "datasync");
      const directory = nodeStateDirectory(place);
      await directory.replace("state.jsonl", "one\n");
      expect(sync).toHaveBeenCalledTimes(2);
      expect(datasync).not.toHaveBeenCalled();
      await directory.append("state.jsonl", 4, "two\n");
      expect(datasync).toHaveBeenCalledTimes(1);
      sync.mockRejectedValueOnce(new Error("EIO"));
      await expect(directory.replace("state.jsonl", "one\n")).rejects.toThrow("EIO");
      sync.mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Error("EIO"));
      await expect(directory.replace("state.jsonl", "one\n")).rejects.toThrow("EIO");
      datasync.mockRejectedValueOnce(new Error("EIO"));
      await expect(directory.append("state.jsonl", 4, "two\n")).rejects.toThrow("EIO");
      const history = historyFile(path.join(place, "history.jsonl"));
      const lines = new NewLines({ chain: "c", n: 0, hash: "" }, undefined);
      const drop = { lines: 0, bytes: 0 };
      // The first one makes the file.
      for (const batch of [{ lines }, { lines, drop }]) {
        sync.mockRejectedValueOnce(new Error("EIO"));
        await expect(history.add(batch)).rejects.toThrow("EIO");
        sync.mockClear();
        await history.add(batch);
        expect(sync).toHaveBeenCalledTimes(2);
      }
      datasync.mockRejectedValueOnce(new Error("EIO"));
      await expect(history.add({ lines })).rejects.toThrow("EIO");
      // The file is in its place: to drop its lines again would drop others.
      sync.mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Error("EIO"));
      await history.add({ lines, drop });
    } finally {
      await rm(place, { recursive: true });
    }
  });

  it.for([0, 1, 2, 3])(
    "is read as it was written, in any piece of it (%i bytes before)",
    async (bytes, { expect }) => {
      const place = await mkdtemp(path.join(tmpdir(), "zonewarden-"));
      try {
        const directory = nodeStateDirectory(place);
        const text = `${"a".repeat(bytes)}${"züri €, 🦊\n".repeat(20_000)}`;
        await directory.replace("state.jsonl", text);
        expect((await directory.read("state.jsonl")) === text).toBe(true);
        await directory.replace("state.jsonl", "");
        expect(await directory.read("state.jsonl")).toBe("");
      } finally {
        await rm(place, { recursive: true, force: true });
      }
    },
  );

  it("is read line by line as it was written piece by piece, however long a line is", async ({
    expect,
  }) => {
    const place = await mkdtemp(path.join(tmpdir(), "zonewarden-"));
    try {
      const directory = nodeStateDirectory(place);
      expect(await Array.fromAsync(directory.lines("a.jsonl"))).toEqual([]);
      const lengths = [70_000, 0, 1, 65_535, 9, 300_000, 65_536, 3];
      const lines = lengths.flatMap((length, nth) => [
        "a".repeat(length),
        `${"a".repeat(nth)}${"🦊é".repeat(length)}`,
      ]);
      await directory.replace(
        "a.jsonl",
        piecesOf([...lines.map((line) => `${line}\n`), "no line"]),
      );
      const read = await Array.fromAsync(directory.lines("a.jsonl"));
      expect(read.map(({ length }) => length)).toEqual(lines.map(({ length }) => length));
      expect(read.join("\n") === lines.join("\n")).toBe(true);
      for await (const line of directory.lines("a.jsonl")) if (line === "") break;
      await expect(directory.replace("a.jsonl", failing())).rejects.toThrow("no more pieces");
      expect(await directory.names()).toEqual(["a.jsonl"]);
      expect(await Array.fromAsync(directory.lines("a.jsonl"))).toHaveLength(lines.length);
    } finally {
      await rm(place, { recursive: true });
    }
  });

  it("is for its owner alone, and follows no symbolic link", async ({ expect }) => {
    const place = await mkdtemp(path.join(tmpdir(), "zonewarden-state-"));
    try {
      const directory = nodeStateDirectory(path.join(place, "state"));
      await directory.replace("state.jsonl", "one\n");
      await directory.append("state.jsonl", 4, "two\n");
      const file = path.join(place, "state", "state.jsonl");
      expect(await readFile(file, "utf8")).toBe("one\ntwo\n");
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
      await expect(directory.append("state.jsonl", 4, "x")).rejects.toMatchObject({
        code: "ESTALE",
      });

      const other = path.join(place, "other");
      await writeFile(other, "secret\n");
      await rm(file);
      await symlink(other, file);
      await symlink(other, `${file}.next`);
      await expect(directory.read("state.jsonl")).rejects.toMatchObject({ code: "ELOOP" });
      await expect(directory.lines("state.jsonl")[Symbol.asyncIterator]().next()).rejects.toThrow(
        "ELOOP",
      );
      await expect(directory.append("state.jsonl", 7, "x")).rejects.toMatchObject({
        code: "ELOOP",
      });
      await expect(directory.overwrite("state.jsonl", "x")).rejects.toMatchObject({
        code: "ELOOP",
      });
      await directory.replace("state.jsonl", "mine\n");
      await directory.overwrite("state.jsonl", "M");
      await expect(directory.overwrite("none", "x")).rejects.toMatchObject({ code: "ENOENT" });
      expect(await readFile(other, "utf8")).toBe("secret\n");
      expect(await readFile(file, "utf8")).toBe("Mine\n");
    } finally {
      await rm(place, { recursive: true });
    }
  });

  it("renames and removes its files", async ({ expect }) => {
    const place = await mkdtemp(path.join(tmpdir(), "zonewarden-state-"));
    try {
      const directory = nodeStateDirectory(path.join(place, "state"));
      await directory.create("a", "1");
      await directory.create("b", "2");
      await directory.rename("a", "c");
      await directory.remove("b");
      expect(await directory.names()).toEqual(["c"]);
      expect(await directory.read("c")).toBe("1");
    } finally {
      await rm(place, { recursive: true });
    }
  });

  it("has no names where a file took its place", async ({ expect }) => {
    const place = await mkdtemp(path.join(tmpdir(), "zonewarden-state-"));
    try {
      const file = path.join(place, "state");
      await writeFile(file, "");
      expect(await nodeStateDirectory(file).names()).toEqual([]);
      expect(await nodeStateDirectory(path.join(place, "none")).names()).toEqual([]);
      await expect(nodeStateDirectory(path.join(place, "\0")).names()).rejects.toThrow();
    } finally {
      await rm(place, { recursive: true });
    }
  });

  it("waits for nobody where a pipe took the place of a file", async ({ expect }) => {
    const place = await mkdtemp(path.join(tmpdir(), "zonewarden-state-"));
    try {
      const directory = nodeStateDirectory(place);
      execFileSync("mkfifo", [path.join(place, "state.jsonl")]);
      await expect(directory.read("state.jsonl")).rejects.toThrow("is no regular file");
      await expect(directory.lines("state.jsonl")[Symbol.asyncIterator]().next()).rejects.toThrow(
        "is no regular file",
      );
      await expect(directory.append("state.jsonl", 0, "x")).rejects.toMatchObject({
        code: "ENXIO",
      });
      await directory.replace("state.jsonl", "mine\n");
      expect(await directory.read("state.jsonl")).toBe("mine\n");
    } finally {
      await rm(place, { recursive: true });
    }
  });
});
