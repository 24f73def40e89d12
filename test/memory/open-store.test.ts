import { describe, it } from "vitest";

import { memoryOnly } from "../../src/memory/kept-store.ts";
import { MemoryStore } from "../../src/memory/memory-store.ts";
import {
  openCommandDirectory,
  openDirectory,
  readStore,
  storedZones,
  whyUnknown,
  writeReports,
} from "../../src/memory/open-store.ts";
import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import { fleetKeys, remember, zoneKeys } from "../../src/memory/state-keys.ts";
import { identityOf, type OpenResult } from "../../src/memory/state-store.ts";
import { StoredRuns } from "../../src/memory/stored-runs.ts";
import { SimulatedClock } from "../support/clock.ts";
import { configFrom } from "../support/config-from.ts";
import { MemoryHistory } from "../support/history-files.ts";
import { book } from "../support/log-book.ts";
import { MemoryDirectory } from "../support/memory-directory.ts";
import { installation, noPostgres } from "../support/postgres.ts";
import { named } from "../support/reports.ts";
import { check, day, declaredScripts, readingOf } from "../support/watched.ts";

/** Processes of one machine that use one directory; those below 20 run. */
class Machine {
  readonly directory = new MemoryDirectory();
  readonly exits: string[] = [];
  #ids = 0;

  host(pid: number, clock = new SimulatedClock()) {
    return {
      clock,
      process: { pid, hostName: "a", isRunning: (each: number) => each < 20 },
      uniqueId: () => `id${(this.#ids += 1)}`,
      stateDirectory: () => this.directory,
      historyStore: () => new MemoryHistory(),
      exit: (code: number): never => {
        this.exits.push(`${pid} exits with ${code}`);
        throw new Error("exit");
      },
    };
  }
}

describe("the store of a daemon in a directory", () => {
  it("ends the process at once where another process took it over", async ({ expect }) => {
    const machine = new Machine();
    const identity = identityOf(await configFrom("mode: observe"));
    const { logger, lines } = book();
    const clock = new SimulatedClock();
    const { state } = await openDirectory("/state", identity, machine.host(21, clock), logger);
    expect(lines().map(({ level, path }) => [level, path])).toEqual([["info", "/state"]]);
    await openDirectory("/state", identity, machine.host(11), book().logger);
    expect(machine.exits).toEqual([]);
    state.set("a", "1");
    expect(await state.flush()).toBe(false);
    expect(machine.exits).toContain("21 exits with 1");
    expect(lines().map(({ level, path, msg }) => [level, path, msg])).toContainEqual([
      "fatal",
      "/state",
      "the store was taken over: zonewarden ends at once",
    ]);
  });

  it("is refused as long as another process uses it", async ({ expect }) => {
    const machine = new Machine();
    const identity = identityOf(await configFrom("mode: observe"));
    const clock = new SimulatedClock();
    await using _first = await openDirectory(
      "/state",
      identity,
      machine.host(11, clock),
      book().logger,
    );
    const { logger, lines } = book();
    const second = expect(
      openDirectory("/state", identity, machine.host(12, clock), logger),
    ).rejects.toThrow("in use by process 11 on a");
    await clock.advance(60_000);
    await second;
    expect(lines()).toMatchObject([{ level: "warn", path: "/state", holder: "process 11 on a" }]);
    // Who is told to stop waits for no sign of life.
    const stopped = openDirectory(
      "/state",
      identity,
      machine.host(12),
      book().logger,
      AbortSignal.abort(),
    );
    await expect(stopped).rejects.toThrow("in use by process 11 on a");
  });

  it("is refused where it cannot be opened, and a command says why", async ({ expect }) => {
    const machine = new Machine();
    const config = await configFrom("mode: observe");
    machine.directory.fault = new Error("EROFS: read-only file system");
    const { logger } = book();
    const opening = openDirectory("/state", identityOf(config), machine.host(11), logger);
    await expect(opening).rejects.toThrow("EROFS: read-only file system");
    expect(await openCommandDirectory("/state", config, machine.host(12))).toEqual({
      store: undefined,
      why: "the state in /state cannot be opened: EROFS: read-only file system",
    });
  });
});

describe("the store of a command in a directory", () => {
  it("is that of the daemon before, and one that cannot be used is left as it is", async ({
    expect,
  }) => {
    const machine = new Machine();
    const config = await configFrom("mode: observe");
    {
      await using daemon = await openDirectory(
        "/state",
        identityOf(config),
        machine.host(11),
        book().logger,
      );
      daemon.state.set("a", "1");
      expect(daemon.isRestored).toBe(false);
      // Both ask the state whether they may.
      await daemon.measurements.dropBefore("2026-11-20");
      await daemon.history?.truncate(0);
    }
    const { store } = await openCommandDirectory("/state", config, machine.host(12));
    expect(store?.get("a")).toBe("1");
    machine.directory.fault = new Error("ENOSPC");
    store?.set("a", "2");
    expect(await store?.flush()).toBe(false);
    machine.directory.fault = undefined;
    await store?.[Symbol.asyncDispose]();
    const { files } = machine.directory;
    const text = files.get("state.jsonl") ?? "";
    files.set("state.jsonl", "a token\n");
    expect(await openCommandDirectory("/state", config, machine.host(13))).toEqual({
      store: undefined,
      why: "the state in /state cannot be used: line 1 is damaged",
    });
    expect([...files]).toEqual([["state.jsonl", "a token\n"]]);
    files.set("state.jsonl.foreign-2026-11-19-1", text);
    const identity = identityOf(config);
    const next = await openDirectory("/state", identity, machine.host(14), book().logger);
    expect([next.isRestored, next.state.get("a")]).toEqual([true, "2"]);
    await next[Symbol.asyncDispose]();
    const last = await openDirectory("/state", identity, machine.host(15), book().logger);
    expect(last.isRestored).toBe(false);
    await last[Symbol.asyncDispose]();
    files.set("state.jsonl", "a token\n");
    const without = await openDirectory("/state", identity, machine.host(16), book().logger);
    expect([without.isRestored, without.state.get("a")]).toEqual([true, undefined]);
  });
});

describe.skipIf(noPostgres)(`the database of a command ${noPostgres ?? ""}`, () => {
  it("tells nothing where it is empty, or of another installation", async ({ expect }) => {
    const { url } = await installation();
    await using database = openDatabase("zonewarden", () => Promise.resolve(url));
    const own = await configFrom("mode: observe\nstore: { postgres: { url_file: url } }");
    const { tables } = database;
    const host = new Machine().host(11);
    expect((await readStore(own, database, host))?.opened).toEqual({ result: "empty" });
    const { term } = await tables.begin({ ...identityOf(own), owner: "them" }, 0);
    const changes = [["drift/shop.example", "2026-11-20"]] as const;
    await tables.store({ term, changes, head: { n: 0, hash: "" }, history: undefined });
    const view = await readStore(own, database, host);
    expect(view?.opened).toMatchObject({ result: "lost", reason: "unreadable" });
    expect(view?.opened).toHaveProperty("detail", expect.stringContaining('owner "them"'));
    expect(view?.get("drift/shop.example")).toBeUndefined();
    expect(await readStore(own, undefined, host)).toBeUndefined();
  });
});

describe("what a command knows of zones", () => {
  it("is what is stored of each, and nothing without a store", ({ expect }) => {
    const [shop, blog] = [named("shop.example"), named("blog.example")];
    const { watch } = check(declaredScripts([]), readingOf([]), day(1));
    const store = new MemoryStore();
    remember(store, zoneKeys.scripts, watch, shop);
    remember(store, zoneKeys.applied, "as declared", shop);
    remember(store, fleetKeys.weakened, new Map([[shop, 7]]), "named");
    const zones = storedZones(store);
    expect([...zones.weakened("named")]).toEqual([[shop, 7]]);
    expect([zones.scripts(shop), zones.applied(shop)]).toEqual([watch, "as declared"]);
    expect([zones.scripts(blog), zones.applied(blog)]).toEqual([undefined, ""]);
    expect(storedZones(undefined).scripts(shop)).toBeUndefined();
    expect(zones.waits(blog, "r2")).toBeUndefined();
    store.set("revision", '{"revision":"r2","hash":"2"}');
    store.set(`wave/${shop}`, '{"waits":""}');
    expect([zones.waits(shop, "r2"), zones.waits(blog, "r2")]).toEqual(["wave", undefined]);
    expect(zones.waits(blog, "r3")).toBe("fleet_change");
    const runs = new StoredRuns(store);
    for (const halt of ["paused", "aborted"] as const) {
      runs.setRolloutHalt({ revision: "1b23e5f4", halt });
      const ofAnother = halt === "paused" ? halt : undefined;
      expect([zones.halt("1b23e5f4"), zones.halt("5a40679f")]).toEqual([halt, ofAnother]);
    }
  });
});

describe("what a command says of a store", () => {
  it.for<{ readonly opened: OpenResult; readonly says: string | undefined }>([
    { opened: { result: "loaded", entries: 1 }, says: undefined },
    { opened: { result: "empty" }, says: "the store (/state) is empty here" },
    {
      opened: { result: "lost", reason: "damaged", detail: "line 1 is damaged" },
      says: "the store (/state) cannot be used: line 1 is damaged",
    },
  ])("is $says where that is $opened.result", ({ opened, says }, { expect }) => {
    const text = whyUnknown({ opened, place: "/state", get: () => undefined });
    expect(text?.slice(0, says?.length)).toBe(says);
  });
});

describe("writing the state", () => {
  it("is told where it fails, and where it works again", ({ expect }) => {
    const { logger, lines } = book();
    const { onFailure, onRecovery } = writeReports("/state", logger);
    onFailure(new Error("the disk is full"));
    onRecovery();
    expect(lines()).toMatchObject([
      { msg: "state cannot be written", path: "/state", error: "the disk is full" },
      { msg: "state is written again", path: "/state" },
    ]);
  });
});

describe("a state in memory alone", () => {
  it("is held by its process, and stored nowhere", async ({ expect }) => {
    await using kept = memoryOnly();
    kept.state.set("zone/a", "1");
    expect(kept.state.get("zone/a")).toBe("1");
    expect(await kept.state.flush()).toBe(false);
    expect(await kept.state.isHeld()).toBe(true);
    expect(kept.state.opened).toEqual({ result: "empty" });
    const { measurements } = kept;
    await expect(measurements.days()).rejects.toThrow("there is no store");
    const all = Array.fromAsync(measurements.readAll("2026-11-20"));
    await expect(all).rejects.toThrow("there is no store");
  });
});
