import { byText } from "../../syntax/by-text.ts";
import { compareCsp } from "../../syntax/csp/compare-csp.ts";
import { cspDirectives } from "../../syntax/csp/csp-directives.ts";
import { parseCsp } from "../../syntax/csp/csp.ts";
import {
  certainlyExclude,
  compareExpressions,
} from "../../syntax/expression/certainty/certainty.ts";
import type { PolicyBehavior, ResourceKey } from "../../zone/resource.ts";
import type { Hold } from "../guard/hold.ts";
import { type KindPlan, safestFirst, type PlannedWrite } from "../write-order.ts";
import { strengthsOf } from "./policy-force.ts";

/** A write for one policy, with the policy before and after it. */
export interface PolicyWrite extends Omit<PlannedWrite, "waitsFor"> {
  readonly before: PolicyBehavior | undefined;
  readonly after: PolicyBehavior | undefined;
  /** Of the delete of a duplicate: the key of the policy that stays. */
  readonly twin: ResourceKey | undefined;
}

/**
 * Orders writes safest first, and otherwise by key, except that a policy which takes over what another one gives up goes first.
 * Says for which writes each one waits: for those that take over what it gives up, and the delete of a duplicate for the
 * policy that stays.
 *
 * `safestFirst` sorts writes that only strengthen or only weaken. Of those that do both, one policy moves to the host that
 * another one leaves. Where two policies take over from each other, no order is safe: the plan is held.
 */
export function orderPolicyWrites(
  writes: readonly PolicyWrite[],
): Pick<KindPlan, "holds" | "writes"> {
  const waiting = writes.toSorted(byText(nameOf));
  const takeOvers = takeOversAmong(waiting);
  const mixed = new Set(waiting.filter(isMixed));
  const open = new Map(
    [...mixed].map((planned) => {
      const others = takeOvers.get(planned) ?? [];
      return [planned, new Set(others.filter((other) => mixed.has(other)))] as const;
    }),
  );
  const ordered: PolicyWrite[] = [];
  const holds: Hold[] = [];
  while (waiting.length > 0) {
    const isFree = (planned: PolicyWrite) => (open.get(planned)?.size ?? 0) === 0;
    const [next] = waiting.splice(Math.max(waiting.findIndex(isFree), 0), 1);
    if (next === undefined) break;
    const successors = [...(open.get(next) ?? [])];
    if (successors.length > 0) holds.push(unsafeOrder(next, successors));
    if (open.delete(next)) for (const others of open.values()) others.delete(next);
    ordered.push(next);
  }
  const byKey = Map.groupBy(writes, keyOf);
  return {
    writes: ordered.toSorted(safestFirst).map((planned) => {
      const twins = planned.twin === undefined ? [] : (byKey.get(planned.twin) ?? []);
      const first = new Set([...(takeOvers.get(planned) ?? []), ...twins]);
      const { changes, write } = planned;
      return { changes, write, waitsFor: [...first].map((other) => other.write) };
    }),
    holds,
  };
}

/** For each write the others that may add what it gives up, so that they must go first. */
function takeOversAmong(
  writes: readonly PolicyWrite[],
): ReadonlyMap<PolicyWrite, readonly PolicyWrite[]> {
  const gains = writes
    .map((planned) => ({ planned, gained: demandsMissing(planned.after, planned.before) }))
    .filter(({ gained }) => gained.demands.length > 0);
  if (gains.length === 0) return new Map();
  return new Map(
    writes.map((planned) => {
      const lost = demandsMissing(planned.before, planned.after);
      const others = gains.filter((gain) => gain.planned !== planned && overlap(gain.gained, lost));
      return [planned, others.map((gain) => gain.planned)];
    }),
  );
}

function isMixed({ changes }: PolicyWrite): boolean {
  return changes.some(({ verb, effect }) => verb === "update" && effect.direction === "unclear");
}

/** Demands of a policy on the requests that its expression selects. */
interface Demands {
  readonly expression: string;
  readonly demands: readonly Demand[];
}

/** A demand of a policy: that a directive applies, or that a source is not allowed. */
interface Demand {
  readonly directive: string;
  /** `undefined`: every source that the directive does not name. */
  readonly source: string | undefined;
}

/** The demands of `has` that `lacks` does not make. */
function demandsMissing(
  has: PolicyBehavior | undefined,
  lacks: PolicyBehavior | undefined,
): Demands {
  if (has === undefined || strengthsOf(has).most === 0) return noDemands;
  const { expression, value } = has;
  const isWhole =
    lacks === undefined ||
    strengthsOf(has).most > strengthsOf(lacks).least ||
    !["equal", "wider"].includes(compareExpressions(expression, lacks.expression));
  const demands: readonly Demand[] = isWhole
    ? parseCsp(value).map(({ name }) => ({ directive: name, source: undefined }))
    : compareCsp(value, lacks.value)
        .changes.filter(({ effect }) => effect === "looser" || effect === "unclear")
        .map(({ directive, source }) => ({ directive, source: source || undefined }));
  return demands.length === 0 ? noDemands : { expression, demands };
}

const noDemands: Demands = { expression: "true", demands: [] };

function overlap(a: Demands, b: Demands): boolean {
  const isShared = a.demands.some((one) => b.demands.some((other) => isAboutSame(one, other)));
  return isShared && !certainlyExclude(a.expression, b.expression);
}

function isAboutSame(a: Demand, b: Demand): boolean {
  if (!governs(a.directive, b.directive) && !governs(b.directive, a.directive)) return false;
  return a.source === undefined || b.source === undefined || a.source === b.source;
}

/** Whether a directive equals another one or is its fallback (SERVICE.md E.2). */
function governs(directive: string, other: string): boolean {
  const fallback = cspDirectives.get(other)?.fallback ?? [];
  return directive === other || fallback.includes(directive);
}

function unsafeOrder(planned: PolicyWrite, successors: readonly PolicyWrite[]): Hold {
  const others = successors.map(keyOf).join(", ");
  return {
    reason: "unsafe_order",
    message:
      `${keyOf(planned)} gives up what ${others} takes over, and vice versa: between the two writes ` +
      "some pages would be less protected than before and after; change one policy at a time",
  };
}

function keyOf({ changes }: PolicyWrite): string {
  return changes.map(({ key }) => key).join(", ");
}

/** Key and id, which are unique among writes. */
function nameOf({ changes }: PolicyWrite): string {
  return changes
    .map((change) => `${change.key} ${change.verb === "create" ? "" : change.id}`)
    .join(", ");
}
