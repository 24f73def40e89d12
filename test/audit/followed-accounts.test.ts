import { describe, it } from "vitest";

import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import { zoneWithId } from "../support/audit-entries.ts";
import { edit, Followed, minuteMs } from "../support/followed-log.ts";
import { ServiceFault } from "../support/world.ts";

const [shop, blog] = ["shop.example.com", "blog.example.com"] as const;

function inAccount(accountId: string, declared: DesiredZone): DesiredZone {
  return { ...declared, zone: { ...declared.zone, accountId } };
}

const [first, second] = [
  inAccount("first", zoneWithId(shop, 1)),
  inAccount("second", zoneWithId(blog, 2)),
];

function accountsRead(at: Followed): readonly (string | undefined)[] {
  return at.reads.splice(0).map(({ zones }) => zones[0]?.accountId);
}

describe("the accounts whose logs are followed", () => {
  it("are those of the declared zones, and none of a zone without an account", async ({
    expect,
  }) => {
    await using at = new Followed();
    await at.begin(first, inAccount("", zoneWithId(blog, 2)));
    expect(accountsRead(at)).toEqual(["first"]);
    expect(at.status).toMatchObject({ state: "following", accounts: { following: 1 } });
  });

  it("are read for the zones that are declared now, and wake those", async ({ expect }) => {
    await using at = new Followed();
    await at.begin(first);
    const added = inAccount("first", zoneWithId(blog, 2));
    at.feed.declare([first, added]);
    at.log = [edit(1, 2)];
    await at.clock.advance(minuteMs);
    expect(at.reads.at(-1)?.zones.map(({ name }) => name)).toEqual([shop, blog]);
    expect(at.takeWoken()).toEqual([blog]);
    // A declaration begins no second loop over the log of an account.
    expect(at.reads).toHaveLength(2);
  });

  it("count no more once none of their zones is declared", async ({ expect }) => {
    await using at = new Followed();
    [at.account, at.failure] = ["first", new ServiceFault("API_FORBIDDEN", false)];
    await at.begin(first, second);
    expect(at.status).toMatchObject({ state: "denied", accounts: { denied: 1, following: 1 } });
    at.feed.declare([second]);
    expect(at.status).toMatchObject({
      state: "following",
      accounts: { denied: 0, following: 1 },
      reason: "",
    });
    at.feed.declare([]);
    expect(at.status).toMatchObject({ state: "following", accounts: { following: 0 } });
    expect(at.states).toEqual(["denied", "following"]);
  });

  it("are not read before the feed works, nor after it", async ({ expect }) => {
    const at = new Followed();
    at.feed.declare([first]);
    await at.clock.advance(5 * minuteMs);
    expect(at.reads).toEqual([]);
    await at.begin(first);
    expect(accountsRead(at)).toEqual(["first"]);
    await at[Symbol.asyncDispose]();
    at.feed.declare([first, second]);
    await at.clock.advance(5 * minuteMs);
    expect(at.reads).toEqual([]);
    expect(at.clock.sleeping).toBe(0);
  });

  it("are not read where the feed is stopped before it works", async ({ expect }) => {
    const at = new Followed();
    at.feed.declare([first]);
    await at.feed.runUntil(AbortSignal.abort());
    await at.clock.advance(5 * minuteMs);
    expect(at.reads).toEqual([]);
  });

  it("are given up during a read, and nothing is told of it", async ({ expect }) => {
    await using at = new Followed();
    at.latencyMs = 1_000;
    at.log = [edit(1, 1)];
    at.start(first);
    await at.clock.advance(500);
    at.feed.declare([]);
    await at.clock.advance(5 * minuteMs);
    expect([at.reads.length, at.woken, at.states, at.bugs]).toEqual([1, [], [], []]);
  });

  it("wake no zone where they are dropped just as a read is answered", async ({ expect }) => {
    await using at = new Followed();
    at.log = [edit(1, 1)];
    at.closing = () => Promise.resolve(at.feed.declare([]));
    at.start(first);
    await at.clock.advance(5 * minuteMs);
    expect([at.reads.length, at.noted, at.woken, at.states, at.bugs]).toEqual([1, [], [], [], []]);
  });

  it("are followed until the read in progress has ended, which is given up", async ({ expect }) => {
    const at = new Followed();
    const closed = Promise.withResolvers<void>();
    [at.latencyMs, at.closing] = [1_000, () => closed.promise];
    at.start(first);
    await at.clock.advance(500);
    let hasEnded = false;
    const ending = at[Symbol.asyncDispose]().then(() => (hasEnded = true));
    await at.clock.advance(0);
    expect(hasEnded).toBe(false);
    closed.resolve();
    await ending;
    expect(at.clock.sleeping).toBe(0);
  });
});

describe("the state of the feed", () => {
  it("is off where no log is followed, for each account, and that is no news", async ({
    expect,
  }) => {
    await using at = new Followed(false);
    at.start(first, second);
    expect(at.status).toEqual({
      state: "off",
      since: at.clock.now(),
      accounts: { off: 2, following: 0, denied: 0, lagging: 0 },
      entries: {
        woke: 0,
        own: 0,
        unrelated: 0,
        malformed: 0,
        elsewhere: 0,
        elsewhere_drift: 0,
      },
      reason: "",
      usedElsewhere: [],
      usedElsewhereOf: new Map(),
    });
    at.feed.reconfigure(undefined);
    await at.clock.advance(60 * minuteMs);
    expect([at.reads, at.states]).toEqual([[], []]);
  });

  it("is lagging from when a log is followed until it was read", async ({ expect }) => {
    await using at = new Followed(false);
    at.start(first);
    at.feed.reconfigure({ everyMs: minuteMs, overlapMs: minuteMs });
    expect(at.status).toMatchObject({
      state: "lagging",
      accounts: { off: 0, lagging: 1 },
      reason: "",
    });
    await at.clock.advance(0);
    expect([at.status.state, at.states]).toEqual(["following", ["following"]]);
  });

  it("is lagging until each account was read, and then tells since when it is as it is", async ({
    expect,
  }) => {
    await using at = new Followed();
    const begun = at.clock.now();
    await at.clock.advance(minuteMs);
    at.start(first);
    expect(at.status).toMatchObject({ state: "lagging", since: begun });
    await at.clock.advance(0);
    expect(at.status).toMatchObject({ state: "following", since: at.clock.now() });
    const followed = at.clock.now();
    await at.clock.advance(10 * minuteMs);
    expect(at.status.since).toEqual(followed);
  });

  it("is not told anew where only the options are others", async ({ expect }) => {
    await using at = new Followed();
    await at.begin(first);
    at.feed.reconfigure({ everyMs: 5 * minuteMs, overlapMs: minuteMs });
    await at.clock.advance(10 * minuteMs);
    expect(at.states).toEqual(["following"]);
    // The wait that had begun, and then two longer ones.
    expect(at.reads).toHaveLength(3);
    const [, , last] = at.reads;
    expect(last?.since).toEqual(new Date(Number(at.clock.now()) - 10 * minuteMs));
  });

  it.for([
    { latencyMs: 2 * minuteMs, state: "following", reason: "" },
    { latencyMs: 2 * minuteMs + 1, state: "lagging", reason: "reads wait for the request budget" },
  ])("is $state where a read takes $latencyMs ms", async (row, { expect }) => {
    const { latencyMs, state, reason } = row;
    await using at = new Followed();
    // The process runs for long.
    await at.clock.advance(60 * minuteMs);
    at.latencyMs = latencyMs;
    at.start(first);
    await at.clock.advance(latencyMs);
    expect(at.status).toMatchObject({ state, reason });
  });

  it("gives the reason of the first account that has one", async ({ expect }) => {
    await using at = new Followed();
    [at.account, at.failure] = ["second", new ServiceFault("API_SERVER", true)];
    await at.begin(first, second);
    expect(at.status).toMatchObject({ state: "lagging", reason: "API_SERVER of the world" });
    at.account = undefined;
    at.failure = new ServiceFault("API_TIMEOUT", true);
    await at.clock.advance(minuteMs);
    expect(at.status.reason).toBe("API_TIMEOUT of the world");
  });

  it("of which all accounts are denied is asked for no more often than configured", async ({
    expect,
  }) => {
    await using at = new Followed();
    at.feed.reconfigure({ everyMs: 120 * minuteMs, overlapMs: minuteMs });
    at.failure = new ServiceFault("API_FORBIDDEN", false);
    at.start(first);
    await at.clock.advance(239 * minuteMs);
    expect(at.reads).toHaveLength(2);
  });

  it("is complete after a gap only where what came first is asked for", async ({ expect }) => {
    await using at = new Followed();
    await at.begin(first);
    const began = at.clock.now();
    at.failure = new ServiceFault("API_SERVER", true);
    // The longest window is a day, and the overlap is a part of it.
    await at.clock.advance(24 * 60 * minuteMs - 1);
    at.failure = undefined;
    await at.clock.advance(1);
    expect(at.feed.isCompleteSince("first", began)).toBe(true);
  });
});
