import { describe, it } from "vitest";

import { SimulatedClock } from "../support/clock.ts";
import { startFleet } from "../support/emulated-fleet.ts";
import { emulated } from "../support/emulated.ts";
import { desiredZone } from "../support/model.ts";

const names = ["shop.example.com", "blog.example.com", "docs.example.com"] as const;
const [shop] = names;
const protectedZone = desiredZone({ settings: [{ name: "enabled", value: true }] }).content;
const minuteMs = 60_000;

/** What came of an edit of one of three zones, with a sweep each minute, while something answers 429. */
interface Correction {
  /** From the edit to the report of its correction, in milliseconds. */
  readonly ms: number;
  /** Reads of the audit log in the ten minutes before. */
  readonly auditReads: number;
}

/** @param limited path of the requests that answer 429; `undefined`: none does. */
async function correction(
  limited: string | undefined,
  retryAfter: number | undefined,
): Promise<Correction> {
  const clock = new SimulatedClock();
  const zones = names.map((name) => ({ name, settings: { enabled: true } }));
  await using at = await emulated({}, { clock, timeoutMs: 1e9, seed: { zones } });
  if (limited !== undefined) {
    const wait = retryAfter === undefined ? {} : { retry_after: retryAfter };
    await at.fault({ fault: "status", status: 429, path: limited, ...wait });
  }
  await using fleet = startFleet(at, {
    clock,
    declared: new Map(names.map((name) => [name, protectedZone])),
    audit: { everyMs: minuteMs, overlapMs: 10 * minuteMs },
  });
  let auditReads = 0;
  for (let minute = 0; minute < 10; minute += 1) {
    fleet.reconciler.requestSweep("schedule");
    await fleet.pass(minuteMs);
    auditReads += at.journal().filter((each) => each.includes("/logs/audit")).length;
  }
  await at.edit({ zone: shop, settings: { enabled: false } });
  const editedAt = clock.monotonicMs();
  fleet.reconciler.requestSweep("schedule");
  await fleet.until(() =>
    fleet.reports.some(({ zone, result }) => zone === shop && result === "applied"),
  );
  return { ms: clock.monotonicMs() - editedAt, auditReads };
}

describe("enforcement while the service limits requests", () => {
  it.for([undefined, 5, 120, 300])(
    "goes on where only the audit log answers 429, with Retry-After %s",
    async (retryAfter, { expect }) => {
      const usual = await correction(undefined, undefined);
      const limited = await correction("*/logs/audit", retryAfter);
      expect(limited.ms).toBeLessThanOrEqual(usual.ms + 1_000);
      expect(limited.auditReads).toBeGreaterThan(0);
      expect(limited.auditReads).toBeLessThan(usual.auditReads);
    },
  );
});
