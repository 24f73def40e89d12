import type { Config } from "../../desired/config/config.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { readSecret } from "../../host/secrets.ts";
import { plural, printable } from "../../render/format.ts";
import type { RolloutCommand } from "../../state/asked-of-rollout.ts";
import { zonesOfWave } from "../../state/load-report.ts";
import { errorText } from "../../syntax/error-code.ts";
import { firstOf } from "../../syntax/first-of.ts";
import {
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
  type Json,
  type JsonObject,
  parseJson,
} from "../../syntax/json.ts";
import type { CliCommand, DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { tableText } from "../output/table.ts";
import { askDaemon, daemonAddress } from "../session/ask-daemon.ts";

export const defineRollout: DefineCommand = (command, host) => {
  command.examples(
    "zonewarden rollout status",
    "zonewarden rollout pause",
    "zonewarden rollout promote shop.example.com",
    "zonewarden rollout abort sha256-0357424802a9",
  );
  command
    .command("status")
    .description("print where each zone of each wave is, and what the next wave waits for")
    .configFile()
    .formats("text", "json")
    .examples(
      "zonewarden rollout status",
      "zonewarden rollout status --format json | jq .rollout.by_wave",
    )
    .runs((flags: PrintFlags) => printStatus(flags, host));
  const named = "[revision]";
  addCommand(command, "pause", "let no further wave begin until it is resumed", named, host);
  addCommand(command, "resume", "let waves begin again", named, host);
  const names = "[names...]";
  addCommand(command, "promote", "let the next wave begin now, or the named zones", names, host);
  addCommand(command, "abort", "take back what the rollout changed, and end it", named, host);
};

function addCommand(
  command: CliCommand,
  name: RolloutCommand["name"],
  description: string,
  argument: "[revision]" | "[names...]",
  host: Host,
): void {
  const what =
    argument === "[revision]"
      ? "only if this revision is active: it, its commit or its hash"
      : "zones; or the revision that must be active";
  command
    .command(name)
    .description(description)
    .argument(argument, what)
    .configFile()
    .formats("text", "json")
    .option("--by <name>", "who asks, for the history; by default, who is logged in")
    .examples(
      `zonewarden rollout ${name}`,
      `zonewarden rollout ${name} ${argument === "[revision]" ? "sha256-0357424802a9" : "shop.example.com"}`,
    )
    .runs((given: string | readonly string[] | undefined, flags: CommandFlags) =>
      send(name, [given ?? []].flat(), flags, host),
    );
}

interface CommandFlags extends PrintFlags {
  readonly by?: string;
}

/** Asks the daemon of the configuration where its rollout is. */
async function printStatus({ config: file, format }: PrintFlags, host: Host): Promise<ExitCode> {
  const config = await loadConfigOrPrint(file, host, AbortSignal.timeout(5_000));
  if (config === undefined) return exitCodes.invalid;
  const { url, response } = await askDaemon("/api/v1/rollout", config);
  if (response === undefined) return fail(unanswered(url), host);
  const json = coerceObject(parseJson(await response.text()));
  if (!response.ok) return fail(`rollout status: ${saidBy(json, response)}`, host);
  host.stdout.write(format === "json" ? jsonText(json) : statusText(json));
  return exitCodes.done;
}

/** Names of zones that a line of the status lists. */
const mostListed = 10;

function statusText(json: JsonObject): string {
  const revision = coerceText(json["revision"]);
  const commit = coerceText(json["commit"]);
  const shown = `Revision ${printable(revision)}${commit === "" ? "" : ` (${printable(commit)})`}`;
  if (json["rollout"] === null) return `${shown}: no rollout is under way\n`;
  const rollout = coerceObject(json["rollout"]);
  const rows = coerceObjects(rollout["by_wave"]).flatMap((wave) =>
    zonesOfWave.flatMap((state) => {
      const zones = coerceTexts(wave[state]);
      if (zones.length === 0) return [];
      return [[numberIn(wave["wave"]), state, String(zones.length), firstOf(zones, mostListed)]];
    }),
  );
  const table = tableText({ head: ["wave", "state", "zones", "names"], rows });
  return `${shown}: ${waitText(rollout)}\n\n${table}\n`;
}

function numberIn(json: Json | undefined): string {
  return typeof json === "number" ? String(json) : "?";
}

function waitText(rollout: JsonObject): string {
  const state = coerceText(rollout["state"]);
  const begun = `wave ${numberIn(rollout["wave"])} of ${numberIn(rollout["waves"])} has begun`;
  const nextAt = coerceText(rollout["next_at"]);
  const unsettled = coerceTexts(rollout["unsettled_zones"]);
  if (state === "aborted") return "the rollout is aborted, until another revision is active";
  if (state === "paused") return `${begun}, and the rollout is paused`;
  if (nextAt !== "") return `${begun}, and the next one begins at ${nextAt}`;
  return unsettled.length === 0
    ? begun
    : `${begun}, and is not applied in ${firstOf(unsettled, mostListed)}`;
}

/** Sends a command to the daemon of the configuration. */
async function send(
  name: RolloutCommand["name"],
  names: readonly string[],
  { config: file, format, by }: CommandFlags,
  host: Host,
): Promise<ExitCode> {
  const config = await loadConfigOrPrint(file, host, AbortSignal.timeout(5_000));
  if (config === undefined) return exitCodes.invalid;
  // No revision has a dot in its name, and each zone has one.
  const [zones, revisions] = [
    names.filter((each) => each.includes(".")),
    names.filter((each) => !each.includes(".")),
  ];
  const [revision = "", ...others] = revisions;
  if (others.length > 0) return fail(`rollout ${name}: name one revision at most`, host);
  if (zones.length > 0 && name !== "promote") {
    return fail(`rollout ${name}: it is for all zones: name none`, host);
  }
  const token = await tokenOf(config, host);
  if (typeof token !== "string") return fail(`rollout ${name}: ${token.why}`, host);
  const who = by ?? host.env["USER"] ?? "";
  const body = JSON.stringify({ revision, zones, by: who.slice(0, longestName) });
  const { url, response } = await post(`api/v1/rollout/${name}`, { body, token }, config);
  if (response === undefined) return fail(unanswered(url), host);
  const json = coerceObject(parseJson(await response.text()));
  if (!response.ok) return fail(`rollout ${name}: ${saidBy(json, response)}`, host);
  host.stdout.write(format === "json" ? jsonText(json) : doneText(name, json));
  return exitCodes.done;
}

/** The daemon takes no longer name of a person. */
const longestName = 100;

async function tokenOf(
  { rollout }: Config,
  host: Host,
): Promise<string | { readonly why: string }> {
  if (rollout === undefined) return { why: "the configuration sets no rollout" };
  if (rollout.token === undefined) {
    return { why: "there is no token: set rollout.token_file, and restart the daemon" };
  }
  try {
    return await readSecret(rollout.token, host);
  } catch (error) {
    return { why: `rollout.token_file: ${errorText(error)}` };
  }
}

/** The daemon answers when it has stored what was asked. */
const timeoutMs = 15_000;

async function post(
  path: string,
  { body, token }: { readonly body: string; readonly token: string },
  config: Config,
): Promise<{ readonly url: string; readonly response: Response | undefined }> {
  const { href: url } = new URL(path, daemonAddress(config));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  try {
    // The token is for this address only.
    const request = { method: "POST", headers, body, redirect: "error" } as const;
    const signal = AbortSignal.timeout(timeoutMs);
    return { url, response: await fetch(url, { ...request, signal }) };
  } catch {
    return { url, response: undefined };
  }
}

function unanswered(url: string): string {
  return `${url} does not answer: is zonewarden run not running here?`;
}

function saidBy(json: JsonObject, { status }: Response): string {
  const text = coerceText(json["error"]);
  if (status === 404 && text === "not found") {
    return "the daemon has no token: set rollout.token_file there too, and restart it";
  }
  return text === "" ? `the daemon answers with status ${status}` : printable(text);
}

function jsonText(json: JsonObject): string {
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

function doneText(name: RolloutCommand["name"], json: JsonObject): string {
  if (json["result"] === "as_before") return `${asBefore[name]}\n`;
  const zones = coerceTexts(json["zones"]);
  const left = coerceTexts(json["left"]);
  const listed = zones.length === 0 ? "" : `: ${firstOf(zones, mostListed)}`;
  switch (name) {
    case "pause":
      return "paused: no further wave begins until zonewarden rollout resume\n";
    case "resume":
      return "resumed\n";
    case "promote":
      return `promoted ${plural(zones.length, "zone")}${listed}\n`;
    case "abort":
      return [
        `aborted: ${plural(zones.length, "zone")} ${zones.length === 1 ? "goes" : "go"} back to what was in force before${listed}`,
        ...(left.length === 0
          ? []
          : [`not known what was before, left as they are: ${firstOf(left, mostListed)}`]),
        "revert the change in the files too: the next revision begins another rollout",
      ]
        .map((line) => `${line}\n`)
        .join("");
  }
}

const asBefore = {
  pause: "it was paused before",
  resume: "it was not paused",
  promote: "there was nothing to promote",
  abort: "it was aborted before",
} as const satisfies Readonly<Record<RolloutCommand["name"], string>>;
