import type { Gathered, ZoneWait, Rate, StepWait, Stop, Unmeasured } from "../state/step-wait.ts";
import { durationText, numberText } from "./format.ts";

const unmeasuredTexts: Readonly<Record<Unmeasured, string>> = {
  denied: "the token may not read the measurements",
  unavailable: "the plan of the zone does not include the measurements",
  failed: "the last measurement failed",
  missing: "the last measurement is missing",
  other: "it is not known that the object was live as it is now",
  off: "nothing is measured",
};

/** A reason that says everything. */
type PlainWait = Extract<
  StepWait,
  { readonly reason: ZoneWait | "last_step" | "not_live" | "scripts_not_read" }
>;

const plainTexts: Readonly<Record<PlainWait["reason"], string>> = {
  last_step: "it is as declared",
  not_live: "it is not live at its step yet",
  scripts_not_read: "the scripts in use cannot be read",
  paused: "the zone is paused",
  observe: "the mode is observe",
  suspended: "the zone is suspended",
  held: "another declaration of the zone is held",
  wave: "the zone waits for a wave",
  not_in_sync: "the zone is not in sync",
  store: "the store cannot be written",
};

/** Why an object stays at its step, as the end of a sentence about it. */
export function stepWaitText(wait: StepWait): string {
  if (isPlain(wait)) return plainTexts[wait.reason];
  switch (wait.reason) {
    case "stopped":
      return `${stopText(wait.stop)}; it stays until it is declared otherwise or promoted by a person`;
    case "watched":
      return `it is watched: ${gatheredText(wait)}`;
    case "measuring":
      return gatheredText(wait);
    case "not_measured":
      return unmeasuredTexts[wait.state];
    case "sampled":
      return `the counts are estimates by one request in ${wait.sampleInterval}, too rough for the limit`;
    case "requests":
      return `${numberText(wait.requests)} of ${numberText(wait.atLeast)} requests`;
    case "rate":
      return `${rateText(wait)}, more than ${wait.mostPer10k}`;
    case "unknown_scripts":
      return `the next step would block ${wait.count} scripts in use, more than ${wait.most}`;
    case "other_object":
      return `${wait.key} is promoted or watched`;
    case "earlier_wave":
      return `it waits for wave ${wait.wave}, in which ${wait.zone} does not keep the next step yet`;
  }
}

function isPlain(wait: StepWait): wait is PlainWait {
  return wait.reason in plainTexts;
}

/** Why an object is stopped, in words. */
export function stopText({ from, cause }: Stop): string {
  const left = from === undefined ? "stopped" : `set back from ${from}`;
  return "by" in cause ? `${left} by ${cause.by}` : `${left} after ${rateText(cause)}`;
}

/** `130 in 20,000 requests, 65 per 10,000`. */
export function rateText({ count, requests }: Rate): string {
  const rate = requests === 0 ? 0 : (count * 10_000) / requests;
  const perTenThousand = rate.toLocaleString("en", { maximumSignificantDigits: 3 });
  return `${numberText(count)} in ${numberText(requests)} requests, ${perTenThousand} per 10,000`;
}

function gatheredText({ ms, ofMs, isMeasured, state }: Gathered): string {
  const time = `${durationText(ms)} of ${durationText(ofMs)}${isMeasured ? " measured" : ""}`;
  return state === undefined ? time : `${time}; ${unmeasuredTexts[state]}`;
}
