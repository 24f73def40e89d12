import { byText } from "../../syntax/by-text.ts";
import type { LivePolicy, LiveZone } from "../../zone/live-zone.ts";
import { type MarkedDescription, unmarked } from "../../zone/mark.ts";
import { behaviorOf, type Policy, policyActions } from "../../zone/resource.ts";
import { type Candidates, Keys, candidatesOf } from "./candidate.ts";

/** The live policies as candidates for a declaration; their order in the list has no effect. */
export function policyCandidates(
  { zone, policies: live = [] }: Pick<LiveZone, "zone" | "policies">,
  owner: string,
): Candidates<Policy> {
  const policies = live
    .map((policy) => ({ policy, mark: unmarked(policy.description) }))
    .toSorted(byText(({ policy }) => sortText(policy)));
  const ours = policies.filter(({ mark }) => mark.owner === owner);
  const keys = new Keys(
    ours.flatMap(({ mark }) => mark.key ?? []),
    zone.name,
  );
  const { candidates, leftOut } = candidatesOf("policy", policies, ({ policy, mark }) => {
    const { id, description: title, rest } = policy;
    const declaration = declarationOf(policy, mark, owner, keys);
    return typeof declaration === "string"
      ? { id, title, reason: declaration }
      : { id, title, options: [declaration], unknown: Object.keys(rest).toSorted() };
  });
  return {
    candidates: candidates.toSorted(byText(({ options }) => options[0]?.key ?? "")),
    leftOut,
  };
}

/** The declaration of a policy, or the reason why there is none. */
function declarationOf(
  policy: LivePolicy,
  { owner: marker, key: markedKey, description }: MarkedDescription,
  owner: string,
  keys: Keys,
): Policy | string {
  if (marker !== undefined && marker !== owner) return `belongs to ${marker}`;
  const action = policyActions.find((each) => each === policy.action);
  if (action === undefined) return `has the action "${policy.action}", which files do not support`;
  if (markedKey === undefined && description === "") {
    return "has no description to identify it by: add one";
  }
  const key =
    markedKey === undefined
      ? keys.keyFor([description, hostIn(policy.expression)], "policy")
      : keys.claim(markedKey);
  if (key === undefined) return "bears the same mark as another policy of the zone";
  return {
    key,
    was: undefined,
    description,
    ...behaviorOf(policy),
    action,
    acknowledge: [],
    promotion: undefined,
  };
}

/** The first text with which an expression compares the host; "" if there is none. */
function hostIn(expression: string): string {
  return /\bhttp\.host\b[^"]*"([^"]*)"/.exec(expression)?.[1] ?? "";
}

function sortText({ description, expression, action, value, id }: LivePolicy): string {
  return [description, expression, action, value, id].join("\n");
}
