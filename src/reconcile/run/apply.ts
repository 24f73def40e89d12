import { explainLeft } from "../../plan/cause/explain.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { planHash } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import {
  type Applied,
  failureOf,
  isRefused,
  keysDone,
  type Outcome,
  type SkipReason,
  type ZoneReport,
} from "../../state/run-report.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { isAborted, joinSignals, type StopSignals } from "../../zone/signals.ts";
import type { Write } from "../../zone/write.ts";
import type { RunPorts } from "./deadline.ts";
import type { PlannedZone } from "./plan-zone.ts";
import { isCancelled, ReadAges, type Sending, sendOnRead } from "./send-fresh.ts";
import { GateClosed, maxReadAgeMs, WriteGate } from "./write-gate.ts";

export interface WritePorts extends RunPorts {
  /**
   * Records a run before each of its writes is sent, as the report that is true if the process ends now. The write waits
   * for it. Nothing is recorded where it is left out.
   */
  readonly recordBeforeWrite?: (report: Applied) => Promise<void>;
  /** Called if nothing blocks a plan; its first write waits for it. */
  readonly beforeFirstWrite?: (plan: Plan) => void;
  /** Takes the live state after the writes. */
  readonly afterWrites?: (live: LiveZone) => void;
  /** Reports an internal error. */
  readonly bug: (error: unknown, zone: string) => void;
}

/**
 * Applies a plan that no guard holds: steps 4 and 5 of a run (zone-runner.ts), for the daemon, `apply` and `apply --plan`.
 *
 * Sends the writes one after the other, and never throws for a failure of the service: half an apply is normal and must be
 * reported. If the service refuses a write for good, what waits for that write is skipped and the others are sent; any
 * other failure ends the writes. If it refuses an entry point with several rules, the entry point is created without rules,
 * and they follow one by one, so that one refused rule holds no other. The gate asks the chain (may-write.ts) before anything
 * is written and before each write: a plan that a guard holds meanwhile is held, and one whose fleet is judged first waits.
 * Each answer is merged into the live state that was read, so that verifying costs no request. If nothing was written since
 * the service has no room, the plan is held.
 *
 * Gives a report whose result is not `planned` back as it is.
 */
export async function applyPlan(
  planned: PlannedZone,
  gate: WriteGate,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const { report, live, remainingIn } = planned;
  if (report.result !== "planned" || live === undefined) return report;
  const { clock } = ports;
  const [now, startedMs] = [clock.now(), clock.monotonicMs()];
  const { block, facts } = gate.watch(planned);
  if (facts.holds.length > 0) {
    return { ...report, finishedAt: now, result: "held", holds: facts.holds };
  }
  if (block?.link === "fleet") return { ...report, waits: block.reason };
  // 4. apply
  if (block === undefined) ports.beforeFirstWrite?.(report.plan);
  using stop = joinSignals(signals.stop, gate.signal);
  const sending: RecordedSending = {
    plan: report.plan,
    ages: new ReadAges(planned.readAt),
    gate,
    ports,
    signals: { stop: stop.signal, abort: signals.abort },
    record: async (outcomes) => {
      const ended = { ...report, finishedAt: clock.now(), outcomes, left: report.plan.changes };
      await ports.recordBeforeWrite?.({ ...ended, result: "applied" });
    },
  };
  const { outcomes, after } = await sendAll(live, planned, sending);
  ports.afterWrites?.(after);
  const phases = { ...report.phases, apply: clock.monotonicMs() - startedMs };
  const ended = { ...report, finishedAt: clock.now(), phases };
  const quota = quotaHolds(report.plan, outcomes);
  if (quota.length > 0) return { ...ended, result: "held", holds: quota };
  // 5. verify
  const left = explainLeft(remainingIn(after).changes, report.plan.changes, keysDone(outcomes));
  return { ...ended, result: "applied", outcomes, left };
}

/** A zone whose plan was reviewed, and how to plan it once more. */
export interface ReviewedZone {
  readonly planned: PlannedZone;
  readonly planAgain: () => Promise<PlannedZone>;
  /** The hash of the saved plan of which this is what is left. */
  readonly savedHash?: string;
}

/**
 * Applies exactly the plan that was reviewed, possibly long ago: in a large fleet hours pass between the plan of a zone and
 * its writes. If the read has expired, the zone is read and planned again; where that leads to another plan, nothing
 * is written.
 */
export async function applyReviewed(
  { planned: reviewed, planAgain }: ReviewedZone,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  let planned = reviewed;
  for (let expiries = 0; ; expiries += 1) {
    if (isTooOld(planned, ports.clock)) planned = await replanned(planned, planAgain, signals.stop);
    using gate = new WriteGate(ports.clock, maxReadAgeMs(expiries));
    const report = await applyPlan(asReviewed(planned, reviewed), gate, ports, signals);
    if (!isExpired(report)) return report;
  }
}

/** A read that is used again must leave enough time to send the writes. */
export function isTooOld({ report, readAt }: PlannedZone, clock: Clock): boolean {
  if (report.result !== "planned") return false;
  const ages = new ReadAges(readAt);
  const oldest = Math.min(...report.plan.writes.map((write) => ages.readAtFor(write)));
  return clock.monotonicMs() - oldest >= maxReadAgeMs(0) / 2;
}

/** The plan itself where the program is stopping: nothing is sent then anyway. */
async function replanned(
  planned: PlannedZone,
  planAgain: ReviewedZone["planAgain"],
  stop: AbortSignal,
): Promise<PlannedZone> {
  if (isAborted(stop)) return planned;
  try {
    return await planAgain();
  } catch (error) {
    if (isAborted(stop)) return planned;
    throw error;
  }
}

/** A plan that is not the reviewed one conflicts with it: all writes of the reviewed plan are skipped. */
function asReviewed(planned: PlannedZone, { report: reviewed }: PlannedZone): PlannedZone {
  const { report } = planned;
  if (report.result !== "planned" || reviewed.result !== "planned") return planned;
  if (planHash(report.plan) === planHash(reviewed.plan)) return planned;
  const { plan } = reviewed;
  return { ...planned, report: { ...report, plan }, conflicts: plan.writes };
}

/** Whether nothing was sent because the read expired first. */
function isExpired(report: ZoneReport): boolean {
  return (
    report.result === "applied" &&
    report.outcomes.every((each) => each.status === "skipped" && each.reason === "read_expired")
  );
}

/** What the writes of a plan are sent with, and recorded. */
interface RecordedSending extends Sending {
  readonly ports: WritePorts;
  /** Records what is true if the process ends now. */
  readonly record: (outcomes: readonly Outcome[]) => Promise<void>;
}

/** What became of a write, and the live state then. */
interface Sent {
  readonly outcome: Outcome;
  readonly live: LiveZone;
}

async function sendAll(
  before: LiveZone,
  { conflicts, remainingIn }: Pick<PlannedZone, "conflicts" | "remainingIn">,
  sending: RecordedSending,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly after: LiveZone }> {
  const { plan, ages, gate } = sending;
  const outcomes: Outcome[] = [];
  const waiting = [...plan.writes];
  let { waitsFor } = plan;
  let live = before;
  let isFirst = true;
  for (let write = waiting.shift(); write !== undefined; write = waiting.shift()) {
    const skip = skipOf(write, waitsFor, conflicts, outcomes);
    let sent: Sent;
    if (skip === undefined) {
      gate.checkBeforeWrite(isFirst ? ages.readAtFor(write) : Infinity);
      const rest = waiting.map((each) => skipped(each, "shutdown"));
      const ifKilled = [...outcomes, failed(write, abandoned()), ...rest];
      sent = await sendOne(live, write, isFirst, ifKilled, sending);
    } else {
      sent = { outcome: skip, live };
    }
    live = sent.live;
    isFirst = false;
    const instead = withoutRules(sent.outcome, waitsFor.get(write) ?? plan.writes);
    if (instead === undefined) outcomes.push(sent.outcome);
    const more = instead ?? rulesOf(sent.outcome, () => remainingIn(live));
    if (more === undefined) continue;
    waiting.unshift(...more.writes);
    waitsFor = new Map([...waitsFor, ...more.waitsFor]);
  }
  return { outcomes, after: live };
}

/**
 * Sends a write that does not wait for another one.
 *
 * @param ifKilled what is true if the process ends meanwhile.
 */
async function sendOne(
  live: LiveZone,
  write: Write,
  isFirst: boolean,
  ifKilled: readonly Outcome[],
  sending: RecordedSending,
): Promise<Sent> {
  const { ages, signals, record, ports } = sending;
  if (signals.stop.aborted || !(await isRecorded(record(ifKilled), signals.stop))) {
    return { outcome: skipped(write, reasonToStop(signals)), live };
  }
  try {
    const written = await sendOnRead(live, write, isFirst, sending);
    ages.renew(write, written);
    const { ray, interleaved } = written;
    return { outcome: { status: "done", write, ray, interleaved }, live: written.live };
  } catch (error) {
    const isStopped = signals.abort.aborted || error === signals.stop.reason;
    if (!(error instanceof ServiceError) && !isStopped) ports.bug(error, live.zone.name);
    return { outcome: outcomeOf(error, write, signals), live };
  }
}

type MoreWrites = Pick<Plan, "writes" | "waitsFor">;

/** An entry point without its rules, instead of one that the service refused, perhaps for one of them. */
function withoutRules(outcome: Outcome, waitsFor: readonly Write[]): MoreWrites | undefined {
  const { write } = outcome;
  if (write.call !== "create-entrypoint" || write.rules.length < 2) return undefined;
  const code = outcome.status === "failed" ? outcome.failure.code : "";
  if (code !== "API_REFUSED" && code !== "API_QUOTA") return undefined;
  const empty = { ...write, rules: [] };
  return { writes: [empty], waitsFor: new Map([[empty, waitsFor]]) };
}

/** The rules that follow an entry point which was created without them. */
function rulesOf({ status, write }: Outcome, remaining: () => MoreWrites): MoreWrites | undefined {
  const isEmpty = write.call === "create-entrypoint" && write.rules.length === 0;
  if (!isEmpty || status !== "done") return undefined;
  const { writes, waitsFor } = remaining();
  const isItsRule = (each: Write): boolean =>
    each.call === "create-rule" && each.changes.every((key) => write.changes.includes(key));
  return { writes: writes.filter(isItsRule), waitsFor };
}

/** Waits for a record; `false` if it fails since the store is no longer this process's, which stops the run. */
async function isRecorded(record: Promise<void>, stop: AbortSignal): Promise<boolean> {
  try {
    await record;
    return true;
  } catch (error) {
    if (!isAborted(stop)) throw error;
    return false;
  }
}

/** The outcome of a write that must not be sent after those before it; `undefined` if it may. */
function skipOf(
  write: Write,
  waits: Plan["waitsFor"],
  conflicts: readonly Write[],
  outcomes: readonly Outcome[],
): Outcome | undefined {
  if (conflicts.includes(write)) return skipped(write, "conflict");
  const [end] = outcomes.flatMap((outcome) => reasonToEnd(outcome) ?? []);
  if (end !== undefined) return skipped(write, end);
  const undone = new Set(
    outcomes.filter(({ status }) => status !== "done").map((each) => each.write),
  );
  const waitsFor = (waits.get(write) ?? [...undone]).filter((each) => undone.has(each));
  if (waitsFor.length === 0) return undefined;
  const keys = new Set(waitsFor.flatMap(({ changes }) => changes));
  return { status: "skipped", write, reason: "earlier_failure", waitsFor: [...keys] };
}

/** Why no write is sent after this outcome; `undefined` if those that do not wait for it are. */
function reasonToEnd(outcome: Outcome): SkipReason | undefined {
  switch (outcome.status) {
    case "done":
      return undefined;
    case "failed":
      return isRefused(outcome.failure) ? undefined : "earlier_failure";
    case "unknown":
      return "earlier_failure";
    case "skipped":
      return outcome.waitsFor === undefined ? outcome.reason : undefined;
  }
}

function skipped(write: Write, reason: SkipReason): Outcome {
  return { status: "skipped", write, reason };
}

function reasonToStop({ stop }: Pick<StopSignals, "stop">): SkipReason {
  return stop.reason instanceof GateClosed ? stop.reason.reason : "shutdown";
}

/** The outcome of a write that threw. */
function outcomeOf(error: unknown, write: Write, { stop, abort }: StopSignals): Outcome {
  if (abort.aborted) return failed(write, abandoned());
  if (!isCancelled(error, stop)) return failed(write, error);
  return skipped(write, reasonToStop({ stop }));
}

function abandoned(): ServiceError {
  const message =
    "the program ended before the service answered: the next run shows whether the write was applied";
  return new ServiceError("API_UNKNOWN_OUTCOME", message, { transient: true });
}

function failed(write: Write, error: unknown): Outcome {
  const failure = failureOf(error);
  const { code } = failure;
  const status = code === "API_UNKNOWN_OUTCOME" ? "unknown" : "failed";
  // Somebody replaced the object after it was read: the next run reads what took its place.
  const transient = failure.transient || code === "API_NOT_FOUND";
  return { status, write, failure: { ...failure, transient } };
}

/**
 * Holds a plan of which nothing was written since the service has no room; none if anything else is to be reported.
 *
 * A quota cannot be foreseen: the service reports it only in its refusal (SERVICE.md A.6). A replacement is created before
 * the old resource is deleted; whether to do it the other way round is for people to decide.
 */
function quotaHolds(plan: Plan, outcomes: readonly Outcome[]): readonly Hold[] {
  const tried = outcomes.filter(({ status }) => status !== "skipped");
  const full = tried.filter(
    (each): each is FailedWrite => each.status === "failed" && each.failure.code === "API_QUOTA",
  );
  return full.length < tried.length ? [] : full.map((each) => quotaHold(plan, each));
}

type FailedWrite = Extract<Outcome, { readonly status: "failed" }>;

function quotaHold(plan: Plan, { write, failure }: FailedWrite): Hold {
  const text = `${write.changes.join(", ")} does not fit into the zone: ${failure.message}`;
  const ray = failure.ray === "" ? "" : ` (ray ${failure.ray})`;
  return { reason: "quota", message: `${text}${howToMakeRoom(write, plan)}${ray}` };
}

/** Not for an entry point that is created: there is nothing to delete. */
function howToMakeRoom({ call, changes }: Write, plan: Plan): string {
  const going = plan.changes.filter(
    ({ verb, kind }) => verb === "delete" && changes.some((key) => key.startsWith(`${kind}/`)),
  );
  if (!["create-policy", "create-rule"].includes(call) || going.length === 0) return "";
  const deleted = going.map(({ key }) => key).join(", ");
  return `; to make room first, leave ${changes.join(", ")} out of the files until the zone is rid of ${deleted}, or declare it under that key, which changes it in place`;
}
