import { describe, it } from "vitest";

import { createAnalytics } from "../../src/api/analytics-reader.ts";
import { daemonRetry } from "../../src/api/request/retry.ts";
import { Collector } from "../../src/measure/collector.ts";
import { dayMs, hourMs } from "../../src/syntax/time-units.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { SimulatedClock } from "../support/clock.ts";
import { collectorPorts } from "../support/collecting.ts";
import { startFleet } from "../support/emulated-fleet.ts";
import { emulated } from "../support/emulated.ts";
import { declared, desiredZone } from "../support/model.ts";
import { plantedToken } from "../support/service.ts";

const windowMs = 300_000;
const names = Array.from({ length: 20 }, (_, index) => `zone-${index}.example`);
const content = desiredZone({
  settings: [{ name: "enabled", value: false }],
  policies: declared([]),
  rules: { managed_rules: declared([]) },
}).content;

/** The requests of two sweeps, one an hour, without queries, and the milliseconds that each took. */
async function swept(limit: number, isMeasured: boolean) {
  const clock = new SimulatedClock();
  await using at = await emulated(
    {},
    {
      clock,
      timeoutMs: 1e9,
      retry: daemonRetry,
      seed: {
        tokens: [{ name: "main", value: plantedToken, permissions: "all" }],
        zones: names.map((name) => ({ name, settings: { enabled: false }, plan: "business" })),
      },
      budget: { limit, windowMs, concurrency: 1 },
    },
  );
  await using fleet = startFleet(at, {
    clock,
    declared: new Map(names.map((name) => [name, content])),
  });
  const ports = collectorPorts({ ask: createAnalytics(at.service), clock });
  const collector = new Collector(isMeasured ? { maxAgeMs: 10 * dayMs } : undefined, ports);
  const { zones } = await at.reader.listZones(new AbortController().signal);
  collector.declare(zones.map((zone) => ({ zone, content })));
  const live = new Map<string, ResourceKey>([["a".repeat(32), "managed_rule/owasp"]]);
  for (const { name } of zones) collector.note(name, live);
  const stop = new AbortController();
  const measuring = collector.runUntil(stop.signal);
  at.journal();
  const sweeps: number[] = [];
  for (const trigger of ["startup", "schedule"] as const) {
    const begunAt = clock.monotonicMs();
    fleet.reconciler.requestSweep(trigger);
    await fleet.idle();
    sweeps.push(clock.monotonicMs() - begunAt);
    await fleet.pass(hourMs - (clock.monotonicMs() % hourMs));
  }
  stop.abort();
  await clock.run(measuring);
  const all = at.journal();
  const requests = all.filter((request) => request !== "POST /graphql");
  return { requests, queries: all.length - requests.length, sweeps };
}

describe("sweeps of a fleet that is measured", () => {
  it("send the same requests in the same order, and end no later", async ({ expect }) => {
    const without = await swept(100, false);
    const measured = await swept(100, true);
    expect(without.queries).toBe(0);
    expect(measured.queries).toBeGreaterThan(20);
    expect(measured.requests).toEqual(without.requests);
    for (const [nth, sweepMs] of measured.sweeps.entries()) {
      expect(sweepMs).toBeGreaterThan(0);
      expect(sweepMs).toBeLessThanOrEqual(without.sweeps[nth] ?? 0);
    }
  });

  it("go first where the budget is used up", async ({ expect }) => {
    const without = await swept(20, false);
    const measured = await swept(20, true);
    expect(measured.requests).toEqual(without.requests);
    expect(measured.queries).toBeGreaterThan(20);
    for (const [nth, sweepMs] of measured.sweeps.entries()) {
      expect(sweepMs).toBeGreaterThan(2 * windowMs);
      expect(sweepMs).toBeLessThanOrEqual((without.sweeps[nth] ?? 0) + windowMs);
    }
  });
});
