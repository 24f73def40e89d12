import { ruleOf } from "../../src/api/read/parse-entrypoint.ts";
import { policyOf } from "../../src/api/read/parse-page-shield.ts";
import { explained } from "../../src/plan/cause/cause.ts";
import { type Change, neutral } from "../../src/plan/change.ts";
import { differingPolicyFields } from "../../src/plan/policies/policy-match.ts";
import { comparable, differingRuleFields } from "../../src/plan/rules/rule-fields.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import { documentedScoreRuleId, managedRulesets } from "../../src/zone/managed-ruleset.ts";
import { idOf, writeEntry } from "./audit-entries.ts";

export const zone = `/zones/${idOf(1)}`;
export const [shop, other] = [idOf(11), idOf(12)];
export const policies = `${zone}/page_shield/policies`;
/** Id of the entry point with the rules. */
export const list = idOf(20);
export const rules = `${zone}/rulesets/${list}/rules`;
let count = 0;

/** An entry of a request; each is a second after the one before. */
export function wrote(
  who: string,
  method: string,
  path: string,
  body?: JsonObject,
  resourceId = "",
): AuditEntry {
  count += 1;
  const at = new Date(Date.parse("2026-11-20T12:00:00Z") + count * 1_000);
  return writeEntry({ who, at, id: `entry-${count}`, method, path, resourceId, body });
}

function update(kind: Change["kind"], name: string, id: string, fields: Change["fields"]): Change {
  const change = { ...shared(kind, name, fields), verb: "update", id, adopted: false } as const;
  return explained(change, () => ["drift"]);
}

function shared(kind: Change["kind"], name: string, fields: Change["fields"]) {
  const key = `${kind}/${name}` as const;
  return { kind, key, title: "", effect: neutral, causes: [], fields };
}

export const setting = update("setting", "enabled", "enabled", [
  { field: "value", before: false, after: true },
]);

const live = {
  id: shop,
  description: "Shop [zonewarden:shop]",
  action: "log",
  expression: "true",
  enabled: false,
  value: "script-src 'self'",
};
export const policy = update("policy", "shop", shop, [
  { field: "action", before: "log", after: "allow" },
  { field: "enabled", before: false, after: true },
]);

export const owasp = {
  action: "execute",
  action_parameters: { id: managedRulesets.owasp, overrides: { enabled: false } },
  expression: "true",
  enabled: true,
  description: "OWASP",
} as const;
export const declared = { ...owasp, action_parameters: { id: managedRulesets.owasp } } as const;
const [liveRule, declaredRule] = [owasp, declared].map((wire) =>
  comparable(ruleOf({ id: shop, ...wire }), documentedScoreRuleId),
);
export const rule = update(
  "managed_rule",
  "owasp",
  shop,
  differingRuleFields(liveRule, declaredRule),
);

export const created = explained(
  {
    ...shared("policy", "shop", differingPolicyFields(policyOf(live), undefined, "zonewarden")),
    verb: "delete",
    id: shop,
    reason: "unmanaged",
  },
  () => ["drift"],
);
export const deleted = explained(
  {
    ...shared("policy", "shop", [{ field: "action", before: undefined, after: "log" }]),
    verb: "create",
  },
  () => ["drift"],
);

export const createdRule = explained(
  {
    ...shared("managed_rule", "owasp", differingRuleFields(liveRule, undefined)),
    verb: "delete",
    id: shop,
    reason: "unmanaged",
  },
  () => ["drift"],
);
export const deletedRule = explained(
  {
    ...shared("managed_rule", "owasp", [{ field: "enabled", before: undefined, after: true }]),
    verb: "create",
  },
  () => ["drift"],
);
export const ruleFields = createdRule.fields.map(({ field }) => field).join(" ");
