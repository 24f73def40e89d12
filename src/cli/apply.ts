import { carryOut } from "../reconcile/carry-out.ts";
import type { ZoneReport } from "../report/run-report.ts";
import { exitCodeOfApply, type ExitCode } from "./exit-codes.ts";
import type { Machine } from "./machine.ts";
import type { OnceFlags } from "./once.ts";
import { once } from "./once.ts";
import { rethrow } from "./one-look.ts";
import { startProgress } from "./progress.ts";

/** What `apply` is told beside what `plan` is told. */
export interface ApplyFlags extends OnceFlags {
  /** Hashes of plans that a guard holds and that are released for this once. */
  readonly accept: readonly string[];
}

/** `zonewarden apply`: judges every zone first, then carries out zone by zone what may be carried out. */
export async function applyCommand(flags: ApplyFlags, machine: Machine): Promise<ExitCode> {
  return once(flags, flags.accept, machine, async ({ looked, missing }, service, owner, stop) => {
    const reports: ZoneReport[] = [];
    const ports = { writer: service.writer, clock: machine.clock, bug: rethrow };
    const toWrite = looked.filter(({ proposal }) => proposal.report.result === "ready").length;
    using progress = startProgress("writing zones", toWrite, machine.stderr);
    for (const { declared, proposal } of looked) {
      // A request under way is finished: an interrupted one may have happened, and nobody would know.
      const signals = { stop, abort: new AbortController().signal };
      reports.push(await carryOut(proposal, declared.desired, owner, ports, signals));
      if (proposal.report.result === "ready") progress.step();
    }
    return { reports: [...reports, ...missing], exitCodeOf: exitCodeOfApply };
  });
}
