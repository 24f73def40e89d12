import { byText } from "../../syntax/by-text.ts";
import { compareCsp } from "../../syntax/csp/compare-csp.ts";
import { cspDirectives } from "../../syntax/csp/csp-directives.ts";
import { parseCsp } from "../../syntax/csp/csp.ts";
import { compareExpressions } from "../../syntax/expression/compare-expressions.ts";
import { hostsOf, hostsOverlap } from "../../syntax/expression/hosts.ts";
import type { Hold } from "../guard/hold.ts";
import type { Step } from "../kind-plan.ts";
import { strengthsOf } from "./policy-effect.ts";
import type { PolicyTerms } from "./policy-force.ts";

/** A step of one policy, with what it makes of it. */
export interface PolicyStep extends Step {
  readonly before: PolicyTerms | undefined;
  readonly after: PolicyTerms | undefined;
}

/** Steps in a safe order, and what is said where there is none. */
export interface OrderedSteps {
  readonly steps: readonly PolicyStep[];
  readonly holds: readonly Hold[];
}

/**
 * Orders steps by key, except that a policy which takes over what another one gives up goes first.
 *
 * Steps that only strengthen or only weaken are put first and last by {@link safestFirst} anyway; this is about those
 * that do both, as when one policy moves to the host that another one leaves. Where two take over from each other
 * no order is safe.
 */
export function orderPolicySteps(steps: readonly PolicyStep[]): OrderedSteps {
  const waiting = steps.toSorted(byText(nameOf));
  const ordered: PolicyStep[] = [];
  const holds: Hold[] = [];
  while (waiting.length > 0) {
    const isFree = (step: PolicyStep) =>
      waiting.every((other) => other === step || !takesOver(other, step));
    const [next] = waiting.splice(Math.max(waiting.findIndex(isFree), 0), 1);
    if (next === undefined) break;
    const successors = waiting.filter((other) => takesOver(other, next));
    if (successors.length > 0) holds.push(gap(next, successors));
    ordered.push(next);
  }
  return { steps: ordered, holds };
}

/** Whether what `other` adds may be what `step` gives up: then it must come first. */
function takesOver(other: PolicyStep, step: PolicyStep): boolean {
  if (!isMixed(other) || !isMixed(step)) return false;
  const gained = demandsMissing(other.after, other.before);
  if (gained.length === 0) return false;
  const lost = demandsMissing(step.before, step.after);
  return gained.some((gain) => lost.some((loss) => meet(gain, loss)));
}

function isMixed({ changes }: PolicyStep): boolean {
  return changes.some(({ verb, effect }) => verb === "update" && effect.direction === "unclear");
}

/** What a policy demands of the requests that it selects: that a directive rules, or that a source is not allowed. */
interface Demand {
  readonly expression: string;
  readonly directive: string;
  /** `undefined`: of every source that the directive does not name. */
  readonly source: string | undefined;
}

/** What `has` demands that `lacks` does not. */
function demandsMissing(
  has: PolicyTerms | undefined,
  lacks: PolicyTerms | undefined,
): readonly Demand[] {
  if (has === undefined || strengthsOf(has).most === 0) return [];
  const { expression, value } = has;
  const isWhole =
    lacks === undefined ||
    strengthsOf(has).most > strengthsOf(lacks).least ||
    !["equal", "wider"].includes(compareExpressions(expression, lacks.expression));
  if (isWhole) {
    return parseCsp(value).directives.map(({ name }) => ({
      expression,
      directive: name,
      source: undefined,
    }));
  }
  return compareCsp(value, lacks.value)
    .changes.filter(({ effect }) => effect === "looser" || effect === "unclear")
    .map(({ directive, source }) => ({ expression, directive, source: source || undefined }));
}

function meet(a: Demand, b: Demand): boolean {
  if (!rules(a.directive, b.directive) && !rules(b.directive, a.directive)) return false;
  if (a.source !== undefined && b.source !== undefined && a.source !== b.source) return false;
  return hostsOverlap(hostsOf(a.expression), hostsOf(b.expression)) !== "no";
}

/** Whether a directive rules where another one is named, or is fallen back to where that one is not (SERVICE.md E.2). */
function rules(directive: string, other: string): boolean {
  const fallback = cspDirectives.get(other)?.fallback ?? [];
  return directive === other || fallback.includes(directive);
}

function gap(step: PolicyStep, successors: readonly PolicyStep[]): Hold {
  const others = successors.map(keyOf).join(", ");
  return {
    reason: "unsafe_order",
    message:
      `${keyOf(step)} gives up what ${others} takes over, and the other way round: between the two requests ` +
      "some pages would be less protected than before and after; change them one after the other",
  };
}

function keyOf({ changes }: PolicyStep): string {
  return changes[0]?.key ?? "";
}

/** Key and id: two steps never have the same one. */
function nameOf({ changes }: PolicyStep): string {
  const [change] = changes;
  return change === undefined ? "" : `${change.key} ${change.verb === "create" ? "" : change.id}`;
}
