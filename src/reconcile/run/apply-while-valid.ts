import type { Refusal } from "../../plan/guard/hold.ts";
import { partOf, type ZonePart } from "../../plan/write.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { joinSignals } from "../join-signals.ts";
import type { LiveWriter } from "../ports.ts";
import { carryOut, type StopSignals, type Verify, type WritePorts } from "./apply.ts";
import type { Proposal } from "./plan-zone.ts";
import type { Brake } from "./write-gate.ts";

/** What the writes of a run rest on. */
export interface Premises {
  /** Pulled as soon as they hold no longer; others may pull it too. */
  readonly brake: Brake;
  /** What speaks against the plan at a moment. */
  readonly refusalsAt: (now: Date) => readonly Refusal[];
  /** How old a reading may be when a write that rests on it is sent. */
  readonly longestAgeMs: number;
}

/**
 * Carries out what was proposed, as {@link carryOut} does, while it rests on what is so: what has not been sent is
 * called off once its reading is old, or something has come to speak against the plan.
 */
export async function carryOutWhile(
  premises: Premises,
  proposal: Pick<Proposal, "report" | "live" | "readAt">,
  verify: Verify,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const writer = watchedWriter(premises, proposal.readAt, ports);
  using stop = joinSignals(signals.stop, premises.brake.signal);
  return await carryOut(proposal, verify, { ...ports, writer }, { ...signals, stop: stop.signal });
}

/**
 * A writer that has the brake watch over what is to be sent next. An answer counts as a reading of its part of the zone:
 * of rules it shows the whole list, and of settings and policies a write touches only those that it names.
 */
function watchedWriter(
  { brake, refusalsAt, longestAgeMs }: Premises,
  readAt: number,
  { writer, clock }: Pick<WritePorts, "writer" | "clock">,
): LiveWriter {
  const answeredAt = new Map<ZonePart, number>();
  let seenAt = readAt;
  brake.watch((now) => {
    if (clock.uptime() - seenAt >= longestAgeMs) return "outdated";
    return refusalsAt(now).length > 0 ? "countermanded" : undefined;
  });
  return {
    write: async (live, write, signal, stop) => {
      const part = partOf(write);
      seenAt = answeredAt.get(part) ?? readAt;
      brake.ask();
      stop.throwIfAborted();
      const written = await writer.write(live, write, signal, stop);
      answeredAt.set(part, clock.uptime());
      return written;
    },
  };
}
