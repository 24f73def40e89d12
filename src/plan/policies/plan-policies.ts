import type { JsonObject } from "../../syntax/json.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import { type Mark, marked, unmarked } from "../../zone/mark.ts";
import { behaviorOf, type Policy } from "../../zone/resource.ts";
import type { Write } from "../../zone/write.ts";
import { type Delete, type Effect, neutral, weakens } from "../change.ts";
import { type Ownership, withMark } from "../ownership.ts";
import { stepOfPolicy } from "../promoted-step.ts";
import { type ToPrune, prunableAmong } from "../prunable.ts";
import { emptyPlan, type KindPlan, type Unmanaged } from "../write-order.ts";
import { countedEffectOfPolicy, effectOfPolicy } from "./policy-effect.ts";
import { policyForm } from "./policy-form.ts";
import { differingPolicyFields, type PolicyMatch, matchPolicies } from "./policy-match.ts";
import { type PolicyWrite, orderPolicyWrites } from "./policy-order.ts";
import { twinNotes } from "./unowned-twins.ts";

/**
 * Plans the policies of a zone: one write per policy, each with a complete body (SERVICE.md A.6). A write adds our mark; to
 * a policy that is as declared, only where the plan takes ownership.
 */
export function planPolicies(
  declared: Declared<Policy>,
  live: readonly LivePolicy[],
  owner: string,
  ownership: Ownership,
): KindPlan {
  const matches = matchPolicies(declared.items, live, owner);
  const matched = new Set(matches.map((match) => match.live));
  const unmatched = live.filter((policy) => !matched.has(policy));
  const planned = { ...declared, items: matches.map(({ policy }) => policy) };
  const { toPrune, unmanaged } = prunableAmong(unmatched, planned, owner, markOf);
  const changed = matches.flatMap((match) => writeFor(match, owner, ownership));
  const { writes, holds } = orderPolicyWrites([
    ...changed,
    ...toPrune.map((each) => deleteOf(each, owner)),
  ]);
  // A policy that the plan changes is ours afterwards.
  const ours = new Set(changed.map(({ after }) => after));
  const found = matches.flatMap(({ policy, live: is }) =>
    is === undefined ? [] : [{ policy, is, key: `policy/${policy.key}` as const }],
  );
  return {
    ...emptyPlan,
    writes,
    holds,
    unmanaged: unmanaged.map(unmanagedOf),
    notes: declared.unmanaged === "delete" ? [] : twinNotes(matches, unmatched),
    compared: declared.items.length + toPrune.length,
    unowned: found
      .filter(({ policy, is }) => markOf(is).owner !== owner && !ours.has(policy))
      .map(({ policy, is, key }) => {
        return { kind: "policy", key, id: is.id, ref: "", title: policy.description };
      }),
    liveKeys: new Map(found.map(({ is, key }) => [is.id, key])),
    policyForms: new Map(found.map(({ is, key }) => [key, policyForm(is)])),
    steps: new Map(
      matches.flatMap(({ policy, live: is }) => {
        const step = stepOfPolicy(policy, is);
        return step === undefined ? [] : [[`policy/${policy.key}` as const, step]];
      }),
    ),
  };
}

function markOf({ description }: LivePolicy): Mark {
  return unmarked(description);
}

function writeFor(
  { policy, live }: PolicyMatch,
  owner: string,
  ownership: Ownership,
): readonly PolicyWrite[] {
  const key = `policy/${policy.key}` as const;
  const differing = differingPolicyFields(live, policy, owner);
  const fields =
    live === undefined
      ? differing
      : withMark(differing, markOf(live), policy.key, owner, ownership);
  if (fields.length === 0) return [];
  const shared = {
    kind: "policy",
    key,
    title: policy.description,
    fields,
    effect: effectOfPolicy(live, policy),
    counted: live && countedEffectOfPolicy(live, policy),
    causes: [],
  } as const;
  const body: JsonObject = {
    ...live?.rest,
    description: marked(policy.description, owner, policy.key),
    ...behaviorOf(policy),
  };
  const sides = { before: live, after: policy, twin: undefined };
  if (live === undefined) {
    const write: Write = { call: "create-policy", body, changes: [key] };
    return [{ ...sides, changes: [{ verb: "create", ...shared }], write }];
  }
  const { id } = live;
  const adopted = markOf(live).owner !== owner;
  const write: Write = { call: "update-policy", id, body, changes: [key] };
  return [{ ...sides, changes: [{ verb: "update", ...shared, id, adopted }], write }];
}

function deleteOf(
  { live, key, reason, stays }: ToPrune<LivePolicy, Policy>,
  owner: string,
): PolicyWrite {
  const change: Delete = {
    verb: "delete",
    kind: "policy",
    key: `policy/${key}`,
    title: unmarked(live.description).description,
    id: live.id,
    reason,
    fields: differingPolicyFields(live, undefined, owner),
    effect: stays === undefined ? effectOfPolicy(live, undefined) : effectOfDuplicate(live, stays),
    // What is not declared was never counted.
    counted: reason === "undeclared" ? countedEffectOfPolicy(live, undefined) : undefined,
    causes: [],
  };
  return {
    before: live,
    after: undefined,
    changes: [change],
    write: { call: "delete-policy", id: live.id, changes: [change.key] },
    twin: stays && `policy/${stays.key}`,
  };
}

/** All policies apply together (SERVICE.md A.7): deleting a duplicate weakens only what the one that stays does not demand. */
function effectOfDuplicate(duplicate: LivePolicy, stays: Policy): Effect {
  const { direction } = effectOfPolicy(duplicate, stays);
  return direction === "neutral" || direction === "strengthens"
    ? neutral
    : weakens("the duplicate demands more than the policy that stays");
}

function unmanagedOf({ id, description }: LivePolicy): Unmanaged {
  return { kind: "policy", id, title: description };
}
