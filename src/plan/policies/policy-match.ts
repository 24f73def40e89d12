import { byText } from "../../syntax/by-text.ts";
import { type Json, coerceText } from "../../syntax/json.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import type { Policy } from "../../zone/resource.ts";
import { type FieldChange, type Fields, differingFields } from "../change.ts";

/** A declared policy and the live one that is it, if there is one. */
export interface DesiredPolicy {
  readonly policy: Policy;
  readonly live: LivePolicy | undefined;
}

/**
 * Finds for each declared policy the live one: by our mark, by the mark under its former key, and last, for what
 * nobody has marked, by its description, since a policy has no name (SERVICE.md A.6). Of several the one that is as
 * declared is taken, else the first listed.
 *
 * Goes by key, so that the order of a file decides nothing.
 */
export function matchPolicies(
  declared: readonly Policy[],
  live: readonly LivePolicy[],
  owner: string,
): readonly DesiredPolicy[] {
  const byKey = Map.groupBy(live, ({ description }) => {
    const mark = unmarked(description);
    return mark.owner === owner ? mark.key : undefined;
  });
  const byDescription = Map.groupBy(live.filter(isUnmarked), ({ description }) => description);
  const keys = new Set(declared.map(({ key }) => key));
  const formerKey = ({ was }: Policy) => (was === undefined || keys.has(was) ? undefined : was);
  const waysToKnow: readonly ((policy: Policy) => readonly LivePolicy[] | undefined)[] = [
    ({ key }) => byKey.get(key),
    (policy) => byKey.get(formerKey(policy) ?? policy.key),
    ({ description }) => (description === "" ? undefined : byDescription.get(description)),
  ];

  const policies = declared.toSorted(byText(({ key }) => key));
  const found = new Map<Policy, LivePolicy>();
  const taken = new Set<LivePolicy>();
  const isOpen = (each: LivePolicy) => !taken.has(each);
  for (const candidates of waysToKnow) {
    for (const isGoodEnough of [isAsDeclared, () => true]) {
      for (const policy of policies) {
        if (found.has(policy)) continue;
        const best = candidates(policy)?.find(
          (each) => isOpen(each) && isGoodEnough(policy, each, owner),
        );
        if (best === undefined) continue;
        found.set(policy, best);
        taken.add(best);
      }
    }
  }
  return policies.map((policy) => ({ policy, live: found.get(policy) }));
}

function isUnmarked({ description }: LivePolicy): boolean {
  return unmarked(description).owner === undefined;
}

function isAsDeclared(policy: Policy, live: LivePolicy, owner: string): boolean {
  return differingPolicyFields(live, policy, owner).length === 0;
}

/** Live policies that carry the mark which stands in a description. */
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

/** The fields in which a live policy differs from the declared one; a side that is not there has none. */
export function differingPolicyFields(
  before: LivePolicy | undefined,
  after: Policy | undefined,
  owner: string,
): readonly FieldChange[] {
  return differingFields(
    before === undefined ? {} : fieldsOf(before, wordsOf(before, owner)),
    after === undefined ? {} : fieldsOf(after, after.description),
  );
}

function fieldsOf(
  { action, expression, enabled, value }: LivePolicy | Policy,
  description: string,
): Fields {
  return { description, action, expression, enabled, value };
}

/** The description without a mark of ours; a mark of another owner is part of the words. */
function wordsOf({ description }: LivePolicy, owner: string): string {
  const mark = unmarked(description);
  return mark.owner === owner ? mark.description : description;
}
