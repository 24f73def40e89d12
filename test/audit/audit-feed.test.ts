import { describe, it } from "vitest";

import { ServiceError } from "../../src/zone/service-error.ts";
import { idOf, zoneWithId } from "../support/audit-entries.ts";
import { edit, Followed, minuteMs } from "../support/followed-log.ts";
import { declared, deployment } from "../support/model.ts";
import { report } from "../support/reports.ts";
import { ServiceFault } from "../support/world.ts";

const [shop, blog, docs] = ["shop.example.com", "blog.example.com", "docs.example.com"] as const;
const ours = {
  type: "account",
  context: "api_token",
  email: "",
  tokenId: "our-token",
  tokenName: "",
};

describe("the audit feed", () => {
  it("wakes a zone once for a hundred edits, and not again when reads overlap", async ({
    expect,
  }) => {
    await using at = new Followed();
    at.start(zoneWithId(shop, 1), zoneWithId(blog, 2));
    at.log = Array.from({ length: 100 }, (_, index) => edit(index, 1));
    await at.clock.advance(0);
    expect(at.takeWoken()).toEqual([shop]);
    await at.clock.advance(3 * minuteMs);
    expect(at.takeWoken()).toEqual([]);
    at.log = [...at.log, edit(100, 2)];
    await at.clock.advance(minuteMs);
    expect(at.takeWoken()).toEqual([blog]);
    expect(at.reads).toHaveLength(5);
  });

  it("is off and on again as it is configured while it runs", async ({ expect }) => {
    await using at = new Followed();
    await at.begin(zoneWithId(shop, 1), zoneWithId(blog, 2));
    at.feed.reconfigure(undefined);
    expect(at.status).toMatchObject({ state: "off", accounts: { off: 1, following: 0 } });
    await at.clock.advance(10 * minuteMs);
    expect(at.reads).toHaveLength(1);
    at.log = [edit(1, 1)];
    at.feed.reconfigure({ everyMs: 5 * minuteMs, overlapMs: 20 * minuteMs });
    await at.clock.advance(0);
    expect(at.takeWoken()).toEqual([shop]);
    await at.clock.advance(10 * minuteMs);
    expect(at.reads).toHaveLength(4);
    expect(at.status).toMatchObject({ state: "following", accounts: { off: 0, following: 1 } });
    expect(at.states).toEqual(["following", "off", "following"]);
  });

  it("wakes nobody for our own writes of a thousand zones", async ({ expect }) => {
    await using at = new Followed();
    const zones = Array.from({ length: 1_000 }, (_, index) =>
      zoneWithId(`z${index}.example.com`, index + 1),
    );
    at.start(...zones);
    at.log = zones.map((_, index) =>
      edit(index, index + 1, {
        actor: { ...ours, tokenId: index % 2 === 0 ? "our-token" : "our-other-token" },
      }),
    );
    await at.clock.advance(0);
    expect(at.takeWoken()).toEqual([]);
    expect(at.status.entries).toMatchObject({ woke: 0, own: 1_000, unrelated: 0, malformed: 0 });
    expect(at.noted).toHaveLength(1_000);
  });

  it("tells each zone of a use of our token that concerns several", async ({ expect }) => {
    await using at = new Followed();
    const rules = { managed_rules: declared([deployment("owasp", { ruleset: idOf(7) })]) };
    at.start(zoneWithId(shop, 1, { rules }), zoneWithId(blog, 2), zoneWithId(docs, 3, { rules }));
    await at.clock.advance(20 * minuteMs);
    const path = `/accounts/${idOf(9)}/rulesets/${idOf(7)}`;
    at.log = [edit(1, 1, { actor: ours, path, zoneId: "", at: at.clock.now() })];
    await at.clock.advance(minuteMs);
    expect(at.takeWoken()).toEqual([shop, docs]);
    expect(at.uses).toEqual([`${path} ${shop}`, `${path} ${docs}`]);
    expect(at.usesForOthers).toEqual([]);
    const [startedAt, finishedAt] = [at.clock.now(), at.clock.now()];
    const runs = [shop, blog, docs].flatMap((zone) => {
      const ran = { ...report(zone, 0, { result: "in_sync" }), startedAt, finishedAt };
      return at.feed.usesJudgedBy(ran).map((use) => use.zone);
    });
    expect(runs).toEqual([shop, docs]);
    expect([...at.status.usedElsewhereOf.keys()]).toEqual([shop, docs]);
    expect(at.status.entries).toMatchObject({ own: 0, woke: 0, elsewhere: 2, elsewhere_drift: 0 });
    at.feed.declare([zoneWithId(docs, 3, { rules })]);
    expect([...at.status.usedElsewhereOf.keys()]).toEqual([docs]);
  });

  it("counts an entry of our token when it is known whose write it is, and once", async ({
    expect,
  }) => {
    await using at = new Followed();
    at.start(zoneWithId(shop, 1));
    await at.clock.advance(20 * minuteMs);
    const path = `/zones/${idOf(1)}/page_shield`;
    const sentAt = at.clock.now();
    const write = { method: "PUT", path, sentAt, ray: "", entryId: "", isAnswered: false };
    at.sent = [{ ...write, endedAt: undefined }];
    const entry = edit(1, 1, { actor: ours, method: "PUT", path, at: sentAt });
    const other = edit(2, 1, { actor: ours, method: "PUT", path: `${path}/other`, at: sentAt });
    at.log = [entry, { ...other, at: new Date(Number(sentAt) - 5 * minuteMs) }];
    await at.clock.advance(minuteMs);
    expect(at.status.entries).toMatchObject({ own: 0, woke: 0, elsewhere: 0 });
    const told = (): unknown[] =>
      at.feed
        .usesJudgedBy({
          ...report(shop, 0, { result: "in_sync" }),
          startedAt: at.clock.now(),
          finishedAt: at.clock.now(),
        })
        .map((use) => use.path);
    expect(told()).toEqual([`${path}/other`]);
    at.sent = [{ ...write, isAnswered: true, endedAt: at.clock.now() }];
    await at.clock.advance(3 * minuteMs);
    expect(told()).toEqual([]);
    expect(at.status.entries).toMatchObject({ own: 1, woke: 0, elsewhere: 1 });
  });

  it("tells a use that passed for our write, when the entry of our write comes", async ({
    expect,
  }) => {
    await using at = new Followed();
    at.start(zoneWithId(shop, 1));
    await at.clock.advance(20 * minuteMs);
    const sentAt = at.clock.now();
    const path = `/zones/${idOf(1)}/page_shield`;
    const request = { method: "PUT", path };
    at.sent = [{ ...request, sentAt, endedAt: sentAt, ray: "r1", entryId: "", isAnswered: true }];
    const theirs = edit(1, 1, { ...request, actor: ours, at: sentAt, ray: "r2" });
    at.log = [theirs];
    await at.clock.advance(minuteMs);
    expect([at.uses, at.takeWoken()]).toEqual([[], []]);
    at.log = [theirs, edit(2, 1, { ...request, actor: ours, at: sentAt, ray: "r1" })];
    await at.clock.advance(minuteMs);
    expect([at.uses, at.takeWoken()]).toEqual([[`${path} ${shop}`], [shop]]);
  });

  it("counts entries that concern no declared zone", async ({ expect }) => {
    await using at = new Followed();
    at.start(zoneWithId(shop, 1));
    at.log = [edit(1, 1), edit(2, 2), edit(3, 3)];
    await at.clock.advance(0);
    expect(at.takeWoken()).toEqual([shop]);
    expect(at.status.entries).toMatchObject({ woke: 1, own: 0, unrelated: 2, malformed: 0 });
  });

  it("finds a person's edit in the same second as our write of another object", async ({
    expect,
  }) => {
    await using at = new Followed();
    at.start(zoneWithId(shop, 1));
    const path = `/zones/${idOf(1)}/page_shield`;
    at.log = [
      edit(1, 1, { actor: ours, path: `${path}/policies/${idOf(7)}` }),
      edit(2, 1, { path }),
    ];
    await at.clock.advance(0);
    expect(at.takeWoken()).toEqual([shop]);
  });

  it("does not take an entry without a token for our own", async ({ expect }) => {
    await using at = new Followed();
    at.start(zoneWithId(shop, 1));
    at.log = [edit(1, 1, { actor: { ...ours, tokenId: "" } })];
    await at.clock.advance(0);
    expect(at.takeWoken()).toEqual([shop]);
  });

  it("reads the log of each account, and only while it has declared zones", async ({ expect }) => {
    await using at = new Followed();
    const first = zoneWithId(shop, 1);
    const second = { ...first, zone: { ...first.zone, accountId: "other" } };
    await at.begin(first);
    at.feed.declare([first, second]);
    await at.clock.advance(0);
    expect(at.reads.map(({ zones }) => zones[0]?.accountId)).toEqual([
      first.zone.accountId,
      "other",
    ]);
    at.feed.declare([second]);
    at.reads.length = 0;
    await at.clock.advance(2 * minuteMs);
    expect(new Set(at.reads.map(({ zones }) => zones[0]?.accountId))).toEqual(new Set(["other"]));
  });

  it("gives a zone its entries in the order of their times, not of the log", async ({ expect }) => {
    await using at = new Followed();
    at.start(zoneWithId(shop, 1));
    const times = ["12:00:02", "12:00:03", "12:00:01", "12:00:01"];
    at.log = times.map((time, index) => edit(index, 1, { at: new Date(`2026-11-20T${time}Z`) }));
    await at.clock.advance(0);
    expect(at.noted).toEqual([`${shop} entry-3 entry-2 entry-0 entry-1`]);
  });

  it("tells the state of the worst account and why, once each was read", async ({ expect }) => {
    await using at = new Followed();
    const first = zoneWithId(shop, 1);
    const second = { ...first, zone: { ...first.zone, accountId: "other" } };
    [at.account, at.latencyMs] = [first.zone.accountId, 1_000];
    at.failure = new ServiceFault("API_FORBIDDEN", false);
    await at.begin(first, second);
    expect(at.states).toEqual([]);
    expect(at.status.since).toEqual(at.clock.now());
    expect(at.status).toMatchObject({ state: "lagging", accounts: { following: 1, lagging: 1 } });
    await at.clock.advance(1_000);
    expect(at.states).toEqual(["denied"]);
    expect(at.status).toMatchObject({ state: "denied", reason: "API_FORBIDDEN of the world" });
  });

  it("says once that it is denied, asks again each hour, and follows when it may", async ({
    expect,
  }) => {
    await using at = new Followed();
    at.failure = new ServiceFault("API_FORBIDDEN", false);
    await at.begin(zoneWithId(shop, 1));
    expect(at.states).toEqual(["denied"]);
    expect(at.status).toMatchObject({
      state: "denied",
      accounts: { following: 0, denied: 1, lagging: 0 },
      reason: "API_FORBIDDEN of the world",
    });
    await at.clock.advance(180 * minuteMs);
    expect(at.reads).toHaveLength(4);
    expect(at.states).toEqual(["denied"]);
    at.failure = undefined;
    await at.clock.advance(60 * minuteMs);
    expect(at.states).toEqual(["denied", "following"]);
  });

  it("goes on after errors, and reads what it missed", async ({ expect }) => {
    await using at = new Followed();
    await at.begin(zoneWithId(shop, 1));
    const began = at.clock.now();
    at.failure = new ServiceFault("API_SERVER", true);
    await at.clock.advance(60 * minuteMs);
    expect(at.states).toEqual(["following", "lagging"]);
    at.failure = undefined;
    at.log = [edit(1, 1)];
    await at.clock.advance(minuteMs);
    expect(at.states.at(-1)).toBe("following");
    expect(at.takeWoken()).toEqual([shop]);
    expect(at.reads.at(-1)?.since).toEqual(new Date(Number(began) - 10 * minuteMs));
    expect(at.bugs).toEqual([]);
  });

  it.for([
    { retryAfterMs: 0, at: [0, 2, 6, 14, 24, 34] },
    { retryAfterMs: 5 * minuteMs, at: [0, 5, 10, 18, 28, 38] },
    { retryAfterMs: 15 * minuteMs, at: [0, 15, 30, 45] },
  ])("asks ever later after a 429 with a wait of $retryAfterMs ms", async (row, { expect }) => {
    await using at = new Followed();
    const began = Number(at.clock.now());
    at.failure = new ServiceError("API_RATE_LIMITED", "429", {
      transient: true,
      retryAfterMs: row.retryAfterMs,
    });
    at.start(zoneWithId(shop, 1));
    await at.clock.advance((row.at.at(-1) ?? 0) * minuteMs);
    const asked = at.reads.map(({ before }) => (Number(before) - began) / minuteMs - 60);
    expect(asked).toEqual(row.at);
    expect(at.status).toMatchObject({ state: "lagging", reason: "429" });
    at.failure = undefined;
    await at.clock.advance(15 * minuteMs);
    expect(at.status.state).toBe("following");
    at.failure = new ServiceError("API_RATE_LIMITED", "429", { transient: true });
    await at.clock.advance(minuteMs);
    const before = at.reads.length;
    await at.clock.advance(minuteMs);
    expect(at.reads).toHaveLength(before);
    await at.clock.advance(minuteMs);
    expect(at.reads).toHaveLength(before + 1);
  });

  it("says that a flood was cut, and that the budget makes it wait", async ({ expect }) => {
    await using at = new Followed();
    at.more = { malformed: 0, isCut: true };
    await at.begin(zoneWithId(shop, 1));
    expect(at.status).toMatchObject({
      state: "lagging",
      reason: "there are more entries than one read takes",
    });
    at.more = { malformed: 0, isCut: false };
    at.latencyMs = 3 * minuteMs;
    await at.clock.advance(5 * minuteMs);
    expect(at.status).toMatchObject({
      state: "lagging",
      reason: "reads wait for the request budget",
    });
  });

  it("counts what it cannot understand and warns once", async ({ expect }) => {
    await using at = new Followed();
    at.more = { malformed: 2, isCut: false };
    at.log = [edit(1, 1), edit(1, 1, { path: "/forged" })];
    at.start(zoneWithId(shop, 1));
    await at.clock.advance(minuteMs);
    expect(at.warnings).toEqual([3]);
    expect(at.status.entries.malformed).toBe(6);
    expect(at.status.state).toBe("following");
  });

  it("warns of the first entry that it cannot understand as soon as it comes", async ({
    expect,
  }) => {
    await using at = new Followed();
    await at.begin(zoneWithId(shop, 1));
    expect(at.warnings).toEqual([]);
    at.more = { malformed: 1, isCut: false };
    await at.clock.advance(minuteMs);
    expect(at.warnings).toEqual([1]);
  });

  it("takes an entry that it cannot understand for one that is missing", async ({ expect }) => {
    await using at = new Followed();
    const [{ zone }, began] = [zoneWithId(shop, 1), at.clock.now()];
    const isComplete = (moment: Date): boolean => at.feed.isCompleteSince(zone.accountId, moment);
    at.start(zoneWithId(shop, 1));
    at.log = [edit(1, 1)];
    await at.clock.advance(0);
    expect(isComplete(began)).toBe(true);
    at.more = { malformed: 1, isCut: false };
    await at.clock.advance(minuteMs);
    expect([isComplete(began), isComplete(at.clock.now())]).toEqual([false, true]);
    at.more = { malformed: 0, isCut: false };
    at.log = [edit(1, 1, { path: "/forged" })];
    const before = at.clock.now();
    await at.clock.advance(minuteMs);
    expect([isComplete(before), isComplete(at.clock.now())]).toEqual([false, true]);
  });

  it("knows since when no entry is known to be missing", async ({ expect }) => {
    await using at = new Followed();
    const [{ zone }, began] = [zoneWithId(shop, 1), at.clock.now()];
    const isComplete = (moment: Date): boolean => at.feed.isCompleteSince(zone.accountId, moment);
    at.start(zoneWithId(shop, 1));
    expect(isComplete(began)).toBe(false);
    await at.clock.advance(0);
    expect(isComplete(began)).toBe(true);
    expect(isComplete(new Date(Number(began) - 1))).toBe(false);
    expect(at.feed.isCompleteSince("other", began)).toBe(false);
    at.failure = new ServiceFault("API_SERVER", true);
    await at.clock.advance(minuteMs);
    expect(isComplete(began)).toBe(false);
    at.failure = undefined;
    at.more = { malformed: 0, isCut: true };
    await at.clock.advance(minuteMs);
    const cut = at.clock.now();
    at.more = { malformed: 0, isCut: false };
    await at.clock.advance(minuteMs);
    expect([isComplete(began), isComplete(cut)]).toEqual([false, true]);
    // After more than a day without a read, what came first is not asked for.
    at.failure = new ServiceFault("API_SERVER", true);
    await at.clock.advance(25 * 60 * minuteMs);
    at.failure = undefined;
    await at.clock.advance(minuteMs);
    expect([isComplete(cut), isComplete(at.clock.now())]).toEqual([false, true]);
  });

  it("survives an internal error, and reports it", async ({ expect }) => {
    await using at = new Followed();
    const error = new TypeError("a bug of ours");
    at.failure = error;
    await at.begin(zoneWithId(shop, 1));
    at.failure = undefined;
    await at.clock.advance(minuteMs);
    expect(at.bugs).toEqual([{ error, zone: "" }]);
    expect(at.states).toEqual(["lagging", "following"]);
  });

  it("takes in a flood without growing beyond its bound", async ({ expect }) => {
    await using at = new Followed();
    at.start(zoneWithId(shop, 1));
    for (let round = 0; round < 20; round += 1) {
      at.log = Array.from({ length: 5_000 }, (_, index) => edit(round * 5_000 + index, 1));
      await at.clock.advance(minuteMs);
    }
    expect(at.status.entries.woke).toBe(100_000);
    expect(at.woken).toHaveLength(20);
    // The first entry is forgotten by now: it counts again.
    at.log = [edit(0, 1)];
    await at.clock.advance(minuteMs);
    expect(at.status.entries.woke).toBe(100_001);
  });
});
