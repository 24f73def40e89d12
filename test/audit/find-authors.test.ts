import { describe, it } from "vitest";

import { auditedWriteOf } from "../../src/api/read/parse-audited-write.ts";
import { authorsOf } from "../../src/audit/find-authors.ts";
import { explained } from "../../src/plan/cause/cause.ts";
import type { Change, FieldChange } from "../../src/plan/change.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import { idOf } from "../support/audit-entries.ts";
import {
  created,
  createdRule,
  declared,
  deleted,
  deletedRule,
  other,
  owasp,
  policies,
  policy,
  rule,
  ruleFields,
  rules,
  setting,
  shop,
  wrote,
  zone,
} from "../support/audited-changes.ts";

const [alice, bob] = ["alice@example.com", "bob@example.com"] as const;
const off = { enabled: false };
const settings = `${zone}/page_shield`;
const list = `${zone}/rulesets/${idOf(20)}`;
const blocking = { action: "block", expression: "true", enabled: true, description: "OWASP" };
const allFields = "(description action expression enabled value)";

/** A rule that somebody moved. */
const moved = explained({ ...rule, fields: [{ field: "position", before: 2, after: 1 }] }, () => [
  "drift",
]);

/** An entry of a write of the settings. */
function sets(who: string, values?: JsonObject): AuditEntry {
  return wrote(who, "PUT", settings, values);
}

/** Entries of one moment, in this order. */
function atOnce(...entries: readonly AuditEntry[]): readonly AuditEntry[] {
  return entries.map((entry) => ({ ...entry, at: new Date("2026-11-20T12:00:00Z") }));
}

/** The update of a policy of which a field drifted to a value. */
function driftOf(change: Change, field: string, before: string): Change {
  const fields: readonly FieldChange[] = [{ field, before, after: "declared" }];
  return explained({ ...change, fields }, () => ["drift"]);
}

/** What is known when authors are looked for. */
interface Known {
  readonly when: string;
  readonly entries: readonly AuditEntry[];
  readonly gone?: readonly string[];
  readonly executors?: readonly string[];
  /** `false`: it is not known since when the resource is not as declared. */
  readonly isSinceDeclared?: boolean;
  readonly yields: string;
}

/** Who is named for a change, as `possibly alice@example.com (value)`. */
function namedFor(
  change: Change,
  { entries, gone, executors = [], isSinceDeclared = true }: Omit<Known, "when" | "yields">,
): string {
  const known = {
    entries,
    isSinceDeclared,
    isOwn: ({ actor }: AuditEntry) => actor.tokenName === "ours",
    gone: gone && (() => gone),
    executors,
  };
  return authorsOf(change, known, "full")
    .map(
      ({ name, isCertain, fields }) =>
        `${isCertain ? "" : "possibly "}${name} (${fields.join(" ")})`,
    )
    .join(", ");
}

describe("who changed a setting", () => {
  it.for<Known>([
    { when: "nothing is known", entries: [], yields: "" },
    {
      when: "one entry wrote the value that was found",
      entries: [sets(alice, off)],
      yields: "alice@example.com (value)",
    },
    {
      when: "the body is the text of an object",
      entries: [
        {
          ...sets(alice),
          wrote: auditedWriteOf({
            method: "PUT",
            path: settings,
            resourceId: "",
            body: '{"enabled":"false"}',
          }),
        },
      ],
      yields: "alice@example.com (value)",
    },
    {
      when: "the entry does not say what it wrote",
      entries: [sets(alice)],
      yields: "possibly alice@example.com (value)",
    },
    {
      when: "an entry wrote another setting",
      entries: [sets(alice, { use_connection_url_path: true })],
      yields: "",
    },
    {
      when: "one entry wrote the value, and a later one another setting",
      entries: [sets(alice, off), sets(bob, { use_connection_url_path: true })],
      yields: "alice@example.com (value)",
    },
    {
      when: "an entry wrote another value: the one of what was found is missing",
      entries: [sets(alice, { enabled: true })],
      yields: "",
    },
    {
      when: "the value was restored in between by somebody",
      entries: [sets(alice, off), sets("deploy", { enabled: true }), sets(bob, off)],
      yields: "bob@example.com (value)",
    },
    {
      when: "it is not known when the value was last as declared",
      isSinceDeclared: false,
      entries: [sets(alice, off)],
      yields: "possibly alice@example.com (value)",
    },
    {
      when: "the log says that the value was as declared before",
      isSinceDeclared: false,
      entries: [sets("ours", { enabled: true }), sets(alice, off)],
      yields: "alice@example.com (value)",
    },
    {
      when: "zonewarden corrected it in between",
      entries: [sets(alice, off), sets("ours", { enabled: true })],
      yields: "",
    },
    {
      when: "two wrote the value that was found",
      entries: [sets(alice, off), sets(bob, off)],
      yields: "possibly alice@example.com (value), possibly bob@example.com (value)",
    },
    {
      when: "one of two entries does not say what it wrote",
      entries: [sets(alice, off), sets("deploy")],
      yields: "possibly alice@example.com (value), possibly deploy (value)",
    },
    {
      when: "the entry was refused",
      entries: [{ ...sets(alice, off), isRefused: true }],
      yields: "",
    },
    {
      when: "four wrote the value: the last three are named",
      entries: ["one", "two", "three", "four"].map((who) => sets(who, off)),
      yields: "possibly two (value), possibly three (value), possibly four (value)",
    },
    {
      when: "the first of four wrote the value again: the last three are named",
      entries: ["one", "two", "three", "one", "four", "one"].map((who) => sets(who, off)),
      yields: "possibly three (value), possibly four (value), possibly one (value)",
    },
    {
      when: "a policy was written with the value of the setting",
      entries: [wrote(alice, "PUT", `${policies}/${shop}`, off)],
      yields: "",
    },
    {
      when: "an entry is about no resource of ours",
      entries: [wrote(alice, "PATCH", `${zone}/settings/ssl`, off)],
      yields: "",
    },
    {
      when: "zonewarden wrote since, and its entry does not say what",
      entries: [sets(alice, off), sets("ours")],
      yields: "",
    },
    {
      when: "the value was written in the moment of another value",
      entries: atOnce(sets(bob, { enabled: true }), sets(alice, off)),
      yields: "possibly alice@example.com (value)",
    },
    {
      when: "the value was written in the moment of another value, and once more",
      entries: [...atOnce(sets(bob, { enabled: true }), sets(alice, off)), sets(alice, off)],
      yields: "possibly alice@example.com (value)",
    },
  ])("when $when", ({ yields, ...known }, { expect }) => {
    expect(namedFor(setting, known)).toBe(yields);
  });

  it("is told with the first of the requests that wrote the value", ({ expect }) => {
    const entries = [1, 2].map(() => sets(alice, off));
    const known = { entries, isSinceDeclared: true, isOwn: () => false, gone: undefined };
    const [author] = authorsOf(setting, known, "full");
    expect(author).toMatchObject({ at: entries[0]?.at, isCertain: true });
  });
});

describe("who made drift", () => {
  it.for<Known & { readonly change: Change }>([
    {
      when: "two changed two fields of a policy",
      change: policy,
      entries: [
        wrote(alice, "PUT", `${policies}/${shop}`, { action: "log" }),
        wrote(bob, "PUT", `${policies}/${shop}`, off),
      ],
      yields: "alice@example.com (action), bob@example.com (enabled)",
    },
    {
      when: "the entry is about another policy",
      change: policy,
      entries: [wrote(bob, "PUT", `${policies}/${other}`, { action: "log", enabled: false })],
      yields: "",
    },
    {
      when: "a token replaced a rule",
      change: rule,
      entries: [wrote("deploy", "PATCH", `${rules}/${shop}`, owasp)],
      yields: "deploy (overrides.enabled)",
    },
    {
      when: "a token replaced all rules",
      change: rule,
      entries: [
        wrote(
          "terraform",
          "PUT",
          `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
          {
            rules: [{ id: shop, ...owasp }],
          },
        ),
      ],
      yields: "terraform (overrides.enabled)",
    },
    {
      when: "all rules were replaced, and the entry does not say by which",
      change: rule,
      entries: [wrote("terraform", "PUT", list)],
      yields: "possibly terraform (overrides.enabled)",
    },
    {
      when: "somebody wrote the description of the ruleset, whose rules stay",
      change: rule,
      entries: [wrote(alice, "PUT", list, { description: "Managed rules" })],
      yields: "",
    },
    {
      when: "a rule is gone, and somebody deleted a ruleset",
      change: deletedRule,
      entries: [wrote(bob, "DELETE", list)],
      yields: "possibly bob@example.com (enabled)",
    },
    {
      when: "a rule was only moved",
      change: rule,
      entries: [wrote(alice, "PATCH", `${rules}/${shop}`, { position: { index: 1 } })],
      yields: "",
    },
    {
      when: "a resource was created",
      change: created,
      entries: [wrote(alice, "POST", policies, {}, shop), wrote(bob, "POST", policies, {}, other)],
      yields: `alice@example.com ${allFields}`,
    },
    {
      when: "a resource was created, and no entry says that it is this one",
      change: created,
      entries: [wrote(alice, "POST", policies, off, other), wrote(bob, "POST", policies)],
      yields: "",
    },
    {
      when: "a rule was created, and the entry says its values and not its id",
      change: createdRule,
      entries: [wrote(alice, "POST", rules, declared), wrote(bob, "POST", rules, owasp)],
      yields: `bob@example.com (${ruleFields})`,
    },
    {
      when: "two entries created such a rule",
      change: createdRule,
      entries: [wrote(alice, "POST", rules, owasp), wrote(bob, "POST", rules, owasp)],
      yields: `possibly alice@example.com (${ruleFields}), possibly bob@example.com (${ruleFields})`,
    },
    {
      when: "nobody created a resource with our mark, and somebody edited it",
      change: created,
      entries: [
        wrote(alice, "PUT", `${policies}/${shop}`, off),
        wrote(bob, "PUT", `${policies}/${other}`, off),
      ],
      yields: `possibly alice@example.com ${allFields}`,
    },
    {
      when: "a rule is gone, and somebody deleted it or replaced all rules",
      change: deletedRule,
      gone: [shop],
      entries: [wrote(bob, "PUT", list, { rules: [] }), wrote(bob, "DELETE", `${rules}/${shop}`)],
      yields: "possibly bob@example.com (enabled)",
    },
    {
      when: "a resource is new in the files",
      change: explained(deleted, () => ["pending"]),
      gone: [shop],
      entries: [wrote(bob, "DELETE", `${policies}/${shop}`)],
      yields: "",
    },
    {
      when: "the one resource that is gone was edited, created and deleted",
      change: deleted,
      gone: [shop],
      entries: [
        wrote(alice, "PUT", `${policies}/${shop}`, off),
        wrote(alice, "POST", policies, off, shop),
        wrote(bob, "DELETE", `${policies}/${shop}`),
        wrote(alice, "DELETE", `${policies}/${other}`),
      ],
      yields: "bob@example.com (action)",
    },
    {
      when: "two resources are gone, and the log knows one",
      change: deleted,
      gone: [shop, other],
      entries: [wrote(bob, "DELETE", `${policies}/${shop}`)],
      yields: "possibly bob@example.com (action)",
    },
    {
      when: "a resource is gone, and which is not known",
      change: deleted,
      entries: [wrote(bob, "DELETE", `${policies}/${other}`)],
      yields: "possibly bob@example.com (action)",
    },
    {
      when: "it is not known what was last applied",
      change: explained(setting, () => ["unknown"]),
      entries: [sets(alice, off)],
      yields: "alice@example.com (value)",
    },
    {
      when: "somebody wrote the value, and another only moved the rule",
      change: rule,
      entries: [
        wrote(alice, "PATCH", `${rules}/${shop}`, owasp),
        wrote(bob, "PATCH", `${rules}/${shop}`, { position: { index: 1 } }),
      ],
      yields: "alice@example.com (overrides.enabled)",
    },
    {
      when: "somebody wrote the value, and another a rule of another action",
      change: rule,
      entries: [
        wrote(alice, "PATCH", `${rules}/${shop}`, owasp),
        wrote(bob, "PATCH", `${rules}/${shop}`, blocking),
      ],
      yields: "",
    },
    {
      when: "somebody made of the rule one of another action",
      change: explained(
        {
          ...rule,
          fields: [{ field: "deploy", before: undefined, after: "owasp" }],
        },
        () => ["drift"],
      ),
      entries: [
        wrote(alice, "PATCH", `${rules}/${shop}`, owasp),
        wrote(bob, "PATCH", `${rules}/${shop}`, blocking),
      ],
      yields: "bob@example.com (deploy)",
    },
    {
      when: "a rule is in another place, and another rule was written",
      change: moved,
      entries: [wrote(alice, "PATCH", `${rules}/${other}`, owasp)],
      yields: "possibly alice@example.com (position)",
    },
    {
      when: "a rule is in another place, and all rules were replaced",
      change: moved,
      entries: [wrote(alice, "PUT", list, { rules: [{ id: shop, ...owasp }] })],
      yields: "possibly alice@example.com (position)",
    },
    {
      when: "a rule is in another place, and another rule was deleted",
      change: moved,
      entries: [wrote(alice, "DELETE", `${rules}/${other}`)],
      yields: "",
    },
    {
      when: "one entry created such a rule, and it is not known since when",
      change: createdRule,
      isSinceDeclared: false,
      entries: [wrote(alice, "POST", rules, owasp)],
      yields: `possibly alice@example.com (${ruleFields})`,
    },
    {
      when: "nobody created the rule, and somebody replaced all rules",
      change: createdRule,
      entries: [wrote(alice, "PUT", list, { rules: [owasp] })],
      yields: `possibly alice@example.com (${ruleFields})`,
    },
    {
      when: "two resources are gone, and one person deleted both",
      change: deleted,
      gone: [shop, other],
      entries: [shop, other].map((id) => wrote(bob, "DELETE", `${policies}/${id}`)),
      yields: "bob@example.com (action)",
    },
    {
      when: "a resource is gone, which is not known, and others were edited and created",
      change: deleted,
      entries: [
        wrote(alice, "PUT", `${policies}/${shop}`, off),
        wrote(alice, "POST", policies, off, shop),
      ],
      yields: "",
    },
    {
      when: "none of what was known is gone, and another one was deleted",
      change: deleted,
      gone: [],
      entries: [wrote(alice, "DELETE", `${policies}/${other}`)],
      yields: "",
    },
    {
      when: "a resource was created, and deleted before",
      change: created,
      entries: [wrote(alice, "DELETE", `${policies}/${shop}`)],
      yields: "",
    },
    {
      when: "zonewarden created a resource",
      change: created,
      entries: [wrote("ours", "POST", policies, {}, shop)],
      yields: "",
    },
    {
      when: "zonewarden deleted the one resource that is gone",
      change: deleted,
      gone: [shop],
      entries: [wrote("ours", "DELETE", `${policies}/${shop}`)],
      yields: "",
    },
    {
      when: "two resources are gone, and two persons deleted them",
      change: deleted,
      gone: [shop, other],
      entries: [
        wrote(alice, "DELETE", `${policies}/${shop}`),
        wrote(bob, "DELETE", `${policies}/${other}`),
      ],
      yields: "possibly alice@example.com (action), possibly bob@example.com (action)",
    },
  ])("when $when", ({ change, yields, ...known }, { expect }) => {
    expect(namedFor(change, known)).toBe(yields);
  });
});

describe("who changed a custom ruleset", () => {
  const [payments, executor] = [idOf(30), idOf(31)];
  const ref = "zonewarden:custom_ruleset/payments";
  const executors = [executor, ref];
  const ruleset = `${zone}/rulesets/${payments}`;
  const custom = `${zone}/rulesets/phases/http_request_firewall_custom/entrypoint`;
  const mine = { description: "Mine [zonewarden:payments]" };
  const executes = {
    action: "execute",
    action_parameters: { id: payments },
    expression: "ssl",
    enabled: true,
    description: "Mine",
  };
  const { title, effect, causes } = rule;
  const key = "custom_ruleset/payments";
  const base = { kind: "custom_ruleset", key, title, effect, causes } as const;
  const ofFields = (...fields: readonly FieldChange[]): Change => {
    const change = { ...base, verb: "update", id: payments, adopted: false, fields } as const;
    return explained(change, () => ["drift"]);
  };
  const described = ofFields({ field: "description", before: "Mine", after: "Payments" });
  const narrowed = ofFields({ field: "expression", before: "ssl", after: "true" });
  const stopped = ofFields({ field: "enabled", before: undefined, after: true });
  const remade = explained({ ...base, verb: "create", fields: deletedRule.fields }, () => [
    "drift",
  ]);
  const { fields } = createdRule;
  const added = explained(
    { ...base, verb: "delete", id: payments, reason: "unmanaged", fields },
    () => ["drift"],
  );

  it.for<Known & { readonly change: Change }>([
    {
      when: "somebody wrote its description",
      change: described,
      entries: [wrote(alice, "PUT", ruleset, mine)],
      yields: "alice@example.com (description)",
    },
    {
      when: "somebody wrote its rules with its description, and another only its rules",
      change: described,
      entries: [
        wrote(alice, "PUT", ruleset, { ...mine, rules: [] }),
        wrote(bob, "PUT", ruleset, { rules: [] }),
      ],
      yields: "alice@example.com (description)",
    },
    {
      when: "somebody wrote another description",
      change: described,
      entries: [
        wrote(alice, "PUT", ruleset, mine),
        wrote(bob, "PUT", ruleset, { description: "" }),
      ],
      yields: "",
    },
    {
      when: "somebody replaced it, and the entry does not say by what",
      change: described,
      entries: [wrote(bob, "PUT", ruleset)],
      yields: "possibly bob@example.com (description)",
    },
    {
      when: "the description of another ruleset, of a rule in it, and of its execute rule was written",
      change: described,
      entries: [
        wrote(alice, "PUT", list, mine),
        wrote(alice, "PATCH", `${ruleset}/rules/${shop}`, { ...blocking, description: "Mine" }),
        wrote(bob, "PATCH", `${rules}/${executor}`, executes),
      ],
      yields: "",
    },
    {
      when: "somebody changed its execute rule",
      change: narrowed,
      entries: [wrote(alice, "PATCH", `${rules}/${executor}`, executes)],
      yields: "alice@example.com (expression)",
    },
    {
      when: "all rules of the entry point were replaced, and the execute rule is named by its ref",
      change: narrowed,
      entries: [wrote("terraform", "PUT", custom, { rules: [{ ...executes, ref }] })],
      yields: "terraform (expression)",
    },
    {
      when: "all rules of the entry point were replaced, and no execute rule is named",
      change: narrowed,
      entries: [wrote("terraform", "PUT", custom, { rules: [executes] })],
      yields: "possibly terraform (expression)",
    },
    {
      when: "others changed another rule, the rules in it, and its description",
      change: narrowed,
      entries: [
        wrote(bob, "PATCH", `${rules}/${other}`, executes),
        wrote(alice, "PUT", ruleset, { ...mine, rules: [executes] }),
        wrote(alice, "PUT", ruleset, mine),
      ],
      yields: "",
    },
    {
      when: "its execute rule was moved, and a rule in it",
      change: ofFields({ field: "position", before: 2, after: 1 }),
      entries: [
        wrote(alice, "PATCH", `${rules}/${executor}`, { position: { index: 2 } }),
        wrote(bob, "PATCH", `${ruleset}/rules/${shop}`, { position: { index: 1 } }),
      ],
      yields: "possibly alice@example.com (position)",
    },
    {
      when: "its key was written with its description",
      change: ofFields({ field: "key", before: "pay", after: "payments" }),
      entries: [wrote(alice, "PUT", ruleset, { description: "Mine [zonewarden:pay]" })],
      yields: "alice@example.com (key)",
    },
    {
      when: "the execute rule was changed, and then deleted: that of what was found is missing",
      change: narrowed,
      entries: [
        wrote(alice, "PATCH", `${rules}/${executor}`, executes),
        wrote(bob, "DELETE", `${rules}/${executor}`),
      ],
      yields: "",
    },
    {
      when: "somebody deleted its execute rule, and another person another rule",
      change: stopped,
      entries: [
        wrote(alice, "DELETE", `${rules}/${executor}`),
        wrote(bob, "DELETE", `${rules}/${other}`),
      ],
      yields: "alice@example.com (enabled)",
    },
    {
      when: "somebody deleted its execute rule and the ruleset",
      change: remade,
      gone: [executor, payments],
      entries: [wrote(bob, "DELETE", `${rules}/${executor}`), wrote(bob, "DELETE", ruleset)],
      yields: "bob@example.com (enabled)",
    },
    {
      when: "somebody deleted the ruleset, and who deleted its execute rule is not known",
      change: remade,
      gone: [executor, payments],
      entries: [wrote(bob, "DELETE", ruleset), wrote(alice, "PUT", custom, { rules: [] })],
      yields: "possibly bob@example.com (enabled)",
    },
    {
      when: "somebody deleted a ruleset, another person a rule, and what is gone is not known",
      change: remade,
      entries: [wrote(alice, "DELETE", `${rules}/${other}`), wrote(bob, "DELETE", list)],
      yields: "possibly bob@example.com (enabled)",
    },
    {
      when: "somebody created it",
      change: added,
      entries: [
        wrote(
          alice,
          "POST",
          `${zone}/rulesets`,
          { kind: "custom", phase: "http_request_firewall_custom", ...mine },
          payments,
        ),
        wrote(bob, "PUT", ruleset, mine),
      ],
      yields: `alice@example.com (${ruleFields})`,
    },
    {
      when: "nobody created it, and somebody wrote its description",
      change: added,
      entries: [wrote(bob, "PUT", ruleset, mine), wrote(alice, "PUT", custom, { rules: [] })],
      yields: `possibly bob@example.com (${ruleFields})`,
    },
  ])("when $when", ({ change, yields, ...known }, { expect }) => {
    expect(namedFor(change, { ...known, executors })).toBe(yields);
  });
});

describe("who wrote a text with a mark at its end", () => {
  const marked = "Theirs [team-b:shop]";

  it("is found by the description without the mark", ({ expect }) => {
    const change = driftOf(policy, "description", marked);
    const path = `${policies}/${shop}`;
    const writes = (description: string) => [wrote(alice, "PUT", path, { description })];
    expect(namedFor(change, { entries: writes(marked) })).toBe(`${alice} (description)`);
    expect(namedFor(change, { entries: writes("Ours") })).toBe("");
  });

  it("is found by the whole text in any other field, and in a rule", ({ expect }) => {
    const value = "script-src 'self' [team-b:shop]";
    const valueChange = driftOf(policy, "value", value);
    const path = `${policies}/${shop}`;
    expect(namedFor(valueChange, { entries: [wrote(bob, "PUT", path, { value })] })).toBe(
      `${bob} (value)`,
    );
    const ruleChange = driftOf(rule, "description", marked);
    const body = { action: "block", expression: "true", enabled: true };
    const writesRule = (description: string): AuditEntry =>
      wrote(bob, "PATCH", `${rules}/${shop}`, { ...body, description });
    expect(namedFor(ruleChange, { entries: [writesRule(marked)] })).toBe(`${bob} (description)`);
    expect(namedFor(ruleChange, { entries: [writesRule("Theirs")] })).toBe("");
  });
});
