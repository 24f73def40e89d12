import { coerceText } from "../../syntax/json.ts";
import type { LiveRule } from "../../zone/live-zone.ts";
import { owaspRulesetId } from "../../zone/managed-ruleset.ts";
import type { Direction } from "../change.ts";
import { type Act, countedEffect } from "../counted-effect.ts";
import type { CountedEffect, Uncounted } from "../measured-effect.ts";
import type { ComparableRule } from "./rule-fields.ts";
import { severityOf } from "./severity.ts";

/**
 * What counts of a rule can say of its change, or of its deletion; `undefined`: it does nothing to requests that is counted.
 *
 * @param reach the direction of the effect between {@link ofOneAction} of both.
 * @param live the rule, and those that execute its ruleset.
 */
export function countedEffectOfRule(
  before: ComparableRule,
  after: ComparableRule | undefined,
  reach: Direction,
  live: readonly LiveRule[],
): CountedEffect | Uncounted | undefined {
  const was = actOf(before);
  const is = after === undefined ? "off" : actOf(after);
  if (was === undefined || is === undefined) return undefined;
  if (after !== undefined && before.action.type !== after.action.type) return undefined;
  const moments = live.map(({ wire }) => Date.parse(coerceText(wire["last_updated"])));
  const at = new Date(Math.max(...moments));
  const effect = countedEffect(was, is, reach, { at });
  const isDated = !Number.isNaN(Number(at));
  if (effect === undefined || "why" in effect || isDated) return effect;
  return { why: "the service does not say when it was changed" };
}

/** `undefined` for an action whose events do not say what it does to visitors. */
function actOf({ enabled, action }: ComparableRule): Act | undefined {
  if (!enabled) return "off";
  if (action.type === "mitigate") return actNamed(action.name);
  if (action.type !== "execute") return undefined;
  const { ruleset, overrides, tuning } = action;
  const scoreAction = tuning.action ?? overrides.action ?? "block";
  const whole = ruleset === owaspRulesetId ? scoreAction : overrides.action;
  const hasOther = [...tuning.categories, ...tuning.rules].some((each) => each.action);
  return whole === undefined || hasOther ? "mixed" : actNamed(whole);
}

function actNamed(name: string): Act {
  if (name === "log" || name === "block") return name;
  return severityOf({ type: "mitigate", name }) === 0 ? "mixed" : "challenge";
}

/** The rule with one action for all: what differs then is which requests it acts on. */
export function ofOneAction(rule: ComparableRule): ComparableRule {
  const { action } = rule;
  const enabled = { ...rule, enabled: true };
  if (action.type === "mitigate") return { ...enabled, action: { ...action, name: "block" } };
  if (action.type !== "execute") return enabled;
  const overrides = { ...action.overrides, action: undefined };
  const tuning = { ...action.tuning, action: undefined };
  return { ...enabled, action: { ...action, overrides, tuning } };
}
