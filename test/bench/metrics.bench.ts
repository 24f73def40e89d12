import { monitorEventLoopDelay } from "node:perf_hooks";

import { describe, test } from "vitest";

import { Fleet } from "../../src/report/fleet.ts";
import { a, drifted } from "../support/fleets.ts";
import { daemon, declared, load, report, start } from "../support/reports.ts";
import { freshMetrics } from "../support/scrapes.ts";

/** A fleet in which every tenth zone drifted. */
function fleetOfSize(size: number): Fleet {
  const names = Array.from({ length: size }, (_, index) => `site-${index}.brand.example`);
  const fleet = new Fleet();
  fleet.declare(
    names.map((name) => declared(name)),
    start,
  );
  fleet.recordLoad(load({ zones: size }));
  for (const [index, name] of names.entries()) {
    fleet.recordZone(report(name, 1, index % 10 === 0 ? drifted : { result: "in-sync" }));
  }
  return fleet;
}

async function drain(pieces: AsyncIterable<string>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

describe("10,000 zones", () => {
  const fleet = fleetOfSize(10_000);
  const metrics = freshMetrics();

  test("a scrape takes less than a second and stops the process for less than 200 ms", async ({
    bench,
    expect,
  }) => {
    const pauses = monitorEventLoopDelay({ resolution: 5 });
    const scrape = bench("scrape", async () => {
      await drain(metrics.render(fleet, daemon()));
    });
    pauses.enable();
    const { latency } = await scrape.run({ time: 3_000, warmupTime: 500 });
    pauses.disable();
    expect(latency.max).toBeLessThan(1_000);
    expect(pauses.max / 1e6).toBeLessThan(200);
  });

  test("a report is folded in less than a millisecond", async ({ bench, expect }) => {
    const corrected = report("site-7.brand.example", 2, {
      result: "applied",
      cause: "drift",
      changes: [a],
    });
    const { latency } = await bench("fold", () => {
      fleet.recordZone(corrected);
    }).run({ time: 500 });
    expect(latency.p99).toBeLessThan(1);
  });
});
