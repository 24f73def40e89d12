import { describe, it } from "vitest";

import {
  executorsIn,
  goneOf,
  isElsewhere,
  isEntryMissing,
  resourcesAfter,
  resourcesIn,
  type SeenResources,
} from "../../src/audit/seen-resources.ts";
import { auditEntry } from "../support/audit-entries.ts";
import { entrypoint, livePolicy, liveRule, liveZone } from "../support/model.ts";
import { change } from "../support/reports.ts";

type Seen = SeenResources extends ReadonlyMap<string, infer Resource> ? Resource : never;

const version = (number: number): Seen => ({ kind: "managed_rule", version: number });
const policy: Seen = { kind: "policy", version: 0 };
const rule = { ...change("managed_rule/owasp"), id: "r1" };
const site = { ...change("policy/site"), id: "p1" };

function wrote(kind: "rule" | "policy", verb: "update" | "replace", id: string) {
  return auditEntry({ wrote: { kind, verb, id, values: undefined } });
}

describe("a zone with a custom ruleset", () => {
  const live = liveZone({
    entrypoints: { custom_rules: entrypoint(liveRule("r1", { version: "7" })) },
    customRulesets: [
      {
        id: "s1",
        version: "3",
        name: "payments",
        description: "Payments [zonewarden:payments]",
        rules: [liveRule("r2", { version: "2" })],
      },
      { id: "s2", version: "1", name: "Theirs", description: "", rules: undefined },
    ],
  });
  const inEntryPoint = live.entrypoints.custom_rules;

  it("has the rules inside with their versions", ({ expect }) => {
    expect(resourcesIn(live).get("r2")).toEqual({ kind: "custom_rule", version: 2 });
  });

  it("counts with it the rule that executes it, until it is deleted", ({ expect }) => {
    const parts = { action: "execute", action_parameters: { id: "s1" } };
    const execute = liveRule("r3", { ref: "zonewarden:custom_ruleset/payments", ...parts });
    const block = { action: "block" };
    const list = entrypoint(liveRule("r1", block), execute, liveRule("r4", block));
    const before = resourcesIn({ ...live, entrypoints: { custom_rules: list } });
    expect(executorsIn("s1", before, resourcesIn(live), undefined)).toEqual(["r3", execute.ref]);
    const now = resourcesIn({ ...live, customRulesets: [], entrypoints: {} });
    expect(goneOf("custom_ruleset", before, now)).toEqual(["r3", "s1", "s2"]);
    expect(goneOf("custom_rule", before, now)).toEqual(["r1", "r4", "r2"]);
    const { kind, key, title, fields, effect, causes } = change("custom_ruleset/payments");
    const shared = { kind, key, title, fields, effect, causes };
    const remove = { ...shared, verb: "delete", id: "s1", reason: "unmanaged" } as const;
    const after = resourcesAfter([remove], new Set(), new Set([key]), before);
    expect(goneOf("custom_ruleset", after, now)).toEqual(["s2"]);
  });

  it.for([
    { key: "custom_rule/payments/amounts", ruleset: "s1", is: false },
    { key: "custom_rule/payments/amounts", ruleset: "s2", is: true },
    { key: "custom_rule/admin", ruleset: "s1", is: true },
    { key: "custom_rule/admin", ruleset: "e9", is: true },
    { key: "custom_rule/admin", ruleset: "", is: false },
    { key: "custom_ruleset/payments", ruleset: "s1", is: false },
    { key: "custom_ruleset/payments", ruleset: "s2", is: true },
    { key: "custom_ruleset/payments", ruleset: "e9", is: false },
    { key: "custom_ruleset/payments", ruleset: "", is: false },
  ] as const)(
    "a write to $ruleset is elsewhere for $key: $is",
    ({ key, ruleset, is }, { expect }) => {
      const own = inEntryPoint?.state === "present" ? inEntryPoint.id : "";
      const update = { kind: "rule", verb: "update", id: "r", values: undefined } as const;
      const to = { ...update, ruleset: ruleset === "" ? own : ruleset };
      const found = change(key);
      const changed = found.kind === "custom_ruleset" ? { ...found, id: "s1" } : found;
      expect(isElsewhere(to, changed, live)).toBe(is);
    },
  );
});

describe("the resources of a read", () => {
  const live = liveZone({
    policies: [livePolicy("p1"), livePolicy("p2")],
    entrypoints: { managed_rules: entrypoint(liveRule("r1", { version: "7" })) },
  });

  it("are its policies and its rules with their versions", ({ expect }) => {
    const found = resourcesIn(live);
    expect(found).toEqual(
      new Map([
        ["p1", policy],
        ["p2", policy],
        ["r1", version(7)],
      ]),
    );
    expect(resourcesIn(liveZone()).size).toBe(0);
  });

  it("are gone where the next read does not have them", ({ expect }) => {
    const now = resourcesIn(liveZone({ policies: [livePolicy("p2")] }));
    expect(goneOf("policy", resourcesIn(live), now)).toEqual(["p1"]);
    expect(goneOf("managed_rule", resourcesIn(live), now)).toEqual(["r1"]);
  });
});

describe("an entry of the log is missing", () => {
  it.for([
    {
      when: "a rule was changed once, and the log knows it",
      to: 2,
      entries: [wrote("rule", "update", "r1")],
      yields: false,
    },
    {
      when: "a rule was changed twice, and the log knows one change",
      to: 3,
      entries: [wrote("rule", "update", "r1")],
      yields: true,
    },
    {
      when: "a rule was changed, and all rules were replaced",
      to: 3,
      entries: [wrote("rule", "update", "r1"), wrote("rule", "replace", "")],
      yields: false,
    },
    {
      when: "the log knows a change of another rule",
      to: 2,
      entries: [wrote("rule", "update", "r2")],
      yields: true,
    },
    {
      when: "the log knows a change of a policy",
      to: 2,
      entries: [wrote("policy", "update", "r1")],
      yields: true,
    },
    { when: "the log does not say what was written", to: 2, entries: [auditEntry()], yields: true },
    { when: "the rule was not there", to: undefined, entries: [], yields: false },
  ])("where $when: $yields", ({ to, entries, yields }, { expect }) => {
    const now = new Map(to === undefined ? [] : [["r1", version(to)]]);
    expect(isEntryMissing(rule, entries, new Map([["r1", version(1)]]), now)).toBe(yields);
    expect(isEntryMissing(rule, entries, undefined, now)).toBe(false);
    expect(isEntryMissing(rule, entries, new Map(), now)).toBe(false);
    expect(isEntryMissing(rule, entries, now, undefined)).toBe(false);
    // A policy has no version.
    expect(isEntryMissing(site, [], new Map([["p1", policy]]), new Map([["p1", policy]]))).toBe(
      false,
    );
  });
});

describe("no entry of the log is missing", () => {
  const [before, now] = [new Map([["r1", version(1)]]), new Map([["r1", version(3)]])];

  it("of a rule that is to be deleted, nor of a policy", ({ expect }) => {
    const { kind, key, title, fields, effect, causes, id } = rule;
    const shared = { kind, key, title, fields, effect, causes, id };
    const remove = { ...shared, verb: "delete", reason: "unmanaged" } as const;
    expect(isEntryMissing(rule, [], before, now)).toBe(true);
    expect(isEntryMissing(remove, [], before, now)).toBe(false);
    const ofPolicy = { ...site, id: "r1" };
    expect(isEntryMissing(ofPolicy, [], before, now)).toBe(false);
  });
});

describe("what the next read is compared with", () => {
  const none = new Set<never>();
  const moved = { ...rule, fields: [{ field: "position", before: 1, after: 2 }] };
  const before = new Map([["r1", version(3)]]);
  const live = new Map([["r1", version(5)]]);

  it.for([
    {
      when: "its drift is left: as it was before it drifted",
      change: rule,
      drifted: true,
      corrected: false,
      yields: 3,
    },
    { when: "a pending change is left", change: rule, drifted: false, corrected: false, yields: 5 },
    {
      when: "it was corrected, which is one change more",
      change: rule,
      drifted: true,
      corrected: true,
      yields: 6,
    },
    {
      when: "it was moved and changed, which is one",
      change: { ...moved, fields: [...rule.fields, ...moved.fields] },
      drifted: true,
      corrected: true,
      yields: 6,
    },
    {
      when: "it was moved, which is none",
      change: moved,
      drifted: true,
      corrected: true,
      yields: 5,
    },
  ])("a rule where $when", (row, { expect }) => {
    const drifted = new Set(row.drifted ? [row.change] : []);
    const corrected = new Set(row.corrected ? [row.change.key] : []);
    const after = resourcesAfter([row.change], drifted, corrected, live, before);
    expect(after).toEqual(new Map([["r1", version(row.yields)]]));
  });

  it("keeps what is gone until it is made again, and forgets what was deleted", ({ expect }) => {
    const { kind, key, title, fields, effect, causes } = site;
    const shared = { kind, key, title, fields, effect, causes };
    const create = { ...shared, verb: "create" } as const;
    const known = new Map([
      ["p1", policy],
      ["r1", version(3)],
    ]);
    const gone = new Map([["r1", version(3)]]);
    expect(resourcesAfter([create], none, none, gone, known)).toEqual(known);
    const made = new Set([create.key]);
    expect(resourcesAfter([create], none, made, gone, known)).toEqual(gone);
    const remove = { ...shared, verb: "delete", id: "p1", reason: "unmanaged" } as const;
    expect(resourcesAfter([remove], none, none, known, known)).toEqual(known);
    expect(resourcesAfter([remove], none, made, known, known)).toEqual(gone);
  });

  it("forgets a rule that was deleted, and has none that is not live", ({ expect }) => {
    const { kind, key, title, fields, effect, causes, id } = rule;
    const shared = { kind, key, title, fields, effect, causes, id };
    const remove = { ...shared, verb: "delete", reason: "unmanaged" } as const;
    const done = new Set([key]);
    expect(resourcesAfter([remove], none, done, live, before)).toEqual(new Map());
    for (const corrected of [none, done]) {
      expect(resourcesAfter([rule], none, corrected, new Map(), before)).toEqual(new Map());
    }
  });

  it("has a policy as it was, whether its drift is left or corrected", ({ expect }) => {
    const known = new Map([
      ["p1", policy],
      ["p2", policy],
    ]);
    const now = new Map([["p1", policy]]);
    for (const corrected of [none, new Set([site.key])]) {
      expect(resourcesAfter([site], new Set([site]), corrected, now, known)).toEqual(now);
    }
  });
});
