import { describe, it } from "vitest";

import { daemonRetry } from "../../src/api/request/retry.ts";
import { SimulatedClock } from "../support/clock.ts";
import { startFleet } from "../support/emulated-fleet.ts";
import { emulated } from "../support/emulated.ts";
import { declared, desiredZone, policy } from "../support/model.ts";
import { plantedToken } from "../support/service.ts";

const count = 5_000;
const names = Array.from({ length: count }, (_, index) => `zone-${index}.example`);

/** Everything is declared, so that all of a zone is read, and nothing differs. */
const asItIs = desiredZone({
  settings: [{ name: "enabled", value: false }],
  policies: declared([]),
  rules: { managed_rules: declared([]) },
}).content;
const observing = { ...asItIs, policies: declared([policy("checkout")]) };
/** Before it blocks, the scripts that were seen are read too. */
const blocking = { ...asItIs, policies: declared([policy("checkout", { action: "allow" })]) };

/** The service's own limit, of which a fifth is left to others. */
const [limit, windowMs, ours] = [1_200, 300_000, 960];

describe("5,000 zones behind one token", () => {
  it("see no 429, are swept within the bound of the budget, and a change within seconds meanwhile", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await using at = await emulated(
      {},
      {
        clock,
        timeoutMs: 1e9,
        retry: daemonRetry,
        seed: {
          tokens: [{ name: "main", value: plantedToken, permissions: "all" }],
          rate_limit: { requests: limit, window: "300s", lockout: "300s" },
          zones: names.map((name) => ({ name, settings: { enabled: false } })),
        },
        budget: { limit, windowMs },
      },
    );
    const before = at.requests.length;
    await using fleet = startFleet(at, {
      clock,
      declared: new Map(names.map((name) => [name, asItIs])),
    });
    const begunAt = clock.monotonicMs();
    fleet.reconciler.requestSweep("startup");
    await fleet.until(() => fleet.reports.length >= count / 2);

    const latest = names.slice(-2);
    const changedAt = clock.monotonicMs();
    const [last = "", nextToLast = ""] = latest;
    fleet.declare(last, observing);
    fleet.declare(nextToLast, blocking);
    await fleet.until(() =>
      latest.every((name) => fleet.reports.some(({ zone }) => zone === name)),
    );
    const changeMs = clock.monotonicMs() - changedAt;
    for (const name of latest) {
      expect(fleet.reports.findLast(({ zone }) => zone === name)).toMatchObject({
        result: "applied",
        trigger: "file",
        left: [],
      });
    }
    expect(changeMs).toBeLessThan(5_000);

    await fleet.idle();
    const sweepMs = clock.monotonicMs() - begunAt;
    const requests = at.requests.length - before;
    const bound = (requests / ours) * windowMs;
    expect(new Set(fleet.reports.map(({ zone }) => zone)).size).toBe(count);
    expect(at.requests.filter(({ code }) => code === 429)).toEqual([]);
    expect(fleet.bugs).toEqual([]);
    expect(sweepMs / bound).toBeLessThan(1.05);
    process.stdout.write(
      `sweep: ${requests} requests in ${Math.round(sweepMs / 1000)} s, ${(sweepMs / bound).toFixed(3)} of the bound; change: ${changeMs} ms\n`,
    );
  });
});
