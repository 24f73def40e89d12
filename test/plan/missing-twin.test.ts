import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import { fingerprintsOf, freshnessOf } from "../../src/plan/saved/fingerprint.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import { carriedOut, declared, desiredZone, liveZone, owner, policy } from "../support/model.ts";
import { checkout } from "../support/planned.ts";

const stays = carriedOut("p1", checkout);
const duplicate = carriedOut("p2", checkout);
const retired = carriedOut("p3", policy("retired"));
const ofKey = carriedOut("checkout", checkout);

describe("a saved delete of a duplicate", () => {
  it.for<{
    readonly when: string;
    readonly before: readonly LivePolicy[];
    readonly now: readonly LivePolicy[];
    readonly stale: readonly string[];
    readonly sends: readonly string[];
  }>([
    {
      when: "the policy that stays is there, and another one is to be deleted",
      before: [stays, duplicate, retired],
      now: [stays, duplicate, retired],
      stale: [],
      sends: ["p2", "p3"],
    },
    {
      when: "the policy that stays is gone, and another one is to be deleted",
      before: [stays, duplicate, retired],
      now: [duplicate, retired],
      stale: ["mark/zonewarden:checkout"],
      sends: [],
    },
    {
      when: "the policy that stays is gone, and the duplicate has the declared key for an id",
      before: [stays, ofKey],
      now: [ofKey],
      stale: ["mark/zonewarden:checkout"],
      sends: [],
    },
    {
      when: "both are gone",
      before: [stays, duplicate],
      now: [],
      stale: [],
      sends: [],
    },
  ])("where $when", ({ before, now, stale, sends }, { expect }) => {
    const live = liveZone({ policies: before });
    const saved = plan(desiredZone({ policies: declared([checkout]) }), live, owner);
    const fresh = freshnessOf(
      { plan: saved, fingerprints: fingerprintsOf(saved, live) },
      liveZone({ policies: now }),
    );
    expect(fresh.stale).toEqual(stale);
    expect(fresh.send.map((write) => ("id" in write ? write.id : ""))).toEqual(sends);
  });
});
