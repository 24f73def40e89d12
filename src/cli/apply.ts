import type { ZoneReport } from "../report/run-report.ts";
import { applyZone } from "./apply-zone.ts";
import { exitCodeOfApply, type ExitCode } from "./exit-codes.ts";
import type { Machine } from "./machine.ts";
import type { OnceFlags } from "./once.ts";
import { nothingBeside, once } from "./once.ts";
import { rethrow } from "./one-look.ts";
import { startProgress } from "./progress.ts";
import { withService } from "./session.ts";

/** What `apply` is told beside what `plan` is told. */
export interface ApplyFlags extends OnceFlags {
  /** Hashes of plans that a guard holds and that are released for this once. */
  readonly accept?: readonly string[];
}

/** `zonewarden apply`: judges every zone first, then carries out zone by zone what may be carried out. */
export async function applyCommand(flags: ApplyFlags, machine: Machine): Promise<ExitCode> {
  return withService(flags.config, machine, (session) =>
    once(flags, flags.accept ?? [], session, async ({ looked, missing }) => {
      const { service, config, signals } = session;
      const reports: ZoneReport[] = [];
      const ports = { writer: service.writer, clock: machine.clock, bug: rethrow };
      const toWrite = looked.filter(({ proposal }) => proposal.report.result === "ready").length;
      using progress = startProgress("writing zones", toWrite, machine.stderr);
      for (const each of looked) {
        reports.push(await applyZone(each, config.desired.owner, ports, signals));
        if (each.proposal.report.result === "ready") progress.step();
      }
      return {
        reports: [...reports, ...missing],
        beside: nothingBeside,
        exitCodeOf: exitCodeOfApply,
      };
    }),
  );
}
