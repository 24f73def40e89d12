import type { Hold } from "../../plan/guard/hold.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { LiveWriter } from "../../zone/ports.ts";
import { partOf, type ZonePart } from "../../zone/write.ts";
import { joinSignals } from "../join-signals.ts";
import { applyWrites, type StopSignals, type Verify, type WritePorts } from "./apply.ts";
import type { PlannedZone } from "./plan-zone.ts";
import type { WriteGate } from "./write-gate.ts";

/** What the writes of a run rest on. */
export interface ApplyConditions {
  /** Pulled as soon as they hold no longer; others may pull it too. */
  readonly gate: WriteGate;
  /** What speaks against the plan at a moment. */
  readonly holdsAt: (now: Date) => readonly Hold[];
  /** How old a reading may be when a write that rests on it is sent. */
  readonly longestAgeMs: number;
}

/**
 * Carries out what was proposed, as {@link applyWrites} does, while it rests on what is so: what has not been sent is
 * called off once its reading is old, or something has come to speak against the plan.
 */
export async function applyPlan(
  conditions: ApplyConditions,
  proposal: Pick<PlannedZone, "report" | "live" | "readAt">,
  verify: Verify,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const writer = watchedWriter(conditions, proposal.readAt, ports);
  using stop = joinSignals(signals.stop, conditions.gate.signal);
  return await applyWrites(
    proposal,
    verify,
    { ...ports, writer },
    { ...signals, stop: stop.signal },
  );
}

/**
 * A writer that has the brake watch over what is to be sent next. An answer counts as a reading of its part of the zone:
 * of rules it shows the whole list, and of settings and policies a write touches only those that it names.
 */
function watchedWriter(
  { gate, holdsAt, longestAgeMs }: ApplyConditions,
  readAt: number,
  { writer, clock }: Pick<WritePorts, "writer" | "clock">,
): LiveWriter {
  const answeredAt = new Map<ZonePart, number>();
  let seenAt = readAt;
  gate.watch((now) => {
    if (clock.uptime() - seenAt >= longestAgeMs) return "read_expired";
    return holdsAt(now).length > 0 ? "cancelled" : undefined;
  });
  return {
    write: async (live, write, signal, stop) => {
      const part = partOf(write);
      seenAt = answeredAt.get(part) ?? readAt;
      gate.check();
      stop.throwIfAborted();
      const written = await writer.write(live, write, signal, stop);
      answeredAt.set(part, clock.uptime());
      return written;
    },
  };
}
