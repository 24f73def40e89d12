import { compareCsp } from "../../syntax/csp/compare-csp.ts";
import { compareExpressions } from "../../syntax/expression/certainty/certainty.ts";
import type { PolicyBehavior } from "../../zone/resource.ts";
import { type Effect, combine, neutral, strengthens, unclear, weakens } from "../change.ts";
import { countedEffect } from "../counted-effect.ts";
import type { CountedEffect, Uncounted } from "../measured-effect.ts";
import { forceOf, strength } from "./policy-force.ts";
import { policyForm } from "./policy-form.ts";

/** The effect of updating, creating (`before` is `undefined`) or deleting (`after` is `undefined`) a policy. */
export function effectOfPolicy(
  before: PolicyBehavior | undefined,
  after: PolicyBehavior | undefined,
): Effect {
  const was = forceOf(before);
  const is = forceOf(after);
  if (was === "unknown" || is === "unknown") {
    return unclear("the action is unknown", true);
  }
  const force = effectOfForce(was, is);
  const isInForce = was !== "none" && is !== "none";
  if (!isInForce || before === undefined || after === undefined) return force;
  const blocks = is === "blocks";
  return combine([
    force,
    effectOfReach(before, after, blocks),
    effectOfValue(before, after, blocks),
  ]);
}

/** What counts of a policy can say of its change, or of its deletion; `undefined`: it does nothing to requests. */
export function countedEffectOfPolicy(
  before: PolicyBehavior,
  after: PolicyBehavior | undefined,
): CountedEffect | Uncounted | undefined {
  const [was, is] = [acts[forceOf(before)], acts[forceOf(after)]];
  if (was === undefined || is === undefined) return undefined;
  const enforced = { action: "allow", enabled: true };
  const reach = after && effectOfPolicy({ ...before, ...enforced }, { ...after, ...enforced });
  return countedEffect(was, is, reach?.direction ?? "neutral", { form: policyForm(before) });
}

const acts = { none: "off", reports: "log", blocks: "block", unknown: undefined } as const;

const words = {
  none: "",
  reports: "reports violations",
  blocks: "blocks what it does not allow",
} as const;

type KnownForce = keyof typeof words;

function effectOfForce(was: KnownForce, is: KnownForce): Effect {
  if (was === is) return neutral;
  if (strength[is] > strength[was]) return strengthens(words[is], is === "blocks");
  const rest = is === "none" ? "" : `, only ${words[is]}`;
  return weakens(`no longer ${words[was]}${rest}`);
}

function effectOfReach(before: PolicyBehavior, after: PolicyBehavior, blocks: boolean): Effect {
  switch (compareExpressions(before.expression, after.expression)) {
    case "equal":
      return neutral;
    case "wider":
      return strengthens("applies to more requests", blocks);
    case "narrower":
      return weakens("applies to fewer requests");
    case "unclear":
      return unclear("applies to other requests", blocks);
  }
}

function effectOfValue(before: PolicyBehavior, after: PolicyBehavior, blocks: boolean): Effect {
  switch (compareCsp(before.value, after.value).direction) {
    case "equal":
      return neutral;
    case "stricter":
      return strengthens("allows fewer sources", blocks);
    case "looser":
      return weakens("allows more sources");
    case "mixed":
      return unclear("allows some sources more and some less", blocks);
  }
}
