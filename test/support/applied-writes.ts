import type { Change } from "../../src/plan/change.ts";
import { applyPlan, type WritePorts } from "../../src/reconcile/run/apply.ts";
import type { PlannedZone } from "../../src/reconcile/run/plan-zone.ts";
import { maxReadAgeMs, WriteGate } from "../../src/reconcile/run/write-gate.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { LivePolicy, LiveZone } from "../../src/zone/live-zone.ts";
import {
  isPartOf,
  type LiveReader,
  type LiveWriter,
  type ReadTimes,
} from "../../src/zone/ports.ts";
import type { StopSignals } from "../../src/zone/signals.ts";
import { partOf, type Write, zoneParts } from "../../src/zone/write.ts";
import { Bugs } from "./bugs.ts";
import { SimulatedClock } from "./clock.ts";
import { liveZone, readAllAt } from "./model.ts";
import { report } from "./reports.ts";

/** What a test of writes may choose. */
interface Choice {
  readonly clock?: SimulatedClock;
  readonly readAt?: ReadTimes;
  readonly changes?: readonly Change[];
  readonly live?: LiveZone;
  /** The writes that each write waits for; where it is left out, each waits for all before it. */
  readonly waitsFor?: ReadonlyMap<Write, readonly Write[]>;
  /** The whole list of policies that the answer to a write leads to; `undefined`: the answer shows one object. */
  readonly listAfter?: (write: Write) => readonly LivePolicy[] | undefined;
  /** The parts that another read shows. */
  readonly readAgain?: Partial<LiveZone>;
  /** How long another read takes. */
  readonly readMs?: number;
  /** Parts that were read again. */
  readonly reads?: string[];
  /** The priorities of those reads. */
  readonly priorities?: string[];
  /** Faults of the program that the test takes. */
  readonly bugs?: Bugs;
  /** What a live state still needs; nothing where it is left out. */
  readonly remainingIn?: PlannedZone["remainingIn"];
}

/** Applies writes that each wait for a time before they are sent, and gives their outcomes. */
export function outcomesOf(
  writes: readonly Write[],
  waitMs: number | ((write: Write) => number),
  choice: Choice = {},
  /** The error of a write that is cancelled. */
  failure: (reason: unknown) => unknown = (reason) => reason,
): Promise<readonly string[]> {
  const { clock = new SimulatedClock() } = choice;
  const send = async (write: Write, stop: AbortSignal): Promise<void> => {
    const ms = typeof waitMs === "number" ? waitMs : waitMs(write);
    await clock.sleep(ms, stop).catch((reason: unknown) => {
      throw failure(reason);
    });
  };
  return outcomesBy(writes, send, { ...choice, clock });
}

/** Applies writes that `send` sends, and gives their outcomes, or what holds them. */
export async function outcomesBy(
  writes: readonly Write[],
  send: (write: Write, stop: AbortSignal, beforeAttempt: () => void) => Promise<void>,
  choice: Choice = {},
): Promise<readonly string[]> {
  const { clock = new SimulatedClock(), live = liveZone() } = choice;
  const writer: LiveWriter = {
    write: async (known, write, _signal, stop, beforeAttempt) => {
      await send(write, stop, beforeAttempt ?? never);
      const policies = choice.listAfter?.(write);
      const answer = { readAt: clock.monotonicMs(), ray: "ray", interleaved: false };
      if (policies !== undefined) return { ...answer, live: { ...known, policies }, shows: "part" };
      const shows = partOf(write) === "policies" ? "object" : "part";
      return { ...answer, live: known, shows };
    },
  };
  const reader = readerOf(live, clock, choice);
  const came = await clock.run(appliedBy(writes, { ...choice, clock, reader, writer }));
  if (came.result === "held") return came.holds.map(({ message }) => message);
  if (came.result !== "applied") throw new Error(came.result);
  return came.outcomes.map((each) => {
    if (each.status !== "skipped") return each.status;
    return each.waitsFor === undefined ? each.reason : `waits for ${each.waitsFor.join(", ")}`;
  });
}

/** What writes are applied with; what is left out, hardly any test cares for. */
interface Applying
  extends
    Pick<Choice, "readAt" | "changes" | "live" | "waitsFor" | "bugs" | "remainingIn">,
    Pick<WritePorts, "reader" | "writer" | "recordBeforeWrite"> {
  readonly clock: SimulatedClock;
  /** How many attempts in a row ended with an expired read. */
  readonly expiries?: number;
  readonly signals?: StopSignals;
}

/** Applies a plan of writes that no guard holds. Where `bugs` is left out, a fault of the program throws. */
export async function appliedBy(writes: readonly Write[], given: Applying): Promise<ZoneReport> {
  const { live = liveZone(), readAt = readAllAt(0), changes = [], waitsFor = new Map() } = given;
  const { clock, expiries = 0, signals = unstopped(), bugs = new Bugs(), ...ports } = given;
  const { remainingIn = () => ({ changes: [], writes: [], waitsFor: new Map() }) } = given;
  const planned = report("shop.example", 0, { result: "planned", cause: "drift", changes: [] });
  if (planned.result !== "planned") throw new Error("not planned");
  using gate = new WriteGate(clock, maxReadAgeMs(expiries));
  const applied = await applyPlan(
    {
      report: { ...planned, plan: { ...planned.plan, changes, writes, waitsFor } },
      live,
      digest: "",
      readAt,
      conflicts: [],
      holdsAt: () => [],
      remainingIn,
    },
    gate,
    { ...ports, clock, bug: (error, zone) => bugs.tell(error, zone) },
    signals,
  );
  if (given.bugs === undefined) bugs.expectNone();
  return applied;
}

function unstopped(): StopSignals {
  const { signal } = new AbortController();
  return { stop: signal, abort: signal };
}

function never(): never {
  throw new Error("nobody is asked before an attempt");
}

/** A reader that shows another state than the first read, and notes what it is asked for. */
function readerOf(
  live: LiveZone,
  clock: SimulatedClock,
  { readAgain = {}, readMs = 0, reads = [], priorities = [] }: Choice,
): LiveReader {
  return {
    readAnswers: async (_zone, parts, priority, signal) => {
      priorities.push(priority);
      reads.push(...zoneParts.filter((part) => isPartOf(parts, part)));
      const times = readAllAt(clock.monotonicMs());
      if (readMs > 0) await clock.sleep(readMs, signal);
      return { readAt: times, digest: "", live: () => ({ ...live, ...readAgain }) };
    },
    readScripts: () => Promise.resolve([]),
  };
}
