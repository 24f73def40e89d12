import { compareCsp } from "../syntax/compare-csp.ts";
import { compareExpressions } from "../syntax/compare-expressions.ts";
import type { Effect } from "./change.ts";
import { combine, neutral, strengthens, unclear, weakens } from "./effect.ts";

/** The fields of a policy that decide what it does. */
export interface PolicyTerms {
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly value: string;
}

/** What it does to a zone when a policy becomes another, comes (`before` is `undefined`) or goes (`after` is). */
export function effectOfPolicy(
  before: PolicyTerms | undefined,
  after: PolicyTerms | undefined,
): Effect {
  const was = forceOf(before);
  const is = forceOf(after);
  if (was === undefined || is === undefined) return unclear("the action is not one that is known");
  const force = effectOfForce(was, is, before === undefined);
  if (was === "none" || is === "none" || before === undefined || after === undefined) return force;
  const blocks = is === "enforced";
  return combine([
    force,
    effectOfReach(before, after, blocks),
    effectOfValue(before, after, blocks),
  ]);
}

/** How far a policy acts: not at all, by reports, or by blocking (api-facts A.6, A.7). */
type Force = "none" | "reported" | "enforced";

const strength = { none: 0, reported: 1, enforced: 2 } as const;

const words = {
  none: "is not in force",
  reported: "reports violations",
  enforced: "blocks what it does not allow",
} as const;

function forceOf(policy: PolicyTerms | undefined): Force | undefined {
  if (policy === undefined || !policy.enabled) return "none";
  switch (policy.action) {
    case "allow":
      return "enforced";
    case "log":
      return "reported";
    case "add_reporting_directives":
      return "none";
    default:
      return undefined;
  }
}

function effectOfForce(was: Force, is: Force, isNew: boolean): Effect {
  if (was === is) return neutral;
  if (strength[is] > strength[was]) return strengthens(words[is], is === "enforced");
  return weakens(isNew ? words[is] : `no longer ${lost[was]}`);
}

const lost = {
  none: "",
  reported: "reports violations",
  enforced: "blocks what it does not allow",
} as const;

function effectOfReach(before: PolicyTerms, after: PolicyTerms, blocks: boolean): Effect {
  switch (compareExpressions(before.expression, after.expression)) {
    case "equal":
      return neutral;
    case "wider":
      return strengthens("applies to more requests", blocks);
    case "narrower":
      return weakens("applies to fewer requests");
    case "unclear":
      return unclear("applies to other requests");
  }
}

function effectOfValue(before: PolicyTerms, after: PolicyTerms, blocks: boolean): Effect {
  switch (compareCsp(before.value, after.value).direction) {
    case "equal":
      return neutral;
    case "stricter":
      return strengthens("allows fewer sources", blocks);
    case "looser":
      return weakens("allows more sources");
    case "mixed":
      return unclear("allows some sources more and some less");
  }
}
