import { describe, it } from "vitest";

import { daemonRetry } from "../../src/api/request/retry.ts";
import { SimulatedClock } from "../support/clock.ts";
import { startFleet, type EmulatedFleet } from "../support/emulated-fleet.ts";
import { emulated, type Emulated } from "../support/emulated.ts";
import { protectedContent } from "../support/world.ts";

const names = Array.from({ length: 100 }, (_, index) => `zone-${index}.example`);

/** Which ten zones are in trouble: some between the others, or the first ones all together. */
const troubles = {
  "here and there": new Set(names.filter((_, index) => index % 10 === 3)),
  "side by side": new Set(names.slice(0, 10)),
};

const faults = [
  { fault: "status", status: 500 },
  { fault: "status", status: 503, retry_after: 120 },
  { fault: "status", status: 403 },
  { fault: "status", status: 409 },
  { fault: "lost_request" },
  { fault: "lost_answer" },
  { fault: "cut_body" },
  { fault: "malformed_json" },
];

/** What came of a fleet: requests of each sound zone, and the results of the others. */
interface Came {
  readonly requests: Readonly<Record<string, number>>;
  /** When the last sound zone was as declared. */
  readonly tookMs: number;
  readonly troubled: ReadonlySet<string>;
}

/** Sweeps the fleet with these faults in some zones. */
async function sweepWith(
  orders: readonly object[],
  troubled: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Came> {
  const clock = new SimulatedClock();
  const zones = names.map((name) => ({ name, settings: { enabled: false } }));
  await using at = await emulated(
    {},
    { clock, timeoutMs: 1e9, retry: daemonRetry, seed: { zones } },
  );
  const ids = await idsOf(at, signal);
  for (const order of orders) {
    for (const name of troubled) {
      await at.fault({ ...order, path: `/zones/${ids.get(name)}/*` });
      await at.fault({ ...order, path: `/zones/${ids.get(name)}` });
    }
  }
  await using fleet = startFleet(at, {
    clock,
    declared: new Map(names.map((name) => [name, protectedContent])),
  });
  fleet.reconciler.requestSweep("startup");
  const sound = names.filter((name) => !troubled.has(name));
  const begunAt = clock.now();
  await fleet.until(() => sound.every((name) => isConverged(fleet, name)));
  // The zones in trouble are tried again and again meanwhile.
  await fleet.pass(1_800_000);
  const counted = sound.map((name) => [name, requestsOf(at, ids.get(name) ?? "")] as const);
  const last = (name: string): string =>
    fleet.reports.findLast(({ zone }) => zone === name)?.result ?? "";
  return {
    requests: Object.fromEntries(counted),
    tookMs: Math.max(...sound.map((name) => convergedAt(fleet, name) - Number(begunAt))),
    troubled: new Set([...troubled].map(last)),
  };
}

async function idsOf(
  { reader }: Emulated,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { zones } = await reader.listZones(signal);
  return new Map(zones.map(({ name, id }) => [name, id]));
}

function isConverged({ reports }: EmulatedFleet, name: string): boolean {
  const last = reports.findLast(({ zone }) => zone === name);
  return last?.result === "applied" && last.left.length === 0;
}

function convergedAt({ reports }: EmulatedFleet, name: string): number {
  const first = reports.find(({ zone, result }) => zone === name && result === "applied");
  return Number(first?.finishedAt);
}

function requestsOf({ emulator }: Emulated, id: string): number {
  return emulator.journal().filter(({ path }) => path.includes(id)).length;
}

describe.for(Object.entries(troubles))("faults in ten of a hundred zones, %s,", ([, troubled]) => {
  it.for(faults)(
    "cost the other ninety not one request, and hardly time: %o",
    async (order, { expect, signal }) => {
      const undisturbed = await sweepWith([], troubled, signal);
      expect(Object.keys(undisturbed.requests)).toHaveLength(90);
      expect(undisturbed.troubled).toEqual(new Set(["applied"]));
      const disturbed = await sweepWith([order], troubled, signal);
      expect(disturbed.troubled).toEqual(new Set(["error"]));
      expect(disturbed.requests).toEqual(undisturbed.requests);
      expect(disturbed.tookMs - undisturbed.tookMs).toBeLessThan(10_000);
    },
  );
});
