import type { JsonObject } from "../../syntax/json.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import { type Mark, marked, unmarked } from "../../zone/mark.ts";
import { behaviorOf, type Policy } from "../../zone/resource.ts";
import {
  type Delete,
  type Effect,
  type FieldChange,
  type Update,
  neutral,
  weakens,
} from "../change.ts";
import { type Ownership, ownerField, type Unowned } from "../ownership.ts";
import { stepOfPolicy } from "../promoted-step.ts";
import { type ToPrune, prunableAmong } from "../prunable.ts";
import { emptyPlan, type KindPlan, type Unmanaged } from "../write-order.ts";
import { countedEffectOfPolicy, effectOfPolicy } from "./policy-effect.ts";
import { policyForm } from "./policy-form.ts";
import { differingPolicyFields, type PolicyMatch, matchPolicies } from "./policy-match.ts";
import { type PolicyStep, orderPolicySteps } from "./policy-order.ts";
import { twinNotes } from "./unowned-twins.ts";

/**
 * Plans the policies of a zone: one write per policy, each with a complete body (SERVICE.md A.6). A write adds our mark; to
 * a policy that is as declared, only where the plan takes ownership.
 */
export function planPolicies(
  declared: Declared<Policy>,
  live: readonly LivePolicy[],
  owner: string,
  { adopt }: Ownership,
): KindPlan {
  const matches = matchPolicies(declared.items, live, owner);
  const matched = new Set(matches.map((match) => match.live));
  const unmatched = live.filter((policy) => !matched.has(policy));
  const planned = { ...declared, items: matches.map(({ policy }) => policy) };
  const { toPrune, unmanaged } = prunableAmong(unmatched, planned, owner, markOf);
  const { steps, holds } = orderPolicySteps([
    ...matches.flatMap((match) => stepFor(match, owner, adopt)),
    ...toPrune.map((each) => deleteStep(each, owner)),
  ]);
  return {
    ...emptyPlan,
    steps,
    holds,
    unmanaged: unmanaged.map(unmanagedOf),
    notes: declared.unmanaged === "delete" ? [] : twinNotes(matches, unmatched),
    compared: declared.items.length + toPrune.length,
    unowned: matches.flatMap((match) => unownedIn(match, owner, adopt)),
    liveKeys: new Map(
      matches.flatMap(({ policy, live: found }) =>
        found === undefined ? [] : [[found.id, `policy/${policy.key}`] as const],
      ),
    ),
    policyForms: new Map(
      matches.flatMap(({ policy, live: found }) =>
        found === undefined ? [] : [[`policy/${policy.key}` as const, policyForm(found)]],
      ),
    ),
    promoted: new Map(
      matches.flatMap(({ policy, live: found }) => {
        const step = stepOfPolicy(policy, found);
        return step === undefined ? [] : [[`policy/${policy.key}` as const, step]];
      }),
    ),
  };
}

function markOf({ description }: LivePolicy): Mark {
  return unmarked(description);
}

function changedFields(
  { policy, live }: PolicyMatch,
  owner: string,
  adopt: boolean,
): readonly FieldChange[] {
  const fields = [...keyChange(policy, live, owner), ...differingPolicyFields(live, policy, owner)];
  const takes = adopt && fields.length === 0 && live !== undefined && markOf(live).owner !== owner;
  return takes ? [{ field: ownerField, before: undefined, after: owner }] : fields;
}

/** A policy that the plan changes is ours afterwards. */
function unownedIn(match: PolicyMatch, owner: string, adopt: boolean): readonly Unowned[] {
  const { policy, live } = match;
  if (live === undefined || markOf(live).owner === owner) return [];
  if (changedFields(match, owner, adopt).length > 0) return [];
  const { key, description: title } = policy;
  return [{ kind: "policy", key: `policy/${key}`, id: live.id, ref: "", title }];
}

function stepFor(match: PolicyMatch, owner: string, adopt: boolean): readonly PolicyStep[] {
  const { policy, live } = match;
  const key = `policy/${policy.key}` as const;
  const fields = changedFields(match, owner, adopt);
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
  if (live === undefined) {
    return [
      {
        before: live,
        after: policy,
        changes: [{ verb: "create", ...shared }],
        write: { call: "create-policy", body, changes: [key] },
        twin: undefined,
      },
    ];
  }
  const adopted = markOf(live).owner !== owner;
  const change: Update = { verb: "update", ...shared, id: live.id, adopted };
  return [
    {
      before: live,
      after: policy,
      changes: [change],
      write: { call: "update-policy", id: live.id, body, changes: [key] },
      twin: undefined,
    },
  ];
}

function keyChange(
  { key }: Policy,
  live: LivePolicy | undefined,
  owner: string,
): readonly FieldChange[] {
  if (live === undefined) return [];
  const mark = markOf(live);
  if (mark.owner !== owner || mark.key === key) return [];
  return [{ field: "key", before: mark.key, after: key }];
}

function deleteStep(
  { live, key, reason, stays }: ToPrune<LivePolicy, Policy>,
  owner: string,
): PolicyStep {
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
