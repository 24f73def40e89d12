import { byText } from "../../syntax/by-text.ts";
import { type Json, coerceText } from "../../syntax/json.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import { behaviorOf, type Policy } from "../../zone/resource.ts";
import { type FieldChange, type Fields, differingFields } from "../change.ts";
import { matchByKey } from "../match-by-key.ts";
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
  const unowned = live.filter(({ description }) => unmarked(description).owner === undefined);
  const byDescription = Map.groupBy(unowned, ({ description }) => description);
  const policies = declared.toSorted(byText(({ key }) => key));
  const found = matchByKey(
    policies,
    byKey,
    [({ description }) => (description === "" ? [] : (byDescription.get(description) ?? []))],
    (policy, each) => differingPolicyFields(each, plannedPolicy(policy, each), owner).length === 0,
  );
  return policies.map((policy) => {
    const match = found.get(policy);
    return { policy: plannedPolicy(policy, match), live: match };
  });
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
export function policyFields(policy: LivePolicy | Policy, description: string): Fields {
  return { description, ...behaviorOf(policy) };
}

/** The description without our mark; the mark of another owner is part of it. */
function withoutOurMark({ description }: LivePolicy, owner: string): string {
  const mark = unmarked(description);
  return mark.owner === owner ? mark.description : description;
}
