import type { StepEvent } from "../state/step-wait.ts";
import { type ObjectSteps, stepsLeft } from "../state/steps-status.ts";
import type { Promotion, StepValue } from "../zone/promotion.ts";
import type { ResourceKey } from "../zone/resource.ts";
import { durationText, numberText, plural } from "./format.ts";
import { rateText, stepWaitText } from "./step-text.ts";

/** `policy/checkout is set back from allow to log: 130 in 20,000 requests, 65 per 10,000`. */
export function stepEventText({
  key,
  event,
  from,
  to,
  cause,
}: Omit<StepEvent, "zone" | "key"> & { readonly key: string }): string {
  const what = {
    promoted: `is promoted from ${from} to ${to}`,
    set_back: `is set back from ${from} to ${to}`,
    stopped: `stays at ${to}`,
    watched: `is not watched any more, and stays at ${to}`,
  }[event];
  if (cause === undefined) return `${key} ${what}`;
  return `${key} ${what}: ${"by" in cause ? `by ${cause.by}` : rateText(cause)}`;
}

/** The steps of an object from one on: `log → allow after 7 days`; the step itself if it is the last one. */
export function ladderText({ steps, afterMs, field }: Promotion, at: number): string {
  const left = steps.slice(at);
  const each = left.length > 2 ? " each" : "";
  const after = left.length > 1 ? ` after ${durationText(afterMs)}${each}` : "";
  return `${field === "action" ? "" : `${field} `}${left.join(" → ")}${after}`;
}

/** Where an object stands: `policy/checkout: log → allow after 7 days (31 of 168 hours measured)`. */
function objectStepText({ key, promotion, step, wait }: ObjectSteps, isUndecided: boolean): string {
  const at = promotion.steps.findIndex((each) => each === step);
  const ladder = at < 0 ? "its step is not known" : ladderText(promotion, at);
  const undecided = isUndecided ? "only the running daemon knows what it waits for" : undefined;
  const why = undecided ?? (wait && stepWaitText(wait));
  return `${key}: ${ladder}${why === undefined ? "" : ` (${why})`}`;
}

/**
 * Where those objects stand that are not at their last step.
 *
 * @param undecided of which it is not known what they wait for.
 */
export function stepsLeftTexts(
  objects: readonly ObjectSteps[],
  undecided: ReadonlySet<ResourceKey> = new Set(),
): readonly string[] {
  return stepsLeft(objects).map((each) => objectStepText(each, undecided.has(each.key)));
}

/** What a promotion asks for before the step after one, and what sets that back; of the last step, only the latter. */
export function conditionsText(
  { steps, afterMs, when, watchMs, rollback }: Promotion,
  step: StepValue | undefined,
): string {
  const after = durationText(afterMs);
  const limit =
    rollback &&
    `set back above ${rollback.ratePer10k} per 10,000 of ${requestsText(rollback.requestsAtLeast)}`;
  if (step === steps.at(-1)) return limit ?? "";
  const watched = watchMs === 0 ? "" : `; then watched for ${durationText(watchMs)}`;
  const back = limit === undefined ? "" : `, ${limit}`;
  if (when === "time_only") return `next after ${after}, whatever is counted${watched}${back}`;
  const { ratePer10k, unknownScripts, requestsAtLeast } = when;
  const asked = [
    ...(ratePer10k === undefined ? [] : [`at most ${ratePer10k} per 10,000`]),
    requestsText(requestsAtLeast),
    ...(unknownScripts === undefined
      ? []
      : [`at most ${plural(unknownScripts, "unknown script")}`]),
  ];
  return `next after ${after} measured, with ${asked.join(", ")}${watched}${back}`;
}

function requestsText(atLeast: number): string {
  return `${numberText(atLeast)} ${atLeast === 1 ? "request" : "requests"} or more`;
}
