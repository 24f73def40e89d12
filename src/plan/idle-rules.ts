import type { Declared } from "../zone/desired.ts";
import type { LiveRule } from "../zone/live.ts";
import { keyOfRef, ownerOfRef } from "../zone/mark.ts";
import type { ResourceKey, Rule } from "../zone/resource.ts";
import type { Delete, DeleteReason } from "./change.ts";
import type { Unmanaged } from "./kind-plan.ts";
import { effectOfRule } from "./rule-effect.ts";
import { differingRuleFields } from "./rule-fields.ts";

/** A live rule that is to go, and why. */
export interface DoomedRule {
  readonly rule: LiveRule;
  readonly key: ResourceKey;
  readonly because: DeleteReason;
}

/** What becomes of live rules that no declared rule is. */
export interface IdleRules {
  readonly doomed: readonly DoomedRule[];
  readonly unmanaged: readonly Unmanaged[];
}

/** Ours go; those of another owner stay; those of nobody go only where the zone says so. */
export function judgeIdleRules(
  idle: readonly LiveRule[],
  declared: Declared<Rule>,
  owner: string,
): IdleRules {
  const ours = idle.filter(({ ref }) => keyOfRef(owner, ref) !== undefined);
  const foreign = idle.filter((rule) => !ours.includes(rule));
  const unwanted =
    declared.unmanaged === "delete"
      ? foreign.filter(({ ref }) => ownerOfRef(ref) === undefined)
      : [];
  const left = declared.unmanaged === "ignore" ? [] : foreign;
  return {
    doomed: [
      ...whyIdle(ours, declared.items, owner),
      ...unwanted.map((rule): DoomedRule => ({
        rule,
        key: `rule/${rule.id}`,
        because: "unmanaged",
      })),
    ],
    unmanaged: left.filter((rule) => !unwanted.includes(rule)).map(unmanagedOf),
  };
}

/** The change that a rule goes by. */
export function deleteOf({ rule, key, because }: DoomedRule, scoreRuleId: string): Delete {
  return {
    verb: "delete",
    kind: "rule",
    key,
    title: rule.description,
    id: rule.id,
    because,
    fields: differingRuleFields(rule, undefined, scoreRuleId),
    effect: effectOfRule(rule, undefined, scoreRuleId),
  };
}

/** Refs are unique (SERVICE.md B.4); should one stand twice nevertheless, what is not the first is spare. */
function whyIdle(
  idle: readonly LiveRule[],
  declared: readonly Rule[],
  owner: string,
): readonly DoomedRule[] {
  const seen = new Set(declared.map(({ key }) => key));
  return idle.map((rule) => {
    const key = keyOfRef(owner, rule.ref) ?? rule.id;
    if (seen.has(key)) return { rule, key: `rule/${rule.id}`, because: "duplicate" };
    seen.add(key);
    return { rule, key: `rule/${key}`, because: "undeclared" };
  });
}

function unmanagedOf({ id, ref, description }: LiveRule): Unmanaged {
  return { kind: "rule", id, title: description === "" ? ref : description };
}
