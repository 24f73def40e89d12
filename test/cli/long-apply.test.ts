import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { exampleWithEmulator, writesSeenBy, type Example } from "../support/example.ts";

/** Requests that carry out the plan of the first zone. */
const writesOfFirst = 2;

/** A clock that shows noon, and some minutes later as soon as the first zone is written. */
function slowFrom(minutes: number): {
  clock: typeof systemClock;
  watch: (example: Example) => void;
} {
  let watched: Example | undefined;
  const monotonicMs = (): number =>
    watched !== undefined && isFirstWritten(watched) ? minutes * 60_000 : 0;
  const noon = Date.parse("2026-11-20T12:00:00Z");
  return {
    clock: { ...systemClock, now: () => new Date(noon + monotonicMs()), monotonicMs },
    watch: (example) => {
      watched = example;
    },
  };
}

describe("an apply that takes minutes", () => {
  it("writes no further zone once a freeze has begun", async ({ expect }) => {
    const { clock, watch } = slowFrom(2);
    await using example = await exampleWithEmulator({
      config: 'windows: [{ name: sale, type: freeze, start: "1 12 20 11 *", duration: 1h }]',
      ports: { clock },
    });
    watch(example);
    const { code, stdout } = await example.place.run("apply");
    expect(stdout).toContain("held by freeze");
    expect(stdout).toContain("www.brand.example  4 changes, cause unknown, held");
    expect(code).toBe(4);
    const zones = writesSeenBy(example.emulator).map((line) => line.split("/")[4]);
    expect(new Set(zones).size).toBe(1);
  });

  it("reads a zone again before it writes it, and writes the reviewed plan", async ({ expect }) => {
    const { clock, watch } = slowFrom(10);
    await using example = await exampleWithEmulator({ ports: { clock } });
    watch(example);
    const { code, stdout } = await example.place.run("apply");
    expect(stdout).toContain("www.brand.example  3 of 3 requests done");
    expect(code).toBe(0);
    const calls = example.emulator.journal().map(({ method }) => method);
    expect(calls.slice(calls.findIndex((method) => method !== "GET"))).toContain("GET");
  });
});

function isFirstWritten({ emulator }: Example): boolean {
  return writesSeenBy(emulator).length >= writesOfFirst;
}
