import { describe, it } from "vitest";

import { authorsOf } from "../../src/audit/find-authors.ts";
import { explained } from "../../src/plan/cause/cause.ts";
import type { Change } from "../../src/plan/change.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import { idOf } from "../support/audit-entries.ts";
import {
  createdRule,
  deleted,
  other,
  owasp,
  policies,
  rule,
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

/** A rule that somebody moved. */
const moved = explained({ ...rule, fields: [{ field: "position", before: 2, after: 1 }] }, () => [
  "drift",
]);

/** Entries of one moment, in this order. */
function atOnce(...entries: readonly AuditEntry[]): readonly AuditEntry[] {
  return entries.map((entry) => ({ ...entry, at: new Date("2026-11-20T12:00:00Z") }));
}

describe("who may have made drift", () => {
  it.for<{
    readonly when: string;
    readonly change: Change;
    readonly entries: readonly AuditEntry[];
    readonly gone?: readonly string[];
    /** Whether it is known since when the resource is not as declared. */
    readonly isSince?: boolean;
    readonly yields: readonly string[];
  }>([
    {
      when: "it is not known what was last applied",
      change: explained(setting, () => ["unknown"]),
      entries: [wrote(alice, "PUT", settings, off)],
      yields: [alice],
    },
    {
      when: "four wrote the value: the last three are named",
      change: setting,
      entries: ["one", "two", "three", "four"].map((who) => wrote(who, "PUT", settings, off)),
      yields: ["possibly two", "possibly three", "possibly four"],
    },
    {
      when: "the first of four wrote the value again: the last three are named",
      change: setting,
      entries: ["one", "two", "three", "one", "four", "one"].map((who) =>
        wrote(who, "PUT", settings, off),
      ),
      yields: ["possibly three", "possibly four", "possibly one"],
    },
    {
      when: "a policy was written with the value of the setting",
      change: setting,
      entries: [wrote(alice, "PUT", `${policies}/${shop}`, off)],
      yields: [],
    },
    {
      when: "an entry is about no resource of ours",
      change: setting,
      entries: [wrote(alice, "PATCH", `${zone}/settings/ssl`, off)],
      yields: [],
    },
    {
      when: "zonewarden wrote since, and its entry does not say what",
      change: setting,
      entries: [wrote(alice, "PUT", settings, off), wrote("ours", "PUT", settings)],
      yields: [],
    },
    {
      when: "the value was written in the moment of another value",
      change: setting,
      entries: atOnce(
        wrote(bob, "PUT", settings, { enabled: true }),
        wrote(alice, "PUT", settings, off),
      ),
      yields: [`possibly ${alice}`],
    },
    {
      when: "the value was written in the moment of another value, and once more",
      change: setting,
      entries: [
        ...atOnce(
          wrote(bob, "PUT", settings, { enabled: true }),
          wrote(alice, "PUT", settings, off),
        ),
        wrote(alice, "PUT", settings, off),
      ],
      yields: [`possibly ${alice}`],
    },
    {
      when: "somebody wrote the value, and another only moved the rule",
      change: rule,
      entries: [
        wrote(alice, "PATCH", `${rules}/${shop}`, owasp),
        wrote(bob, "PATCH", `${rules}/${shop}`, { position: { index: 1 } }),
      ],
      yields: [alice],
    },
    {
      when: "somebody wrote the value, and another a rule of another action",
      change: rule,
      entries: [
        wrote(alice, "PATCH", `${rules}/${shop}`, owasp),
        wrote(bob, "PATCH", `${rules}/${shop}`, blocking),
      ],
      yields: [],
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
      yields: [bob],
    },
    {
      when: "a rule is in another place, and another rule was written",
      change: moved,
      entries: [wrote(alice, "PATCH", `${rules}/${other}`, owasp)],
      yields: [`possibly ${alice}`],
    },
    {
      when: "a rule is in another place, and all rules were replaced",
      change: moved,
      entries: [wrote(alice, "PUT", list, { rules: [{ id: shop, ...owasp }] })],
      yields: [`possibly ${alice}`],
    },
    {
      when: "a rule is in another place, and another rule was deleted",
      change: moved,
      entries: [wrote(alice, "DELETE", `${rules}/${other}`)],
      yields: [],
    },
    {
      when: "one entry created such a rule, and it is not known since when",
      change: createdRule,
      isSince: false,
      entries: [wrote(alice, "POST", rules, owasp)],
      yields: [`possibly ${alice}`],
    },
    {
      when: "nobody created the rule, and somebody replaced all rules",
      change: createdRule,
      entries: [wrote(alice, "PUT", list, { rules: [owasp] })],
      yields: [`possibly ${alice}`],
    },
    {
      when: "two resources are gone, and one person deleted both",
      change: deleted,
      gone: [shop, other],
      entries: [shop, other].map((id) => wrote(bob, "DELETE", `${policies}/${id}`)),
      yields: [bob],
    },
    {
      when: "two resources are gone, and two persons deleted them",
      change: deleted,
      gone: [shop, other],
      entries: [
        wrote(alice, "DELETE", `${policies}/${shop}`),
        wrote(bob, "DELETE", `${policies}/${other}`),
      ],
      yields: [`possibly ${alice}`, `possibly ${bob}`],
    },
  ])("when $when", ({ change, entries, gone, isSince = true, yields }, { expect }) => {
    const known = {
      entries,
      isSinceDeclared: isSince,
      isOwn: ({ actor }: AuditEntry) => actor.tokenName === "ours",
      gone: gone && (() => gone),
    };
    const found = authorsOf(change, known, "full").map(
      ({ name, isCertain }) => `${isCertain ? "" : "possibly "}${name}`,
    );
    expect(found).toEqual(yields);
  });
});
