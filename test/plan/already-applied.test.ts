import { describe, it } from "vitest";

import { isAlreadyApplied } from "../../src/plan/saved/already-applied.ts";
import type { Json, JsonObject } from "../../src/syntax/json.ts";
import type { LivePolicy, LiveZone } from "../../src/zone/live-zone.ts";
import type { RulePlace } from "../../src/zone/rule-place.ts";
import type { Write } from "../../src/zone/write.ts";
import {
  absent,
  carriedOut,
  entrypoint,
  livePolicy,
  liveRule,
  liveZone,
  policy,
} from "../support/model.ts";

const [first, middle, last] = ["a", "b", "c"].map((id) =>
  liveRule(id, { action: "log", expression: "ssl", ref: `ref-${id}` }),
);
const changes = ["managed_rule/b"] as const;
const body = { action: "log", expression: "ssl", ref: "ref-b" };

function place(after: string, before: string, ...behind: readonly string[]): RulePlace {
  return { after, behind, before };
}

function moving(position: RulePlace | null): Write {
  return {
    call: "update-rule",
    phase: "managed_rules",
    changes,
    ruleset: "r",
    id: "b",
    body,
    position,
  };
}

/** What the rules are, in their order, when the write that moves the second one is looked at. */
function isDone(position: RulePlace | null, ...rules: readonly (typeof middle)[]): boolean {
  const live = entrypoint(...rules.flatMap((rule) => rule ?? []));
  return isAlreadyApplied(moving(position), liveZone({ entrypoints: { managed_rules: live } }));
}

describe("a write that moves a rule is carried out", () => {
  it.for([
    { when: "it moves nothing", position: null, done: true },
    { when: "it goes before the one that it precedes", position: place("", "ref-c"), done: true },
    { when: "it goes before the first one", position: place("", "ref-a"), done: false },
    { when: "it goes behind the one that it follows", position: place("ref-a", ""), done: true },
    { when: "it goes behind the last one", position: place("ref-c", ""), done: false },
    { when: "it goes between the others", position: place("ref-a", "ref-c"), done: true },
    {
      when: "it goes behind one that an earlier write put there",
      position: place("", "ref-c", "ref-a"),
      done: true,
    },
    {
      when: "it goes behind one that a later write put behind it",
      position: place("ref-a", "", "ref-c"),
      done: false,
    },
  ])("or not: $when", ({ position, done }, { expect }) => {
    expect(isDone(position, first, middle, last)).toBe(done);
  });

  it("when the rule is the first that was to be first, or the last that was to be last", ({
    expect,
  }) => {
    expect(isDone(place("", "ref-a"), middle, first)).toBe(true);
    expect(isDone(place("ref-a", ""), first, middle)).toBe(true);
  });

  it("whatever became of the rules around it", ({ expect }) => {
    expect(isDone(place("ref-a", "ref-c"), first, middle)).toBe(true);
    expect(isDone(place("ref-a", "ref-c"), middle, last)).toBe(true);
    expect(isDone(place("ref-a", "ref-c"), middle, first)).toBe(false);
  });

  it("not when the rule is gone, or the entry point was not read", ({ expect }) => {
    expect(isDone(null, first, last)).toBe(false);
    expect(isAlreadyApplied(moving(null), liveZone())).toBe(false);
  });
});

describe("where there is no entry point", () => {
  const live = liveZone({ entrypoints: { managed_rules: absent } });

  it.for([
    {
      what: "a rule to delete",
      write: { call: "delete-rule", phase: "managed_rules", ruleset: "r", id: "b" },
      done: true,
    },
    {
      what: "a rule to create",
      write: {
        call: "create-rule",
        phase: "managed_rules",
        ruleset: "r",
        body,
        position: place("", ""),
      },
      done: false,
    },
  ] as const)("$what is carried out: $done", ({ write, done }, { expect }) => {
    expect(isAlreadyApplied({ ...write, changes }, live)).toBe(done);
  });
});

describe("a write of a policy or of settings is carried out", () => {
  const checkout = policy("checkout");
  const made = carriedOut("p1", checkout, { rest: { future: 1 } });
  const { id: _id, rest: _rest, ...fields } = made;
  const key = "policy/checkout";
  const creates: Write = { call: "create-policy", body: fields, changes: [key] };
  const updates: Write = { call: "update-policy", id: "p1", body: fields, changes: [key] };
  const deletes: Write = { call: "delete-policy", id: "p1", changes: [key] };

  it.for<{
    readonly when: string;
    readonly live: readonly LivePolicy[];
    readonly done: readonly Write[];
  }>([
    { when: "the policy is as written", live: [made], done: [creates, updates] },
    {
      when: "it is as written beside another one",
      live: [livePolicy("p2"), made],
      done: [creates, updates],
    },
    { when: "it has another value", live: [{ ...made, value: "img-src *" }], done: [] },
    {
      when: "another policy has its mark and is as written",
      live: [{ ...made, id: "p2" }],
      done: [creates, deletes],
    },
    {
      when: "two policies have its mark: which of them stays is open",
      live: [made, { ...made, id: "p2" }],
      done: [updates],
    },
    { when: "there is none", live: [], done: [deletes] },
  ])("or not: $when", ({ live, done }, { expect }) => {
    const zone = liveZone({ policies: live });
    const applied = [creates, updates, deletes].filter((write) => isAlreadyApplied(write, zone));
    expect(applied).toEqual(done);
  });

  it("with the fields that zonewarden does not know", ({ expect }) => {
    const withMore: Write = { ...updates, body: { ...fields, future: 1 } };
    expect(isAlreadyApplied(withMore, liveZone({ policies: [made] }))).toBe(true);
    const other = { ...made, rest: { future: 2 } };
    expect(isAlreadyApplied(withMore, liveZone({ policies: [other] }))).toBe(false);
  });

  it("not where that part of the zone was not read", ({ expect }) => {
    const settings: Write = { call: "update-settings", body: {}, changes: ["setting/enabled"] };
    const deletesRule: Write = {
      call: "delete-rule",
      phase: "managed_rules",
      ruleset: "r",
      id: "b",
      changes,
    };
    for (const write of [creates, updates, deletes, settings, deletesRule]) {
      expect(isAlreadyApplied(write, liveZone())).toBe(false);
    }
  });

  it("where each setting that it names has its value", ({ expect }) => {
    const settings = {
      enabled: true,
      use_cloudflare_reporting_endpoint: false,
      use_connection_url_path: false,
    };
    const write: Write = {
      call: "update-settings",
      body: { enabled: true, use_connection_url_path: false },
      changes: ["setting/enabled", "setting/use_connection_url_path"],
    };
    expect(isAlreadyApplied(write, liveZone({ settings }))).toBe(true);
    for (const name of ["enabled", "use_connection_url_path"] as const) {
      const other = { ...settings, [name]: !settings[name] };
      expect(isAlreadyApplied(write, liveZone({ settings: other }))).toBe(false);
    }
  });
});

function replacing(...rules: readonly JsonObject[]): Write {
  return { call: "put-entrypoint", phase: "managed_rules", rules, changes };
}

function creating(...rules: readonly JsonObject[]): Write {
  return { call: "create-entrypoint", phase: "managed_rules", rules, changes };
}

/** A zone with a rule that has these parameters. */
function parametersIn(parameters: Json | undefined): LiveZone {
  const more = parameters === undefined ? {} : { action_parameters: parameters };
  return liveZone({
    entrypoints: { managed_rules: entrypoint(liveRule("b", { ...body, ...more })) },
  });
}

describe("a write of rules is carried out", () => {
  const rules = [first, middle, last].flatMap((rule) => rule ?? []);
  const bodies = rules.map(({ ref }) => ({ action: "log", expression: "ssl", ref }));
  const zone = liveZone({ entrypoints: { managed_rules: entrypoint(...rules) } });

  it("where the list has these rules in this order, and no other", ({ expect }) => {
    expect(isAlreadyApplied(replacing(...bodies), zone)).toBe(true);
    expect(isAlreadyApplied(replacing(...bodies.toReversed()), zone)).toBe(false);
    expect(isAlreadyApplied(replacing(...bodies.slice(0, 2)), zone)).toBe(false);
    expect(isAlreadyApplied(replacing(...bodies, { ref: "ref-d" }), zone)).toBe(false);
    expect(isAlreadyApplied(replacing(), zone)).toBe(false);
    expect(
      isAlreadyApplied(replacing(), liveZone({ entrypoints: { managed_rules: absent } })),
    ).toBe(true);
    expect(isAlreadyApplied(creating(...bodies), zone)).toBe(true);
    expect(
      isAlreadyApplied(creating(...bodies), liveZone({ entrypoints: { managed_rules: absent } })),
    ).toBe(false);
  });

  it("where the rule with this ref, or id, is as written", ({ expect }) => {
    const create: Write = {
      call: "create-rule",
      phase: "managed_rules",
      ruleset: "r",
      body,
      position: place("ref-a", ""),
      changes,
    };
    expect(isAlreadyApplied(create, zone)).toBe(true);
    expect(isAlreadyApplied({ ...create, position: place("ref-c", "") }, zone)).toBe(false);
    expect(isAlreadyApplied({ ...create, body: { ...body, ref: "ref-x" } }, zone)).toBe(false);
    expect(isAlreadyApplied({ ...create, body: { ...body, expression: "not ssl" } }, zone)).toBe(
      false,
    );
    const deletes: Write = {
      call: "delete-rule",
      phase: "managed_rules",
      ruleset: "r",
      id: "b",
      changes,
    };
    expect(isAlreadyApplied(deletes, zone)).toBe(false);
    expect(isAlreadyApplied({ ...deletes, id: "x" }, zone)).toBe(true);
  });

  it.for<{ readonly wanted: Json; readonly live: Json | undefined; readonly done: boolean }>([
    { wanted: {}, live: {}, done: true },
    { wanted: {}, live: { more: 1 }, done: true },
    { wanted: {}, live: undefined, done: false },
    { wanted: {}, live: "text", done: false },
    { wanted: {}, live: null, done: false },
    { wanted: {}, live: [], done: false },
    { wanted: { a: { b: 1 } }, live: { a: { b: 1, c: 2 } }, done: true },
    { wanted: { a: 1, b: 2 }, live: { a: 1, b: 3 }, done: false },
    { wanted: { a: 1, b: 2 }, live: { a: 1 }, done: false },
    { wanted: { a: ["x", "y"] }, live: { a: ["x", "y"] }, done: true },
    { wanted: { a: ["x", "y"] }, live: { a: ["y", "x"] }, done: false },
    { wanted: { a: ["x", "y"] }, live: { a: ["x", "z"] }, done: false },
    { wanted: { a: [{ b: 1 }] }, live: { a: [{ b: 1, c: 2 }] }, done: true },
    { wanted: { a: [{ b: 1, c: 2 }] }, live: { a: [{ b: 1 }] }, done: false },
    { wanted: { a: ["x"] }, live: { a: ["x", "y"] }, done: false },
    { wanted: { a: ["x", "y"] }, live: { a: ["x"] }, done: false },
    { wanted: { a: ["x"] }, live: { a: "x" }, done: false },
    { wanted: { a: [] }, live: { a: null }, done: false },
    { wanted: { a: [] }, live: {}, done: false },
    { wanted: null, live: null, done: true },
    { wanted: null, live: undefined, done: false },
  ])("where live parameters $live include $wanted: $done", ({ wanted, live, done }, { expect }) => {
    const withParameters = { ...body, action_parameters: wanted };
    const position = place("", "");
    const write = {
      call: "create-rule",
      phase: "managed_rules",
      ruleset: "r",
      body: withParameters,
      position,
      changes,
    } as const;
    expect(isAlreadyApplied(write, parametersIn(live))).toBe(done);
  });
});
