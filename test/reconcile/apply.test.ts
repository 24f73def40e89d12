import * as fc from "fast-check";
import { describe, it } from "vitest";

import { type Change, neutral } from "../../src/plan/change.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { partOf, type Write } from "../../src/zone/write.ts";
import { outcomesBy, outcomesOf } from "../support/applied-writes.ts";
import { Bugs } from "../support/bugs.ts";
import { SimulatedClock } from "../support/clock.ts";
import { livePolicy, liveZone, readAllAt, settingsOff } from "../support/model.ts";
import { cases } from "../support/properties.ts";
import { ServiceFault } from "../support/world.ts";

const second = 1_000;

const putSettings = { call: "update-settings", body: {}, changes: [] } as const;
const createPolicy = { call: "create-policy", body: {}, changes: ["policy/b"] } as const;
const updatePolicy = { call: "update-policy", id: "p1", body: {}, changes: ["policy/a"] } as const;
const deletePolicy = { call: "delete-policy", id: "p1", changes: ["policy/a"] } as const;
const putRules = {
  call: "put-entrypoint",
  phase: "managed_rules",
  rules: [],
  changes: ["managed_rule/a"],
} as const;
const deleteRule = {
  call: "delete-rule",
  phase: "managed_rules",
  ruleset: "ep",
  id: "r1",
  changes: ["managed_rule/b"],
} as const;

const live = liveZone({
  settings: { ...settingsOff, enabled: true },
  policies: [livePolicy("p1")],
  entrypoints: { managed_rules: { state: "present", id: "ep", version: "1", rules: [] } },
});
const strangers = { state: "present", id: "ep", version: "2", rules: [] } as const;

describe("a read that writes rely on", () => {
  const ofAnother = { ...updatePolicy, id: "p2" };
  it.for<{ when: string; writes: readonly Write[]; reads: readonly string[] }>([
    {
      when: "of one policy is as old as the last answer about it",
      writes: [updatePolicy, updatePolicy, updatePolicy, updatePolicy],
      reads: [],
    },
    {
      when: "of a policy is not renewed by answers about another",
      writes: [updatePolicy, updatePolicy, ofAnother],
      reads: ["policies"],
    },
    {
      when: "of the list of policies is not renewed by answers about one",
      writes: [updatePolicy, updatePolicy, deletePolicy],
      reads: ["policies"],
    },
    {
      when: "of the list of policies is not renewed by answers about new ones",
      writes: [createPolicy, createPolicy, createPolicy],
      reads: ["policies"],
    },
    {
      when: "of rules is not renewed by answers about policies",
      writes: [updatePolicy, updatePolicy, deleteRule],
      reads: ["managed_rules"],
    },
    {
      when: "of settings is not renewed by answers about policies",
      writes: [updatePolicy, updatePolicy, putSettings],
      reads: ["settings"],
    },
    {
      when: "of policies has expired when all settings are written, and does not end the run",
      writes: [putSettings, putSettings, putSettings, deletePolicy],
      reads: ["policies"],
    },
    {
      when: "of rules is renewed by answers about rules",
      writes: [deleteRule, deleteRule, deleteRule, deleteRule],
      reads: [],
    },
    {
      when: "of settings is renewed by answers about settings",
      writes: [putSettings, putSettings, putSettings, putSettings],
      reads: [],
    },
  ])("$when", async ({ writes, reads }, { expect }) => {
    const parts: string[] = [];
    const done = await outcomesOf(writes, 25 * second, { live, reads: parts });
    expect([new Set(done), parts]).toEqual([new Set(["done"]), reads]);
    // The last write is not sent where the part has changed meanwhile.
    const readAgain = {
      settings: settingsOff,
      policies: [],
      entrypoints: { managed_rules: strangers },
    };
    const came = await outcomesOf(writes, 25 * second, { live, readAgain });
    expect(came.at(-1)).toBe(reads.length > 0 ? "read_expired" : "done");
  });

  it.for([putSettings, deletePolicy, deleteRule])(
    "has an age of its own for each part: $call",
    async (write, { expect }) => {
      const clock = new SimulatedClock();
      await clock.advance(80 * second);
      const readAt = { ...readAllAt(80 * second), [partOf(write)]: 0 };
      for (const each of [putSettings, deletePolicy, deleteRule]) {
        const came = each === write ? "read_expired" : "done";
        expect(await outcomesOf([each], 0, { clock, readAt })).toEqual([came]);
      }
    },
  );

  it("is not repeated before the first write, but expires after a minute", async ({ expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(55 * second);
    const reads: string[] = [];
    const choice = { clock, live, reads };
    expect(await outcomesOf([createPolicy], 4 * second, choice)).toEqual(["done"]);
    expect(await outcomesOf([createPolicy], 0, choice)).toEqual(["done"]);
    expect(await outcomesOf([createPolicy], 2 * second, choice)).toEqual(["read_expired"]);
    expect(reads).toEqual([]);
  });

  it("expires while a later write waits", async ({ expect }) => {
    const waitMs = (write: Write): number => (write === deleteRule ? 70 * second : 0);
    const came = await outcomesOf([updatePolicy, deleteRule, putSettings], waitMs, { live });
    expect(came).toEqual(["done", "read_expired", "read_expired"]);
  });

  it("is no read where the part was not read", async ({ expect }) => {
    const readAt = { ...readAllAt(0), policies: undefined };
    expect(await outcomesOf([deletePolicy], 0, { readAt })).toEqual(["read_expired"]);
  });

  it.for([
    {
      when: "a 429 was not carried out",
      code: "API_RATE_LIMITED" as const,
      came: "read_expired",
    },
    { when: "a broken connection may have been", code: "API_SERVER" as const, came: "failed" },
  ])("a write that is cancelled after $when", async ({ code, came }, { expect }) => {
    const failure = () => new ServiceFault(code, true);
    expect(await outcomesOf([deletePolicy], 90 * second, {}, failure)).toEqual([came]);
  });
});

describe("after a write that did not succeed", () => {
  it.for([
    { code: "API_SERVER", came: "failed" },
    { code: "API_NOT_FOUND", came: "failed" },
    { code: "API_CONFLICT", came: "failed" },
    { code: "API_UNAUTHORIZED", came: "failed" },
    { code: "API_RATE_LIMITED", came: "failed" },
    { code: "API_BUDGET", came: "failed" },
    { code: "API_DEADLINE", came: "failed" },
    { code: "API_UNKNOWN_OUTCOME", came: "unknown" },
  ] as const)("no further write is sent: $code", async ({ code, came }, { expect }) => {
    const sent: Write[] = [];
    const writes = [putRules, deletePolicy, deleteRule, { ...deletePolicy, id: "p2" }];
    const waitsFor = new Map(writes.map((write) => [write, []]));
    const outcomes = await outcomesBy(
      writes,
      async (write) => {
        await Promise.resolve();
        if (sent.push(write) === 2) throw new ServiceFault(code, false);
      },
      { waitsFor },
    );
    expect(outcomes).toEqual(["done", came, "earlier_failure", "earlier_failure"]);
    expect(sent).toEqual(writes.slice(0, 2));
  });

  it.for(["API_REFUSED", "API_FORBIDDEN", "API_QUOTA"] as const)(
    "what does not wait for a refused one is sent: %s",
    async (code, { expect }) => {
      const sent: Write[] = [];
      const writes = [putSettings, updatePolicy, putRules, deletePolicy, deleteRule, createPolicy];
      const waitsFor = new Map<Write, readonly Write[]>([
        [putSettings, []],
        [updatePolicy, []],
        [putRules, [putSettings]],
        [deletePolicy, [updatePolicy, putRules]],
        [deleteRule, [putRules, deletePolicy]],
        [createPolicy, []],
      ]);
      const send = async (write: Write): Promise<void> => {
        await Promise.resolve();
        sent.push(write);
        if (write === updatePolicy) throw new ServiceFault(code, false);
      };
      expect(await outcomesBy(writes, send, { waitsFor })).toEqual([
        "done",
        "failed",
        "done",
        "waits for policy/a",
        "waits for policy/a",
        "done",
      ]);
      expect(sent).toEqual([putSettings, updatePolicy, putRules, createPolicy]);
      // A write that the plan says nothing about waits for all before it.
      waitsFor.delete(createPolicy);
      expect((await outcomesBy(writes, send, { waitsFor })).at(-1)).toBe(
        "waits for policy/a, managed_rule/b",
      );
    },
  );

  it("another failure ends the writes, after a refusal too", async ({ expect }) => {
    const writes = [putSettings, updatePolicy, putRules, createPolicy];
    const waitsFor = new Map(writes.map((write) => [write, []]));
    const codes = new Map<Write, "API_REFUSED" | "API_SERVER">([
      [putSettings, "API_REFUSED"],
      [updatePolicy, "API_SERVER"],
    ]);
    const send = async (write: Write): Promise<void> => {
      await Promise.resolve();
      const code = codes.get(write);
      if (code !== undefined) throw new ServiceFault(code, false);
    };
    expect(await outcomesBy(writes, send, { waitsFor })).toEqual([
      "failed",
      "failed",
      "earlier_failure",
      "earlier_failure",
    ]);
  });

  it("with any writes refused, all that do not wait for one are sent", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ refused: fc.boolean(), on: fc.array(fc.nat(9)) }), { maxLength: 10 }),
        async (steps) => {
          const writes = steps.map((_, at): Write => ({ ...updatePolicy, id: `p${at}` }));
          const waitsFor = new Map(
            writes.map((write, at) => [
              write,
              writes.slice(0, at).filter((_, index) => steps[at]?.on.includes(index)),
            ]),
          );
          const undone = new Set<Write>();
          const expected = writes.map((write, at) => {
            const waits = waitsFor.get(write)?.some((other) => undone.has(other)) === true;
            const isRefused = steps[at]?.refused === true;
            if (waits || isRefused) undone.add(write);
            return waits ? "waits for policy/a" : isRefused ? "failed" : "done";
          });
          const send = async (write: Write): Promise<void> => {
            await Promise.resolve();
            if (steps[writes.indexOf(write)]?.refused) throw new ServiceFault("API_REFUSED", false);
          };
          expect(await outcomesBy(writes, send, { waitsFor })).toEqual(expected);
        },
      ),
      cases(100),
    );
  });

  it("a fault of the program is told with the zone", async ({ expect }) => {
    const bugs = new Bugs();
    const mistake = new TypeError("a bug of ours");
    const send = (): Promise<void> => Promise.reject(mistake);
    const outcomes = await outcomesBy([deletePolicy, deleteRule], send, { bugs });
    expect(outcomes).toEqual(["failed", "earlier_failure"]);
    expect([bugs.take(), bugs.zones]).toEqual([[mistake], ["shop.example.com"]]);
  });

  it.for([
    { ray: "ray-1", ends: " (ray ray-1)" },
    { ray: "", ends: "" },
  ])(
    "the zone is held where it was the first and has no room",
    async ({ ray, ends }, { expect }) => {
      const failure = new ServiceError("API_QUOTA", "2 out of 1", { ray });
      const holds = await outcomesBy([createPolicy, deletePolicy], () => Promise.reject(failure));
      expect(holds).toEqual([`policy/b does not fit into the zone: 2 out of 1${ends}`]);
    },
  );

  it("the zone is held with advice only where one of its kind makes room", async ({ expect }) => {
    const failure = new ServiceError("API_QUOTA", "2 out of 1");
    const hold = (write: Write, ...changes: readonly Change[]): Promise<readonly string[]> =>
      outcomesBy([write], () => Promise.reject(failure), { live, changes });
    const rule: Change = { ...oldPolicy, kind: "managed_rule", key: "managed_rule/old" };
    expect(await hold(putRules, oldPolicy)).toEqual([
      "managed_rule/a does not fit into the zone: 2 out of 1",
    ]);
    expect(await hold(createPolicy, rule)).toEqual([
      "policy/b does not fit into the zone: 2 out of 1",
    ]);
    expect(await hold(createPolicy, rule, oldPolicy)).toEqual([
      "policy/b does not fit into the zone: 2 out of 1; to make room first, leave policy/b out of the files until the zone is rid of policy/old, or declare it under that key, which changes it in place",
    ]);
    const createRule: Write = {
      call: "create-rule",
      phase: "managed_rules",
      ruleset: "ep",
      body: {},
      position: { after: "", behind: [], before: "" },
      changes: ["managed_rule/new"],
    };
    expect(await hold(createRule, rule, oldPolicy)).toEqual([
      "managed_rule/new does not fit into the zone: 2 out of 1; to make room first, leave managed_rule/new out of the files until the zone is rid of managed_rule/old, or declare it under that key, which changes it in place",
    ]);
  });
});

/** A policy that the plan deletes. */
const oldPolicy: Change = {
  verb: "delete",
  kind: "policy",
  key: "policy/old",
  title: "",
  id: "p1",
  reason: "undeclared",
  fields: [],
  causes: [],
  effect: neutral,
};

it("a plan without a write is applied with nothing", async ({ expect }) => {
  expect(await outcomesBy([], () => Promise.reject(new Error("sent")))).toEqual([]);
});
