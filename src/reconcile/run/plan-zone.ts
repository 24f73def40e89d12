import type { Cause } from "../../plan/change.ts";
import { guard, type GuardInput } from "../../plan/guard/guard.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { type Plan, plan } from "../../plan/plan.ts";
import { needsScoreRule } from "../../plan/rules/rule-overrides.ts";
import { failureOf } from "../../state/failure.ts";
import type { Trigger, ZoneReport } from "../../state/run-report.ts";
import type { DesiredZone, ZoneContent } from "../../zone/desired-zone.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type {
  Clock,
  LiveReader,
  PartsToRead,
  ZoneAnswers,
  RequestPriority,
} from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { type ImpactLimits, judgeSeen } from "./judge-seen.ts";

/** What a look at a zone needs to know beside the zone. */
export interface PlanRequest {
  readonly desired: DesiredZone;
  readonly run: string;
  readonly trigger: Trigger;
  readonly priority: RequestPriority;
  readonly revision: string;
  readonly owner: string;
  readonly impact: ImpactLimits;
  /** Judged at the moment of the plan. */
  readonly guardInput: (now: Date) => GuardInput;
  /** What the same answers led to before, where that was a plan without changes; `undefined` where it is not known. */
  readonly settled: (answers: string) => Plan | undefined;
  /** Why what differs differs. */
  readonly causeOf: (plan: Plan) => Cause;
  /** What else speaks against carrying the plan out. */
  readonly otherHolds: (plan: Plan, cause: Cause) => readonly Hold[];
}

/** What looking needs from outside. */
export interface PlanPorts {
  readonly reader: LiveReader;
  readonly clock: Clock;
  /** A fault of our own: told with its stack, then the loop goes on. */
  readonly bug: (error: unknown, zone: string) => void;
}

/** What a look came to, with the live state that it was judged by. */
export interface PlannedZone {
  readonly report: ZoneReport;
  /** `undefined` where it could not be read, or where nothing has changed since it was. */
  readonly live: LiveZone | undefined;
  /** Digest of the answers, "" where there are none. */
  readonly answers: string;
  /** When the answers were there, by the clock that nobody sets. */
  readonly readAt: number;
}

/** Reads a zone, plans it and judges the plan. Writes nothing, and could not. */
export async function planZone(
  request: PlanRequest,
  ports: PlanPorts,
  signal: AbortSignal,
): Promise<PlannedZone> {
  const { clock } = ports;
  const [begunAt, startedAt] = [clock.uptime(), clock.now()];
  const { desired, run, trigger, revision } = request;
  const base = { zone: desired.zone.name, run, trigger, revision, startedAt };
  try {
    const wanted = wantedOf(desired.content);
    const answers = await ports.reader.readAnswers(desired.zone, wanted, request.priority, signal);
    const readAt = clock.uptime();
    const { live, proposal } = await planFrom(answers, request, ports, signal);
    const finishedAt = clock.now();
    const phases = { fetch: readAt - begunAt, plan: clock.uptime() - readAt, apply: 0 };
    const report = { ...base, finishedAt, phases, ...judge(request, proposal, finishedAt) };
    return { report, live, answers: answers.digest, readAt };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) ports.bug(error, desired.zone.name);
    const readAt = clock.uptime();
    const phases = { fetch: readAt - begunAt, plan: 0, apply: 0 };
    const [finishedAt, failure] = [clock.now(), failureOf(error)];
    return {
      report: { ...base, finishedAt, phases, result: "error", failure },
      live: undefined,
      answers: "",
      readAt,
    };
  }
}

/** A plan follows from its declaration and the answers alone: where both are as they were, so is the plan. */
async function planFrom(
  answers: ZoneAnswers,
  request: PlanRequest,
  ports: PlanPorts,
  signal: AbortSignal,
): Promise<{ readonly live: LiveZone | undefined; readonly proposal: Plan }> {
  const { desired, owner, settled } = request;
  const known = settled(answers.digest);
  if (known !== undefined) return { live: undefined, proposal: { ...known, zone: desired.zone } };
  const live = answers.live();
  const planned = plan(desired, live, owner);
  return { live, proposal: await judgeSeen(planned, desired, live, request, ports, signal) };
}

/** Which parts of a zone its declaration asks for. */
export function wantedOf({ settings, policies, rules }: ZoneContent): PartsToRead {
  return {
    settings: settings.length > 0,
    policies: policies !== undefined,
    rules: rules !== undefined,
    scoreRule:
      rules?.items.some((rule) => rule.action === "execute" && needsScoreRule(rule)) ?? false,
  };
}

type Judgement =
  | { readonly result: "in_sync"; readonly plan: Plan }
  | { readonly result: "planned"; readonly plan: Plan; readonly cause: Cause }
  | {
      readonly result: "held";
      readonly plan: Plan;
      readonly cause: Cause;
      readonly holds: readonly Hold[];
    };

function judge(request: PlanRequest, proposal: Plan, now: Date): Judgement {
  if (proposal.changes.length === 0) return { result: "in_sync", plan: proposal };
  const cause = request.causeOf(proposal);
  const holds = holdsAt(request, proposal, cause, now);
  if (holds.length > 0) return { result: "held", plan: proposal, cause, holds };
  return { result: "planned", plan: proposal, cause };
}

/** What speaks against carrying a plan out at a moment. */
export function holdsAt(
  { guardInput, otherHolds }: Pick<PlanRequest, "guardInput" | "otherHolds">,
  proposal: Plan,
  cause: Cause,
  now: Date,
): readonly Hold[] {
  return [...guard(proposal, guardInput(now)), ...otherHolds(proposal, cause)];
}
