import type { Host } from "../../host/host.ts";
import { plural } from "../../render/format.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { type RulesetQuestion, withRuleset } from "./rulesets.ts";

/** What `rulesets prune` is told. */
export interface PruneQuestion extends RulesetQuestion {
  /** How many of the newest versions stay. */
  readonly keep: string;
  /** Whether somebody has agreed already. */
  readonly yes?: boolean;
}

/** `zonewarden rulesets prune`: deletes all versions but the newest ones, once somebody has agreed. */
export async function pruneCommand(question: PruneQuestion, host: Host): Promise<ExitCode> {
  const { keep, yes = false } = question;
  const kept = /^[1-9]\d{0,5}$/.test(keep) ? Number(keep) : undefined;
  if (kept === undefined) {
    host.stderr.write("--keep: write a number from 1 up: the newest version always stays\n");
    return exitCodes.failed;
  }
  return withRuleset(question, host, async ({ scope, id }, { service, stop }) => {
    const versions = await service.rulesets.versions(scope, id, stop);
    const old = versions.slice(0, Math.max(0, versions.length - kept));
    const [first, last] = [old[0]?.version, old.at(-1)?.version];
    if (first === undefined || last === undefined) {
      host.stdout.write(
        `nothing to delete: there is no more than ${plural(versions.length, "version")}\n`,
      );
      return exitCodes.done;
    }
    const what = `${old.length} of ${plural(versions.length, "version")} of ${id} (${first} to ${last})`;
    if (!yes && !(await host.confirm(`Delete ${what} for good?`, stop))) {
      host.stderr.write(`nothing was deleted; --yes deletes ${what} without asking\n`);
      return exitCodes.held;
    }
    for (const { version } of old) await service.pruner.prune(scope, id, version, stop);
    host.stdout.write(`deleted ${what}\n`);
    return exitCodes.done;
  });
}
