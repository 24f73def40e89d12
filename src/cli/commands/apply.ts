import type { Host } from "../../host/host.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { type ExitCode, exitCodeOfApply } from "../output/exit-codes.ts";
import { startProgress } from "../output/progress.ts";
import { rethrow } from "../session/plan-all.ts";
import { noExtras, runOnce, type RunOnceFlags } from "../session/run-once.ts";
import { withService } from "../session/session.ts";
import { applyZone } from "./apply-zone.ts";

/** What `apply` is told beside what `plan` is told. */
export interface ApplyFlags extends RunOnceFlags {
  /** Hashes of plans that a guard holds and that are released for this once. */
  readonly accept?: readonly string[];
}

/** `zonewarden apply`: judges every zone first, then carries out zone by zone what may be carried out. */
export async function applyCommand(flags: ApplyFlags, host: Host): Promise<ExitCode> {
  return withService(flags.config, host, (session) =>
    runOnce(flags, flags.accept ?? [], session, async ({ looked, missing }) => {
      const { service, config, signals } = session;
      const reports: ZoneReport[] = [];
      const ports = { writer: service.writer, clock: host.clock, bug: rethrow };
      const toWrite = looked.filter(({ proposal }) => proposal.report.result === "planned").length;
      using progress = startProgress("writing zones", toWrite, host.stderr);
      for (const each of looked) {
        reports.push(await applyZone(each, config.desired.owner, ports, signals));
        if (each.proposal.report.result === "planned") progress.step();
      }
      return {
        reports: [...reports, ...missing],
        beside: noExtras,
        exitCodeOf: exitCodeOfApply,
      };
    }),
  );
}
