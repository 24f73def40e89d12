import { describe, it } from "vitest";

import { rethrow } from "../../src/cli/session/session.ts";
import { type Freeze, guard } from "../../src/plan/guard/guard.ts";
import { applyReviewed, type ReviewedZone } from "../../src/reconcile/run/apply.ts";
import { planZone } from "../../src/reconcile/run/plan-zone.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { LiveReader } from "../../src/zone/ports.ts";
import type { Write } from "../../src/zone/write.ts";
import { SimulatedClock } from "../support/clock.ts";
import { bare, readAllAt, shopZone } from "../support/model.ts";
import { afterWrite } from "../support/service-model.ts";
import { protectedContent, ServiceFault } from "../support/world.ts";
import { requestOf } from "../support/zone-planning.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000] as const;
const sale: Freeze = { reason: "the sale", letStrengtheningPass: false };

/** A zone that `apply` has planned and not written yet; each write takes 20 s. */
class Turn {
  readonly clock = new SimulatedClock();
  readonly stopping = new AbortController();
  live: LiveZone = bare(shopZone);
  freeze: Freeze | undefined;
  /** How long a write waits before it is sent. */
  waitMs = 0;
  /** How long before the other parts the settings are read. */
  settingsReadEarlierMs = 0;
  /** `read` and the calls of writes, as they were sent. */
  readonly requests: string[] = [];
  /** What happens while the zone is read. */
  reading = (): void => undefined;

  readonly reader: LiveReader = {
    readAnswers: () => {
      this.requests.push("read");
      this.reading();
      this.stopping.signal.throwIfAborted();
      const now = this.clock.monotonicMs();
      const readAt = { ...readAllAt(now), settings: now - this.settingsReadEarlierMs };
      return Promise.resolve({ readAt, digest: "", live: () => this.live });
    },
    readScripts: () => Promise.resolve([]),
  };

  get reads(): number {
    return this.requests.filter((request) => request === "read").length;
  }

  get writes(): readonly string[] {
    return this.requests.filter((request) => request !== "read");
  }

  async plan(): Promise<ReviewedZone> {
    const limits = {
      maxDeleteShare: 1,
      maxUpdateShare: 1,
      minCompared: 3,
      weakening: "allow",
      quota: {},
      accept: [],
    } as const;
    const rules = { limits, mode: "enforce", suspension: undefined, used: [] } as const;
    const planAgain: ReviewedZone["planAgain"] = () =>
      planZone(
        {
          ...requestOf({}),
          desired: { zone: shopZone, content: protectedContent },
          holdsAt: (planned, now) => guard(planned, { ...rules, freeze: this.freeze, now }),
        },
        {
          reader: this.reader,
          clock: this.clock,
          runId: () => "run",
          bug: rethrow,
        },
        this.stopping.signal,
      );
    return { planned: await planAgain(), planAgain };
  }

  /** Plans, lets time pass and something happen, and applies. */
  async take(waitMs: number, happens: (turn: Turn) => void): Promise<ZoneReport> {
    await this.clock.advance(hour);
    const reviewed = await this.plan();
    await this.clock.advance(waitMs);
    happens(this);
    const writer = {
      write: async (known: LiveZone, write: Write, signal: AbortSignal, stopped: AbortSignal) => {
        await this.clock.sleep(this.waitMs, stopped);
        this.requests.push(write.call);
        const readAt = this.clock.monotonicMs();
        await this.clock.sleep(20 * second, signal);
        this.live = afterWrite(known, write);
        const { live } = this;
        return { live, readAt, shows: "object" as const, ray: "ray", interleaved: false };
      },
    };
    const ports = { reader: this.reader, writer, clock: this.clock, bug: rethrow };
    const stop = this.stopping.signal;
    const signals = { stop, abort: new AbortController().signal };
    return this.clock.run(applyReviewed(reviewed, ports, signals));
  }
}

const switchedOn = {
  enabled: true,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};
const calls = ["create-policy", "update-settings"];
const nothing = (): void => undefined;
const skipped = (reason: string): object => ({ status: "skipped", reason });

describe("a zone that is written after all zones were planned", () => {
  it.for([
    { when: "at once", after: 0, happens: nothing, reads: 1, writes: calls },
    { when: "within half a minute", after: 29 * second, happens: nothing, reads: 1, writes: calls },
    { when: "after half a minute", after: 30 * second, happens: nothing, reads: 2, writes: calls },
    {
      when: "when a freeze has begun",
      after: 29 * second,
      happens: (turn: Turn) => (turn.freeze = sale),
      reads: 1,
      writes: [],
      report: { zone: shopZone.name, result: "held", holds: [{ reason: "freeze" }] },
    },
    {
      when: "after ten minutes, when a freeze has begun",
      after: 10 * minute,
      happens: (turn: Turn) => (turn.freeze = sale),
      reads: 2,
      writes: [],
      report: { result: "held", holds: [{ reason: "freeze" }] },
    },
    {
      when: "after ten minutes, when somebody has changed it",
      after: 10 * minute,
      happens: (turn: Turn) => {
        turn.live = { ...turn.live, settings: switchedOn };
      },
      reads: 2,
      writes: [],
      report: { result: "applied", outcomes: [skipped("conflict"), skipped("conflict")] },
    },
    {
      when: "after ten minutes, when the program is stopping",
      after: 10 * minute,
      happens: (turn: Turn) => {
        turn.stopping.abort();
      },
      reads: 1,
      writes: [],
      report: { result: "applied", outcomes: [skipped("shutdown"), skipped("shutdown")] },
    },
    {
      when: "after ten minutes, when the program is stopped during the second read",
      after: 10 * minute,
      happens: (turn: Turn) => {
        turn.reading = () => {
          turn.stopping.abort();
        };
      },
      reads: 2,
      writes: [],
      report: { result: "applied", outcomes: [skipped("shutdown"), skipped("shutdown")] },
    },
  ])("$when", async ({ after, happens, reads, writes, report }, { expect }) => {
    const turn = new Turn();
    const came = await turn.take(after, happens);
    expect(came).toMatchObject(report ?? { result: "applied", left: [] });
    expect([turn.reads, turn.writes.toSorted()]).toEqual([reads, writes]);
    // A plan that is too old is made again before its first write, not between two.
    expect(turn.requests.slice(0, reads)).toEqual(Array.from({ length: reads }, () => "read"));
  });

  it("is read again where the oldest part was read half a minute ago", async ({ expect }) => {
    const turn = new Turn();
    turn.settingsReadEarlierMs = 10 * second;
    await turn.take(20 * second, nothing);
    expect(turn.requests.slice(0, 3)).toEqual(["read", "read", "create-policy"]);
  });

  it.for([
    { error: new ServiceFault("API_SERVER", true), code: "API_SERVER" },
    { error: new ServiceFault("API_FORBIDDEN", false), code: "API_FORBIDDEN" },
  ])("is not written where it cannot be read again: $code", async ({ error, code }, { expect }) => {
    const turn = new Turn();
    const report = await turn.take(10 * minute, () => (turn.reading = () => rethrow(error)));
    expect(report).toMatchObject({ zone: shopZone.name, result: "error", failure: { code } });
    expect([turn.reads, turn.writes]).toEqual([2, []]);
  });

  it("is not written where an internal error prevents another plan", async ({ expect }) => {
    const turn = new Turn();
    const error = new TypeError("no function");
    const came = turn.take(10 * minute, () => (turn.reading = () => rethrow(error)));
    await expect(came).rejects.toBe(error);
    expect(turn.writes).toEqual([]);
  });

  it("stays held, without another read, where its plan was held", async ({ expect }) => {
    const turn = new Turn();
    turn.freeze = sale;
    const report = await turn.take(10 * minute, () => (turn.freeze = undefined));
    expect(report).toMatchObject({ result: "held", holds: [{ reason: "freeze" }] });
    expect([turn.reads, turn.writes]).toEqual([1, []]);
  });

  it("is in sync where somebody else made the changes meanwhile", async ({ expect }) => {
    const turn = new Turn();
    await turn.take(0, nothing);
    const done = turn.live;
    const later = new Turn();
    expect(await later.take(10 * minute, () => (later.live = done))).toMatchObject({
      result: "in_sync",
      plan: { changes: [] },
    });
    expect(later.writes).toEqual([]);
  });

  it("is not written further when a freeze begins between two writes", async ({ expect }) => {
    const turn = new Turn();
    const report = await turn.take(0, () => {
      turn.clock.alarm(10 * second, () => (turn.freeze = sale));
    });
    expect(report).toMatchObject({ outcomes: [{ status: "done" }, skipped("cancelled")] });
    expect(turn.writes).toHaveLength(1);
  });
});

describe("a write that waits until its read expires", () => {
  it("is not sent where somebody changed the zone meanwhile", async ({ expect }) => {
    const turn = new Turn();
    turn.waitMs = 12 * minute;
    const report = await turn.take(0, () => {
      turn.clock.alarm(2 * minute, () => (turn.live = { ...turn.live, settings: switchedOn }));
    });
    expect(report).toMatchObject({ outcomes: [skipped("conflict"), skipped("conflict")] });
    expect(turn.writes).toEqual([]);
  });

  it("is sent after another read that leads to the same plan, which may be twice as old", async ({
    expect,
  }) => {
    const turn = new Turn();
    turn.waitMs = 12 * minute;
    const report = await turn.take(0, () => {
      turn.clock.alarm(3 * minute, () => (turn.waitMs = 0));
    });
    expect(report).toMatchObject({ result: "applied", left: [] });
    expect([turn.reads, turn.writes.toSorted()]).toEqual([3, calls]);
    // Reads that expire after one and two minutes, and the two writes.
    expect(turn.clock.monotonicMs()).toBe(hour + 3 * minute + 40 * second);
  });

  it("is sent on a read that is no older than a minute, or after another read", async ({
    expect,
  }) => {
    const turn = new Turn();
    turn.waitMs = 65 * second;
    expect(await turn.take(0, nothing)).toMatchObject({ outcomes: [{ status: "done" }, {}] });
    expect(turn.reads).toBe(2);
  });

  it("is not sent where a write before it was sent", async ({ expect }) => {
    const turn = new Turn();
    const report = await turn.take(0, () => {
      turn.clock.alarm(10 * second, () => (turn.waitMs = 12 * minute));
    });
    expect(report).toMatchObject({ outcomes: [{ status: "done" }, skipped("read_expired")] });
    expect([turn.reads, turn.writes.length]).toEqual([1, 1]);
  });
});
