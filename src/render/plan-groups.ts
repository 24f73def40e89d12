import { isLeftLive } from "../plan/cause/left-live.ts";
import type { Change, Direction } from "../plan/change.ts";
import { type Hold, holdFacts } from "../plan/guard/hold.ts";
import { isAdoption } from "../plan/ownership.ts";
import type { Failure, Outcome, ZoneReport } from "../state/run-report.ts";
import { firstOf } from "../syntax/first-of.ts";
import { kindWords } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";
import { agoOf, authorsText, causeRemark, changedByLine } from "./cause-text.ts";
import { effectWords, fieldWords, mostFields, remarkOf, verbSigns } from "./change-text.ts";
import { measuredText } from "./counted-text.ts";

/** What a run, or a plan, says of one zone. */
export interface PlanFacts {
  readonly zone: ZoneName;
  /** What went wrong, and what it was: `not read`. */
  readonly failures: readonly (Pick<Failure, "code" | "message"> & { readonly what: string })[];
  readonly holds: readonly Hold[];
  readonly changes: readonly Change[];
  readonly notes: readonly string[];
  /** What moments are relative to. */
  readonly at: Date;
}

/** One statement, with all zones of which it is true. Comment, terminal and page show the same. */
export interface PlanGroup {
  readonly zones: readonly ZoneName[];
  /** Equal for the same statement. */
  readonly key: string;
  readonly kind: "failed" | "held" | "dropped" | "left" | "changed";
  /** Of a change; "" for anything else. */
  readonly direction: Direction | "";
  /** The change of the first zone; `undefined` for anything else. */
  readonly change: Change | undefined;
  /** `▼ weakens`, `not read`, `held by`. */
  readonly head: string;
  /** A change in short form, the code of an error or the reason of a hold; "" for none. */
  readonly code: string;
  readonly remarks: readonly string[];
  /** Why; "" for no reason. */
  readonly text: string;
}

/** A statement about one zone. */
interface Statement extends Omit<PlanGroup, "zones"> {
  readonly zone: ZoneName;
  /** Who made the drift that a change corrects, with the moment; "" for nobody, and for anything but a change. */
  readonly author: string;
  /** The same without the moment, which differs between zones. */
  readonly authorOfMany: string;
}

export function factsOfPlan(report: ZoneReport): PlanFacts {
  const base = { zone: report.zone, at: report.finishedAt };
  if (report.result === "error") {
    const failures = [{ ...report.failure, what: "not read" }];
    return { ...base, failures, holds: [], changes: [], notes: [] };
  }
  const { changes, notes } = report.plan;
  return {
    ...base,
    failures: report.result === "applied" ? report.outcomes.flatMap(failureOf) : [],
    holds: report.result === "held" ? report.holds : [],
    changes,
    notes,
  };
}

function failureOf(outcome: Outcome): PlanFacts["failures"] {
  const { status, write } = outcome;
  const code = `${write.call} ${write.changes.join(", ")}`;
  switch (status) {
    case "done":
      return [];
    case "skipped":
      return [{ what: "not sent", code, message: whySkipped(outcome) }];
    case "failed":
    case "unknown": {
      const { code: why, message } = outcome.failure;
      const what = status === "failed" ? "failed" : "answer lost";
      return [{ what, code, message: `${why}: ${message}` }];
    }
  }
}

/** Why a write was not sent, in words. */
export function whySkipped({
  reason,
  waitsFor,
}: Extract<Outcome, { readonly status: "skipped" }>): string {
  return waitsFor === undefined ? skipReasons[reason] : `it waits for ${waitsFor.join(", ")}`;
}

const skipReasons = {
  earlier_failure: "an earlier request failed",
  shutdown: "the program was stopped",
  conflict: "the zone or its files changed after it was planned",
  read_expired: "it waited until the state that was read was too old; the next run plans it again",
  cancelled: "a guard blocked it while it waited; the next run plans it again",
  lease_lost: "this process no longer holds the Lease; the process that does plans it again",
} as const;

/**
 * What a person must see first, in this order: what failed, holds, changes that weaken, delete or are unclear, zones that
 * are no longer declared, and what is no longer managed.
 *
 * @param dropped zones that the files no longer declare.
 */
export function reviewGroups(
  zones: readonly PlanFacts[],
  dropped: readonly ZoneName[] = [],
): readonly PlanGroup[] {
  const dangers = zones
    .flatMap((facts) => facts.changes.filter(isDanger).map((change) => ({ facts, change })))
    .toSorted((one, other) => dangerOf(one.change) - dangerOf(other.change));
  return [
    ...grouped(zones.flatMap(failuresOf)),
    ...holdGroups(zones),
    ...grouped(dangers.map(({ facts, change }) => changeOf(change, facts))),
    ...grouped(dropped.map(droppedOf)),
    ...grouped(zones.flatMap(leftLiveOf)),
  ];
}

/** All other changes, in the order of the first zone of each. */
export function otherGroups(zones: readonly PlanFacts[]): readonly PlanGroup[] {
  return grouped(
    zones.flatMap((facts) =>
      facts.changes.filter((change) => !isDanger(change)).map((change) => changeOf(change, facts)),
    ),
  );
}

const harmless = 3;

/** The rank of a change: those that weaken come first, then those that delete or are unclear, then all others. */
function dangerOf({ effect, verb }: Change): number {
  if (effect.direction === "weakens") return 0;
  if (verb === "delete") return 1;
  return effect.direction === "unclear" ? 2 : harmless;
}

/** Whether a person must see a change before it is applied. */
export function isDanger(change: Change): boolean {
  return dangerOf(change) < harmless;
}

function grouped(statements: readonly Statement[]): readonly PlanGroup[] {
  return [...Map.groupBy(statements, ({ key }) => key).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { zone: _, author, authorOfMany, ...said } = first;
    const zones = [...new Set(group.map(({ zone }) => zone))];
    const by = zones.length === 1 ? author : authorOfMany;
    const measured = measuredText(group.flatMap(({ change }) => change ?? []));
    return [
      {
        ...said,
        zones,
        remarks: by === "" ? said.remarks : [...said.remarks, by],
        text: [said.text, measured].filter((part) => part !== "").join("; "),
      },
    ];
  });
}

const silent = {
  direction: "",
  change: undefined,
  code: "",
  remarks: [],
  text: "",
  author: "",
  authorOfMany: "",
} as const;

function failuresOf({ zone, failures }: PlanFacts): readonly Statement[] {
  return failures.map(({ what, code, message }) => {
    const key = JSON.stringify([what, code, message]);
    return { ...silent, zone, key, kind: "failed", head: what, code, text: message };
  });
}

/**
 * A group for each reason. A message names the hash that releases one plan: those of many stand at their zones, and what a
 * person can do is said in general.
 */
function holdGroups(zones: readonly PlanFacts[]): readonly PlanGroup[] {
  const holds = zones.flatMap(({ zone, holds: own }) => own.map((hold) => ({ ...hold, zone })));
  return [...Map.groupBy(holds, ({ reason }) => reason)].flatMap(([reason, group]) => {
    const messages = new Set(group.map(({ message }) => message));
    const [only = ""] = messages;
    const text = messages.size === 1 ? only : holdFacts(reason).remedy.replaceAll("`", "");
    return grouped(
      group.map(({ zone }) => {
        return { ...silent, zone, key: reason, kind: "held", head: "held by", code: reason, text };
      }),
    );
  });
}

function droppedOf(zone: ZoneName): Statement {
  const text = "it stays as it is, and nothing corrects it";
  return { ...silent, zone, key: text, kind: "dropped", head: "no longer declared", text };
}

function leftLiveOf({ zone, notes }: PlanFacts): readonly Statement[] {
  return notes.filter(isLeftLive).map((text) => {
    return { ...silent, zone, key: text, kind: "left", head: "no longer managed", text };
  });
}

/** A change in short form, with its fields. */
function changeOf(change: Change, { zone, changes, at }: PlanFacts): Statement {
  const { key, verb, effect, title, fields } = change;
  // Which policies become ours changes no protection: those of a fleet are one statement.
  const isOwned = isAdoption(change);
  const words = verb === "update" ? fields.map((field) => fieldWords(field, change)) : [];
  const what = isOwned ? kindWords(change.kind) : key;
  const code = `${verbSigns[verb]} ${what} ${firstOf(words, mostFields)}`.trim();
  const remarks = [remarkOf(change), causeRemark(change, changes)].filter((each) => each !== "");
  const head = effectWords(effect);
  const text = effect.reasons.join("; ");
  const author = authorsText(change, agoOf(at));
  const names = changedByLine([change]);
  // A line does not show what a deleted resource was, and may not show all of a change.
  const hidden = verb === "delete" || isOwned ? [] : [title, fields];
  return {
    zone,
    key: JSON.stringify([head, code, ...remarks, text, names, ...hidden]),
    kind: "changed",
    direction: effect.direction,
    change,
    head,
    code,
    remarks,
    text,
    author,
    authorOfMany: names === "" ? author : names,
  };
}
