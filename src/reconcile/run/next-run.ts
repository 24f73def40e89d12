import type { Hold, HoldReason } from "../../plan/guard/hold.ts";
import { failureIn, type ZoneReport } from "../../state/run-report.ts";

/** A run that a zone needs without a trigger from outside: after a failure, or when a hold ends. */
export interface NextRun {
  readonly reason: "retry" | "due";
  readonly delayMs: number;
}

/**
 * The least wait before a run is repeated, in milliseconds; `undefined` where it succeeded, or where only a changed file or
 * the next sweep can help.
 */
export function retryDelayMs(report: ZoneReport): number | undefined {
  if (report.result === "error") return delayAfter(report.failure);
  if (report.result !== "applied") return undefined;
  const failure = failureIn(report.outcomes);
  if (failure !== undefined) return delayAfter(failure);
  return report.left.length > 0 ? 0 : undefined;
}

function delayAfter(failure: { readonly transient: boolean; readonly retryAfterMs: number }) {
  return failure.transient ? failure.retryAfterMs : undefined;
}

/** When the holds end that time alone ends; `undefined`: it takes more than time. */
export type HoldEnds = Readonly<
  Record<Extract<HoldReason, "contended" | "freeze" | "suspend">, () => Date | undefined>
>;

/**
 * When the last hold of a plan ends by itself; `undefined` where somebody has to act, or where nothing holds the plan. If
 * another hold begins before, the run at that moment finds its end.
 */
export function endOfHolds(holds: readonly Hold[], ends: HoldEnds): Date | undefined {
  const moments = holds.map(({ reason }) =>
    endsByItself(reason, ends) ? ends[reason]() : undefined,
  );
  const known = moments.filter((moment) => moment !== undefined);
  if (known.length < holds.length) return undefined;
  return known.toSorted((a, b) => Number(b) - Number(a))[0];
}

function endsByItself(reason: HoldReason, ends: HoldEnds): reason is keyof HoldEnds {
  return reason in ends;
}
