import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { Policy, ResourceKey, Rule } from "../../zone/resource.ts";
import type { Fields } from "../change.ts";
import { policyFields } from "../policies/policy-match.ts";
import { comparable, ruleFields, targetOf } from "../rules/rule-fields.ts";
import { type AppliedFields, digestOfValue, noValue } from "./applied-zone.ts";

/** A declared resource with the digests of its values. */
export interface DeclaredResource {
  readonly key: ResourceKey;
  /** The key that it had, where the file names one. */
  readonly was: ResourceKey | undefined;
  readonly fields: AppliedFields;
}

/** The declared resources of a zone; rules in their declared order. */
export function declaredResources(
  { settings, policies, rules }: ZoneContent,
  scoreRuleId: string,
): readonly DeclaredResource[] {
  return [
    ...settings.map(({ name, value }) => ({
      key: `setting/${name}` as const,
      was: undefined,
      fields: digestsOf({ value }),
    })),
    ...(policies?.items ?? []).map((policy) => ({
      ...keysOf("policy", policy),
      fields: digestsOf(policyFields(policy, policy.description)),
    })),
    ...(rules?.items ?? []).map((rule) => ({
      ...keysOf("rule", rule),
      fields: digestsOf(ruleFields(comparable(targetOf(rule, scoreRuleId), scoreRuleId))),
    })),
  ];
}

function keysOf(
  kind: "policy" | "rule",
  { key, was }: Policy | Rule,
): Pick<DeclaredResource, "key" | "was"> {
  return { key: `${kind}/${key}`, was: was === undefined ? undefined : `${kind}/${was}` };
}

function digestsOf(fields: Fields): AppliedFields {
  const digests = Object.entries(fields).map(
    ([field, value]) => [field, digestOfValue(value)] as const,
  );
  return new Map(digests.filter(([, digest]) => digest !== noValue));
}
