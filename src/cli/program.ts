import { Command, CommanderError } from "commander";

import type { Host } from "../host/host.ts";
import { version } from "../host/version.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import { addApply } from "./commands/apply-command.ts";
import { addEmulate } from "./commands/emulate-command.ts";
import { addHistory } from "./commands/history-command.ts";
import { addImport } from "./commands/import-command.ts";
import { addInventory } from "./commands/inventory-command.ts";
import { addPlan } from "./commands/plan-command.ts";
import { addRulesets } from "./commands/rulesets-command.ts";
import { addRun } from "./commands/run-command.ts";
import { addSchema } from "./commands/schema-command.ts";
import { addSuggest } from "./commands/suggest-command.ts";
import { addValidate } from "./commands/validate-command.ts";
import type { Add } from "./output/command-parts.ts";
import { exitCodeHelp, exitCodes, type ExitCode } from "./output/exit-codes.ts";

/** Runs one command line and gives the exit code. What is not foreseen ends here, as one line and not as a stack. */
export async function runProgram(args: readonly string[], host: Host): Promise<number> {
  let code: ExitCode = exitCodes.done;
  const program = createProgram(host, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.failed;
    return unforeseen(error, host);
  }
}

function unforeseen(error: unknown, host: Host): number {
  const isSpoken = error instanceof Error;
  const trace = host.env["ZONEWARDEN_TRACE"] === "1" && isSpoken ? `\n${error.stack ?? ""}` : "";
  const said = `${isSpoken ? error.message : String(error)}${trace}`;
  host.stderr.write(
    `zonewarden: ${withoutSecrets(said)}\n` +
      (trace === "" ? "Set ZONEWARDEN_TRACE=1 to see where this came from.\n" : ""),
  );
  return exitCodes.failed;
}

/** The whole command line; each command's code is loaded when it is called. */
export function createProgram(host: Host, end: (code: ExitCode) => void): Command {
  const program = new Command("zonewarden")
    .description(
      "Keeps the protection of web zones as declared in YAML: Page Shield settings,\ncontent security policies and managed WAF rulesets.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    // Behind a command --version is a mistake, not a question about the program.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
    .showHelpAfterError("(add --help for what can be said here)")
    .addHelpText("after", `\n${exitCodeHelp}\n\n${startHelp}`);
  for (const add of commands) add(program, host, end);
  return program;
}

/** In the order of the help. */
const commands: readonly Add[] = [
  addRun,
  addValidate,
  addPlan,
  addApply,
  addHistory,
  addImport,
  addInventory,
  addSuggest,
  addRulesets,
  addEmulate,
  addSchema,
];

const startHelp = `To begin:
  $ echo 'mode: observe' > zonewarden.yaml     # how the program runs; enforce would write
  $ export ZONEWARDEN_API_TOKEN="$(cat token)"   # needed by all that ask the service
  $ zonewarden import --out zones              # write down what is live
  $ zonewarden validate                        # are the files in order?
  $ zonewarden plan                            # what would be changed? (writes nothing)
  $ zonewarden apply                           # change it once; needs mode: enforce
  $ zonewarden run                             # keep it so
  $ zonewarden emulate                         # a service to try things on, without an account`;
