import { type Command, CommanderError } from "commander";

import { hasColor, type Host, type TextStream } from "../host/host.ts";
import { version } from "../host/version.ts";
import { terminalSafe, withoutControls } from "../render/terminal-safe.ts";
import { errorCode } from "../syntax/error-code.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import { CliCommand, completeCommand, type DefineCommand } from "./command-options.ts";
import { exitCodeHelp, exitCodes, type ExitCode } from "./output/exit-codes.ts";

/** Runs one command line and returns the exit code. An unexpected error is printed as one line, without its stack. */
export async function runProgram(args: readonly string[], given: Host): Promise<number> {
  const host = withSafeTerminal(given);
  let code: ExitCode = exitCodes.done;
  try {
    if (args[0] === completeCommand) return await complete(args.slice(1), host);
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

/** Answers a completion script: the number of words, and the words, of which an empty last one may be missing. */
async function complete([count, ...words]: readonly string[], host: Host): Promise<ExitCode> {
  const typed = words.length < Number(count) ? [...words, ""] : words;
  const program = await createProgram(typed, host, () => undefined);
  const completeWords = (await import("./completion/complete-words.ts")).completeWords;
  await completeWords({ program, words: typed, host });
  return exitCodes.done;
}

/** The host that commands get: nothing that they write or ask steers the terminal, in any format. */
export function withSafeTerminal(host: Host): Host {
  return {
    ...host,
    stdout: safeStream(host.stdout, host),
    stderr: safeStream(host.stderr, host),
    confirm: (question, signal) => host.confirm(withoutControls(question), signal),
    ask: (question, signal) => host.ask(withoutControls(question), signal),
  };
}

function safeStream(stream: TextStream, host: Host): TextStream {
  const color = hasColor(host, stream);
  return { isTTY: stream.isTTY, write: (text) => stream.write(terminalSafe(text, { color })) };
}

function printUnexpected(error: unknown, { env, stderr }: Host): void {
  const isError = error instanceof Error;
  const trace = env["ZONEWARDEN_TRACE"] === "1" && isError ? `\n${error.stack ?? ""}` : "";
  const text = `${isError ? error.message : String(error)}${trace}`;
  const hint = trace === "" ? hintFor(error) : "";
  stderr.write(`zonewarden: ${withoutSecrets(text)}\n${hint}`);
}

/** Errors whose message says what to mend. */
const mendable: readonly string[] = ["ListenError", "NoClusterAccess"];

/** What helps whoever reads an error: one of a file is no internal error. */
function hintFor(error: unknown): string {
  if (error instanceof Error && mendable.includes(error.name)) return "";
  const isOfFile = errorCode(error) !== "" && error instanceof Error && "path" in error;
  return isOfFile
    ? "Check that the path is right, and what this user may do there.\n"
    : "Set ZONEWARDEN_TRACE=1 to print the stack trace.\n";
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
  const program = new CliCommand("zonewarden", end)
    .description(
      "Keeps the protection of web zones as declared in YAML: Page Shield settings,\ncontent security policies, custom rules, rate limits and managed WAF rulesets.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
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
  // The manual page has every command.
  const areAllNamed = args[0] === "help" && args.includes("--man");
  for (const [name, description] of Object.entries(descriptions)) {
    const command = program.command(name).description(description);
    const isNamed = areAllNamed || args.includes(name);
    const define = isNamed ? await definitions[name]?.() : undefined;
    define?.(command, host);
  }
  return program;
}

/** In the order of the help. */
const descriptions = {
  init: "start: write the configuration, zone files, checks for pull requests, and plan",
  run: "reconcile every zone on a schedule and when files change",
  validate: "check the files; needs no network and no token",
  fmt: "write zone files and the configuration in one form; needs no network and no token",
  doctor: "check the whole set-up, and say how to mend what is wrong; writes nothing",
  plan: "print the changes that apply would make; writes nothing",
  apply: "apply the planned changes once",
  adopt:
    "take ownership of declared policies and rules, so that deleting them in files deletes them",
  rollout: "show, pause, resume, promote or abort the rollout of the running daemon",
  history: "print what runs changed or found, and how long zones drifted",
  blame: "print who changed a zone, by the service's audit log",
  measurements: "print what policies and rules of a zone did, by hour; needs no network",
  store:
    "check, copy or migrate the store of state and history, and print the rights that it needs",
  evidence: "write what the history shows for an audit of payment pages; needs no network",
  import: "write zone files that declare the live state",
  inventory: "list the scripts, connections and cookies in browsers",
  scripts: "compare declared scripts with those in browsers, or print entries for them",
  suggest: "print a content security policy from the inventory",
  rulesets: "list, show, compare and prune versions of rulesets",
  emulate: "serve an emulator of the API with synthetic data",
  healthcheck: "ask the daemon of the configuration whether it works",
  schema: "print a JSON Schema, for editors and other programs",
  explain: "explain the code of a diagnostic, or why a zone is not written",
  completion: "print the completion script of a shell",
  help: "explain a command or a topic, such as exit-codes",
  version: "print the version, the commit and the Node that runs it",
};

type LoadDefinition = () => Promise<DefineCommand>;

const definitions: Readonly<Record<string, LoadDefinition>> = {
  init: async () => (await import("./init/init-command.ts")).defineInit,
  run: async () => (await import("./commands/run-command.ts")).defineRun,
  validate: async () => (await import("./commands/validate-command.ts")).defineValidate,
  fmt: async () => (await import("./commands/fmt-command.ts")).defineFmt,
  doctor: async () => (await import("./doctor/doctor-command.ts")).defineDoctor,
  plan: async () => (await import("./commands/plan-command.ts")).definePlan,
  apply: async () => (await import("./commands/apply-command.ts")).defineApply,
  adopt: async () => (await import("./commands/adopt-command.ts")).defineAdopt,
  rollout: async () => (await import("./commands/rollout-command.ts")).defineRollout,
  history: async () => (await import("./commands/history-command.ts")).defineHistory,
  blame: async () => (await import("./commands/blame-command.ts")).defineBlame,
  evidence: async () => (await import("./evidence/evidence-command.ts")).defineEvidence,
  measurements: async () => (await import("./commands/measurements-command.ts")).defineMeasurements,
  store: async () => (await import("./store/store-command.ts")).defineStore,
  import: async () => (await import("./commands/import-command.ts")).defineImport,
  inventory: async () => (await import("./commands/inventory-command.ts")).defineInventory,
  scripts: async () => (await import("./commands/scripts-command.ts")).defineScripts,
  suggest: async () => (await import("./commands/suggest-command.ts")).defineSuggest,
  rulesets: async () => (await import("./commands/rulesets-command.ts")).defineRulesets,
  emulate: async () => (await import("./commands/emulate-command.ts")).defineEmulate,
  healthcheck: async () => (await import("./commands/healthcheck-command.ts")).defineHealthcheck,
  schema: async () => (await import("./commands/schema-command.ts")).defineSchema,
  explain: async () => (await import("./commands/explain-command.ts")).defineExplain,
  completion: async () => (await import("./completion/completion-command.ts")).defineCompletion,
  help: async () => (await import("./help/help-command.ts")).defineHelp,
  version: async () => (await import("./commands/version-command.ts")).defineVersion,
} satisfies Record<keyof typeof descriptions, LoadDefinition>;

const startHelp = `To begin:
  $ export ZONEWARDEN_API_TOKEN="$(cat token)"  # for each command that calls the service
  $ zonewarden init                             # write the configuration, and declare the live state
  $ zonewarden doctor                           # check the set-up, the token and the files
  $ zonewarden plan                             # print the changes; writes nothing
  $ zonewarden apply                            # apply them once; needs mode: enforce
  $ zonewarden run                              # reconcile continuously
  $ zonewarden init --emulator                  # or try it without an account`;
