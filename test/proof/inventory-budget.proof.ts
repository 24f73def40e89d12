import { describe, it } from "vitest";

import { everythingSeen } from "../../src/api/read/read-inventory.ts";
import { createInventory, createRulesets } from "../../src/api/service.ts";
import { InventoryPoller } from "../../src/reconcile/inventory/inventory-poller.ts";
import type { InventoryReport } from "../../src/state/inventory.ts";
import { SimulatedClock } from "../support/clock.ts";
import { startFleet } from "../support/emulated-fleet.ts";
import { emulated, type Emulated } from "../support/emulated.ts";
import { declared, desiredZone } from "../support/model.ts";
import { plantedToken } from "../support/service.ts";

const names = Array.from({ length: 400 }, (_, index) => `zone-${index}.example`);
const everyMs = 24 * 3_600_000;

/** Everything is declared, so that every part is read, and everything is in sync. */
const asItIs = desiredZone({
  settings: [{ name: "enabled", value: false }],
  policies: declared([]),
  rules: { managed_rules: declared([]) },
}).content;

/** A poller of the zones of a service, connected as in the daemon. */
function roundsOver(
  at: Emulated,
  clock: SimulatedClock,
  report: (report: InventoryReport) => void,
): InventoryPoller {
  const inventory = createInventory(at.service);
  const rulesets = createRulesets(at.service, "inventory");
  return new InventoryPoller(
    { everyMs, kinds: ["script", "connection", "cookie"], maliciousBelow: 50, owner: "zonewarden" },
    {
      source: {
        readAnswers: (...asked) => at.reader.readAnswers(...asked),
        listItems: (zone, kind, stop) => inventory.list(zone, kind, everythingSeen(kind), stop),
        readManaged: (zone, id, stop) =>
          rulesets.read({ level: "zone", zone }, id, undefined, stop),
        listScriptsOn: (...asked) => inventory.listScriptsOn(...asked),
        readScript: (...asked) => inventory.readScript(...asked),
      },
      clock,
      random: () => 1,
      impactLines: () => [],
      report,
      scripts: { earlier: () => undefined, checked: () => undefined },
      unchecked: () => undefined,
      bug: (error) => {
        throw error;
      },
    },
  );
}

/** How long a sweep takes that exceeds the request budget, in milliseconds, and the inventories read meanwhile. */
async function sweep(isFollowed: boolean): Promise<{
  readonly ms: number;
  readonly seen: number;
  readonly refused: number;
}> {
  const clock = new SimulatedClock();
  const tokens = [{ name: "main", value: plantedToken, permissions: "all" }] as const;
  const zones = names.map((name) => ({ name, settings: { enabled: false } }));
  const rate_limit = { requests: 1_200, window: "300s", lockout: "300s" };
  await using at = await emulated(
    {},
    { clock, timeoutMs: 1e9, seed: { tokens, rate_limit, zones }, budget: { limit: 1_200 } },
  );
  const reports: InventoryReport[] = [];
  const rounds = roundsOver(at, clock, (report) => reports.push(report));
  const { zones: listed } = await clock.run(at.reader.listZones(new AbortController().signal));
  if (isFollowed) rounds.declare(listed.map((zone) => ({ zone, content: asItIs })));
  await using fleet = startFleet(at, {
    clock,
    declared: new Map(names.map((name) => [name, asItIs])),
  });
  const stop = new AbortController();
  const going = rounds.runUntil(stop.signal);
  const begunAt = clock.monotonicMs();
  fleet.reconciler.requestSweep("startup");
  await fleet.until(() => fleet.reports.length === names.length);
  const ms = clock.monotonicMs() - begunAt;
  stop.abort();
  await going;
  const refused = at.requests.filter(({ code }) => code === 429).length;
  return { ms, seen: reports.filter(({ result }) => result === "read").length, refused };
}

describe("the poller during a sweep that exceeds the request budget", () => {
  it("delays it by less than a twentieth, and makes progress", async ({ expect }) => {
    const alone = await sweep(false);
    const together = await sweep(true);
    expect(alone.ms).toBeGreaterThan(60_000);
    expect(together.ms / alone.ms).toBeLessThan(1.05);
    // A waiting request gains priority, so that the poller makes some progress.
    expect(together.seen).toBeGreaterThan(0);
    expect(together.seen).toBeLessThan(5);
    expect([alone.refused, together.refused]).toEqual([0, 0]);
  }, 60_000);
});
