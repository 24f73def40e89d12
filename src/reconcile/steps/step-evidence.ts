import { datasetOf, type HourCount, unmeasuredState } from "../../measure/measurement.ts";
import type { Rate, Unmeasured } from "../../state/step-wait.ts";
import type { Promotion } from "../../zone/promotion.ts";
import type { ResourceKey } from "../../zone/resource.ts";

/** Counts of a zone in parts of equal length that follow one another, as hours; each list has one for each part. */
export interface PartSeries {
  readonly partMs: number;
  /** Start of the first part, in milliseconds since the epoch: a multiple of `partMs`. */
  readonly from: number;
  readonly requests: readonly HourCount[];
  readonly countsOf: (key: ResourceKey) => readonly HourCount[];
  /** Digests of what a policy did in the parts, "" where that is not known; left out: it did what it does now. */
  readonly formsOf?: ((key: ResourceKey) => readonly string[]) | undefined;
}

/** What was counted in a part of time. */
export type CountedPart =
  | {
      readonly state: "measured";
      readonly count: number;
      readonly requests: number;
      /** 1: exact. More: an estimate by one request in so many. */
      readonly sampleInterval: number;
    }
  | { readonly state: Unmeasured };

/** A highest rate, for 10,000 requests. */
interface RateLimit {
  readonly ratePer10k: number;
  readonly requestsAtLeast: number;
}

/** What the parts of time at a step say together. */
export interface StepEvidence {
  readonly partMs: number;
  /** How many parts were measured. */
  readonly measured: number;
  /** The state of the newest part; `undefined`: none has passed at this step. */
  readonly newest: CountedPart["state"] | undefined;
  /** The newest measured parts, as many as `after` asks for. */
  readonly latest: Rate & { readonly sampleInterval: number };
  /** What sets a watched step back; `undefined`: nothing does. */
  readonly over: Rate | undefined;
}

/**
 * What was counted of an object in the whole parts since a moment.
 *
 * @param form digest of what a policy does; `undefined` for a rule.
 */
export function partsSince(
  { partMs, from, requests, countsOf, formsOf }: PartSeries,
  key: ResourceKey,
  since: number,
  form: string | undefined,
): readonly CountedPart[] {
  const first = Math.max(0, Math.ceil((since - from) / partMs));
  const counts = countsOf(key);
  const forms = datasetOf(key) === "violations" ? formsOf?.(key) : undefined;
  return counts.slice(first).map((count, nth) => {
    const all = requests[first + nth];
    if (forms !== undefined && (form === undefined || forms[first + nth] !== form)) {
      return count.state === "measured" ? { state: "other" } : unmeasured(count);
    }
    if (count.state !== "measured") return unmeasured(count);
    if (all?.state !== "measured") return unmeasured(all);
    const { sampleInterval } = count;
    return { state: "measured", count: count.count, requests: all.count, sampleInterval };
  });
}

function unmeasured(count: Exclude<HourCount, { readonly state: "measured" }> | undefined): {
  readonly state: Unmeasured;
} {
  const state = count === undefined ? "missing" : unmeasuredState(count);
  return { state: state === "undeclared" ? "other" : state };
}

/** Puts together what the parts of time at a step say, the oldest first. */
export function evidenceOf(
  partMs: number,
  parts: readonly CountedPart[],
  { afterMs, rollback }: Pick<Promotion, "afterMs" | "rollback">,
): StepEvidence {
  const measured = parts.filter((part) => part.state === "measured");
  return {
    partMs,
    measured: measured.length,
    newest: parts.at(-1)?.state,
    latest: sumOf(measured.slice(-partsOf(afterMs, partMs))),
    over: rollback && firstOver(measured, rollback),
  };
}

/** How many parts a time is, rounded up. */
export function partsOf(ms: number, partMs: number): number {
  return Math.max(1, Math.ceil(ms / partMs));
}

/**
 * What exceeds a limit: the newest parts that together have enough requests, or as many before them, and so on. Parts that
 * have too few are judged with those before them.
 */
function firstOver(measured: readonly CountedPart[], limit: RateLimit): Rate | undefined {
  let group: CountedPart[] = [];
  for (const part of measured.toReversed()) {
    group = [part, ...group];
    const sum = sumOf(group);
    if (sum.requests < limit.requestsAtLeast) continue;
    const result = compareRate(sum, limit.ratePer10k);
    if (result === "over") return { count: sum.count, requests: sum.requests };
    if (result === "kept") group = [];
  }
  return undefined;
}

/**
 * Whether a rate keeps a limit. An estimate by one request in so many does not tell what is less than that: `unclear`, unless
 * even the requests that were seen are too many.
 */
export function compareRate(
  { count, requests, sampleInterval }: StepEvidence["latest"],
  ratePer10k: number,
): "kept" | "over" | "unclear" {
  const most = ratePer10k * requests;
  if (sampleInterval > 1) {
    if ((count / sampleInterval) * 10_000 > most) return "over";
    if (most < sampleInterval * 10_000) return "unclear";
  }
  return count * 10_000 > most ? "over" : "kept";
}

function sumOf(parts: readonly CountedPart[]): StepEvidence["latest"] {
  let [count, requests, sampleInterval] = [0, 0, 1];
  for (const part of parts) {
    if (part.state !== "measured") continue;
    count += part.count;
    requests += part.requests;
    sampleInterval = Math.max(sampleInterval, part.sampleInterval);
  }
  return { count, requests, sampleInterval };
}
