import path from "node:path";

import { describe, it } from "vitest";

import { loadConfig } from "../../src/desired/config/load-config.ts";
import { nodeFiles } from "../../src/desired/file-system.ts";
import type { Host } from "../../src/host/host.ts";
import { graceMs, handleShutdown } from "../../src/host/shutdown.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { SimulatedClock } from "../support/clock.ts";
import { hostIn, workplace } from "../support/command-line.ts";
import { control, exampleWithEmulator } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { wordsOf } from "../support/pages.ts";
import { eventually } from "../support/processes.ts";
import { textFrom } from "../support/running.ts";

/** A machine on a clock that stands still, with signals that the test sends. */
function simulated(clock: SimulatedClock): {
  readonly host: Host;
  readonly signal: (name: NodeJS.Signals) => void;
} {
  const listeners = new Map<string, () => void>();
  const host: Host = {
    ...hostIn(process.cwd()),
    clock,
    onSignal: (name, listener) => {
      listeners.set(name, listener);
      return { [Symbol.dispose]: () => listeners.delete(name) };
    },
  };
  return { host, signal: (name) => listeners.get(name)?.() };
}

describe("the grace period", () => {
  it("is longer than one request may take by default", async ({ expect, signal }) => {
    await using place = await workplace();
    await place.write("zonewarden.yaml", "mode: observe\n");
    const file = path.join(place.directory, "zonewarden.yaml");
    const { config } = await loadConfig(file, { files: nodeFiles, cronError }, signal);
    expect(config?.api.timeoutMs).toBeLessThan(graceMs);
  });

  it.for(["SIGTERM", "SIGINT"] as const)(
    "begins with %s, which lets nothing new begin, and gives up at its end what is under way",
    async (name, { expect }) => {
      const clock = new SimulatedClock();
      const { host, signal } = simulated(clock);
      using shutdown = handleShutdown(host, 1);
      const { stop, abort } = shutdown.signals;
      await clock.advance(graceMs);
      expect([shutdown.receivedSignal, stop.aborted, abort.aborted]).toEqual([
        undefined,
        false,
        false,
      ]);

      signal(name);
      await clock.advance(graceMs - 1);
      expect([shutdown.receivedSignal, stop.aborted, abort.aborted]).toEqual([name, true, false]);
      await clock.advance(1);
      expect(abort.aborted).toBe(true);
    },
  );

  it("leaves no timer behind", async ({ expect }) => {
    const clock = new SimulatedClock();
    const { host, signal } = simulated(clock);
    {
      using _shutdown = handleShutdown(host, 1);
      signal("SIGTERM");
      expect(clock.sleeping).toBe(1);
    }
    await clock.advance(0);
    expect(clock.sleeping).toBe(0);
  });

  it("ends a daemon whose write is never answered, and logs the write as lost", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    let arrived = false;
    const never = async (_ms: number, signal: AbortSignal): Promise<void> => {
      arrived = true;
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    };
    await using example = await exampleWithEmulator({ sleep: never, ports: { clock } });
    const { place } = example;
    const config = await place.read("zonewarden.yaml");
    // A request may take longer than the end of the process.
    await place.write("zonewarden.yaml", config.replace("api: {", "api: { timeout: 10m,"));
    const method = { method: "POST", path: "*/policies" };
    await control(example, "faults", { fault: "latency", milliseconds: 1, ...method });
    const daemon = place.start("run");
    await eventually("a write is never answered", () => arrived || undefined);
    expect(wordsOf(await textFrom(daemon, ""))).toMatch(/Running (?:blog|shop|www)\./);
    daemon.signal("SIGTERM");
    await logged(daemon, "stopping", { signal: "SIGTERM" });
    let isEnded = false;
    void daemon.ended.then(() => (isEnded = true));
    await clock.advance(graceMs - 1);
    expect(isEnded).toBe(false);
    await clock.advance(1);
    expect((await daemon.ended).code).toBe(0);
    expect(await logged(daemon, "write outcome unknown")).toMatchObject({ call: "create-policy" });
  });
});
