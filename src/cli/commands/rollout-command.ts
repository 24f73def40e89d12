import type { Config } from "../../desired/config/config.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { readSecret } from "../../host/secrets.ts";
import { jsonText, plural, printable } from "../../render/format.ts";
import { stepEventText } from "../../render/step-event-text.ts";
import { type RolloutCommand, rolloutCommands } from "../../state/asked-of-rollout.ts";
import { zonesOfWave } from "../../state/load-report.ts";
import { stepEventNames } from "../../state/step-wait.ts";
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
  parseName,
} from "../../syntax/json.ts";
import type { CliCommand, DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { tableText } from "../output/table.ts";
import { askLeader } from "../session/ask-daemon.ts";

export const defineRollout: DefineCommand = (command, host) => {
  command.examples(
    "zonewarden rollout status",
    "zonewarden rollout pause",
    "zonewarden rollout promote shop.example.com --key policy/checkout",
    "zonewarden rollout abort sha256-0357424802a9",
  );
  command
    .command("status")
    .description("print where the waves and the steps are, and what they wait for")
    .argument("[zones...]", "only these zones")
    .configFile()
    .formats("text", "json")
    .examples(
      "zonewarden rollout status",
      "zonewarden rollout status shop.example.com",
      "zonewarden rollout status --format json | jq .rollout.by_wave",
    )
    .runs((zones: readonly string[], flags: PrintFlags) => printStatus(zones, flags, host));
  for (const name of rolloutCommands) addCommand(command, name, host);
};

const descriptions = {
  pause: "let no further wave begin until it is resumed, or no further step of the named zones",
  resume: "let waves begin again, or the steps of the named zones",
  promote:
    "let the next wave begin now, or the named zones; in one that waits for no wave, end the watch, else let the next step begin",
  abort:
    "take back what the rollout changed, and end it; or set back what is watched in the named zones, and stop their steps",
} as const satisfies Readonly<Record<RolloutCommand["name"], string>>;

function addCommand(parent: CliCommand, name: RolloutCommand["name"], host: Host): void {
  const command = parent
    .command(name)
    .description(descriptions[name])
    .argument(
      "[names...]",
      "zones; or the revision that must be active: it, its commit or its hash",
    )
    .configFile()
    .formats("text", "json")
    .option("--by <name>", "who asks, for the history; by default, who is logged in")
    .examples(`zonewarden rollout ${name}`, `zonewarden rollout ${name} shop.example.com`);
  if (name === "promote") {
    command.option("--key <key>", "the policy or rule with steps that is meant: policy/checkout");
  }
  command.runs((names: readonly string[], flags: CommandFlags) => send(name, names, flags, host));
}

interface CommandFlags extends PrintFlags {
  readonly by?: string;
  readonly key?: string;
}

/** Asks the daemon of the configuration where its rollout is. */
async function printStatus(
  zones: readonly string[],
  { config: file, format }: PrintFlags,
  host: Host,
): Promise<ExitCode> {
  const config = await loadConfigOrPrint(file, host, AbortSignal.timeout(5_000));
  if (config === undefined) return exitCodes.invalid;
  const { response, why } = await askLeader("/api/v1/rollout", config);
  if (response === undefined) return fail(why, host);
  const all = coerceObject(parseJson(await response.text()));
  if (!response.ok) return fail(`rollout status: ${saidBy(all, response)}`, host);
  const asked = new Set(zones.map((zone) => zone.toLowerCase()));
  const json = asked.size === 0 ? all : ofZones(all, asked);
  const unsaid = asked.difference(namedIn(json));
  if (unsaid.size > 0) {
    host.stderr.write(`in no wave, and with no step on its way: ${[...unsaid].join(", ")}\n`);
  }
  host.stdout.write(format === "json" ? jsonText(json) : statusText(json));
  return exitCodes.done;
}

/** Names of zones that a line of the status lists. */
const mostListed = 10;

/** What a status says of some zones. */
function ofZones(json: JsonObject, zones: ReadonlySet<string>): JsonObject {
  const rollout = coerceObject(json["rollout"]);
  const byWave = coerceObjects(rollout["by_wave"]).map((wave) => {
    const shown: Record<string, Json> = { ...wave };
    for (const state of zonesOfWave) {
      shown[state] = coerceTexts(wave[state]).filter((zone) => zones.has(zone));
    }
    return shown;
  });
  return {
    ...json,
    rollout: json["rollout"] === null ? null : { ...rollout, by_wave: byWave },
    steps: coerceObjects(json["steps"]).filter(({ zone }) => zones.has(coerceText(zone))),
  };
}

/** The zones of which a status says something. */
function namedIn(json: JsonObject): ReadonlySet<string> {
  const waves = coerceObjects(coerceObject(json["rollout"])["by_wave"]);
  return new Set([
    ...waves.flatMap((wave) => zonesOfWave.flatMap((state) => coerceTexts(wave[state]))),
    ...coerceObjects(json["steps"]).map(({ zone }) => coerceText(zone)),
  ]);
}

function statusText(json: JsonObject): string {
  const revision = coerceText(json["revision"]);
  const commit = coerceText(json["commit"]);
  const shown = `Revision ${printable(revision)}${commit === "" ? "" : ` (${printable(commit)})`}`;
  const waves =
    json["rollout"] === null
      ? "no rollout is under way\n"
      : wavesText(coerceObject(json["rollout"]));
  return `${shown}: ${waves}${stepsText(coerceObjects(json["steps"]))}`;
}

function wavesText(rollout: JsonObject): string {
  const rows = coerceObjects(rollout["by_wave"]).flatMap((wave) =>
    zonesOfWave.flatMap((state) => {
      const zones = coerceTexts(wave[state]);
      if (zones.length === 0) return [];
      return [[numberIn(wave["wave"]), state, String(zones.length), firstOf(zones, mostListed)]];
    }),
  );
  const table = tableText({ head: ["wave", "state", "zones", "names"], rows });
  return `${waitText(rollout)}\n\n${table}\n`;
}

/** What is not at its last step in each zone, and what it waits for. */
function stepsText(zones: readonly JsonObject[]): string {
  if (zones.length === 0) return "";
  const rows = zones.flatMap(({ zone, paused_by, objects }) => {
    const by = coerceText(paused_by);
    const paused = by === "" ? [] : [[coerceText(zone), "", "paused", "", `by ${by}`]];
    return [...paused, ...coerceObjects(objects).map((each) => stepsRow(coerceText(zone), each))];
  });
  const printed = rows.map((row) => row.map(printable));
  return `\n${tableText({ head: ["zone", "key", "state", "steps", "waits for"], rows: printed })}\n`;
}

function stepsRow(
  zone: string,
  { key, state, step, steps, waits_for }: JsonObject,
): readonly string[] {
  const all = Array.isArray(steps) ? steps : [];
  const left = all.slice(
    Math.max(
      0,
      all.findIndex((each) => each === step),
    ),
  );
  const wait = coerceText(coerceObject(waits_for)["message"]);
  return [zone, coerceText(key), coerceText(state), left.join(" → "), wait];
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
  { config: file, format, by, key }: CommandFlags,
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
  if (key !== undefined && zones.length === 0) {
    return fail(`rollout ${name}: --key needs the zones in which it is`, host);
  }
  const token = await tokenOf(config, host);
  if (typeof token !== "string") return fail(`rollout ${name}: ${token.why}`, host);
  const who = by ?? host.env["USER"] ?? "";
  const body = JSON.stringify({ revision, zones, key, by: who.slice(0, longestName) });
  const { response, why } = await askLeader(`/api/v1/rollout/${name}`, config, { token, body });
  if (response === undefined) return fail(why, host);
  const json = coerceObject(parseJson(await response.text()));
  if (!response.ok) return fail(`rollout ${name}: ${saidBy(json, response)}`, host);
  host.stdout.write(format === "json" ? jsonText(json) : doneText(name, zones, json));
  return exitCodes.done;
}

/** The daemon takes no longer name of a person. */
const longestName = 100;

async function tokenOf(
  { rolloutToken }: Config,
  host: Host,
): Promise<string | { readonly why: string }> {
  if (rolloutToken === undefined) {
    return { why: "there is no token: set rollout.token_file, and restart the daemon" };
  }
  try {
    return await readSecret(rolloutToken, host);
  } catch (error) {
    return { why: `rollout.token_file: ${errorText(error)}` };
  }
}

function saidBy(json: JsonObject, { status }: Response): string {
  const text = coerceText(json["error"]);
  if (status === 404 && text === "not found") {
    return "the daemon has no token: set rollout.token_file there too, and restart it";
  }
  return text === "" ? `the daemon answers with status ${status}` : printable(text);
}

function doneText(
  name: RolloutCommand["name"],
  named: readonly string[],
  json: JsonObject,
): string {
  if (json["result"] === "as_before") {
    return `${(named.length === 0 ? asBefore : asBeforeInZones)[name]}\n`;
  }
  const steps = coerceObjects(json["steps"]);
  const stepped = new Set(steps.map(({ zone }) => coerceText(zone)));
  const zones = coerceTexts(json["zones"]).filter((zone) => !stepped.has(zone));
  const moved = steps.map((each) => `${printable(stepText(each))}\n`).join("");
  return stepped.size > 0 && zones.length === 0
    ? moved
    : `${zonesText(name, named, zones, json)}${moved}`;
}

/** What became of zones as wholes. */
function zonesText(
  name: RolloutCommand["name"],
  named: readonly string[],
  zones: readonly string[],
  json: JsonObject,
): string {
  const left = coerceTexts(json["left"]);
  const listed = zones.length === 0 ? "" : `: ${firstOf(zones, mostListed)}`;
  switch (name) {
    case "pause":
      return named.length === 0
        ? "paused: no further wave begins until zonewarden rollout resume\n"
        : `paused: no further step begins until it is resumed${listed}\n`;
    case "resume":
      return `resumed${listed}\n`;
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

/** What became of an object, as the daemon tells it. */
function stepText({ zone, key, event: name, from, to }: JsonObject): string {
  const event = parseName(stepEventNames, name);
  const subject = `${coerceText(key)} of ${coerceText(zone)}`;
  if (event === undefined) return subject;
  return stepEventText({
    key: subject,
    event,
    from: valueIn(from),
    to: valueIn(to),
    cause: undefined,
  });
}

function valueIn(json: Json | undefined): string | number {
  return typeof json === "number" ? json : coerceText(json);
}

const asBefore = {
  pause: "it was paused before",
  resume: "it was not paused",
  promote: "there was nothing to promote",
  abort: "it was aborted before",
} as const satisfies Readonly<Record<RolloutCommand["name"], string>>;

const asBeforeInZones = {
  ...asBefore,
  abort: "no step was to begin, and nothing was watched",
} as const satisfies Readonly<Record<RolloutCommand["name"], string>>;
