/**
 * Why a plan or a revision is held, and the values of the label `reason` of `zonewarden_zone_held`. Stable: reports,
 * metrics and tests rely on these.
 */
export const holdReasons = [
  "too_many_deletes",
  "too_many_updates",
  "weakening",
  "unsafe_order",
  "already_deployed",
  "unplaced",
  "in_use",
  "adopted_delete",
  "blocks_in_use",
  "contended",
  "fleet_change",
  "set_back",
  "wave",
  "quota",
  "undeclared",
  "observe",
  "suspend",
  "freeze",
] as const;

export type HoldReason = (typeof holdReasons)[number];

/** What is known of a reason. */
export interface HoldFacts {
  /** What follows "zonewarden holds the plan if". */
  readonly heldIf: string;
  /** The key of `zonewarden.yaml` with the limit; `undefined`: there is none. */
  readonly setting: string | undefined;
  /** Whose hash a person accepts to release it; `undefined`: no hash releases it. */
  readonly releasedBy: "plan" | "revision" | undefined;
  /** Whether it ends at a known moment: the daemon then plans the zone again. */
  readonly endsWithTime: boolean;
  /** Whether the fleet guard counts the plan: it is written later, without a decision about this zone alone. */
  readonly countsForFleet: boolean;
  /** How `plan` ends if nothing else holds a plan: with 2 (`changes`) or 4 (`held`). `apply` ends with 4. */
  readonly planEndsWith: "changes" | "held";
  /** The level of the log line. After `info` nobody has to act: the run counts as `planned`. */
  readonly severity: "info" | "warn";
  /** The zone's status; `undefined`: that of its differences. The status `held` sends a notification. */
  readonly status: "held" | "suspended" | undefined;
  /** The alert on `zonewarden_zone_held` with this reason; `undefined`: none. */
  readonly alert: "ZonewardenZoneHeld" | "ZonewardenRevisionHeld" | undefined;
  /** What a person can do. */
  readonly remedy: string;
}

/** What most holds have in common: they last until a person decides about the zone. */
const untilDecided = {
  endsWithTime: false,
  countsForFleet: false,
  planEndsWith: "held",
  severity: "warn",
  status: "held",
  alert: "ZonewardenZoneHeld",
} as const;

/** What is meant to wait is told, and asks nobody to do something. */
const asMeant = {
  endsWithTime: false,
  countsForFleet: true,
  planEndsWith: "changes",
  severity: "info",
  status: undefined,
  alert: undefined,
} as const;

const holdTable = {
  too_many_deletes: {
    heldIf: "it deletes a larger share of the zone's managed policies and rules than the limit",
    setting: "limits.max_delete_share",
    releasedBy: "plan",
    ...untilDecided,
    remedy:
      "If you do not intend the deletes, revert the commit: many deletes often come from a moved file or a renamed profile. Otherwise, release the plan, or raise the limit.",
  },
  too_many_updates: {
    heldIf:
      "it updates a larger share of the zone's managed settings, policies and rules than the limit",
    setting: "limits.max_update_share",
    releasedBy: "plan",
    ...untilDecided,
    remedy:
      "If you do not intend the updates, revert the commit. Otherwise, release the plan, or raise the limit.",
  },
  weakening: {
    heldIf: "it weakens the protection, or may do so, and the setting is `refuse`",
    setting: "limits.weakening",
    releasedBy: "plan",
    ...untilDecided,
    remedy: "If you do not intend the change, revert the commit. Otherwise, release the plan.",
  },
  unsafe_order: {
    heldIf: "no order of its writes keeps the zone protected between them",
    setting: undefined,
    releasedBy: "plan",
    ...untilDecided,
    remedy: "Change one policy at a time, or release the plan.",
  },
  already_deployed: {
    heldIf: "a rule that stays deploys the declared managed ruleset already",
    setting: undefined,
    releasedBy: undefined,
    ...untilDecided,
    remedy:
      "Remove that rule, or your declaration. To exchange the rulesets of two keys, exchange the keys.",
  },
  unplaced: {
    heldIf: "a `position` names no rule, or contradicts the order of the list",
    setting: undefined,
    releasedBy: undefined,
    ...untilDecided,
    remedy: "Correct the `position` or the order.",
  },
  in_use: {
    heldIf: "it deletes a custom ruleset that others use",
    setting: undefined,
    releasedBy: undefined,
    ...untilDecided,
    remedy: "Delete their rule, or declare the ruleset.",
  },
  adopted_delete: {
    heldIf: "it deletes a rule without a mark, which only the state says was adopted",
    setting: undefined,
    releasedBy: "plan",
    ...untilDecided,
    remedy: "If you no longer want the rule, release the plan. Otherwise, declare it again.",
  },
  blocks_in_use: {
    heldIf: "a policy starts to block scripts that browsers loaded recently",
    setting: "impact.fresh",
    releasedBy: "plan",
    ...untilDecided,
    remedy:
      "Add the sources to the policy, or list them under its `acknowledge`, or release the plan.",
  },
  contended: {
    heldIf:
      "it corrects a field that was corrected too often within `limits.contended_window`, and the correction does not only strengthen",
    setting: "limits.contended_rounds",
    releasedBy: undefined,
    ...untilDecided,
    endsWithTime: true,
    countsForFleet: true,
    remedy:
      "Find out who changes the field. zonewarden tries again when the corrections are older than `limits.contended_window`. To correct the field now, run `zonewarden apply`.",
  },
  fleet_change: {
    heldIf:
      "the fleet guard holds its revision, the first round or the whole `apply`; or its zone is one too many that would be weakened; or only the state says what the zone declares",
    setting: "limits.max_fleet_share",
    releasedBy: "revision",
    ...untilDecided,
    countsForFleet: true,
    alert: "ZonewardenRevisionHeld",
    remedy:
      "If you do not intend the revision, revert the files, and mend broken ones. Otherwise, accept the revision.",
  },
  set_back: {
    heldIf: "it sets a zone back that is live as a held revision declares it",
    setting: undefined,
    releasedBy: "plan",
    ...untilDecided,
    countsForFleet: true,
    alert: "ZonewardenRevisionHeld",
    remedy:
      "Accept the held revision, or revert the files. To set the zone back, release the plan in `limits.accept`.",
  },
  wave: {
    heldIf: "its zone waits for its wave, and it is not known what was in force before",
    setting: undefined,
    releasedBy: "plan",
    ...asMeant,
    remedy:
      "Wait, release the plan, or run `zonewarden apply` for the zone. After an abort, revert the files.",
  },
  quota: {
    heldIf: "the service has no room for a resource that it creates",
    setting: "limits.quota",
    releasedBy: undefined,
    ...untilDecided,
    remedy:
      "Declare fewer resources, or raise the quota of the zone. A new policy is created before it replaces an old one: remove the old one first, or declare the new one under its key.",
  },
  undeclared: {
    heldIf:
      "a command (`apply --plan`, `rulesets prune`) writes something that the files do not declare",
    setting: undefined,
    releasedBy: undefined,
    ...untilDecided,
    alert: undefined,
    remedy: "Declare it, or save a new plan.",
  },
  observe: {
    heldIf: "the mode is `observe`",
    setting: undefined,
    releasedBy: undefined,
    ...asMeant,
    remedy:
      "Set `mode: enforce`. To write named zones once, run `zonewarden apply --enforce ZONE`.",
  },
  suspend: {
    heldIf: "the zone is suspended",
    setting: undefined,
    releasedBy: undefined,
    endsWithTime: true,
    countsForFleet: true,
    planEndsWith: "changes",
    severity: "warn",
    status: "suspended",
    alert: "ZonewardenZoneHeld",
    remedy: "Remove `suspend` from the zone, or wait for its end.",
  },
  freeze: {
    heldIf: "a freeze window is open, or no allow window is",
    setting: undefined,
    releasedBy: "plan",
    ...untilDecided,
    endsWithTime: true,
    countsForFleet: true,
    remedy: "Wait, change `windows`, or release the plan.",
  },
} as const satisfies Readonly<Record<HoldReason, HoldFacts>>;

/** What is known of a reason: the program, the documents and the tests of the alerts ask for it here. */
export function holdFacts(reason: HoldReason): HoldFacts {
  return holdTable[reason];
}

/** The reasons with a known end. */
export type TimedReason = {
  [Reason in HoldReason]: (typeof holdTable)[Reason]["endsWithTime"] extends true ? Reason : never;
}[HoldReason];

export function endsWithTime(reason: HoldReason): reason is TimedReason {
  return holdTable[reason].endsWithTime;
}

/** A reason not to apply a plan. The message says what was found, the limit, and how to release it. */
export interface Hold {
  readonly reason: HoldReason;
  readonly message: string;
  /** What a person accepts to release it: the hash of the plan, or of what the files declare. */
  readonly hash?: string | undefined;
}

/** A share as a rounded percentage: `31.7 %`. */
export function percent(share: number, decimals = 1): string {
  return `${Number((share * 100).toFixed(decimals))} %`;
}

/** A share that exceeds its limit, with enough decimals to differ from the limit. */
export function percentOver(limit: number, share: number): string {
  const decimals = [1, 2, 3].find((each) => percent(share, each) !== percent(limit, each));
  return percent(share, decimals ?? 4);
}
