import { byText } from "../../syntax/by-text.ts";
import { type Json, coerceText } from "../../syntax/json.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import type { Policy } from "../../zone/resource.ts";
import { type FieldChange, type Fields, differingFields } from "../change.ts";
import { plannedPolicy } from "../promoted-step.ts";

/** A declared policy and the live policy that it matches, if any. */
export interface PolicyMatch {
  /** At the step at which it is planned. */
  readonly policy: Policy;
  readonly live: LivePolicy | undefined;
}

/**
 * Matches each declared policy with a live one: by our mark, by the mark with its former key, and last, if it has no
 * mark, by its description, since a policy has no name (SERVICE.md A.6). Of several candidates the one that is as
 * declared wins, else the first listed.
 *
 * The result is sorted by key, so that the order in a file has no effect.
 */
export function matchPolicies(
  declared: readonly Policy[],
  live: readonly LivePolicy[],
  owner: string,
): readonly PolicyMatch[] {
  const byKey = Map.groupBy(live, ({ description }) => {
    const mark = unmarked(description);
    return mark.owner === owner ? mark.key : undefined;
  });
  const byDescription = Map.groupBy(live.filter(isUnmarked), ({ description }) => description);
  const keys = new Set(declared.map(({ key }) => key));
  const formerKey = ({ was }: Policy) => (was === undefined || keys.has(was) ? undefined : was);
  const candidatesBy: readonly ((policy: Policy) => readonly LivePolicy[] | undefined)[] = [
    ({ key }) => byKey.get(key),
    (policy) => byKey.get(formerKey(policy) ?? policy.key),
    ({ description }) => (description === "" ? undefined : byDescription.get(description)),
  ];

  const policies = declared.toSorted(byText(({ key }) => key));
  const found = new Map<Policy, LivePolicy>();
  const taken = new Set<LivePolicy>();
  const isFree = (each: LivePolicy) => !taken.has(each);
  for (const candidates of candidatesBy) {
    for (const isEligible of [isAsDeclared, () => true]) {
      for (const policy of policies) {
        if (found.has(policy)) continue;
        const best = candidates(policy)?.find(
          (each) => isFree(each) && isEligible(policy, each, owner),
        );
        if (best === undefined) continue;
        found.set(policy, best);
        taken.add(best);
      }
    }
  }
  return policies.map((policy) => {
    const match = found.get(policy);
    return { policy: plannedPolicy(policy, match), live: match };
  });
}

function isUnmarked({ description }: LivePolicy): boolean {
  return unmarked(description).owner === undefined;
}

function isAsDeclared(policy: Policy, live: LivePolicy, owner: string): boolean {
  return differingPolicyFields(live, plannedPolicy(policy, live), owner).length === 0;
}

/** The live policies with the same mark as a description. */
export function withMarkOf(
  description: Json | undefined,
  live: readonly LivePolicy[],
): readonly LivePolicy[] {
  const wanted = unmarked(coerceText(description));
  return live.filter((each) => {
    const { owner, key } = unmarked(each.description);
    return owner === wanted.owner && key === wanted.key;
  });
}

/** The fields in which a live and a declared policy differ. */
export function differingPolicyFields(
  before: LivePolicy | undefined,
  after: Policy | undefined,
  owner: string,
): readonly FieldChange[] {
  return differingFields(
    before === undefined ? {} : policyFields(before, withoutOurMark(before, owner)),
    after === undefined ? {} : policyFields(after, after.description),
  );
}

/** The fields of a policy that are compared. */
export function policyFields(
  { action, expression, enabled, value }: LivePolicy | Policy,
  description: string,
): Fields {
  return { description, action, expression, enabled, value };
}

/** The description without our mark; the mark of another owner is part of it. */
function withoutOurMark({ description }: LivePolicy, owner: string): string {
  const mark = unmarked(description);
  return mark.owner === owner ? mark.description : description;
}
