import type { Mode, Suspension } from "../../zone/desired-zone.ts";
import { kinds } from "../../zone/resource.ts";
import type { Change } from "../change.ts";
import type { Plan } from "../plan.ts";
import { type Hold, percent, percentOver } from "./hold.ts";
import { isReleased, type UsedRelease, howToRelease } from "./release.ts";

/** What a run may not do on its own. Shares are from 0 to 1. */
export interface Limits {
  readonly maxDeleteShare: number;
  readonly maxUpdateShare: number;
  /** Below so many compared things shares say nothing. */
  readonly minCompared: number;
  readonly weakening: "allow" | "refuse";
  /** Hashes of plans that a person has released. */
  readonly accept: readonly string[];
}

/** A time in which nothing is to be written. */
export interface Freeze {
  /** Which windows say so, in words. */
  readonly reason: string;
  /** Whether a plan that only strengthens protection is carried out nevertheless. */
  readonly letStrengtheningPass: boolean;
}

/** What else decides whether a zone may be written now. */
export interface GuardInput {
  readonly limits: Limits;
  /** The stricter of the program's mode and the zone's. */
  readonly mode: Mode;
  readonly suspension: Suspension | undefined;
  /** The freeze that holds now. */
  readonly freeze: Freeze | undefined;
  /** Of the releases in the limits those that were used, and what is left of their plans. */
  readonly used: readonly UsedRelease[];
  readonly now: Date;
}

/** Why this plan must not be carried out unattended. Empty means: go ahead. A plan without changes is never refused. */
export function guard(plan: Plan, guardInput: GuardInput): readonly Hold[] {
  if (plan.changes.length === 0) return [];
  const { limits, mode, suspension, used, now } = guardInput;
  const releases = { accept: limits.accept, used };
  return [
    ...(mode === "observe" ? [observed] : []),
    ...(suspension !== undefined && isSuspended(suspension, now) ? [suspended(suspension)] : []),
    ...plan.holds.filter(({ reason }) => reason === "already_deployed"),
    ...(isReleased(plan, releases) ? [] : held(plan, guardInput, howToRelease(plan, releases))),
  ];
}

/** What a person may pass over, whose way out is `way`. */
function held(plan: Plan, { limits, freeze }: GuardInput, way: string): readonly Hold[] {
  return [
    ...(freeze === undefined ? [] : frozen(plan, freeze, way)),
    ...gaps(plan, way),
    ...tooMany(plan, limits, way),
    ...weakening(plan, limits, way),
  ];
}

/** Whether a suspension still holds. */
export function isSuspended({ until }: Suspension, now: Date): boolean {
  return until === undefined || until > now;
}

const observed: Hold = {
  reason: "observe",
  message: "the mode is observe: nothing is written; set mode: enforce to have it carried out",
};

function suspended({ reason, until }: Suspension): Hold {
  const end = until === undefined ? "" : ` until ${until.toISOString()}`;
  const why = reason === "" ? "" : ` (${reason})`;
  return {
    reason: "suspend",
    message: `the zone is suspended${end}${why}: nothing is written; remove suspend to go on`,
  };
}

/**
 * What a freeze says to a plan. What may break a site is not let through, however much it protects.
 * A plan passes or is held as a whole: what was reviewed, ordered and hashed as one step is not taken apart.
 */
function frozen(
  plan: Plan,
  { reason, letStrengtheningPass }: Freeze,
  way: string,
): readonly Hold[] {
  const others = plan.changes.filter(
    ({ effect }) => effect.direction !== "strengthens" || effect.mayBreak,
  );
  if (letStrengtheningPass && others.length === 0) return [];
  const detail = letStrengtheningPass
    ? `, as a plan is carried out whole and not all of it only strengthens (${keysOf(others)})`
    : "";
  const message = `${reason}: nothing is written${detail}; wait, change windows, or ${way}`;
  return [{ reason: "freeze", message }];
}

/** Obstacles that a person may pass over; what the service would refuse ({@link guard}: already_deployed) is none of them. */
function gaps(plan: Plan, way: string): readonly Hold[] {
  return plan.holds
    .filter(({ reason }) => reason !== "already_deployed")
    .map(({ reason, message }) => ({ reason, message: `${message}, or ${way}` }));
}

function tooMany(plan: Plan, limits: Limits, way: string): readonly Hold[] {
  if (plan.compared < limits.minCompared) return [];
  return [
    ...share(plan, "delete", limits.maxDeleteShare, way),
    ...share(plan, "update", limits.maxUpdateShare, way),
  ];
}

const shareLimits = {
  delete: { reason: "too_many_deletes", option: "max_delete_share" },
  update: { reason: "too_many_updates", option: "max_update_share" },
} as const;

function share(plan: Plan, verb: "delete" | "update", limit: number, way: string): readonly Hold[] {
  const count = plan.changes.filter((change) => change.verb === verb).length;
  if (count / plan.compared <= limit) return [];
  const { reason, option } = shareLimits[verb];
  const found = `would ${verb} ${count} of ${plan.compared} managed things (${percentOver(limit, count / plan.compared)})`;
  return [
    {
      reason,
      message: `${found}, the limit is ${percent(limit)}: ${way}, or raise limits.${option}`,
    },
  ];
}

function weakening(plan: Plan, { weakening: mode }: Limits, way: string): readonly Hold[] {
  if (mode === "allow") return [];
  const weaker = plan.changes.filter(
    ({ effect }) => effect.direction === "weakens" || effect.direction === "unclear",
  );
  if (weaker.length === 0) return [];
  const found = `${weaker.length} of ${plan.changes.length} changes weaken the protection, or may (${keysOf(weaker)})`;
  return [
    {
      reason: "weakening",
      message: `${found}, and limits.weakening is refuse: ${way}`,
    },
  ];
}

function keysOf(changes: readonly Change[]): string {
  const shown = kinds
    .flatMap((kind) => changes.filter((change) => change.kind === kind))
    .slice(0, 3);
  const more = changes.length - shown.length;
  return `${shown.map(({ key }) => key).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
