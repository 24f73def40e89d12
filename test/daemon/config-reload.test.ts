import { setImmediate } from "node:timers/promises";

import { describe, it } from "vitest";

import { configReloader, liveKeys, RunningConfig } from "../../src/daemon/config-reload.ts";
import type { FilePort } from "../../src/desired/file-system.ts";
import type { InventoryPollerOptions } from "../../src/reconcile/inventory/inventory-poller.ts";
import { configFrom, loadedFrom } from "../support/config-from.ts";
import { book } from "../support/log-book.ts";
import { memoryFiles } from "../support/memory-files.ts";

describe("a configuration that changes while the program runs", () => {
  const changes = [
    { change: "mode: observe", applied: ["mode"] },
    { change: "mode: enforce\nlimits: { weakening: refuse }", applied: ["limits"] },
    {
      change:
        'mode: enforce\nwindows: [{ name: w, type: freeze, start: "0 0 1 12 *", duration: 24h }]',
      applied: ["windows"],
    },
    { change: 'mode: enforce\nschedule: { cron: "0 * * * *" }', applied: ["schedule.cron"] },
    { change: "mode: enforce\nschedule: { timezone: Asia/Tokyo }", applied: ["schedule.timezone"] },
    {
      before: "mode: enforce\nlog: { format: pretty }",
      change: "mode: enforce\nlog: { level: debug, format: pretty }",
      applied: ["log.level"],
    },
    { change: "mode: enforce\ninventory: { enabled: true }", applied: ["inventory"] },
    { change: "mode: enforce\naudit: { enabled: true }", applied: ["audit"] },
    {
      before: "mode: enforce\nstore: { path: state }",
      change: "mode: enforce\nstore: { path: state }\nmeasurements: {}",
      applied: ["measurements"],
    },
  ];

  it("has an example of each key that needs no restart", ({ expect }) => {
    expect(new Set(changes.flatMap(({ applied }) => applied))).toEqual(new Set(liveKeys));
  });

  it.for(changes)("applies $applied", async (row, { expect }) => {
    const { before = "mode: enforce", change, applied } = row;
    const running = new RunningConfig(await configFrom(before));
    expect(running.update(await loadedFrom(change))).toEqual({ applied, waiting: [] });
    expect(running.current).toEqual(await configFrom(change));
    expect(running.update(await loadedFrom(change))).toEqual({ applied: [], waiting: [] });
  });

  it.for([
    { change: "api: { concurrency: 2 }", waiting: ["api"] },
    { change: "credentials: [{ name: a, token_env: A }]", waiting: ["credentials"] },
    { change: "desired: { path: elsewhere }", waiting: ["desired"] },
    { change: "schedule: { on_change: false }", waiting: ["schedule.on_change"] },
    { change: "schedule: { debounce: 2s }", waiting: ["schedule.debounce"] },
    { change: "budget: { reserve: 0.5 }", waiting: ["budget"] },
    { change: 'server: { listen: "0.0.0.0:80" }', waiting: ["server"] },
    { change: "log: { format: pretty }", waiting: ["log.format"] },
  ])("leaves $waiting to the next start", async ({ change, waiting }, { expect }) => {
    const before = await configFrom("mode: enforce");
    const running = new RunningConfig(before);
    const taken = running.update(await loadedFrom(`mode: enforce\n${change}`));
    expect(taken).toEqual({ applied: [], waiting });
    expect(running.current).toEqual(before);
  });

  it("stays as it is while the file has errors, and has its diagnostics", async ({ expect }) => {
    const before = await configFrom("mode: enforce");
    const running = new RunningConfig(before);
    expect(running.update(await loadedFrom("mode: sometimes"))).toBeUndefined();
    expect(running.current).toBe(before);
    expect(running.diagnostics).toHaveLength(1);
    running.update(await loadedFrom("mode: enforce"));
    expect(running.diagnostics).toEqual([]);
  });
});

/** A daemon that reads its configuration again, and what its parts were told. */
async function reloading(
  before: string,
  signal: AbortSignal,
  { hasTerm = true, isBroken = false, firstRead = Promise.resolve() } = {},
) {
  const disk = memoryFiles({ "/zonewarden.yaml": before });
  const waits = [firstRead];
  const files: FilePort = {
    ...disk.port,
    read: async (...args) => {
      const bytes = await disk.port.read(...args);
      await waits.shift();
      return bytes;
    },
  };
  const runningConfig = new RunningConfig(await configFrom(before));
  const told: unknown[] = [];
  const { logger, lines } = book({ level: "info" });
  const ofTerm = book({ level: "info" });
  const term = {
    fleet: { followInventory: (isFollowed: boolean) => told.push(["inventory", isFollowed]) },
    reconciler: {
      filesChanged: () => told.push(["files changed"]),
      reconfigure: ({ mode }: { readonly mode: string }) => told.push(["reconciler", mode]),
      requestSweep: (trigger: string) => told.push(["sweep", trigger]),
    },
    poller: {
      reconfigure: (options: InventoryPollerOptions | undefined) =>
        told.push(["poller", options === undefined ? "off" : options.everyMs]),
    },
    auditFeed: { reconfigure: (options: unknown) => told.push(["audit", options !== undefined]) },
    collector: {
      reconfigure: (options: unknown) => told.push(["collector", options !== undefined]),
    },
    logger: ofTerm.logger,
  };
  const schedule = {
    replace: ({ cron }: { readonly cron: readonly string[] }) => {
      told.push(["schedule", ...cron]);
      if (isBroken) throw new TypeError("not a function");
    },
  };
  const current = { term: hasTerm ? term : undefined };
  const reload = configReloader(
    "zonewarden.yaml",
    { logger, runningConfig, schedule, current },
    { files, directory: "/" },
    signal,
  );
  const messages = (): readonly unknown[] =>
    lines().map(({ msg, keys }) => (keys === undefined ? msg : [msg, keys]));
  const levels = (): readonly string[] => [logger.level, ofTerm.logger.level];
  const change = async (config: string): Promise<void> => {
    disk.write("/zonewarden.yaml", config);
    await reload();
  };
  return { change, told, messages, levels };
}

const stored = "mode: enforce\nstore: { path: state }\n";

describe("a daemon that reads its configuration again", () => {
  it.for([
    { change: "", keys: [], tells: [] },
    { change: "log: { level: debug }", keys: ["log.level"], tells: [] },
    { change: "measurements: {}", keys: ["measurements"], tells: [["collector", true]] },
    { change: "audit: { enabled: true }", keys: ["audit"], tells: [["audit", true]] },
    {
      change: "inventory: { enabled: true, every: 2h }",
      keys: ["inventory"],
      tells: [
        ["inventory", true],
        ["poller", 7_200_000],
      ],
    },
    {
      change: 'schedule: { cron: "0 * * * *" }',
      keys: ["schedule.cron"],
      tells: [["schedule", "0 * * * *"]],
    },
    ...[
      { change: "limits: { weakening: refuse }", keys: ["limits"] },
      {
        change: 'windows: [{ name: w, type: freeze, start: "0 0 1 12 *", duration: 24h }]',
        keys: ["windows"],
      },
    ].map((row) => ({
      ...row,
      tells: [
        ["reconciler", "enforce"],
        ["sweep", "signal"],
      ],
    })),
  ])(
    "tells those whom it concerns, once: $change",
    async ({ change, keys, tells }, { expect, signal }) => {
      const daemon = await reloading(stored, signal);
      await daemon.change(`${stored}${change}`);
      await daemon.change(`${stored}${change}`);
      // At the first look, what is wrong in it may be news.
      expect(daemon.told).toEqual([["files changed"], ...tells]);
      expect(daemon.levels()).toEqual(
        change.includes("debug") ? ["debug", "debug"] : ["info", "info"],
      );
      expect(daemon.messages()).toEqual(change === "" ? [] : [["configuration applied", keys]]);
    },
  );

  it("waits for the next sweep with a change, if changes wait for sweeps", async ({
    expect,
    signal,
  }) => {
    const waiting = "schedule: { on_change: false }\n";
    const daemon = await reloading(`mode: enforce\n${waiting}`, signal);
    await daemon.change(`mode: observe\n${waiting}`);
    expect(daemon.told).toEqual([["files changed"], ["reconciler", "observe"]]);
  });

  it("reads no inventory any more once that is not configured", async ({ expect, signal }) => {
    const daemon = await reloading(`${stored}inventory: { enabled: true }`, signal);
    await daemon.change(stored);
    expect(daemon.told.slice(1)).toEqual([
      ["inventory", false],
      ["poller", "off"],
    ]);
  });

  it("logs an error of the program, but none after the order to stop", async ({ expect }) => {
    const ended = new AbortController();
    const daemon = await reloading("mode: enforce", ended.signal, { isBroken: true });
    for (const minute of [1, 2]) {
      await daemon.change(`mode: enforce\nschedule: { cron: "${minute} * * * *" }`);
      ended.abort();
    }
    const applied = ["configuration applied", ["schedule.cron"]];
    expect(daemon.messages()).toEqual([applied, "internal error", applied]);
  });

  it("reads it once at a time: an older version does not undo a newer one", async ({
    expect,
    signal,
  }) => {
    const { promise: firstRead, resolve } = Promise.withResolvers<void>();
    const daemon = await reloading("mode: enforce", signal, { firstRead });
    const changes = [daemon.change("mode: observe")];
    await setImmediate();
    changes.push(daemon.change("mode: enforce"), daemon.change("mode: enforce"));
    await setImmediate();
    resolve();
    await Promise.all(changes);
    expect(daemon.told.filter((told) => String(told).startsWith("reconciler"))).toEqual([
      ["reconciler", "observe"],
      ["reconciler", "enforce"],
    ]);
  });

  it("says once what is wrong, or needs a restart", async ({ expect, signal }) => {
    const daemon = await reloading("mode: enforce", signal);
    for (const text of ["mode: sometimes", "mode: enforce\nlog: { format: pretty }"]) {
      await daemon.change(text);
      await daemon.change(text);
    }
    expect(daemon.told).toEqual([["files changed"], ["files changed"]]);
    expect(daemon.messages()).toEqual([
      "file diagnostic",
      "configuration rejected: it stays as before",
      ["configuration change needs a restart", ["log.format"]],
    ]);
  });

  it("has a new level of the log and a new schedule also while another process works", async ({
    expect,
    signal,
  }) => {
    const daemon = await reloading("mode: enforce", signal, { hasTerm: false });
    await daemon.change('mode: observe\nschedule: { cron: "0 * * * *" }\nlog: { level: debug }');
    expect(daemon.told).toEqual([["schedule", "0 * * * *"]]);
    expect(daemon.levels()[0]).toBe("debug");
    expect(daemon.messages()).toHaveLength(1);
  });
});
