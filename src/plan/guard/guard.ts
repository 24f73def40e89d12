import { firstOf } from "../../syntax/first-of.ts";
import type { Mode, Suspension } from "../../zone/desired-zone.ts";
import { kinds } from "../../zone/resource.ts";
import { type Change, weakeningChanges } from "../change.ts";
import { isAdoption } from "../ownership.ts";
import type { Plan } from "../plan.ts";
import { type Hold, percent, percentOver } from "./hold.ts";
import { isReleased, type UsedRelease, howToRelease } from "./release.ts";

/** The limits of a run without a release. Shares are from 0 to 1. */
export interface Limits {
  readonly maxDeleteShare: number;
  readonly maxUpdateShare: number;
  /** Shares are checked only from this number of compared resources on. */
  readonly minCompared: number;
  readonly weakening: "allow" | "refuse";
  /** Hashes of plans that people released. */
  readonly accept: readonly string[];
}

/** A freeze that is in effect. */
export interface Freeze {
  /** The windows that cause it, in words. */
  readonly reason: string;
  /** Whether a plan that only strengthens the protection is applied nevertheless. */
  readonly letStrengtheningPass: boolean;
}

/** What the guard checks a plan against. */
export interface GuardInput {
  readonly limits: Limits;
  /** The stricter of the program's mode and the zone's. */
  readonly mode: Mode;
  readonly suspension: Suspension | undefined;
  /** The freeze in effect now. */
  readonly freeze: Freeze | undefined;
  /** The used releases, and what is left of their plans. */
  readonly used: readonly UsedRelease[];
  readonly now: Date;
}

/** The reasons to hold a plan; none means that it may be applied. A plan without changes is never held. */
export function guard(plan: Plan, guardInput: GuardInput): readonly Hold[] {
  if (plan.changes.length === 0) return [];
  const { limits, mode, suspension, used, now } = guardInput;
  const releases = { accept: limits.accept, used };
  return [
    ...writeHolds({ mode, suspension, freeze: undefined, now }),
    ...plan.holds.filter(({ reason }) => reason === "already_deployed"),
    ...(isReleased(plan, releases)
      ? []
      : releasableHolds(plan, guardInput, howToRelease(plan, releases))),
  ];
}

/** The holds on any other write to a zone than those of a plan, such as the deletion of old versions. */
export function writeHolds({
  mode,
  suspension,
  freeze,
  now,
}: Pick<GuardInput, "mode" | "suspension" | "freeze" | "now">): readonly Hold[] {
  return [
    ...(mode === "observe" ? [observeHold] : []),
    ...(suspension !== undefined && isSuspended(suspension, now) ? [suspendHold(suspension)] : []),
    ...(freeze === undefined
      ? []
      : [
          {
            reason: "freeze" as const,
            message: `${freeze.reason}: nothing is written; wait, or change windows`,
          },
        ]),
  ];
}

/** The holds that a release overrides. `toRelease` tells how. */
function releasableHolds(
  plan: Plan,
  { limits, freeze }: GuardInput,
  toRelease: string,
): readonly Hold[] {
  return [
    ...(freeze === undefined ? [] : freezeHolds(plan, freeze, toRelease)),
    ...unsafeOrderHolds(plan, toRelease),
    ...shareHolds(plan, "delete", limits, toRelease),
    ...shareHolds(plan, "update", limits, toRelease),
    ...weakeningHolds(plan, limits, toRelease),
  ];
}

/** Whether a suspension is still in effect. */
export function isSuspended({ until }: Suspension, now: Date): boolean {
  return until === undefined || until > now;
}

const observeHold: Hold = {
  reason: "observe",
  message:
    "the mode is observe: nothing is written; set mode: enforce, or write named zones once with apply --enforce",
};

function suspendHold({ reason, until }: Suspension): Hold {
  const end = until === undefined ? "" : ` until ${until.toISOString()}`;
  const why = reason === "" ? "" : ` (${reason})`;
  return {
    reason: "suspend",
    message: `the zone is suspended${end}${why}: nothing is written; remove suspend to go on`,
  };
}

/**
 * Holds a plan during a freeze. A window may let plans pass that only strengthen the protection and cannot break a
 * site. A plan passes or is held as a whole: it was reviewed, ordered and hashed as one unit.
 */
function freezeHolds(
  plan: Plan,
  { reason, letStrengtheningPass }: Freeze,
  toRelease: string,
): readonly Hold[] {
  const others = plan.changes.filter(
    ({ effect }) => effect.direction !== "strengthens" || effect.mayBreak,
  );
  if (letStrengtheningPass && others.length === 0) return [];
  const detail = letStrengtheningPass
    ? `, as a plan is carried out whole and not all of it only strengthens (${keysOf(others)})`
    : "";
  const message = `${reason}: nothing is written${detail}; wait, change windows, or ${toRelease}`;
  return [{ reason: "freeze", message }];
}

/** The holds of the plan itself. `already_deployed` is none of them: the service would reject the write. */
function unsafeOrderHolds(plan: Plan, toRelease: string): readonly Hold[] {
  return plan.holds
    .filter(({ reason }) => reason !== "already_deployed")
    .map(({ reason, message }) => ({ reason, message: `${message}, or ${toRelease}` }));
}

const shareLimits = {
  delete: {
    reason: "too_many_deletes",
    option: "max_delete_share",
    limit: "maxDeleteShare",
    total: "deletable",
    resources: "policies and rules",
  },
  update: {
    reason: "too_many_updates",
    option: "max_update_share",
    limit: "maxUpdateShare",
    total: "compared",
    resources: "settings, policies and rules",
  },
} as const;

function shareHolds(
  plan: Plan,
  verb: "delete" | "update",
  limits: Limits,
  toRelease: string,
): readonly Hold[] {
  const { reason, option, limit: name, total, resources } = shareLimits[verb];
  const limit = limits[name];
  const all = plan[total];
  // To write our mark changes nothing that a resource does.
  const changes = plan.changes.filter((change) => !isAdoption(change));
  const count = changes.filter((change) => change.verb === verb).length;
  if (plan.compared < limits.minCompared || count === 0 || count / all <= limit) return [];
  const found = `would ${verb} ${count} of ${all} managed ${resources} (${percentOver(limit, count / all)})`;
  return [
    {
      reason,
      message: `${found}, the limit is ${percent(limit)}: ${toRelease}, or raise limits.${option}`,
    },
  ];
}

function weakeningHolds(plan: Plan, limits: Limits, toRelease: string): readonly Hold[] {
  if (limits.weakening === "allow") return [];
  const weaker = weakeningChanges(plan.changes);
  if (weaker.length === 0) return [];
  const found = `${weaker.length} of ${plan.changes.length} changes weaken the protection, or may (${keysOf(weaker)})`;
  const message = `${found}, and limits.weakening is refuse: ${toRelease}`;
  return [{ reason: "weakening", message }];
}

function keysOf(changes: readonly Change[]): string {
  const inOrder = kinds.flatMap((kind) => changes.filter((change) => change.kind === kind));
  return firstOf(
    inOrder.map(({ key }) => key),
    3,
  );
}
