import type { JsonObject } from "../../syntax/json.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import { type Mark, marked, unmarked } from "../../zone/mark.ts";
import type { Policy } from "../../zone/resource.ts";
import {
  type Delete,
  type Effect,
  type FieldChange,
  type Update,
  neutral,
  weakens,
} from "../change.ts";
import type { KindPlan, Unmanaged } from "../kind-plan.ts";
import { type ToPrune, prunableAmong } from "../prunable.ts";
import { effectOfPolicy } from "./policy-effect.ts";
import { differingPolicyFields, type DesiredPolicy, matchPolicies } from "./policy-match.ts";
import { type PolicyStep, orderPolicySteps } from "./policy-order.ts";

/** Plans the policies of a zone: one request a policy, each body complete (SERVICE.md A.6). */
export function planPolicies(
  declared: Declared<Policy>,
  live: readonly LivePolicy[],
  owner: string,
): KindPlan {
  const wanted = matchPolicies(declared.items, live, owner);
  const matched = new Set(wanted.map((each) => each.live));
  const idle = live.filter((policy) => !matched.has(policy));
  const { doomed, unmanaged } = prunableAmong(idle, declared, owner, markOf);
  const { steps, holds } = orderPolicySteps([
    ...wanted.flatMap((each) => stepFor(each, owner)),
    ...doomed.map((each) => deleteStep(each, owner)),
  ]);
  return {
    steps,
    holds,
    unmanaged: unmanaged.map(unmanagedOf),
    notes: [],
    compared: declared.items.length + doomed.length,
    marked: live.some((policy) => markOf(policy).owner === owner),
  };
}

function markOf({ description }: LivePolicy): Mark {
  return unmarked(description);
}

function stepFor({ policy, live }: DesiredPolicy, owner: string): readonly PolicyStep[] {
  const key = `policy/${policy.key}` as const;
  const fields = [...keyChange(policy, live, owner), ...differingPolicyFields(live, policy, owner)];
  // An adopted policy that is as declared stays as it is; its mark comes with the next thing that differs.
  if (fields.length === 0) return [];
  const shared = {
    kind: "policy",
    key,
    title: policy.description,
    fields,
    effect: effectOfPolicy(live, policy),
  } as const;
  const body: JsonObject = {
    ...live?.rest,
    description: marked(policy.description, owner, policy.key),
    action: policy.action,
    expression: policy.expression,
    enabled: policy.enabled,
    value: policy.value,
  };
  const terms = { before: live, after: policy };
  if (live === undefined) {
    return [
      {
        ...terms,
        changes: [{ verb: "create", ...shared }],
        write: { call: "create-policy", body, changes: [key] },
      },
    ];
  }
  const adopted = unmarked(live.description).owner !== owner;
  const change: Update = { verb: "update", ...shared, id: live.id, adopted };
  return [
    {
      ...terms,
      changes: [change],
      write: { call: "update-policy", id: live.id, body, changes: [key] },
    },
  ];
}

function keyChange(
  { key }: Policy,
  live: LivePolicy | undefined,
  owner: string,
): readonly FieldChange[] {
  const mark = unmarked(live?.description ?? "");
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
    effect: stays === undefined ? effectOfPolicy(live, undefined) : effectOfSpare(live, stays),
  };
  return {
    before: live,
    after: undefined,
    changes: [change],
    write: { call: "delete-policy", id: live.id, changes: [change.key] },
  };
}

/** All policies count (SERVICE.md A.7): a spare one matters only where it demands what the one that stays does not. */
function effectOfSpare(spare: LivePolicy, stays: Policy): Effect {
  const { direction } = effectOfPolicy(spare, stays);
  return direction === "neutral" || direction === "strengthens"
    ? neutral
    : weakens("what the spare policy demands beyond the one that stays goes");
}

function unmanagedOf({ id, description }: LivePolicy): Unmanaged {
  return { kind: "policy", id, title: description };
}
