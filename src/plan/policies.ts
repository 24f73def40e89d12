import type { JsonObject } from "../syntax/json.ts";
import type { Declared } from "../zone/desired.ts";
import type { LivePolicy } from "../zone/live.ts";
import { marked, unmarked } from "../zone/mark.ts";
import type { Policy } from "../zone/resource.ts";
import type { Change, Delete, DeleteReason, Update } from "./change.ts";
import { neutral } from "./effect.ts";
import type { Fields } from "./field-changes.ts";
import { differingFields } from "./field-changes.ts";
import type { Unmanaged } from "./plan.ts";
import { effectOfPolicy } from "./policy-effect.ts";
import type { Step } from "./step.ts";

/** What planning one kind gives. */
export interface KindPlan {
  readonly steps: readonly Step[];
  readonly unmanaged: readonly Unmanaged[];
  readonly notes: readonly string[];
  readonly compared: number;
  /** Whether something live bears our mark. */
  readonly marked: boolean;
}

/** Plans the policies of a zone: one request a policy, each body complete (api-facts A.6). */
export function planPolicies(
  declared: Declared<Policy>,
  live: readonly LivePolicy[],
  owner: string,
): KindPlan {
  const ours = live.filter((policy) => unmarked(policy.description).owner === owner);
  const matches = matchPolicies(declared.items, live, owner);
  const matched = new Set(matches.values());
  const idle = ours.filter((policy) => !matched.has(policy));
  const foreign = live.filter((policy) => !matched.has(policy) && !ours.includes(policy));
  const doomed = declared.unmanaged === "delete" ? foreign.filter(isUnmarked) : [];
  return {
    steps: [
      ...declared.items.flatMap((policy) => stepFor(policy, matches.get(policy), owner)),
      ...idle.map((policy) => deleteStep(policy, whyIdle(policy, declared.items))),
      ...doomed.map((policy) => deleteStep(policy, "unmanaged")),
    ],
    unmanaged:
      declared.unmanaged === "ignore"
        ? []
        : foreign.filter((policy) => !doomed.includes(policy)).map(unmanagedOf),
    notes: adoptionNotes(matches, owner),
    compared: declared.items.length + idle.length,
    marked: ours.length > 0,
  };
}

/**
 * Which live policy is which declared one: by our mark, by the mark under its former key, and last, for what nobody
 * has marked, by its description. Of several the one that equals the declared one is kept, else the first.
 */
function matchPolicies(
  declared: readonly Policy[],
  live: readonly LivePolicy[],
  owner: string,
): ReadonlyMap<Policy, LivePolicy> {
  const byKey = Map.groupBy(live, ({ description }) => {
    const mark = unmarked(description);
    return mark.owner === owner ? mark.key : undefined;
  });
  const byDescription = Map.groupBy(live.filter(isUnmarked), ({ description }) => description);
  const keys = new Set(declared.map(({ key }) => key));
  const matches = new Map<Policy, LivePolicy>();
  for (const policy of declared) {
    const former = policy.was === undefined || keys.has(policy.was) ? undefined : policy.was;
    const candidates =
      byKey.get(policy.key) ??
      (former === undefined ? undefined : byKey.get(former)) ??
      (policy.description === "" ? [] : take(byDescription, policy.description));
    const best = candidates.find((each) => isSame(policy, each, owner)) ?? candidates[0];
    if (best !== undefined) matches.set(policy, best);
  }
  return matches;
}

/** Takes a group out, so that two declared policies of one description do not get the same live one. */
function take<T>(groups: Map<string, T[]>, name: string): readonly T[] {
  const group = groups.get(name) ?? [];
  groups.delete(name);
  return group;
}

function isUnmarked({ description }: LivePolicy): boolean {
  return unmarked(description).owner === undefined;
}

function isSame(policy: Policy, live: LivePolicy, owner: string): boolean {
  return differingFields(liveFields(live, owner), declaredFields(policy)).length === 0;
}

function stepFor(policy: Policy, live: LivePolicy | undefined, owner: string): readonly Step[] {
  const key = `policy/${policy.key}` as const;
  const body: JsonObject = {
    ...live?.rest,
    description: marked(policy.description, owner, policy.key),
    action: policy.action,
    expression: policy.expression,
    enabled: policy.enabled,
    value: policy.value,
  };
  if (live === undefined) {
    const change: Change = {
      verb: "create",
      kind: "policy",
      key,
      title: policy.description,
      fields: differingFields({}, declaredFields(policy)),
      effect: effectOfPolicy(undefined, policy),
    };
    return [{ changes: [change], write: { call: "create-policy", body, changes: [key] } }];
  }
  const change = updateOf(policy, live, owner);
  if (change === undefined) return [];
  return [
    { changes: [change], write: { call: "update-policy", id: live.id, body, changes: [key] } },
  ];
}

function updateOf(policy: Policy, live: LivePolicy, owner: string): Update | undefined {
  const mark = unmarked(live.description);
  const renamed = mark.owner === owner && mark.key !== policy.key;
  const fields = [
    ...(renamed ? [{ field: "key", before: mark.key, after: policy.key }] : []),
    ...differingFields(liveFields(live, owner), declaredFields(policy)),
  ];
  // An adopted policy that is as declared stays as it is; its mark comes with the next thing that differs.
  if (fields.length === 0) return undefined;
  return {
    verb: "update",
    kind: "policy",
    key: `policy/${policy.key}`,
    title: policy.description,
    id: live.id,
    adopted: mark.owner !== owner,
    fields,
    effect: effectOfPolicy(live, policy),
  };
}

function deleteStep(live: LivePolicy, because: DeleteReason): Step {
  const mark = unmarked(live.description);
  const change: Delete = {
    verb: "delete",
    kind: "policy",
    key: `policy/${because === "undeclared" ? (mark.key ?? live.id) : live.id}`,
    title: mark.description,
    id: live.id,
    because,
    fields: differingFields({ ...termsOf(live), description: mark.description }, {}),
    // Of two policies with one mark the other one stays.
    effect: because === "duplicate" ? neutral : effectOfPolicy(live, undefined),
  };
  return {
    changes: [change],
    write: { call: "delete-policy", id: live.id, changes: [change.key] },
  };
}

function whyIdle(live: LivePolicy, declared: readonly Policy[]): DeleteReason {
  const { key } = unmarked(live.description);
  return declared.some((policy) => policy.key === key) ? "duplicate" : "undeclared";
}

function declaredFields(policy: Policy): Fields {
  return { description: policy.description, ...termsOf(policy) };
}

/** Without a mark of ours; a mark of another owner is part of the words. */
function liveFields(live: LivePolicy, owner: string): Fields {
  const mark = unmarked(live.description);
  const description = mark.owner === owner ? mark.description : live.description;
  return { description, ...termsOf(live) };
}

function termsOf(policy: Policy | LivePolicy): Fields {
  const { action, expression, enabled, value } = policy;
  return { action, expression, enabled, value };
}

function unmanagedOf({ id, description }: LivePolicy): Unmanaged {
  return { kind: "policy", id, title: description };
}

function adoptionNotes(matches: ReadonlyMap<Policy, LivePolicy>, owner: string): readonly string[] {
  return [...matches]
    .filter(([, live]) => unmarked(live.description).owner !== owner)
    .map(
      ([policy, live]) =>
        `policy/${policy.key} is the live policy ${live.id}, told by its description: it is adopted`,
    );
}
