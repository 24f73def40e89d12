import { describe, it } from "vitest";

import { withSuspensionOf, onlySuspends } from "../../src/reconcile/fleet/suspension-overlay.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { desiredZone } from "../support/model.ts";

const content = desiredZone({ settings: [{ name: "enabled", value: true }] }).content;
const other = desiredZone({ settings: [{ name: "enabled", value: false }] }).content;

const forGood = { reason: "incident", until: undefined };
const tillNoon = { reason: "move", until: new Date("2026-11-20T12:00:00Z") };
const tillNight = { reason: "move", until: new Date("2026-11-20T22:00:00Z") };

function held(changes: Partial<ZoneContent>, of = content): ZoneContent {
  return { ...of, ...changes };
}

describe("a new declaration of a zone", () => {
  it.for([
    { when: "suspends it", after: held({ suspension: forGood }), noMore: true },
    { when: "suspends it for a while", after: held({ suspension: tillNoon }), noMore: true },
    { when: "only observes it", after: held({ mode: "observe" }), noMore: true },
    {
      when: "suspends it for longer",
      before: held({ suspension: tillNoon }),
      after: held({ suspension: tillNight }),
      noMore: true,
    },
    {
      when: "gives another reason",
      before: held({ suspension: tillNoon }),
      after: held({ suspension: { ...tillNoon, reason: "sale" } }),
      noMore: true,
    },
    {
      when: "suspends it, and changes what is written afterwards",
      after: held({ suspension: forGood }, other),
      noMore: true,
    },
    {
      when: "only observes it, and changes what is written afterwards",
      after: held({ mode: "observe" }, other),
      noMore: true,
    },
    {
      when: "suspends it for a while, and changes what is written then",
      after: held({ suspension: tillNoon }, other),
      noMore: false,
    },
    { when: "changes what is written", after: other, noMore: false },
    {
      when: "ends its suspension",
      before: held({ suspension: forGood }),
      after: content,
      noMore: false,
    },
    {
      when: "suspends it for less long",
      before: held({ suspension: tillNight }),
      after: held({ suspension: tillNoon }),
      noMore: false,
    },
    {
      when: "ends its observation with a suspension of a while",
      before: held({ mode: "observe" }),
      after: held({ suspension: tillNoon }),
      noMore: false,
    },
    {
      when: "ends its observation with a suspension without end",
      before: held({ mode: "observe" }),
      after: held({ suspension: forGood }),
      noMore: true,
    },
  ])("that $when only suspends: $noMore", ({ before, after, noMore }, { expect }) => {
    expect(onlySuspends(before ?? content, after)).toBe(noMore);
  });
});

describe("the suspension overlay of a declaration", () => {
  it("has the stricter mode and the longer suspension, and nothing else", ({ expect }) => {
    expect(withSuspensionOf(content, held({ suspension: tillNoon }, other))).toEqual(
      held({ suspension: tillNoon }),
    );
    expect(withSuspensionOf(content, held({ mode: "observe" }, other))).toEqual(
      held({ mode: "observe" }),
    );
    const night = held({ suspension: tillNight });
    expect(withSuspensionOf(night, held({ suspension: tillNoon }))).toBe(night);
    expect(withSuspensionOf(night, other)).toBe(night);
  });
});
