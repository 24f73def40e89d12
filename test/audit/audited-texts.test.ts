import { describe, it } from "vitest";

import { authorsOf } from "../../src/audit/find-authors.ts";
import { explained } from "../../src/plan/cause/cause.ts";
import type { Change, FieldChange } from "../../src/plan/change.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import {
  created,
  deleted,
  other,
  policies,
  policy,
  rule,
  rules,
  shop,
  wrote,
} from "../support/audited-changes.ts";

const [alice, bob] = ["alice@example.com", "bob@example.com"] as const;

/** The update of a policy of which a field drifted to a value. */
function driftOf(change: Change, field: string, before: string): Change {
  const fields: readonly FieldChange[] = [{ field, before, after: "declared" }];
  return explained({ ...change, fields }, () => ["drift"]);
}

function authorsIn(change: Change, entries: readonly AuditEntry[], gone?: readonly string[]) {
  const known = {
    entries,
    isSinceDeclared: true,
    isOwn: ({ actor }: AuditEntry) => actor.tokenName === "ours",
    gone: gone && (() => gone),
  };
  return authorsOf(change, known, "full").map(
    ({ name, isCertain }) => `${isCertain ? "" : "possibly "}${name}`,
  );
}

describe("who wrote a text with a mark at its end", () => {
  const marked = "Theirs [team-b:shop]";

  it("is found by the description without the mark", ({ expect }) => {
    const change = driftOf(policy, "description", marked);
    const path = `${policies}/${shop}`;
    expect(authorsIn(change, [wrote(alice, "PUT", path, { description: marked })])).toEqual([
      alice,
    ]);
    expect(authorsIn(change, [wrote(alice, "PUT", path, { description: "Ours" })])).toEqual([]);
  });

  it("is found by the whole text in any other field, and in a rule", ({ expect }) => {
    const value = "script-src 'self' [team-b:shop]";
    const valueChange = driftOf(policy, "value", value);
    const path = `${policies}/${shop}`;
    expect(authorsIn(valueChange, [wrote(bob, "PUT", path, { value })])).toEqual([bob]);
    const ruleChange = driftOf(rule, "description", marked);
    const body = { action: "block", expression: "true", enabled: true };
    const writesRule = (description: string): AuditEntry =>
      wrote(bob, "PATCH", `${rules}/${shop}`, { ...body, description });
    expect(authorsIn(ruleChange, [writesRule(marked)])).toEqual([bob]);
    expect(authorsIn(ruleChange, [writesRule("Theirs")])).toEqual([]);
  });
});

describe("who deleted or created a resource", () => {
  it("is nobody who only edited or created others of its kind", ({ expect }) => {
    const entries = [
      wrote(alice, "PUT", `${policies}/${shop}`, { enabled: false }),
      wrote(alice, "POST", policies, { enabled: false }, shop),
    ];
    expect(authorsIn(deleted, entries)).toEqual([]);
    expect(authorsIn(deleted, entries, [shop])).toEqual([]);
    const deletes = wrote(bob, "DELETE", `${policies}/${shop}`);
    expect(authorsIn(deleted, [...entries, deletes], [shop])).toEqual([bob]);
  });

  it("is nobody who deleted another one where it is known which are gone", ({ expect }) => {
    const entries = [wrote(alice, "DELETE", `${policies}/${other}`)];
    expect(authorsIn(deleted, entries, [shop])).toEqual([]);
    expect(authorsIn(deleted, entries, [])).toEqual([]);
  });

  it("is nobody who deleted what was to be created", ({ expect }) => {
    expect(authorsIn(created, [wrote(alice, "DELETE", `${policies}/${shop}`)])).toEqual([]);
  });

  it("is not zonewarden itself", ({ expect }) => {
    expect(authorsIn(created, [wrote("ours", "POST", policies, {}, shop)])).toEqual([]);
    expect(authorsIn(deleted, [wrote("ours", "DELETE", `${policies}/${shop}`)], [shop])).toEqual(
      [],
    );
  });
});
