import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { ask, endFaults, listAnswer } from "../support/ask.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { main } from "../support/processes.ts";

/** Runs `apply` as a process of its own and kills it as soon as so many of its writes have been seen. */
async function applyKilledAfter({ place, emulator }: Example, writes: number): Promise<void> {
  const child = spawn(process.execPath, [main, "apply"], {
    cwd: place.directory,
    env: { PATH: process.env["PATH"], ZONEWARDEN_API_TOKEN: "emulator-token" },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  while (child.exitCode === null && writesSeenBy(emulator).length < writes) await sleep(1);
  child.kill("SIGKILL");
  await exited;
}

/** Lets the first of these writes pass and holds up all that follow, so that a kill falls between two of them. */
async function holdUpAfter(example: Example, passing: readonly string[]): Promise<void> {
  for (const method of ["PUT", "POST", "PATCH", "DELETE"]) {
    const skip = passing.filter((write) => write.startsWith(method)).length;
    const order = { fault: "latency", milliseconds: 5_000, method, skip };
    await control(example, "faults", order);
  }
}

/** Everything that can be seen of the zones, without what differs from run to run. */
async function stateOf({ emulator }: Example): Promise<readonly unknown[]> {
  const zones = await listAnswer(emulator, "/zones?per_page=50");
  return Promise.all(
    zones.map(async ({ id, name }) => {
      const parts = [
        "page_shield",
        "page_shield/policies",
        "rulesets/phases/http_request_firewall_managed/entrypoint",
      ];
      const found = await Promise.all(parts.map((part) => ask(emulator, `/zones/${id}/${part}`)));
      const state: unknown = JSON.parse(JSON.stringify({ name, found }, withoutServerMade));
      return state;
    }),
  );
}

const serverMade = new Set(["id", "version", "last_updated", "updated_at"]);

function withoutServerMade(key: string, value: unknown): unknown {
  return serverMade.has(key) && typeof value === "string" ? undefined : value;
}

describe("a process that is killed between two requests", () => {
  it.for([0, 1, 2, 3, 4])(
    "after %i writes leaves a state from which the next apply reaches the same result",
    async (writes, { expect }) => {
      await using undisturbed = await exampleWithEmulator();
      await undisturbed.place.run("apply");
      const all = writesSeenBy(undisturbed.emulator);
      expect(all).toHaveLength(5);

      await using example = await exampleWithEmulator({
        sleep: (ms, signal) => systemClock.sleep(ms, signal),
      });
      await holdUpAfter(example, all.slice(0, writes));
      await applyKilledAfter(example, writes);
      // The one that is held up may have happened all the same: nobody is left to hear its answer.
      const seen = writesSeenBy(example.emulator).length;
      expect([writes, writes + 1]).toContain(seen);
      await endFaults(example.emulator);

      const { code, stdout } = await example.place.run("apply");
      expect(code, stdout).toBe(0);
      expect(await stateOf(example)).toEqual(await stateOf(undisturbed));
    },
  );
});
