import * as fc from "fast-check";
import { describe, it } from "vitest";

import { ApiError } from "../../src/emulator/http/api-error.ts";
import {
  emptyRuleset,
  nextVersion,
  replacedRules,
  rulesetFields,
  withNewRule,
  withoutRule,
  withUpdatedRule,
} from "../../src/emulator/rulesets/stored-ruleset.ts";
import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import type { StoredRuleset, EmulatedZone } from "../../src/emulator/state.ts";
import { idFrom, undocumentedFrom } from "../../src/emulator/store.ts";
import { goodSeed, objectIn, testStart } from "../support/emulator.ts";

const phase = "http_request_firewall_managed";
const owasp = "4814384a9e5d4991b9815dcfc25d2f1f";

function emptyZone(): EmulatedZone {
  const seed = goodSeed("zones:\n  - name: a.example\n    entitlements: { rules: 4 }\n");
  const [zone] = seededState(seed, testStart).state.zones;
  if (zone === undefined) throw new Error("the seed has a zone");
  return zone;
}

const zone = emptyZone();
const undocumented = undocumentedFrom();

/** Rules with few refs and contents, so that many collide: some writes are rejected, some change nothing. */
const rule = fc.record({
  ref: fc.constantFrom("a", "b", "c", "d", "e"),
  action: fc.constant("execute"),
  action_parameters: fc.record({ id: fc.constantFrom(owasp, "efb7b8c949ac4650a09736fc376e9aee") }),
  expression: fc.constantFrom("true", "ssl", "ssl and"),
});
const skip = fc.record({
  ref: fc.constantFrom("a", "b", "c", "d", "e"),
  action: fc.constant("skip"),
  action_parameters: fc.constantFrom({ rulesets: [owasp] }, { phase: "current" }),
  expression: fc.constantFrom("true", "ssl"),
});
const anyRule = fc.oneof(skip, skip, rule);

const step = fc.oneof(
  fc.record({ verb: fc.constant("put" as const), rules: fc.array(anyRule, { maxLength: 6 }) }),
  fc.record({ verb: fc.constant("add" as const), rule: anyRule }),
  fc.record({ verb: fc.constant("change" as const), at: fc.nat({ max: 4 }), rule: anyRule }),
  fc.record({
    verb: fc.constant("move" as const),
    at: fc.nat({ max: 4 }),
    index: fc.nat({ max: 6 }),
  }),
  fc.record({ verb: fc.constant("remove" as const), at: fc.nat({ max: 4 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The ruleset after a step; `undefined` if it was rejected or its rule does not exist. */
function after(before: StoredRuleset, taken: Step, newId: () => string): StoredRuleset | undefined {
  const write = { now: testStart, newId, isLenient: false, undocumented, owner: zone, before };
  try {
    if (taken.verb === "add") return withNewRule(rulesetFields(taken.rule), write);
    if (taken.verb === "put") {
      const items = rulesetFields({ rules: taken.rules }).objects("rules") ?? [];
      const rules = replacedRules(items, write);
      return nextVersion(before, { rules }, testStart);
    }
    const live = before.current.rules[taken.at];
    if (live === undefined) return undefined;
    if (taken.verb === "remove") return withoutRule(live, write);
    const body = taken.verb === "change" ? taken.rule : { position: { index: taken.index } };
    return withUpdatedRule(rulesetFields(body), live, write);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The ruleset after each accepted step. */
function history(steps: readonly Step[]): readonly StoredRuleset[] {
  let count = 0;
  const newId = (): string => {
    count += 1;
    return idFrom(`law/${count}`);
  };
  const empty = emptyRuleset(newId(), { name: "default", kind: "zone", phase });
  const all = [nextVersion(empty, {}, testStart)];
  for (const taken of steps) {
    const [before] = all.slice(-1);
    const next = before === undefined ? undefined : after(before, taken, newId);
    if (next !== undefined) all.push(next);
  }
  return all;
}

const steps = fc.array(step, { maxLength: 12 });

const characteristic = fc.constantFrom("ip.src", "http.host", 'http.request.headers["x-key"]');
const limits = fc.record(
  {
    characteristics: fc
      .uniqueArray(characteristic, { maxLength: 3 })
      .chain((all) => fc.shuffledSubarray(["cf.colo.id", ...all], { minLength: all.length + 1 })),
    period: fc.constantFrom(10, 60, 65_535),
    requests_per_period: fc.integer({ min: 1 }),
    mitigation_timeout: fc.constantFrom(0, 10, 86_400),
    counting_expression: fc.constantFrom("", "http.response.code eq 401"),
    requests_to_origin: fc.boolean(),
  },
  { requiredKeys: ["characteristics", "period", "requests_per_period"] },
);
const limitRule = fc.record(
  {
    action: fc.constantFrom("block", "js_challenge", "log"),
    expression: fc.constantFrom("ssl", 'http.host eq "a.example"'),
    description: fc.string(),
    enabled: fc.boolean(),
    ratelimit: limits,
  },
  { requiredKeys: ["action", "expression", "ratelimit"] },
);

describe("whatever rate limits are written", () => {
  it.for(["omitted", "empty"] as const)(
    "the response can be sent back without changing a rule, with counting expressions %s",
    (counting, { expect }) => {
      fc.assert(
        fc.property(fc.array(limitRule, { maxLength: 3 }), (rules) => {
          let count = 0;
          const write = {
            now: testStart,
            newId: () => idFrom(`limit/${(count += 1)}`),
            isLenient: false,
            undocumented: undocumentedFrom({ counting_expression: counting }),
            owner: zone,
          };
          const facts = { name: "default", kind: "zone", phase: "http_ratelimit" };
          const empty = emptyRuleset(idFrom("limits"), facts);
          const items = rulesetFields(objectIn({ rules })).objects("rules") ?? [];
          const stored = replacedRules(items, { ...write, before: empty });
          const before = nextVersion(empty, { rules: stored }, testStart);
          const sent: unknown = JSON.parse(JSON.stringify({ rules: stored }));
          const again = rulesetFields(objectIn(sent)).objects("rules") ?? [];
          expect(replacedRules(again, { ...write, before })).toEqual(stored);
        }),
      );
    },
  );
});

describe("whatever is written to a ruleset", () => {
  it("each stored write is one version, and none is forgotten", ({ expect }) => {
    fc.assert(
      fc.property(steps, (taken) => {
        const all = history(taken);
        const last = all.at(-1);
        const versions = [...(last?.past ?? []), ...(last === undefined ? [] : [last.current])];
        expect(versions).toEqual(all.map(({ current }) => current));
        expect(versions.map(({ version }) => version)).toEqual(
          all.map((_, index) => String(index + 1)),
        );
      }),
    );
  });

  it("a rule keeps its id while its ref stays, and its version while its content does", ({
    expect,
  }) => {
    fc.assert(
      fc.property(steps, (taken) => {
        for (const [index, { current }] of history(taken).entries()) {
          const before = history(taken)[index - 1]?.current.rules ?? [];
          for (const live of current.rules) {
            const earlier = before.find(({ id }) => id === live.id);
            if (earlier === undefined) continue;
            const { version, last_updated: _at, ...content } = live;
            const { version: earlierVersion, last_updated: _earlier, ...earlierContent } = earlier;
            const changed = JSON.stringify(content) !== JSON.stringify(earlierContent);
            expect(Number(version) - Number(earlierVersion)).toBe(changed ? 1 : 0);
          }
        }
      }),
    );
  });

  it("ids and refs are unique, a managed ruleset is executed once, and the limit of rules holds", ({
    expect,
  }) => {
    fc.assert(
      fc.property(steps, (taken) => {
        for (const { current } of history(taken)) {
          const { rules } = current;
          const executed = rules.flatMap(({ action, action_parameters: parameters }) =>
            action === "execute" ? [parameters?.["id"]] : [],
          );
          expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
          expect(new Set(rules.map(({ ref }) => ref)).size).toBe(rules.length);
          expect(new Set(executed).size).toBe(executed.length);
          expect(rules.length).toBeLessThanOrEqual(4);
        }
      }),
    );
  });

  it("the response to a GET can be sent back without changing a rule", ({ expect }) => {
    fc.assert(
      fc.property(steps, (taken) => {
        const last = history(taken).at(-1);
        if (last === undefined) return;
        const sent: unknown = JSON.parse(JSON.stringify({ rules: last.current.rules }));
        const items = rulesetFields(objectIn(sent)).objects("rules") ?? [];
        const write = {
          now: testStart,
          newId: () => "new",
          isLenient: false,
          undocumented,
          owner: zone,
          before: last,
        };
        expect(replacedRules(items, write)).toEqual(last.current.rules);
      }),
    );
  });
});
