import { describe, it } from "vitest";

import { CountedObjects } from "../../src/measure/counted-objects.ts";
import { type DayRecord, emptyDay, withRead } from "../../src/measure/day-record.ts";
import { firstHourOf } from "../../src/measure/hours.ts";
import { noContent } from "../../src/zone/desired-zone.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";

const day = "2026-11-26";
const first = firstHourOf(day);
const rule = { id: "a".repeat(32), key: "custom_rule/admin" } as const;
const policy = { id: "b".repeat(32), key: "policy/checkout" } as const;

/** A note of what is live in an hour of the day. */
function noted(
  objects: CountedObjects,
  hour: number,
  ...live: readonly (typeof rule | typeof policy)[]
): void {
  const keys = new Map<string, ResourceKey>(live.map(({ id, key }) => [id, key]));
  objects.note(keys, noContent, first + hour);
}

/** A record in which all hours before one were read, and the rule was live in some of them. */
function recordWith(liveHours: readonly number[], readHours: readonly number[]): DayRecord {
  const objects = [{ key: rule.key, ids: [rule.id], since: Infinity, until: Infinity }];
  const rows = liveHours.map((hour) => ({
    nth: first + hour,
    ids: [rule.id],
    action: "log",
    count: 1,
    sampleInterval: 1,
  }));
  return withRead(
    emptyDay("shop.example", day),
    "events",
    readHours,
    { result: "measured", rows },
    objects,
  );
}

function hours(count: number): readonly number[] {
  return Array.from({ length: count }, (_, hour) => hour);
}

describe("an object that is counted", () => {
  it("is live again only since it was created again", ({ expect }) => {
    const objects = new CountedObjects();
    noted(objects, 3, rule, policy);
    noted(objects, 8, policy);
    noted(objects, 13, rule, policy);
    expect(objects.all).toMatchObject([
      { key: rule.key, since: first + 13, until: Infinity },
      { key: policy.key, since: first + 3, until: Infinity },
    ]);
  });

  it("stays live where one run did not see it", ({ expect }) => {
    const objects = new CountedObjects();
    noted(objects, 3, rule, policy);
    noted(objects, 4, policy);
    noted(objects, 5, rule, policy);
    expect(objects.all[0]).toMatchObject({ since: first + 3, until: Infinity });
  });

  it.for([
    { why: "was so in each hour that was read", live: [5, 6, 7, 9], read: [5, 6, 7, 9], since: 5 },
    { why: "was gone between", live: [2, 3, 8, 9], read: hours(10), since: 8 },
    { why: "was gone at last", live: [2, 3], read: hours(10), since: 20 },
    { why: "was never there", live: [], read: hours(10), since: 20 },
  ])("is live since hour $since where it $why", ({ live, read, since }, { expect }) => {
    const objects = new CountedObjects();
    noted(objects, 20, rule, policy);
    objects.learn(recordWith(live, read));
    expect(objects.all[0]).toMatchObject({ key: rule.key, since: first + since });
  });
});
