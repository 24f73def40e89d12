import { describe, it } from "vitest";

import { ZoneDirectory } from "../../src/reconcile/fleet/zone-directory.ts";
import type { Failure } from "../../src/state/run-report.ts";
import type { ServiceError } from "../../src/zone/service-error.ts";
import { type ZoneListing, zoneId } from "../../src/zone/zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { zone } from "../support/service.ts";
import { ServiceFault } from "../support/world.ts";

const shop = zone("shop.example.com");
const blog = { ...zone("blog.example.com"), id: zoneId("b".repeat(32)) ?? shop.id };

/** The service does not answer, and asks for a pause. */
function busy(retryAfterMs = 0): ServiceError {
  return new ServiceFault("API_SERVER", true, retryAfterMs);
}

/** A directory on a simulated clock, with a service that answers after a second. */
class Bench {
  readonly clock = new SimulatedClock();
  readonly stop = new AbortController();
  /** Errors of the program, with the zones that they concern. */
  readonly bugs: { readonly error: unknown; readonly zone: string }[] = [];
  /** What the service answers. */
  answer: ZoneListing | Error = { zones: [shop], failed: [] };
  /** The seconds in which the zones were asked for. */
  readonly askedAt: number[] = [];
  /** The seconds in which the directory told that an attempt is over, or that none is allowed now. */
  readonly arrivedAt: number[] = [];
  readonly unlisted: { readonly failure: Failure; readonly retryMs: number }[] = [];
  readonly directory: ZoneDirectory;

  constructor() {
    const { clock } = this;
    this.directory = new ZoneDirectory(
      {
        listZones: async (signal) => {
          this.askedAt.push(this.#seconds());
          await clock.sleep(1_000, signal);
          if (this.answer instanceof Error) throw this.answer;
          return this.answer;
        },
        clock,
        random: () => 1,
        unlisted: (failure, retryMs) => this.unlisted.push({ failure, retryMs }),
        bug: (error, name) => this.bugs.push({ error, zone: name }),
      },
      () => this.arrivedAt.push(this.#seconds()),
    );
  }

  #seconds(): number {
    return this.clock.monotonicMs() / 1_000;
  }

  list(isUrgent: boolean): void {
    this.directory.list(isUrgent, this.stop.signal);
  }

  async advance(seconds: number): Promise<void> {
    await this.clock.advance(1_000 * seconds);
  }
}

describe("the zone listing", () => {
  it("is one attempt for all who ask during it, and is over when it succeeds", async ({
    expect,
  }) => {
    const bench = new Bench();
    expect(bench.directory.known).toBeUndefined();
    bench.list(false);
    bench.list(true);
    expect(bench.directory.isListing).toBe(true);
    await bench.advance(3_600);
    expect(bench.askedAt).toEqual([0]);
    expect(bench.arrivedAt).toEqual([1]);
    expect(bench.directory.isListing).toBe(false);
    expect(bench.directory.known?.zones).toEqual([shop]);
    expect(bench.directory.failure).toBeUndefined();
  });

  it("that fails is repeated after longer and longer waits, until it succeeds", async ({
    expect,
  }) => {
    const bench = new Bench();
    bench.answer = busy();
    bench.list(false);
    await bench.advance(15);
    expect(bench.askedAt).toEqual([0, 6]);
    expect(bench.arrivedAt).toEqual([1, 7]);
    expect(bench.unlisted.map(({ retryMs }) => retryMs)).toEqual([5_000, 10_000]);
    expect(bench.directory.failure?.code).toBe("API_SERVER");
    bench.answer = { zones: [shop], failed: [] };
    await bench.advance(3_600);
    expect(bench.askedAt).toEqual([0, 6, 17]);
    expect(bench.arrivedAt).toEqual([1, 7, 18]);
    expect(bench.directory.failure).toBeUndefined();
  });

  it("waits as long as at first where it fails again after a success", async ({ expect }) => {
    const bench = new Bench();
    bench.answer = busy();
    bench.list(false);
    await bench.advance(10);
    bench.answer = { zones: [shop], failed: [] };
    await bench.advance(10);
    bench.answer = busy();
    bench.list(false);
    await bench.advance(1);
    expect(bench.unlisted.map(({ retryMs }) => retryMs)).toEqual([5_000, 10_000, 5_000]);
  });

  it("is allowed at once after a success, however long the service wanted to wait before", async ({
    expect,
  }) => {
    const bench = new Bench();
    bench.answer = busy(60_000);
    bench.list(false);
    await bench.advance(60);
    bench.answer = { zones: [shop], failed: [] };
    await bench.advance(2);
    expect(bench.askedAt).toEqual([0, 61]);
    bench.list(false);
    await bench.advance(1);
    expect(bench.askedAt).toEqual([0, 61, 62]);
  });

  it("in which credentials fail names each of them, and waits for the slowest", async ({
    expect,
  }) => {
    const bench = new Bench();
    bench.answer = {
      zones: [shop],
      failed: [
        { credential: "blogs", error: busy(30_000) },
        { credential: "press", error: busy(90_000) },
        { credential: "forum", error: busy() },
      ],
    };
    bench.list(false);
    await bench.advance(1);
    expect(bench.directory.known).toEqual({ zones: [shop], unlisted: ["blogs", "press", "forum"] });
    const waits = bench.unlisted.map(({ failure, retryMs }) => `${failure.message}, ${retryMs}`);
    expect(waits).toEqual([
      "credential blogs: API_SERVER of the world, 90000",
      "credential press: API_SERVER of the world, 90000",
      "credential forum: API_SERVER of the world, 90000",
    ]);
    expect(bench.directory.failure).toMatchObject({
      code: "API_SERVER",
      message: "credential blogs: API_SERVER of the world",
    });
    bench.answer = { zones: [shop, blog], failed: [] };
    await bench.advance(90);
    expect(bench.askedAt).toEqual([0, 91]);
  });

  it("that fails leaves the zones known that were listed before", async ({ expect }) => {
    const bench = new Bench();
    bench.list(false);
    await bench.advance(1);
    bench.answer = busy();
    bench.list(false);
    await bench.advance(1);
    expect(bench.directory.known?.zones).toEqual([shop]);
  });

  it("that fails by an error of the program reports the error, and is repeated", async ({
    expect,
  }) => {
    const bench = new Bench();
    bench.answer = new TypeError("a bug of ours");
    bench.list(false);
    await bench.advance(6);
    expect(bench.bugs).toEqual([{ error: bench.answer, zone: "" }]);
    expect(bench.unlisted).toMatchObject([{ failure: { code: "INTERNAL" }, retryMs: 5_000 }]);
    expect(bench.askedAt).toEqual([0, 6]);
    bench.answer = busy();
    await bench.advance(1);
    expect(bench.bugs).toHaveLength(1);
  });
});

/** A listing failed twice: the next attempt is due after 17 s, and the service allows it after `allowedMs` more. */
async function failedTwice(allowedMs: number): Promise<Bench> {
  const bench = new Bench();
  bench.answer = busy(allowedMs);
  bench.list(false);
  await bench.advance(7);
  bench.answer = { zones: [shop], failed: [] };
  bench.askedAt.length = 0;
  bench.arrivedAt.length = 0;
  return bench;
}

describe("who asks for the zones in the back-off after a failure", () => {
  it("gets the known zones at once, and shortens nothing", async ({ expect }) => {
    const bench = await failedTwice(0);
    bench.list(false);
    expect(bench.arrivedAt).toEqual([7]);
    expect(bench.directory.isListing).toBe(false);
    await bench.advance(3_600);
    expect(bench.askedAt).toEqual([17]);
    expect(bench.arrivedAt).toEqual([7, 18]);
  });

  it("is answered by a new listing where that is urgent, and by no other after it", async ({
    expect,
  }) => {
    const bench = await failedTwice(0);
    bench.list(true);
    await bench.advance(3_600);
    expect(bench.askedAt).toEqual([7]);
    expect(bench.arrivedAt).toEqual([8]);
  });

  it("does not get it before the moment that the service named, and then once", async ({
    expect,
  }) => {
    const bench = await failedTwice(4_000);
    bench.list(true);
    expect(bench.arrivedAt).toEqual([7]);
    bench.list(true);
    bench.list(false);
    await bench.advance(3_600);
    expect(bench.askedAt).toEqual([11]);
    expect(bench.arrivedAt).toEqual([7, 7, 7, 12]);
  });

  it.for([
    { at: 5_999, arrivedAt: [1, 5.999, 7] },
    { at: 6_000, arrivedAt: [1, 7] },
  ])(
    "gets no second listing beside the one that is due after 6 s, at $at ms",
    async ({ at, arrivedAt }, { expect }) => {
      const bench = new Bench();
      bench.clock.alarm(at, () => bench.list(false));
      bench.answer = busy();
      bench.list(false);
      await bench.advance(5);
      bench.answer = { zones: [shop], failed: [] };
      await bench.advance(3_600);
      expect(bench.askedAt).toEqual([0, 6]);
      expect(bench.arrivedAt).toEqual(arrivedAt);
    },
  );
});

describe("a listing at the end of the process", () => {
  it("is given up, and nothing is told of it", async ({ expect }) => {
    const bench = new Bench();
    bench.list(false);
    await bench.clock.advance(500);
    bench.stop.abort(new Error("stopped"));
    await bench.advance(3_600);
    expect([bench.askedAt, bench.arrivedAt, bench.unlisted]).toEqual([[0], [], []]);
    expect(bench.bugs).toEqual([]);
  });

  it("is not repeated", async ({ expect }) => {
    const bench = new Bench();
    bench.answer = busy();
    bench.list(false);
    await bench.advance(2);
    bench.stop.abort(new Error("stopped"));
    await bench.advance(3_600);
    expect(bench.askedAt).toEqual([0]);
    expect(bench.clock.sleeping).toBe(0);
  });
});
