import type { Host } from "../../host/host.ts";
import { printable } from "../../render/format.ts";
import { failureOf } from "../../state/failure.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import type { PlannedFleetZone } from "../session/plan-all.ts";
import { noExtras, runOnce } from "../session/run-once.ts";
import { type Session, withService } from "../session/session.ts";
import type { ApplyFlags } from "./apply.ts";

/**
 * `zonewarden apply --check`: lets the service judge each ruleset write that an apply would send, without storing any
 * (SERVICE.md B.2). Writes of settings and policies it cannot judge.
 */
export async function checkCommand(flags: ApplyFlags, host: Host): Promise<ExitCode> {
  return withService(flags.config, host, (session) =>
    runOnce(flags, flags.accept ?? [], session, async ({ looked, missing }) => {
      const refused = await checkAll(looked, session);
      const reports: readonly ZoneReport[] = [
        ...looked.map(({ planned }) => planned.report),
        ...missing,
      ];
      const isRead = reports.every(({ result }) => result !== "error");
      const exitCodeOf = (): ExitCode => {
        if (refused > 0) return exitCodes.failed;
        return isRead ? exitCodes.done : exitCodes.partial;
      };
      return { reports, beside: noExtras, exitCodeOf };
    }),
  );
}

/** Says on the side what the service says to each write; gives how many it refused. */
async function checkAll(looked: readonly PlannedFleetZone[], session: Session): Promise<number> {
  let refused = 0;
  for (const { planned } of looked) {
    const { report } = planned;
    const writes = report.result === "planned" ? report.plan.writes : [];
    for (const write of writes) {
      const verdict = await verdictOn(write, planned, session);
      if (verdict.isRefused) refused += 1;
      const name = `${report.zone}: ${write.call} ${write.changes.join(", ")}`;
      session.host.stderr.write(`${name}: ${printable(verdict.words)}\n`);
    }
  }
  return refused;
}

interface Verdict {
  readonly words: string;
  readonly isRefused: boolean;
}

async function verdictOn(
  write: Write,
  { live }: PlannedFleetZone["planned"],
  { service, stop }: Session,
): Promise<Verdict> {
  if (live === undefined) return { words: "not read", isRefused: true };
  try {
    const judged = await service.writer.check(live, write, stop);
    const words = judged === "accepted" ? "accepted by the service" : "only a real write shows";
    return { words, isRefused: false };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message } = failureOf(error);
    return { words: `${code}: ${message}`, isRefused: true };
  }
}
