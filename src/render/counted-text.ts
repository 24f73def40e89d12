import type { Change } from "../plan/change.ts";
import type { MeasuredEffect } from "../plan/measured-effect.ts";
import { sum } from "../syntax/sum.ts";
import { plural, pluralOf, printable } from "./format.ts";

type Measured = Extract<MeasuredEffect, { readonly count: number }>;

/**
 * What was counted of the effect of a change: `would now block: this rule logged 214 requests of 1.2 million in 7 days`, or
 * why that is not known; "" if nobody looked, or nothing can be counted.
 *
 * @param same the change in several zones, whose counts are added.
 */
export function measuredText(same: readonly Pick<Change, "kind" | "measured">[]): string {
  const effects = same.flatMap(({ measured }) => measured ?? []);
  const known = effects.flatMap((effect) => ("why" in effect ? [] : [effect]));
  const [first] = known;
  if (first === undefined) return unknownText(effects);
  const isPolicy = same[0]?.kind === "policy";
  const requests = known.map((effect) => effect.requests);
  const text = knownText(
    {
      ...first,
      count: sum(known.map(({ count }) => count)),
      requests: requests.includes(undefined) ? undefined : sum(requests.map((all) => all ?? 0)),
      isEstimate: known.some(({ isEstimate }) => isEstimate),
      hours: Math.min(...known.map(({ hours }) => hours)),
    },
    { isPolicy, isOne: same.length === 1 },
  );
  const unknown = same.length - known.length;
  if (unknown === 0) return text;
  return `${text}; not measured in ${unknown} of ${plural(same.length, "zone")}`;
}

function unknownText(effects: readonly MeasuredEffect[]): string {
  const reasons = new Set(effects.flatMap((effect) => ("why" in effect ? [effect.why] : [])));
  const [reason] = reasons;
  if (reason === undefined) return "";
  return reasons.size === 1
    ? `not measured: ${printable(reason)}`
    : `not measured, for ${plural(reasons.size, "reason")}: each zone by itself shows its own`;
}

const deeds = {
  log: "logged",
  challenge: "challenged",
  block: "blocked",
  mixed: "blocked or challenged",
} as const satisfies Readonly<Record<Measured["before"], string>>;

const extents = { all: "", some: " some of these", more: " these and more" } as const;

function knownText(
  effect: Measured,
  { isPolicy, isOne }: { readonly isPolicy: boolean; readonly isOne: boolean },
): string {
  const { before, extent, requests, hours, ofHours } = effect;
  const noun = isPolicy ? "policy" : "rule";
  const who = isOne ? `this ${noun}` : `these ${pluralOf(noun)}`;
  const deed = isPolicy && before === "log" ? "reported" : deeds[before];
  const what =
    requests === 0
      ? `${who} had no traffic`
      : `${who} ${deed} ${isPolicy ? violationsText(effect) : requestsText(effect)}`;
  const time = hours === ofHours ? timeText(hours) : `${hours} of ${ofHours} hours`;
  const unknown = requests === undefined ? "; all requests were not measured" : "";
  return `${futureText(effect)}${extents[extent]}: ${what} in ${time}${unknown}`;
}

const verbs = {
  log: "log",
  challenge: "challenge",
  block: "block",
  mixed: "block or challenge",
} as const satisfies Readonly<Record<Measured["before"], string>>;

function futureText({ before, after }: Measured): string {
  if (after === "pass") return `would no longer ${verbs[before]}`;
  return before === "block" ? `would only ${after}` : `would now ${after}`;
}

function requestsText({ count, requests, isEstimate }: Measured): string {
  if (count === 0) return `none of ${ofText(requests, isEstimate)}`;
  const logged = `${isEstimate ? "about " : ""}${counted(count, "request")}`;
  return requests === undefined ? logged : `${logged} of ${numberText(requests)}`;
}

function ofText(requests: number | undefined, isEstimate: boolean): string {
  const all = requests === undefined ? "the requests" : counted(requests, "request");
  return isEstimate ? `a sample of ${all}` : all;
}

function violationsText({ count, requests, isEstimate }: Measured): string {
  const about = count > 0 && isEstimate ? "about " : "";
  const found = count === 0 ? "no violation" : counted(count, "violation");
  return `${about}${found}${requests === undefined ? "" : ` at ${ofText(requests, count === 0 && isEstimate)}`}`;
}

function counted(count: number, noun: string): string {
  return `${numberText(count)} ${count === 1 ? noun : pluralOf(noun)}`;
}

function timeText(hours: number): string {
  return hours % 24 === 0 ? plural(hours / 24, "day") : plural(hours, "hour");
}

/** `1.2 million`; what is less, with all digits. */
function numberText(count: number): string {
  const style = { notation: "compact", compactDisplay: "long", maximumFractionDigits: 1 } as const;
  return count.toLocaleString("en", count < 1_000_000 ? {} : style);
}
