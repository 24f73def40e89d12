import { describe, it } from "vitest";

import { auditedWriteOf } from "../../src/api/read/parse-audited-write.ts";
import { authorsOf } from "../../src/audit/find-authors.ts";
import { explained } from "../../src/plan/cause/cause.ts";
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

describe("who made drift", () => {
  it.for([
    { when: "nothing is known", change: setting, entries: [], yields: "" },
    {
      when: "one entry wrote the value that was found",
      change: setting,
      entries: [wrote(alice, "PUT", `${zone}/page_shield`, off)],
      yields: "alice@example.com (value)",
    },
    {
      when: "the body is the text of an object",
      change: setting,
      entries: [
        {
          ...wrote(alice, "PUT", `${zone}/page_shield`),
          wrote: auditedWriteOf({
            method: "PUT",
            path: `${zone}/page_shield`,
            resourceId: "",
            body: '{"enabled":"false"}',
          }),
        },
      ],
      yields: "alice@example.com (value)",
    },
    {
      when: "the entry does not say what it wrote",
      change: setting,
      entries: [wrote(alice, "PUT", `${zone}/page_shield`)],
      yields: "possibly alice@example.com (value)",
    },
    {
      when: "an entry wrote another setting",
      change: setting,
      entries: [wrote(alice, "PUT", `${zone}/page_shield`, { use_connection_url_path: true })],
      yields: "",
    },
    {
      when: "one entry wrote the value, and a later one another setting",
      change: setting,
      entries: [
        wrote(alice, "PUT", `${zone}/page_shield`, off),
        wrote(bob, "PUT", `${zone}/page_shield`, { use_connection_url_path: true }),
      ],
      yields: "alice@example.com (value)",
    },
    {
      when: "an entry wrote another value: the one of what was found is missing",
      change: setting,
      entries: [wrote(alice, "PUT", `${zone}/page_shield`, { enabled: true })],
      yields: "",
    },
    {
      when: "the value was restored in between by somebody",
      change: setting,
      entries: [
        wrote(alice, "PUT", `${zone}/page_shield`, off),
        wrote("deploy", "PUT", `${zone}/page_shield`, { enabled: true }),
        wrote(bob, "PUT", `${zone}/page_shield`, off),
      ],
      yields: "bob@example.com (value)",
    },
    {
      when: "it is not known when the value was last as declared",
      change: setting,
      isSinceDeclared: false,
      entries: [wrote(alice, "PUT", `${zone}/page_shield`, off)],
      yields: "possibly alice@example.com (value)",
    },
    {
      when: "the log says that the value was as declared before",
      change: setting,
      isSinceDeclared: false,
      entries: [
        wrote("ours", "PUT", `${zone}/page_shield`, { enabled: true }),
        wrote(alice, "PUT", `${zone}/page_shield`, off),
      ],
      yields: "alice@example.com (value)",
    },
    {
      when: "zonewarden corrected it in between",
      change: setting,
      entries: [
        wrote(alice, "PUT", `${zone}/page_shield`, off),
        wrote("ours", "PUT", `${zone}/page_shield`, { enabled: true }),
      ],
      yields: "",
    },
    {
      when: "two wrote the value that was found",
      change: setting,
      entries: [
        wrote(alice, "PUT", `${zone}/page_shield`, off),
        wrote(bob, "PUT", `${zone}/page_shield`, off),
      ],
      yields: "possibly alice@example.com (value), possibly bob@example.com (value)",
    },
    {
      when: "one of two entries does not say what it wrote",
      change: setting,
      entries: [
        wrote(alice, "PUT", `${zone}/page_shield`, off),
        wrote("deploy", "PUT", `${zone}/page_shield`),
      ],
      yields: "possibly alice@example.com (value), possibly deploy (value)",
    },
    {
      when: "the entry was refused",
      change: setting,
      entries: [{ ...wrote(alice, "PUT", `${zone}/page_shield`, off), isRefused: true }],
      yields: "",
    },
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
      entries: [wrote("terraform", "PUT", `${zone}/rulesets/${idOf(20)}`)],
      yields: "possibly terraform (overrides.enabled)",
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
      yields: "alice@example.com (description action expression enabled value)",
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
      yields: "possibly alice@example.com (description action expression enabled value)",
    },
    {
      when: "a rule is gone, and somebody deleted it or replaced all rules",
      change: deletedRule,
      gone: [shop],
      entries: [
        wrote(bob, "PUT", `${zone}/rulesets/${idOf(20)}`, { rules: [] }),
        wrote(bob, "DELETE", `${rules}/${shop}`),
      ],
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
      when: "the one resource that is gone was deleted",
      change: deleted,
      gone: [shop],
      entries: [
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
  ])("when $when", ({ change, entries, yields, ...rest }, { expect }) => {
    const gone = "gone" in rest ? rest.gone : undefined;
    const known = {
      entries,
      isSinceDeclared: !("isSinceDeclared" in rest),
      isOwn: ({ actor }: AuditEntry) => actor.tokenName === "ours",
      gone: gone && (() => gone),
    };
    const found = authorsOf(change, known, "full").map(
      ({ name, isCertain, fields }) =>
        `${isCertain ? "" : "possibly "}${name} (${fields.join(" ")})`,
    );
    expect(found.join(", ")).toBe(yields);
  });

  it("is told with the first of the requests that wrote the value", ({ expect }) => {
    const entries = [1, 2].map(() => wrote(alice, "PUT", `${zone}/page_shield`, off));
    const known = { entries, isSinceDeclared: true, isOwn: () => false, gone: undefined };
    const [author] = authorsOf(setting, known, "full");
    expect(author).toMatchObject({ at: entries[0]?.at, isCertain: true });
  });
});
