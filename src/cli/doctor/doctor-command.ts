import type { Config } from "../../desired/config/config.ts";
import type { LoadedFiles } from "../../desired/load/zone-file-loader.ts";
import type { Host } from "../../host/host.ts";
import { loadZoneFiles, readConfig } from "../../host/load.ts";
import { jsonText, plural } from "../../render/format.ts";
import { ListenError } from "../../web/listen-error.ts";
import type { DefineCommand, PrintFlags } from "../command-options.ts";
import type { ExitCode } from "../output/exit-codes.ts";
import { reachService } from "../session/embedded-emulator.ts";
import { withSignals } from "../session/session.ts";
import { checkConfig, checkSecrets, checkZoneFiles } from "./check-files.ts";
import { checkService } from "./check-service.ts";
import { checkCluster, checkStore } from "./check-state.ts";
import {
  type CheckFinding,
  checkNames,
  countOf,
  exitCodeOf,
  finding,
  findingsJson,
  skipped,
} from "./finding.ts";

export const defineDoctor: DefineCommand = (command, host) => {
  command
    .configFile()
    .formats("text", "json")
    .examples(
      "zonewarden doctor",
      "zonewarden doctor --config /etc/zonewarden/zonewarden.yaml",
      "zonewarden doctor --format json | jq '.findings[] | select(.status == \"error\")'",
    )
    .runs((flags: PrintFlags) => doctor(flags, host));
};

async function doctor({ config, format }: PrintFlags, host: Host): Promise<ExitCode> {
  return withSignals(host, async ({ stop }) => {
    const findings = await examine(config, host, stop);
    host.stdout.write(
      format === "json"
        ? jsonText(findingsJson(findings))
        : [...findings.flatMap(linesOf), "", `${summaryOf(findings)}\n`].join("\n"),
    );
    return exitCodeOf(findings);
  });
}

const statusWidth = "warning".length;
const checkWidth = "ruleset_versions".length;

function linesOf({ status, check, message, remedy }: CheckFinding): readonly string[] {
  const name = check.replace("_", " ");
  const first = `${status.padEnd(statusWidth)}  ${name.padEnd(checkWidth)}  ${message}`;
  const indent = " ".repeat(statusWidth + checkWidth + 4);
  return remedy === "" ? [first] : [first, `${indent}To mend it: ${remedy}`];
}

function summaryOf(findings: readonly CheckFinding[]): string {
  const errors = countOf(findings, "error");
  const warnings = countOf(findings, "warning");
  if (errors + warnings === 0) return "No problem found.";
  return `${plural(errors, "error")}, ${plural(warnings, "warning")}.`;
}

/** Checks everything that a daemon needs, as far as each check can be made. Writes nothing and sends only GETs. */
async function examine(
  file: string,
  host: Host,
  stop: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const loaded = await readConfig(file, host, stop);
  const configuration = checkConfig(loaded, file, host);
  const { config } = loaded;
  if (config === undefined) {
    const others = checkNames.filter((name) => name !== "configuration");
    return [
      ...configuration,
      ...others.map((name) => skipped(name, "the configuration is invalid")),
    ];
  }
  const state = await loadZoneFiles(config.desired.path, config.lint, host, stop);
  const found = [
    ...configuration,
    ...(await checkSecrets(config, host)),
    ...checkZoneFiles(state, config, host),
    ...(await ofService(config, state, host, stop)),
    ...(await checkStore(config, host)),
    ...(await checkCluster(config, host)),
  ];
  return checkNames.flatMap((name) => found.filter(({ check }) => check === name));
}

/** Starts the embedded emulator where the configuration names one and none runs. */
async function ofService(
  config: Config,
  state: LoadedFiles,
  host: Host,
  stop: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const lines: string[] = [];
  const listening = {
    ...host,
    stderr: { isTTY: false, write: (text: string) => lines.push(text) },
  };
  const remedy = "correct api.emulator in the configuration";
  try {
    await using reached = await reachService(config, listening);
    if (reached !== undefined) {
      return await checkService(state, { config, baseUrl: reached.baseUrl, host, stop });
    }
    const message = `the seed of the emulator is invalid: ${lines.join("").trim()}`;
    return [finding("service", "error", { message, remedy })];
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    return [finding("service", "error", { message: error.message, remedy })];
  }
}
