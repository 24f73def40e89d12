import { describe, it } from "vitest";

import { SimulatedClock } from "../support/clock.ts";
import { emulated, everything, type Emulated, type EmulatedChoice } from "../support/emulated.ts";
import { plantedToken } from "../support/service.ts";

const names = Array.from({ length: 60 }, (_, index) => `zone-${index}.example`);
const rate_limit = { requests: 60, window: "10s", lockout: "10s" };
const tokens = [{ name: "everything", value: plantedToken, permissions: "all" as const }];

/** Sixty zones behind a limit of sixty requests in ten seconds, on a clock that only the test moves. */
async function limited(clock: SimulatedClock, choice: EmulatedChoice = {}): Promise<Emulated> {
  const seed = { tokens, rate_limit, zones: names.map((name) => ({ name })) };
  const budget = { limit: 60, windowMs: 10_000 };
  return emulated({}, { clock, timeoutMs: 1e9, seed, budget, ...choice });
}

/** Lets the clock run from one wait to the next until `work` is done; it stands while a request is under way. */
function run<T>({ session }: Emulated, clock: SimulatedClock, work: Promise<T>): Promise<T> {
  return clock.run(work, () => session.credential.state.inFlight === 0);
}

/** Lists the zones and reads every one, eight side by side. */
async function sweep(at: Emulated, clock: SimulatedClock, signal: AbortSignal): Promise<void> {
  const { zones } = await run(at, clock, at.reader.listZones(signal));
  const left = [...zones];
  const work = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      await at.reader.readZone(one, everything, "sweep", signal);
    }
  };
  await run(at, clock, Promise.all(Array.from({ length: 8 }, work)));
}

/** Requests of another tool with the same token. */
async function useToken(at: Emulated, requests: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < requests; nth += 1) {
    const headers = { authorization: `Bearer ${plantedToken}` };
    const response = await fetch(`${at.emulator.baseUrl}/zones`, { headers });
    await response.text();
    statuses.push(response.status);
  }
  return statuses;
}

function throttled({ emulator }: Emulated): number {
  return emulator.journal().filter(({ status }) => status === 429).length;
}

describe("a sweep under the service's rate limit", () => {
  it("never sees a 429, and is done within the bound of its budget", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    await using at = await limited(clock);
    await sweep(at, clock, signal);
    await sweep(at, clock, signal);
    const requests = at.emulator.journal().length;
    expect(throttled(at)).toBe(0);
    expect(requests).toBe(2 * 3 * names.length + 3 * 2 + 1);
    expect(clock.monotonicMs()).toBeLessThan((requests / 48) * 10_000 * 1.05);
  });

  it("sees none when its own limit is set too high: the service's headers count", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    await using at = await limited(clock, { budget: { limit: 5_000, windowMs: 10_000 } });
    await sweep(at, clock, signal);
    expect(throttled(at)).toBe(0);
    expect(at.session.credential.state.limit).toBe(60);
  });

  it("sees none while others use the token far beyond the reserve", async ({ expect, signal }) => {
    const clock = new SimulatedClock();
    await using at = await limited(clock);
    expect(await useToken(at, 40)).not.toContain(429);
    await sweep(at, clock, signal);
    expect(throttled(at)).toBe(0);
  });

  it("waits out a rate limit that others exceeded, with one request", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    await using at = await limited(clock);
    await useToken(at, 60);
    const before = throttled(at);
    await run(at, clock, at.reader.listZones(signal));
    expect(throttled(at) - before).toBe(1);
    expect(at.retries).toMatchObject([{ code: 429, endpoint: "/zones" }]);
  });
});
