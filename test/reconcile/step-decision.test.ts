import { describe, it } from "vitest";

import type { HourCount } from "../../src/measure/measurement.ts";
import {
  decideSteps,
  type StepDecision,
  type StepFacts,
} from "../../src/reconcile/steps/step-decision.ts";
import {
  compareRate,
  type CountedPart,
  type StepEvidence,
  evidenceOf,
  partsSince,
} from "../../src/reconcile/steps/step-evidence.ts";
import { atStep, type StepState, stoppedAt } from "../../src/reconcile/steps/step-state.ts";
import { stepWaitText } from "../../src/render/step-text.ts";
import type { Promotion } from "../../src/zone/promotion.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { policy, promotion } from "../support/model.ts";

const minute = 60_000;
const hour = 60 * minute;
const noon = Date.parse("2026-11-20T12:00:00Z");

function hours(...counts: readonly (number | CountedPart["state"])[]): readonly CountedPart[] {
  return counts.map((count) =>
    typeof count === "number"
      ? { state: "measured", count, requests: 1_000, sampleInterval: 1 }
      : count === "measured"
        ? { state: count, count: 0, requests: 1_000, sampleInterval: 1 }
        : { state: count },
  );
}

function measured(count: number): HourCount {
  return { state: "measured", count, actions: {}, sampleInterval: 1 };
}

describe("the parts of time of an object", () => {
  const series = {
    partMs: hour,
    from: noon,
    requests: [900, 800, 700, 600, 500].map(measured),
    countsOf: (): readonly HourCount[] => [
      measured(5),
      measured(4),
      { state: "refused", reason: "denied" },
      { state: "undeclared" },
      measured(1),
    ],
    formsOf: () => ["now", "", "now", "now", "now"],
  };
  const ofRule: readonly CountedPart[] = [
    { state: "measured", count: 5, requests: 900, sampleInterval: 1 },
    { state: "measured", count: 4, requests: 800, sampleInterval: 1 },
    { state: "denied" },
    { state: "other" },
    { state: "measured", count: 1, requests: 500, sampleInterval: 1 },
  ];

  it.for([
    { since: noon - 9 * hour, from: 0 },
    { since: noon, from: 0 },
    { since: noon + 1, from: 1 },
    { since: noon + 2 * hour, from: 2 },
    { since: noon + 9 * hour, from: 5 },
  ])("are whole ones: since %o", ({ since, from }, { expect }) => {
    expect(partsSince(series, "custom_rule/a", since, undefined)).toEqual(ofRule.slice(from));
  });

  it("say nothing of a policy that did something else", ({ expect }) => {
    const parts = partsSince(series, "policy/a", noon, "now");
    expect(parts).toEqual(ofRule.with(1, { state: "other" }));
    const unknown = partsSince(series, "policy/a", noon, undefined);
    expect(unknown.map(({ state }) => state)).toEqual([
      "other",
      "other",
      "denied",
      "other",
      "other",
    ]);
  });

  it("say nothing without the requests of the zone", ({ expect }) => {
    const requests = series.requests.with(4, { state: "failed" });
    const parts = partsSince({ ...series, requests }, "custom_rule/a", noon, undefined);
    expect(parts.at(-1)).toEqual({ state: "failed" });
    const none = partsSince({ ...series, requests: [] }, "custom_rule/a", noon, undefined);
    expect(none.map(({ state }) => state)).toEqual([
      "missing",
      "missing",
      "denied",
      "other",
      "missing",
    ]);
  });
});

describe("a rate", () => {
  it.for([
    { count: 1, requests: 10_000, interval: 1, limit: 1, is: "kept" },
    { count: 2, requests: 10_000, interval: 1, limit: 1, is: "over" },
    { count: 0, requests: 0, interval: 1, limit: 0, is: "kept" },
    { count: 1, requests: 10_000, interval: 1, limit: 0, is: "over" },
    // One request in a hundred: the limit lets 5 pass, and none was seen.
    { count: 0, requests: 50_000, interval: 100, limit: 1, is: "unclear" },
    { count: 100, requests: 50_000, interval: 100, limit: 1, is: "unclear" },
    { count: 600, requests: 50_000, interval: 100, limit: 1, is: "over" },
    { count: 100, requests: 1_000_000, interval: 100, limit: 1, is: "kept" },
    { count: 200, requests: 1_000_000, interval: 100, limit: 1, is: "over" },
    { count: 100, requests: 1_000_000, interval: 100, limit: 0, is: "over" },
  ])("of $count in $requests, one in $interval, keeps $limit: $is", (row, { expect }) => {
    const { count, requests, interval: sampleInterval, limit, is } = row;
    expect(compareRate({ count, requests, sampleInterval }, limit)).toBe(is);
  });
});

describe("what sets a watched object back", () => {
  const limit = { afterMs: hour, rollback: { ratePer10k: 5, requestsAtLeast: 2_500 } };

  it.for([
    { counted: "nothing", parts: hours(), over: undefined },
    { counted: "too few requests", parts: hours(90, 90), over: undefined },
    {
      counted: "the newest that are enough",
      parts: hours(0, 0, 0, 0, 1, 1),
      over: { count: 2, requests: 3_000 },
    },
    {
      counted: "a burst before them",
      parts: hours(0, 0, 40, 0, 0, 0),
      over: { count: 40, requests: 3_000 },
    },
    {
      counted: "across a gap",
      parts: hours(2, "failed", "denied", 0, 0),
      over: { count: 2, requests: 3_000 },
    },
    { counted: "as many as may be", parts: hours(1, 0, 0, 1, 0, 0), over: undefined },
    { counted: "a burst at the begin", parts: hours(40, 0, 0, 0), over: undefined },
  ])("$counted", ({ parts, over }, { expect }) => {
    expect(evidenceOf(hour, parts, limit).over).toEqual(over);
  });
});

const zone: Promotion = promotion({
  steps: ["log", "allow"],
  afterMs: 4 * hour,
  when: { ratePer10k: 4, unknownScripts: 1, requestsAtLeast: 3_000 },
  watchMs: 3 * hour,
});
const object = { ...policy("checkout"), promotion: zone };
const logging: StepState = { ...atStep(object, "log"), isLive: true, since: noon };
const watched: StepState = {
  ...atStep(object, "allow"),
  isLive: true,
  since: noon,
  isWatched: true,
};

function evidence(
  parts: readonly CountedPart[],
  partMs = hour,
  of: Promotion = zone,
): StepEvidence {
  return evidenceOf(partMs, parts, of);
}

const ready: StepFacts = {
  promotion: zone,
  state: logging,
  hours: evidence(hours(0, 1, 0, 0, 0)),
  recent: undefined,
  scripts: 1,
};

const stop = stoppedAt(object, watched, "log", {
  at: new Date(noon),
  cause: { count: 3, requests: 2_000 },
});

describe("a step", () => {
  const rows: readonly (Partial<Promotion> & {
    readonly where: string;
    readonly facts: Partial<StepFacts>;
    readonly does?: StepDecision["do"];
    readonly waits?: string;
  })[] = [
    { where: "all is fulfilled", facts: {}, does: "promote" },
    { where: "nobody has asked for scripts", facts: { scripts: undefined }, does: "ask_scripts" },
    {
      where: "scripts do not matter",
      facts: { scripts: undefined },
      when: { ratePer10k: 4, unknownScripts: undefined, requestsAtLeast: 1 },
      does: "promote",
    },
    {
      where: "scripts cannot be read",
      facts: { scripts: "unread" },
      waits: "the scripts in use cannot be read",
    },
    {
      where: "scripts are unknown",
      facts: { scripts: 2 },
      waits: "the next step would block 2 scripts in use, more than 1",
    },
    {
      where: "it is not live",
      facts: { state: { ...logging, isLive: false } },
      waits: "it is not live at its step yet",
    },
    {
      where: "it is as declared",
      facts: { state: { ...watched, isWatched: false } },
      waits: "it is as declared",
    },
    {
      where: "it is stopped",
      facts: { state: stop },
      waits:
        "set back from allow after 3 in 2,000 requests, 15 per 10,000; it stays until it is declared otherwise or promoted by a person",
    },
    {
      where: "an hour is left",
      facts: { hours: evidence(hours(0, 0, 0)) },
      waits: "3 h of 4 h measured",
    },
    {
      where: "an hour is left that cannot be measured",
      facts: { hours: evidence(hours(0, 0, 0, "denied")) },
      waits: "3 h of 4 h measured; the token may not read the measurements",
    },
    {
      where: "the latest hour failed",
      facts: { hours: evidence(hours(0, 0, 0, 0, 0, "failed")) },
      waits: "the last measurement failed",
    },
    {
      where: "hours between were not measured",
      facts: { hours: evidence(hours(0, "missing", 0, 0, "other", 0)) },
      does: "promote",
    },
    {
      where: "nothing is measured",
      facts: { hours: undefined },
      waits: "0 s of 4 h measured; nothing is measured",
    },
    { where: "no hour has passed", facts: { hours: evidence([]) }, waits: "0 s of 4 h measured" },
    {
      where: "requests are few",
      facts: { hours: evidence(hours(0, 0, 0, 0)) },
      when: { ratePer10k: 4, unknownScripts: 1, requestsAtLeast: 4_001 },
      waits: "4,000 of 4,001 requests",
    },
    {
      where: "the rate is high",
      facts: { hours: evidence(hours(0, 0, 1, 0, 1)) },
      waits: "2 in 4,000 requests, 5 per 10,000, more than 4",
    },
    {
      where: "the rate was high before",
      facts: { hours: evidence(hours(9, 0, 0, 0, 1)) },
      does: "promote",
    },
    {
      where: "any rate will do",
      facts: { hours: evidence(hours(9, 9, 9, 9)) },
      when: { ratePer10k: undefined, unknownScripts: 1, requestsAtLeast: 1 },
      does: "promote",
    },
    {
      where: "counts are rough",
      facts: {
        hours: {
          ...evidence(hours(0, 0, 0, 0)),
          latest: { count: 0, requests: 4_000, sampleInterval: 2 },
        },
      },
      waits: "the counts are estimates by one request in 2, too rough for the limit",
    },
    {
      where: "only time counts",
      facts: { hours: undefined, state: { ...logging, elapsedMs: 4 * hour } },
      when: "time_only",
      does: "promote",
    },
    {
      where: "time is left",
      facts: { state: { ...logging, elapsedMs: 4 * hour - minute } },
      when: "time_only",
      waits: "3 h 59 min of 4 h",
    },
    {
      where: "less than an hour is asked for",
      facts: { recent: evidence(hours(0, 0, 0, 0), 5 * minute) },
      afterMs: 20 * minute,
      does: "promote",
    },
    {
      where: "five minutes are left",
      facts: { recent: evidence(hours(0, 0, 0), 5 * minute) },
      afterMs: 16 * minute,
      waits: "15 min of 16 min measured",
    },
    {
      where: "five minutes were not read",
      facts: {},
      afterMs: 20 * minute,
      waits: "0 s of 20 min measured; nothing is measured",
    },
  ];

  it.for(rows)("where $where", (row, { expect }) => {
    const { facts, does = "wait", waits, when, afterMs, rollback } = { ...zone, ...row };
    const all = { ...ready, ...facts, promotion: { ...zone, when, afterMs, rollback } };
    const decision = decideSteps(new Map([["policy/checkout", all]]), undefined).get(
      "policy/checkout",
    );
    expect(decision?.do).toBe(does);
    expect(decision?.do === "wait" ? stepWaitText(decision.wait) : undefined).toBe(waits);
  });
});

describe("a watch", () => {
  const over = hours(0, 0, 9, 0);
  const rows: readonly (Partial<Promotion> & {
    readonly where: string;
    readonly facts: Partial<StepFacts>;
    readonly does?: StepDecision["do"];
    readonly waits?: string;
  })[] = [
    {
      where: "its time was measured",
      facts: { hours: evidence(hours(0, 0, 0)) },
      does: "end_watch",
    },
    {
      where: "its time is not over",
      facts: { hours: evidence(hours(0, 0)) },
      waits: "it is watched: 2 h of 3 h measured",
    },
    {
      where: "an hour was not measured",
      facts: { hours: evidence(hours(0, 0, "unavailable")) },
      waits:
        "it is watched: 2 h of 3 h measured; the plan of the zone does not include the measurements",
    },
    { where: "the hours are too many", facts: { hours: evidence(over) }, does: "set_back" },
    {
      where: "five minutes are too many",
      facts: { recent: evidence(over, 5 * minute) },
      does: "set_back",
    },
    {
      where: "nothing is known",
      facts: { hours: undefined },
      waits: "it is watched: 0 s of 3 h measured; nothing is measured",
    },
    {
      where: "it is not live yet",
      facts: { state: { ...watched, isLive: false }, hours: evidence(over) },
      waits: "it is not live at its step yet",
    },
    {
      where: "nothing sets it back",
      facts: { hours: evidence(over), state: { ...watched, elapsedMs: 3 * hour } },
      rollback: undefined,
      does: "end_watch",
    },
    {
      where: "nothing sets it back yet",
      facts: { state: { ...watched, elapsedMs: hour } },
      rollback: undefined,
      waits: "it is watched: 1 h of 3 h",
    },
  ];

  it.for(rows)("where $where", (row, { expect }) => {
    const { facts, does = "wait", waits, when, afterMs, rollback } = { ...zone, ...row };
    const promoted = { ...zone, when, afterMs, rollback };
    const all = { ...ready, state: watched, ...facts, promotion: promoted };
    const decision = decideSteps(new Map([["policy/checkout", all]]), "paused").get(
      "policy/checkout",
    );
    expect(decision?.do).toBe(does);
    expect(decision?.do === "wait" ? stepWaitText(decision.wait) : undefined).toBe(waits);
  });
});

/** The decisions about policies of a zone, in words. */
function told(
  objects: Readonly<Record<string, StepFacts>>,
  zoneWait?: Parameters<typeof decideSteps>[1],
): Record<string, string> {
  const named = Object.entries(objects).map(([key, facts]): readonly [ResourceKey, StepFacts] => [
    `policy/${key}`,
    facts,
  ]);
  return Object.fromEntries(
    [...decideSteps(new Map(named), zoneWait)].map(([key, decision]) => [
      key.slice("policy/".length),
      decision.do === "wait" ? stepWaitText(decision.wait) : decision.do,
    ]),
  );
}

describe("the steps of a zone", () => {
  const later = { ...ready, state: { ...logging, since: noon + hour } };
  const unmeasured = { ...ready, state: { ...logging, since: undefined, elapsedMs: hour } };
  it("begin one after the other, the one that waits for longest first", ({ expect }) => {
    const other = "policy/c is promoted or watched";
    expect(told({ a: unmeasured, b: later, c: ready })).toEqual({
      a: other,
      b: other,
      c: "promote",
    });
    expect(told({ b: later, a: later })).toEqual({
      b: "policy/a is promoted or watched",
      a: "promote",
    });
    const longer = { ...unmeasured, state: { ...unmeasured.state, elapsedMs: 2 * hour } };
    expect(told({ a: unmeasured, b: longer })["b"]).toBe("promote");
  });

  it("wait while another object is watched, or not live", ({ expect }) => {
    const going = { ...ready, state: { ...watched, isLive: false, isWatched: false } };
    for (const busy of [{ ...ready, state: watched, hours: evidence([]) }, going]) {
      expect(told({ a: ready, z: busy })["a"]).toBe("policy/z is promoted or watched");
    }
    const done = { ...ready, state: { ...watched, isWatched: false } };
    expect(told({ a: ready, z: done })["a"]).toBe("promote");
    // Whoever is set back is not in the way of what sets it back.
    const back = { ...ready, state: watched, hours: evidence(hours(9, 9, 9)) };
    expect(told({ a: ready, z: back })).toEqual({
      a: "policy/z is promoted or watched",
      z: "set_back",
    });
  });

  it.for([
    ["paused", "the zone is paused"],
    ["observe", "the mode is observe"],
    ["suspended", "the zone is suspended"],
    ["held", "another declaration of the zone is held"],
    ["wave", "the zone waits for a wave"],
    ["not_in_sync", "the zone is not in sync"],
    ["store", "the store cannot be written"],
  ] as const)("do not begin where it is %s", ([zoneWait, text], { expect }) => {
    const asking = { ...later, scripts: undefined };
    const still = { ...ready, hours: evidence(hours(0)) };
    expect(told({ a: ready, b: asking, c: still }, zoneWait)).toEqual({
      a: text,
      b: text,
      c: "1 h of 4 h measured",
    });
  });

  it("tell who stopped an object", ({ expect }) => {
    const by = { at: new Date(noon), cause: { by: "ada" } };
    const inPlace = { ...ready, state: stoppedAt(object, logging, "log", by) };
    const back = { ...ready, state: stoppedAt(object, watched, "log", by) };
    const stopped = told({ a: inPlace, b: back });
    expect(stopped["a"]).toMatch(/^stopped by ada; it stays/);
    expect(stopped["b"]).toMatch(/^set back from allow by ada; it stays/);
  });
});
