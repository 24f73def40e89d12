import { exitCodeOfPlan, type ExitCode } from "./exit-codes.ts";
import type { Machine } from "./machine.ts";
import type { OnceFlags } from "./once.ts";
import { once } from "./once.ts";

/** `zonewarden plan`: says what would be changed, with nothing at hand that could change it. */
export async function planCommand(flags: OnceFlags, machine: Machine): Promise<ExitCode> {
  return once(flags, [], machine, ({ looked, missing }) =>
    Promise.resolve({
      reports: [...looked.map(({ proposal }) => proposal.report), ...missing],
      exitCodeOf: exitCodeOfPlan,
    }),
  );
}
