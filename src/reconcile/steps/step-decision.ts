import type { EarlierWave, Gathered, ZoneWait, Rate, StepWait } from "../../state/step-wait.ts";
import { compareText } from "../../syntax/by-text.ts";
import { hourMs } from "../../syntax/time-units.ts";
import type { Promotion, StepConditions } from "../../zone/promotion.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import { compareRate, type StepEvidence, partsOf } from "./step-evidence.ts";
import { type StepState, stepIndex } from "./step-state.ts";

/** What is known of an object whose step is known. */
export interface StepFacts {
  readonly promotion: Promotion;
  readonly state: StepState;
  /** What the hours at this step say; `undefined`: nothing is measured. */
  readonly hours: StepEvidence | undefined;
  /** What the latest five minutes say; `undefined`: they were not read. */
  readonly recent: StepEvidence | undefined;
  /** Scripts in use that the next step would block; `unread`: they cannot be read; `undefined`: nobody has asked. */
  readonly scripts: number | "unread" | undefined;
}

export type StepDecision =
  | { readonly do: "promote" | "end_watch" | "ask_scripts" }
  | { readonly do: "set_back"; readonly over: Rate }
  | { readonly do: "wait"; readonly wait: StepWait };

/**
 * Decides about the objects of a zone. At most one of them is to be promoted, and none while another one is not live at its
 * step or is watched: what goes wrong then is its doing. Of several, it is the one that is at its step for longest.
 *
 * A change of the files may change several objects at once. They are in one watch after the other, but what is counted before
 * it counts for each, and its limit holds for it: none that breaks a site waits for the watch of another one.
 *
 * @param zoneWait why nothing is promoted in the zone; `undefined`: nothing keeps it from that.
 * @param earlierWave in which the next step of an object is not kept yet; `undefined`: in none.
 */
export function decideSteps(
  objects: ReadonlyMap<ResourceKey, StepFacts>,
  zoneWait: ZoneWait | undefined,
  earlierWave: (key: ResourceKey) => EarlierWave | undefined = () => undefined,
): ReadonlyMap<ResourceKey, StepDecision> {
  const decisions = new Map<ResourceKey, StepDecision>();
  for (const [key, facts] of objects) {
    const decision = decideObject(facts);
    const earlier = isReady(decision) ? earlierWave(key) : undefined;
    const wait = earlier && waitFor({ reason: "earlier_wave", ...earlier });
    decisions.set(key, wait ?? decision);
  }
  const states = [...objects].map(([key, { state }]): KeyedState => [key, state]);
  const ready = states.filter(([key]) => isReady(decisions.get(key)));
  const other = busyObject(states) ?? ready.toSorted(longestFirst)[0]?.[0];
  if (other === undefined) return decisions;
  for (const [key, { isWatched, isLive }] of states) {
    const decision = decisions.get(key);
    const isNext = isReady(decision);
    const staysWatched = isWatched && isLive && decision?.do !== "set_back";
    if (isNext && zoneWait !== undefined) decisions.set(key, waitFor({ reason: zoneWait }));
    else if (key !== other && (isNext || staysWatched)) {
      decisions.set(key, waitFor({ reason: "other_object", key: other }));
    }
  }
  return decisions;
}

type KeyedState = readonly [ResourceKey, StepState];

/**
 * The object that keeps the others from being promoted; `undefined`: none does. It is the one of the watched objects that is
 * at its step for longest, else one that is not live at its step.
 */
export function busyObject(states: readonly KeyedState[]): ResourceKey | undefined {
  const [watched] = states.filter(([, { isWatched }]) => isWatched).toSorted(longestFirst);
  return (watched ?? states.find(([, { isLive }]) => !isLive))?.[0];
}

function isReady(decision: StepDecision | undefined): boolean {
  return decision?.do === "promote" || decision?.do === "ask_scripts";
}

function longestFirst([a, one]: KeyedState, [b, two]: KeyedState): number {
  const [since, other] = [one.since ?? Infinity, two.since ?? Infinity];
  if (since !== other) return since < other ? -1 : 1;
  return two.elapsedMs - one.elapsedMs || compareText(a, b);
}

/** What follows for an object from what is known of it alone. */
function decideObject(facts: StepFacts): StepDecision {
  const { promotion, state } = facts;
  if (state.isWatched) return decideWatched(facts);
  if (state.stop !== undefined) return waitFor({ reason: "stopped", stop: state.stop });
  const isLast = stepIndex(state, promotion) === promotion.steps.length - 1;
  if (isLast) return waitFor(state.isLive ? { reason: "last_step" } : { reason: "not_live" });
  const wait = waitBeforeNext(facts);
  if (wait !== undefined) return waitFor(wait);
  const { when } = promotion;
  const isAsked = when !== "time_only" && when.unknownScripts !== undefined;
  return { do: isAsked && facts.scripts === undefined ? "ask_scripts" : "promote" };
}

/** What is not known sets nothing back, and ends no watch. */
function decideWatched({ promotion, state, hours, recent }: StepFacts): StepDecision {
  if (!state.isLive) return waitFor({ reason: "not_live" });
  const { watchMs, rollback } = promotion;
  if (rollback === undefined) {
    if (state.elapsedMs >= watchMs) return { do: "end_watch" };
    return waitFor({ reason: "watched", ...elapsed(state, watchMs) });
  }
  const over = recent?.over ?? hours?.over;
  if (over !== undefined) return { do: "set_back", over };
  const gathered = gatheredOf(watchMs, { hours, recent });
  return gathered.ms >= watchMs ? { do: "end_watch" } : waitFor({ reason: "watched", ...gathered });
}

/** Why the next step does not begin; `undefined`: its conditions are fulfilled. */
function waitBeforeNext(facts: StepFacts): StepWait | undefined {
  const { promotion, state } = facts;
  const { afterMs, when } = promotion;
  if (!state.isLive) return { reason: "not_live" };
  if (when === "time_only") {
    const passed = elapsed(state, afterMs);
    return passed.ms < afterMs ? { reason: "measuring", ...passed } : undefined;
  }
  const gathered = gatheredOf(afterMs, facts);
  if (gathered.ms < afterMs) return { reason: "measuring", ...gathered };
  if (gathered.state !== undefined) return { reason: "not_measured", state: gathered.state };
  const latest = evidenceFor(afterMs, facts)?.latest;
  return waitForRate(latest ?? nothing, when) ?? waitForScripts(facts.scripts, when);
}

const nothing: StepEvidence["latest"] = { count: 0, requests: 0, sampleInterval: 1 };

function waitForRate(
  latest: StepEvidence["latest"],
  { requestsAtLeast: atLeast, ratePer10k }: StepConditions,
): StepWait | undefined {
  const { count, requests, sampleInterval } = latest;
  if (requests < atLeast) return { reason: "requests", requests, atLeast };
  if (ratePer10k === undefined) return undefined;
  const result = compareRate(latest, ratePer10k);
  if (result === "over") return { reason: "rate", count, requests, mostPer10k: ratePer10k };
  return result === "unclear" ? { reason: "sampled", sampleInterval } : undefined;
}

function waitForScripts(
  scripts: StepFacts["scripts"],
  { unknownScripts: most }: StepConditions,
): StepWait | undefined {
  if (most === undefined || scripts === undefined) return undefined;
  if (scripts === "unread") return { reason: "scripts_not_read" };
  return scripts > most ? { reason: "unknown_scripts", count: scripts, most } : undefined;
}

/** Less than an hour is counted in five minutes. */
function evidenceFor(
  ms: number,
  { hours, recent }: Pick<StepFacts, "hours" | "recent">,
): StepEvidence | undefined {
  return ms < hourMs ? recent : hours;
}

/** How much of a time was measured at the step. */
function gatheredOf(ofMs: number, facts: Pick<StepFacts, "hours" | "recent">): Gathered {
  const evidence = evidenceFor(ofMs, facts);
  if (evidence === undefined) return { ms: 0, ofMs, isMeasured: true, state: "off" };
  const { newest, measured, partMs } = evidence;
  // A part that was begun is not a whole one.
  const isWhole = measured >= partsOf(ofMs, partMs);
  const ms = isWhole ? ofMs : Math.min(measured * partMs, ofMs);
  const state = newest === "measured" ? undefined : newest;
  return { ms, ofMs, isMeasured: true, state };
}

function elapsed({ elapsedMs }: StepState, ofMs: number): Gathered {
  return { ms: Math.min(elapsedMs, ofMs), ofMs, isMeasured: false, state: undefined };
}

function waitFor(wait: StepWait): StepDecision {
  return { do: "wait", wait };
}
