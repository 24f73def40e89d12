import type { Change } from "../../plan/change.ts";
import { failureOf } from "../../state/failure.ts";
import type { Outcome, SkipReason, ZoneReport } from "../../state/run-report.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { Clock, LiveWriter } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import type { PlannedZone } from "./plan-zone.ts";
import { quotaHold } from "./quota.ts";
import { GateClosed } from "./write-gate.ts";

/** What carrying out needs from outside. */
export interface WritePorts {
  readonly writer: LiveWriter;
  readonly clock: Clock;
  readonly bug: (error: unknown, zone: string) => void;
}

/**
 * When to stop: `stop` begins no further request, `abort` also gives up the one under way. The reason of `stop` tells
 * the end of the program from a run that is {@link GateClosed}.
 */
export interface StopSignals {
  readonly stop: AbortSignal;
  readonly abort: AbortSignal;
}

/** What is still to do in a live state: a plan on the state that the answers show verifies what was written. */
export type Verify = (after: LiveZone) => readonly Change[];

/**
 * Carries out what was proposed, request by request, up to the first that fails. Never throws for the service's
 * failures: half an apply is a normal thing that must be reportable.
 *
 * Where the service has no room for the first write nothing was written, and the plan is held ({@link quotaHold}).
 * Each answer is folded into the live state that was read, so that to verify costs no request. A report that is not
 * `ready` is given back as it is.
 */
export async function applyWrites(
  { report, live }: Pick<PlannedZone, "report" | "live">,
  verify: Verify,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  if (report.result !== "planned" || live === undefined) return report;
  const begunAt = ports.clock.uptime();
  const { outcomes, after } = await writeAll(report.plan.writes, live, ports, signals);
  const finishedAt = ports.clock.now();
  const phases = { ...report.phases, apply: ports.clock.uptime() - begunAt };
  const ended = { ...report, finishedAt, phases };
  const quota = quotaHold(report.plan, outcomes);
  return quota === undefined
    ? { ...ended, result: "applied", outcomes, left: verify(after) }
    : { ...ended, result: "held", holds: [quota] };
}

interface Progress {
  readonly outcomes: readonly Outcome[];
  readonly after: LiveZone;
}

async function writeAll(
  writes: readonly Write[],
  before: LiveZone,
  ports: WritePorts,
  signals: StopSignals,
): Promise<Progress> {
  const outcomes: Outcome[] = [];
  let live = before;
  for (const write of writes) {
    const last = outcomes.at(-1);
    if (last !== undefined && last.status !== "done") {
      outcomes.push({ status: "skipped", write, reason: reasonAfter(last) });
    } else if (signals.stop.aborted) {
      outcomes.push({ status: "skipped", write, reason: reasonToStop(signals) });
    } else {
      try {
        const written = await ports.writer.write(live, write, signals.abort, signals.stop);
        live = written.live;
        const { ray, interleaved } = written;
        outcomes.push({ status: "done", write, ray, interleaved });
      } catch (error) {
        outcomes.push(outcomeOf(error, write, signals));
        const isOurs = signals.abort.aborted || error === signals.stop.reason;
        if (!(error instanceof ServiceError) && !isOurs) ports.bug(error, live.zone.name);
      }
    }
  }
  return { outcomes, after: live };
}

function reasonAfter(last: Outcome): SkipReason {
  return last.status === "skipped" ? last.reason : "earlier_failure";
}

function reasonToStop({ stop }: Pick<StopSignals, "stop">): SkipReason {
  return stop.reason instanceof GateClosed ? stop.reason.reason : "shutdown";
}

/** What becomes of a write that threw: one that was called off has not been sent, or was turned away before (429). */
function outcomeOf(error: unknown, write: Write, { stop, abort }: StopSignals): Outcome {
  if (abort.aborted) return givenUp(write);
  const isCalledOff = stop.aborted && (error === stop.reason || isThrottled(error));
  if (!isCalledOff) return failed(write, error);
  return { status: "skipped", write, reason: reasonToStop({ stop }) };
}

function isThrottled(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "API_RATE_LIMITED";
}

/** What the service made of a request that we did not wait for, the next look will show. */
function givenUp(write: Write): Outcome {
  const message = "the program ended before the answer came: the next look shows what came of it";
  const facts = { transient: true, ray: "", retryAfterMs: 0 };
  return { status: "unknown", write, failure: { code: "API_UNKNOWN_OUTCOME", message, ...facts } };
}

function failed(write: Write, error: unknown): Outcome {
  const failure = failureOf(error);
  const { code } = failure;
  const status = code === "API_UNKNOWN_OUTCOME" ? "unknown" : "failed";
  // Somebody has replaced what was to be written since it was read: the next look shows by what.
  const transient = failure.transient || code === "API_NOT_FOUND";
  return { status, write, failure: { ...failure, transient } };
}
