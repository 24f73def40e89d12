import { type Command, CommanderError } from "commander";

import type { Host } from "../host/host.ts";
import { version } from "../host/version.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import { CliCommand, type DefineCommand } from "./command-options.ts";
import { exitCodeHelp, exitCodes, type ExitCode } from "./output/exit-codes.ts";

/** Runs one command line and returns the exit code. An unexpected error is printed as one line, without its stack. */
export async function runProgram(args: readonly string[], host: Host): Promise<number> {
  let code: ExitCode = exitCodes.done;
  try {
    const program = await createProgram(args, host, (result) => {
      code = result;
    });
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.failed;
    printUnexpected(error, host);
    return exitCodes.failed;
  }
}

function printUnexpected(error: unknown, { env, stderr }: Host): void {
  const isError = error instanceof Error;
  const trace = env["ZONEWARDEN_TRACE"] === "1" && isError ? `\n${error.stack ?? ""}` : "";
  const text = `${isError ? error.message : String(error)}${trace}`;
  const hint = trace === "" ? "Set ZONEWARDEN_TRACE=1 to print the stack trace.\n" : "";
  stderr.write(`zonewarden: ${withoutSecrets(text)}\n${hint}`);
}

/**
 * Builds the command line. Only the commands that `args` name get their arguments, options and action: to load the code
 * of every command would slow down each start.
 *
 * @param end receives the exit code of the command.
 */
export async function createProgram(
  args: readonly string[],
  host: Host,
  end: (code: ExitCode) => void,
): Promise<Command> {
  const program = new CliCommand("zonewarden")
    .description(
      "Keeps the protection of web zones as declared in YAML: Page Shield settings,\ncontent security policies and managed WAF rulesets.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    // After a command name, --version is an unknown option.
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
    .showHelpAfterError("(add --help for usage)")
    .addHelpText("after", `\n${exitCodeHelp}\n\n${startHelp}`);
  for (const { name, description, load } of commands) {
    const command = program.command(name).description(description);
    if (!args.includes(name)) continue;
    const define = await load();
    define(command, host, end);
  }
  return program;
}

interface CommandEntry {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<DefineCommand>;
}

/** In the order of the help. */
const commands: readonly CommandEntry[] = [
  {
    name: "run",
    description: "reconcile every zone on a schedule and when files change",
    load: async () => (await import("./commands/run-command.ts")).defineRun,
  },
  {
    name: "validate",
    description: "check the files; needs no network and no token",
    load: async () => (await import("./commands/validate-command.ts")).defineValidate,
  },
  {
    name: "plan",
    description: "print the changes that apply would make; writes nothing",
    load: async () => (await import("./commands/plan-command.ts")).definePlan,
  },
  {
    name: "apply",
    description: "apply the planned changes once",
    load: async () => (await import("./commands/apply-command.ts")).defineApply,
  },
  {
    name: "history",
    description: "print what runs changed or found, and how long zones drifted",
    load: async () => (await import("./commands/history-command.ts")).defineHistory,
  },
  {
    name: "import",
    description: "write zone files that declare the live state",
    load: async () => (await import("./commands/import-command.ts")).defineImport,
  },
  {
    name: "inventory",
    description: "list the scripts, connections and cookies in browsers",
    load: async () => (await import("./commands/inventory-command.ts")).defineInventory,
  },
  {
    name: "suggest",
    description: "print a content security policy from the inventory",
    load: async () => (await import("./commands/suggest-command.ts")).defineSuggest,
  },
  {
    name: "rulesets",
    description: "list, show, compare and prune versions of rulesets",
    load: async () => (await import("./commands/rulesets-command.ts")).defineRulesets,
  },
  {
    name: "emulate",
    description: "serve an emulator of the API with synthetic data",
    load: async () => (await import("./commands/emulate-command.ts")).defineEmulate,
  },
  {
    name: "schema",
    description: "print a JSON Schema, for editors and other programs",
    load: async () => (await import("./commands/schema-command.ts")).defineSchema,
  },
];

const startHelp = `To begin:
  $ echo 'mode: observe' > zonewarden.yaml      # mode: enforce would write
  $ export ZONEWARDEN_API_TOKEN="$(cat token)"  # for each command that calls the service
  $ zonewarden import --out zones               # declare the live state
  $ zonewarden validate                         # check the files
  $ zonewarden plan                             # print the changes; writes nothing
  $ zonewarden apply                            # apply them once; needs mode: enforce
  $ zonewarden run                              # reconcile continuously
  $ zonewarden emulate                          # try it without an account`;
