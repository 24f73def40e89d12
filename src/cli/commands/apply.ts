import type { Host } from "../../host/host.ts";
import { applyReviewed } from "../../reconcile/run/apply.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { type ExitCode, exitCodeOfApply } from "../output/exit-codes.ts";
import { startProgress } from "../output/progress.ts";
import { rethrow } from "../session/plan-all.ts";
import { noExtras, runOnce, type RunOnceFlags } from "../session/run-once.ts";
import { withService } from "../session/session.ts";

export interface ApplyFlags extends RunOnceFlags {
  /** Hashes of held plans that are released for this command. */
  readonly accept?: readonly string[];
}

/** `zonewarden apply`: plans all zones first, then applies them one by one. */
export async function applyCommand(flags: ApplyFlags, host: Host): Promise<ExitCode> {
  return withService(flags.config, host, (session) =>
    runOnce(flags, flags.accept ?? [], session, async ({ looked, missing }) => {
      const { service, signals } = session;
      const reports: ZoneReport[] = [];
      const ports = { writer: service.writer, clock: host.clock, bug: rethrow };
      const toWrite = looked.filter(({ planned }) => planned.report.result === "planned").length;
      using progress = startProgress("writing zones", toWrite, host.stderr);
      for (const zone of looked) {
        reports.push(await applyReviewed(zone, ports, signals));
        if (zone.planned.report.result === "planned") progress.step();
      }
      return {
        reports: [...reports, ...missing],
        beside: noExtras,
        exitCodeOf: exitCodeOfApply,
      };
    }),
  );
}
