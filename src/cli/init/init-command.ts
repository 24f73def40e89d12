import path from "node:path";

import type { Config } from "../../desired/config/config.ts";
import { emulatorAddress, tokenVariable } from "../../desired/config/defaults.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { readText } from "../../host/named-files.ts";
import { handleShutdown } from "../../host/shutdown.ts";
import type { StopSignals } from "../../zone/signals.ts";
import { type DefineCommand, profileNameIn } from "../command-options.ts";
import { printPlan } from "../commands/plan-command.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { planAll } from "../session/plan-all.ts";
import { inSession } from "../session/session.ts";
import { directoryIn, type InitFlags, ownersIn, startAnswers } from "./answers.ts";
import { Questions, Unanswered } from "./questions.ts";
import { setUp } from "./set-up.ts";
import { configText } from "./starter-files.ts";

export const defineInit: DefineCommand = (command, host, end) => {
  command
    .argument("[zones...]", "import only these zones (names, in which * matches anything, or ids)")
    .configFile()
    .option(
      "--emulator [address]",
      `use the emulator of the service at this address; without one, ${emulatorAddress}`,
    )
    .option(
      "--token-file <file>",
      "read the token from this file now; its name is not written to any file",
    )
    .option("-o, --out <directory>", "the directory for the zone files (zones)", directoryIn)
    .option(
      "--profile <name>",
      "the profile for what the zones have in common (baseline)",
      profileNameIn,
    )
    .option("--no-profile", "write every value into every zone file")
    .option("--workflow", "write a GitHub Actions workflow that checks pull requests (yes)")
    .option("--no-workflow", "write no workflow")
    .option("--owners <owners>", "who must approve changes: @user,@org/team", ownersIn)
    .option("-y, --yes", "ask nothing, and take the defaults; overwrites nothing", false)
    .examples(
      "zonewarden init                          # asks on the terminal",
      "zonewarden init --yes --owners @acme/security",
      "zonewarden init --yes --emulator         # without an account",
      "zonewarden init '*.example.com' --token-file ../token --no-workflow",
    )
    .action(async (zones: readonly string[], flags: Omit<InitFlags, "zones">) => {
      end(await init({ ...flags, zones }, host));
    });
};

/** Writes the files of a new set-up, and plans. Nothing is written before every question is answered. */
async function init(flags: InitFlags, host: Host): Promise<ExitCode> {
  if (!flags.yes && !host.isInteractive) return fail(inPipeText, host);
  using shutdown = handleShutdown(host, exitCodes.failed);
  const { signals } = shutdown;
  try {
    return await start(flags, host, signals);
  } catch (error) {
    if (error instanceof Unanswered) return fail("init: stopped; nothing was written", host);
    if (signals.stop.aborted) return fail("stopped by a signal before the end", host);
    throw error;
  }
}

const inPipeText = `init: it asks on a terminal, and there is none here. To take the defaults:
  zonewarden init --yes              # with your token in ZONEWARDEN_API_TOKEN, or with --token-file FILE
  zonewarden init --yes --emulator   # without an account
zonewarden init --help lists what you can set.`;

async function start(flags: InitFlags, host: Host, signals: StopSignals): Promise<ExitCode> {
  const questions = new Questions(host, !flags.yes, signals.stop);
  const answers = await startAnswers(flags, questions, host);
  const { keepsConfig, emulator, directory, tokenFile } = answers;
  const zoneFiles = path.relative(path.dirname(flags.config), directory);
  const text = keepsConfig ? undefined : configText(emulator, zoneFiles);
  const config = await configOf(flags.config, text, host, signals.stop);
  if (config === undefined) return exitCodes.invalid;
  const withToken = await tokenIn(tokenFile, host);
  if (typeof withToken === "string") return fail(`init: ${withToken}`, host);
  if (!isTokenKnown(config, withToken)) return fail(noTokenText, host);
  return inSession(config, withToken, signals, async (session) => {
    const given = { flags, tokenFile, configText: text };
    const done = await setUp(given, questions, session);
    if (typeof done === "number") return done;
    // Empty, unless the files that were there already declare something else.
    const plan = { config: flags.config, format: "text", zones: [] } as const;
    const fleet = await planAll(plan, session);
    const code =
      typeof fleet === "number" ? fleet : await printPlan(fleet, plan, session, undefined);
    host.stdout.write(done.nextSteps);
    return code === exitCodes.done && !done.isWhole ? exitCodes.partial : code;
  });
}

/** The configuration that will be written, checked as if it were there; the one that exists without a text. */
function configOf(
  file: string,
  text: string | undefined,
  host: Host,
  stop: AbortSignal,
): Promise<Config | undefined> {
  const place = path.resolve(host.directory, file);
  const files: Host["files"] = {
    ...host.files,
    read: (name, limit, signal) =>
      name === place && text !== undefined
        ? Promise.resolve(new TextEncoder().encode(text))
        : host.files.read(name, limit, signal),
  };
  return loadConfigOrPrint(file, { ...host, files }, stop);
}

/** The host with the token of a file in its environment; a text says why there is none. */
async function tokenIn(file: string | undefined, host: Host): Promise<Host | string> {
  if (file === undefined) return host;
  const { text, why } = await readText(file, host);
  if (text === undefined) return `${file}: cannot be read: ${why}; name the file with the token`;
  if (text.trim() === "") return `${file}: the file is empty; it must hold the token`;
  return { ...host, env: { ...host.env, [tokenVariable]: text.trim() } };
}

function isTokenKnown({ api, credentials }: Config, { env }: Host): boolean {
  if (api.emulator !== undefined) return true;
  return credentials.every(
    ({ source }) => !("env" in source) || (env[source.env]?.trim() ?? "") !== "",
  );
}

const noTokenText = `init: there is no token: export ${tokenVariable}, or add --token-file FILE. It needs read permissions only.
To try zonewarden without an account: zonewarden init --emulator`;
