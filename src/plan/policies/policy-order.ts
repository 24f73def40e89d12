import { byText } from "../../syntax/by-text.ts";
import { compareCsp } from "../../syntax/csp/compare-csp.ts";
import { cspDirectives } from "../../syntax/csp/csp-directives.ts";
import { parseCsp } from "../../syntax/csp/csp.ts";
import { compareExpressions } from "../../syntax/expression/compare-expressions.ts";
import { hostsOf, hostsOverlap } from "../../syntax/expression/hosts.ts";
import type { Hold } from "../guard/hold.ts";
import type { KindPlan, Step } from "../write-order.ts";
import { type PolicyBehavior, strengthsOf } from "./policy-force.ts";

/** A step for one policy, with the policy before and after it. */
export interface PolicyStep extends Step {
  readonly before: PolicyBehavior | undefined;
  readonly after: PolicyBehavior | undefined;
}

/**
 * Orders steps by key, except that a policy which takes over what another one gives up goes first.
 *
 * `safestFirst` already sorts steps that only strengthen or only weaken. This function orders steps that do both: one
 * policy moves to the host that another one leaves. Where two policies take over from each other, no order is safe:
 * the plan is held.
 */
export function orderPolicySteps(
  steps: readonly PolicyStep[],
): Pick<KindPlan, "holds"> & { readonly steps: readonly PolicyStep[] } {
  const waiting = steps.toSorted(byText(nameOf));
  const ordered: PolicyStep[] = [];
  const holds: Hold[] = [];
  while (waiting.length > 0) {
    const isFree = (step: PolicyStep) =>
      waiting.every((other) => other === step || !takesOver(other, step));
    const [next] = waiting.splice(Math.max(waiting.findIndex(isFree), 0), 1);
    if (next === undefined) break;
    const successors = waiting.filter((other) => takesOver(other, next));
    if (successors.length > 0) holds.push(unsafeOrder(next, successors));
    ordered.push(next);
  }
  return { steps: ordered, holds };
}

/** Whether `other` may add what `step` gives up, so that it must go first. */
function takesOver(other: PolicyStep, step: PolicyStep): boolean {
  if (!isMixed(other) || !isMixed(step)) return false;
  const gained = demandsMissing(other.after, other.before);
  if (gained.length === 0) return false;
  const lost = demandsMissing(step.before, step.after);
  return gained.some((gain) => lost.some((loss) => overlaps(gain, loss)));
}

function isMixed({ changes }: PolicyStep): boolean {
  return changes.some(({ verb, effect }) => verb === "update" && effect.direction === "unclear");
}

/** A demand of a policy on the requests that it selects: that a directive applies, or that a source is not allowed. */
interface Demand {
  readonly expression: string;
  readonly directive: string;
  /** `undefined`: every source that the directive does not name. */
  readonly source: string | undefined;
}

/** The demands of `has` that `lacks` does not make. */
function demandsMissing(
  has: PolicyBehavior | undefined,
  lacks: PolicyBehavior | undefined,
): readonly Demand[] {
  if (has === undefined || strengthsOf(has).most === 0) return [];
  const { expression, value } = has;
  const isWhole =
    lacks === undefined ||
    strengthsOf(has).most > strengthsOf(lacks).least ||
    !["equal", "wider"].includes(compareExpressions(expression, lacks.expression));
  if (isWhole) {
    return parseCsp(value).map(({ name }) => ({
      expression,
      directive: name,
      source: undefined,
    }));
  }
  return compareCsp(value, lacks.value)
    .changes.filter(({ effect }) => effect === "looser" || effect === "unclear")
    .map(({ directive, source }) => ({ expression, directive, source: source || undefined }));
}

function overlaps(a: Demand, b: Demand): boolean {
  if (!governs(a.directive, b.directive) && !governs(b.directive, a.directive)) return false;
  if (a.source !== undefined && b.source !== undefined && a.source !== b.source) return false;
  return hostsOverlap(hostsOf(a.expression), hostsOf(b.expression)) !== "no";
}

/** Whether a directive equals another one or is its fallback (SERVICE.md E.2). */
function governs(directive: string, other: string): boolean {
  const fallback = cspDirectives.get(other)?.fallback ?? [];
  return directive === other || fallback.includes(directive);
}

function unsafeOrder(step: PolicyStep, successors: readonly PolicyStep[]): Hold {
  const others = successors.map(keyOf).join(", ");
  return {
    reason: "unsafe_order",
    message:
      `${keyOf(step)} gives up what ${others} takes over, and vice versa: between the two writes ` +
      "some pages would be less protected than before and after; change one policy at a time",
  };
}

function keyOf({ changes }: PolicyStep): string {
  return changes.map(({ key }) => key).join(", ");
}

/** Key and id, which are unique among steps. */
function nameOf({ changes }: PolicyStep): string {
  return changes
    .map((change) => `${change.key} ${change.verb === "create" ? "" : change.id}`)
    .join(", ");
}
