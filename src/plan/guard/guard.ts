import { firstOf } from "../../syntax/first-of.ts";
import type { Mode, Suspension } from "../../zone/desired-zone.ts";
import { kinds } from "../../zone/resource.ts";
import { factsOfPhase, quotaOf, type RuleQuotas } from "../../zone/rule-phase.ts";
import { type Change, onlyStrengthens, weakeningChanges } from "../change.ts";
import { isAdoption } from "../ownership.ts";
import type { Plan } from "../plan.ts";
import { type Hold, holdFacts, percent, percentOver } from "./hold.ts";
import { isReleased, type ReleaseHint, type UsedRelease, howToRelease } from "./release.ts";

/** The limits of a run without a release. Shares are from 0 to 1. */
export interface Limits {
  readonly maxDeleteShare: number;
  readonly maxUpdateShare: number;
  /** Shares are checked only from this number of compared resources on. */
  readonly minCompared: number;
  readonly weakening: "allow" | "refuse";
  /** How many rules a phase of a zone may have, by its plan, where that is not the published number. */
  readonly quota: RuleQuotas;
  /** Hashes of plans that people released. */
  readonly accept: readonly string[];
}

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
  /** Whether only the state says what the zone declares, and not the files on the disk. */
  readonly isRestored?: boolean | undefined;
  /** The freeze in effect now. */
  readonly freeze: Freeze | undefined;
  /** The used releases, and what is left of their plans. */
  readonly used: readonly UsedRelease[];
  readonly now: Date;
}

/** The reasons to hold a plan; none means that it may be applied. A plan without changes is never held. */
export function guard(plan: Plan, guardInput: GuardInput): readonly Hold[] {
  if (plan.changes.length === 0) return [];
  const { limits, mode, suspension, isRestored = false, freeze, used, now } = guardInput;
  const releases = { accept: limits.accept, used };
  const toRelease = howToRelease(plan, releases);
  const holds = [
    ...writeHolds({ mode, suspension, freeze: undefined, now }),
    ...(isRestored ? restoredHolds(plan) : []),
    ...(freeze === undefined ? [] : freezeHolds(plan, freeze, toRelease)),
    ...ownHolds(plan, toRelease),
    ...quotaHolds(plan, limits.quota),
    ...shareHolds(plan, "delete", limits, toRelease),
    ...shareHolds(plan, "update", limits, toRelease),
    ...weakeningHolds(plan, limits, toRelease),
  ];
  const lasting = holds.filter((hold) => !isReleasable(hold));
  return isReleased(plan, releases) ? lasting : [...lasting, ...holds.filter(isReleasable)];
}

/** Whether a person can release a hold by the hash of its plan. */
function isReleasable({ reason }: Hold): boolean {
  return holdFacts(reason).releasedBy === "plan";
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

/** Whether a suspension is still in effect. */
export function isSuspended({ until }: Suspension, now: Date): boolean {
  return until === undefined || until > now;
}

const ended = "the suspension of the zone ended at";

/** A note where the files still suspend a zone whose suspension is over: it is written. */
export function endedSuspensionNotes(
  suspension: Suspension | undefined,
  now: Date,
): readonly string[] {
  if (suspension?.until === undefined || isSuspended(suspension, now)) return [];
  return [
    `${ended} ${suspension.until.toISOString()}, and no longer holds writes; remove suspend from the zone, or write a later until`,
  ];
}

/** Whether a note is one of {@link endedSuspensionNotes}. */
export function isEndedSuspension(note: string): boolean {
  return note.startsWith(ended);
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
  toRelease: ReleaseHint,
): readonly Hold[] {
  const others = plan.changes.filter((change) => !onlyStrengthens(change));
  if (letStrengtheningPass && others.length === 0) return [];
  const detail = letStrengtheningPass
    ? `, as a plan is carried out whole and not all of it only strengthens (${keysOf(others)})`
    : "";
  const message = `${reason}: nothing is written${detail}; wait, change windows, or ${toRelease.words}`;
  return [{ reason: "freeze", message, hash: toRelease.hash }];
}

/**
 * Holds a plan for a declaration that only the state knows, unless it only strengthens the protection and cannot break a
 * site: whoever can write the state can forge it. No release overrides this: the state also says which of them were used.
 */
function restoredHolds(plan: Plan): readonly Hold[] {
  const others = plan.changes.filter((change) => !onlyStrengthens(change));
  if (others.length === 0) return [];
  return [
    {
      reason: "fleet_change",
      message: `the zone files on the disk are held or broken, and only the state says what this zone declares: nothing is written, as not all of the plan only strengthens (${keysOf(others)}); accept the held revision, or mend the files`,
    },
  ];
}

/** The holds that were found while the plan was made. */
function ownHolds({ holds }: Plan, toRelease: ReleaseHint): readonly Hold[] {
  return holds.map((hold) =>
    isReleasable(hold)
      ? { ...hold, message: `${hold.message}, or ${toRelease.words}`, hash: toRelease.hash }
      : hold,
  );
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
  toRelease: ReleaseHint,
): readonly Hold[] {
  const { reason, option, limit: name, total, resources } = shareLimits[verb];
  const limit = limits[name];
  const all = plan[total];
  // To write our mark changes nothing that a resource does, and a weakened zone must not wait.
  const isCounted = (change: Change): boolean =>
    !isAdoption(change) && (verb === "delete" || !onlyStrengthens(change));
  const count = plan.changes.filter((change) => change.verb === verb && isCounted(change)).length;
  if (plan.compared < limits.minCompared || count === 0 || count / all <= limit) return [];
  const found = `would ${verb} ${count} of ${all} managed ${resources} (${percentOver(limit, count / all)})`;
  return [
    {
      reason,
      message: `${found}, the limit is ${percent(limit)}: ${toRelease.words}, or raise limits.${option}`,
      hash: toRelease.hash,
    },
  ];
}

/** The service refuses one rule more than the quota (SERVICE.md B.8). */
function quotaHolds({ zone, grown, changes }: Plan, quotas: RuleQuotas): readonly Hold[] {
  return grown.flatMap(({ phase, rules, most }): readonly Hold[] => {
    const { kind } = factsOfPhase(phase);
    const quota = quotaOf(phase, zone.tier, quotas);
    if (most <= quota) return [];
    const going = changes.filter((change) => change.kind === kind && change.verb === "delete");
    const [found, remedy] =
      rules > quota
        ? [
            `${rules} rules`,
            `declare fewer, or set limits.quota.${zone.tier}.${phase} if its contract allows more`,
          ]
        : [
            `${most} rules until ${keysOf(going)} is deleted, which protects the zone until then`,
            "declare the new rule with `was` and the old key, which changes it in place, or delete the old rule in a commit of its own",
          ];
    const message = `${phase} would have ${found}, and a zone of the plan ${zone.tier} may have ${quota}: ${remedy}`;
    return [{ reason: "quota", message }];
  });
}

function weakeningHolds(plan: Plan, limits: Limits, toRelease: ReleaseHint): readonly Hold[] {
  if (limits.weakening === "allow") return [];
  const weaker = weakeningChanges(plan.changes);
  if (weaker.length === 0) return [];
  const found = `${weaker.length} of ${plan.changes.length} changes weaken the protection, or may (${keysOf(weaker)})`;
  const message = `${found}, and limits.weakening is refuse: ${toRelease.words}`;
  return [{ reason: "weakening", message, hash: toRelease.hash }];
}

function keysOf(changes: readonly Change[]): string {
  const inOrder = kinds.flatMap((kind) => changes.filter((change) => change.kind === kind));
  return firstOf(
    inOrder.map(({ key }) => key),
    3,
  );
}
