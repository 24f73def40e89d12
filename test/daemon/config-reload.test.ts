import { describe, it } from "vitest";

import { liveKeys, RunningConfig } from "../../src/daemon/config-reload.ts";
import type { Config } from "../../src/desired/config/config.ts";
import { loadConfig, type LoadedConfig } from "../../src/desired/config/load-config.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { memoryFiles } from "../support/memory-files.ts";

async function loaded(text: string, signal: AbortSignal): Promise<LoadedConfig> {
  const disk = memoryFiles({ "/zonewarden.yaml": text });
  return loadConfig("/zonewarden.yaml", { files: disk.port, cronError }, signal);
}

async function configOf(text: string, signal: AbortSignal): Promise<Config> {
  const { config, diagnostics } = await loaded(text, signal);
  if (config === undefined) throw new Error(JSON.stringify(diagnostics));
  return config;
}

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
    { change: "mode: enforce\nlog: { level: debug }", applied: ["log.level"] },
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

  it.for(changes)("applies $applied", async (row, { expect, signal }) => {
    const { before = "mode: enforce", change, applied } = row;
    const running = new RunningConfig(await configOf(before, signal));
    expect(running.update(await loaded(change, signal))).toEqual({ applied, waiting: [] });
    expect(running.current).toEqual(await configOf(change, signal));
    expect(running.update(await loaded(change, signal))).toEqual({ applied: [], waiting: [] });
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
  ])("leaves $waiting to the next start", async ({ change, waiting }, { expect, signal }) => {
    const before = await configOf("mode: enforce", signal);
    const running = new RunningConfig(before);
    const taken = running.update(await loaded(`mode: enforce\n${change}`, signal));
    expect(taken).toEqual({ applied: [], waiting });
    expect(running.current).toEqual(before);
  });

  it("stays as it is while the file has errors, and has its diagnostics", async ({
    expect,
    signal,
  }) => {
    const before = await configOf("mode: enforce", signal);
    const running = new RunningConfig(before);
    expect(running.update(await loaded("mode: sometimes", signal))).toBeUndefined();
    expect(running.current).toBe(before);
    expect(running.diagnostics).toHaveLength(1);
    running.update(await loaded("mode: enforce", signal));
    expect(running.diagnostics).toEqual([]);
  });
});
