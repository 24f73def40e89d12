import type { Config } from "../../desired/config/config.ts";
import { diagnosticExamples, diagnosticSituations } from "../../desired/diagnostic-examples.ts";
import { checkText } from "../../desired/load/check-text.ts";
import { hasColor, type Host, quietHost } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { linkOf, mayWrite } from "../../plan/guard/may-write.ts";
import { isCorrection } from "../../reconcile/fleet/fleet-guard.ts";
import { renderDiagnostics } from "../../render/diagnostic-formats.ts";
import { jsonText, plural } from "../../render/format.ts";
import {
  answersIn,
  answersJson,
  answersText,
  type WriteAnswer,
} from "../../render/write-answers.ts";
import { parseJson } from "../../syntax/json.ts";
import { nearest } from "../../syntax/nearest.ts";
import { diagnosticCodes, factsOfCode } from "../../zone/diagnostic-codes.ts";
import type { DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { askLeader } from "../session/ask-daemon.ts";
import { planAll } from "../session/plan-all.ts";
import { type Session, withSession } from "../session/session.ts";
import { storedSteps } from "../session/stored-steps.ts";

export const defineExplain: DefineCommand = (command, host) => {
  command
    .argument("[code]", "the code of a diagnostic; without it, list all codes")
    .examples(
      "zonewarden explain",
      "zonewarden explain ALLOW_OVERLAP",
      "zonewarden explain zone shop.example.com",
    )
    .runs((code: string | undefined) =>
      code === undefined ? listCodes(host) : explain(code.toUpperCase(), host),
    );
  const zone = command.command("zone").description("print why a zone is not written");
  defineExplainZone(zone, host);
};

function listCodes({ stdout }: Host): ExitCode {
  const codes = Object.entries(diagnosticCodes);
  const width = Math.max(...codes.map(([code]) => code.length));
  for (const [code, { severity, meaning }] of codes) {
    stdout.write(`${code.padEnd(width)}  ${severity.padEnd("warning".length)}  ${meaning}\n`);
  }
  return exitCodes.done;
}

function explain(code: string, host: Host): ExitCode {
  const facts = factsOfCode(code);
  if (facts === undefined) {
    const guess = nearest(code, Object.keys(diagnosticCodes));
    const hint = guess === undefined ? "`zonewarden explain` lists all" : `did you mean ${guess}?`;
    return fail(`explain: there is no code ${code}; ${hint}`, host);
  }
  const { severity, meaning } = facts;
  const parts = [`${code} (${severity}): ${meaning}`, ...detailsOf(code, host), changing[severity]];
  host.stdout.write(`${parts.join("\n\n")}\n`);
  return exitCodes.done;
}

function detailsOf(code: string, host: Host): readonly string[] {
  const situation = new Map(Object.entries(diagnosticSituations)).get(code);
  if (situation !== undefined) {
    return [`Example: ${situation.example}.`, `Remedy: ${situation.remedy}.`];
  }
  const text = diagnosticExamples[code] ?? "";
  const { diagnostics, sources } = checkText("zones.yaml", text);
  const found = diagnostics.filter((each) => each.code === code).slice(0, 1);
  const color = hasColor(host, host.stdout);
  return [
    `Example:\n\n${indented(text)}`,
    `Diagnostic:\n\n${indented(renderDiagnostics(found, sources, { directory: "", color }))}`,
  ];
}

/** The lines of a text, those that are too long for a screen cut. */
function indented(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines
    .map((line) => `    ${line.length > maxWidth ? `${line.slice(0, maxWidth)}…` : line}`.trimEnd())
    .join("\n");
}

const maxWidth = 120;

const changing = {
  error: "A file with an error is not used: its last good version stays active.",
  warning: `To suppress it for one line, write a comment on the line before, with a reason:
    # zonewarden-disable-next-line CODE -- reason
To change its level for some or all files, use \`lint\` in zonewarden.yaml.`,
} as const;

/** `zonewarden explain zone`: why a zone is not written. */
const defineExplainZone: DefineCommand = (command, host) => {
  command
    .argument("<zone>", "a declared zone, by its name")
    .configFile()
    .formats("text", "json")
    .addHelpText(
      "after",
      `
Prints what a zone has to pass before it is written, in order, and of each that blocks the reason and what you can do. Asks
the running daemon of the configuration. If none answers, reads and plans the zone as \`plan\` does; it then cannot tell
what only the daemon knows. Writes nothing.`,
    )
    .examples(
      "zonewarden explain zone shop.example.com",
      "zonewarden explain zone shop.example.com --format json | jq .blocked_by",
    )
    .runs((zone: string, flags: PrintFlags) => explainZone(zone, flags, host));
};

async function explainZone(zone: string, flags: PrintFlags, host: Host): Promise<ExitCode> {
  const config = await loadConfigOrPrint(flags.config, host, AbortSignal.timeout(5_000));
  if (config === undefined) return exitCodes.invalid;
  const { url, answers } = await fromDaemon(zone, config);
  if (answers !== undefined) return print(answers, `asked ${url}`, flags, host);
  return withSession(flags, host, async (session) => {
    const planned = await fromPlan(zone, flags, session);
    if (typeof planned === "number") return planned;
    return print(planned, `${url} does not answer for this zone: it was planned here`, flags, host);
  });
}

function print(answers: WriteAnswer, from: string, { format }: PrintFlags, host: Host): ExitCode {
  const json = jsonText(answersJson(answers));
  host.stdout.write(format === "json" ? json : `${answersText(answers)}\n(${from})\n`);
  return exitCodes.done;
}

/** `answers` is `undefined` if no daemon answers that knows the zone. */
async function fromDaemon(
  zone: string,
  config: Config,
): Promise<{ readonly url: string; readonly answers: WriteAnswer | undefined }> {
  const path = `/api/v1/zones/${encodeURIComponent(zone)}/write`;
  const { url, response } = await askLeader(path, config);
  const isKnown = response?.ok === true;
  return { url, answers: isKnown ? answersIn(parseJson(await response.text())) : undefined };
}

async function fromPlan(
  zone: string,
  { config }: PrintFlags,
  session: Session,
): Promise<WriteAnswer | ExitCode> {
  const flags = { config, format: "text", zones: [zone], audit: false, onlyReads: true } as const;
  const host = quietHost(session.host, { quiet: true });
  const fleet = await planAll(flags, { ...session, host });
  if (typeof fleet === "number") return fleet;
  const [report, ...others] = fleet.reports;
  if (others.length > 0) {
    return fail(
      `explain zone: ${plural(fleet.reports.length, "zone")} match ${zone}: name one`,
      host,
    );
  }
  if (report === undefined) return fail(`explain zone: ${zone}: no zone has this name`, host);
  const all = report.result === "error" ? [] : report.plan.changes;
  const corrections = all.filter(isCorrection);
  const reason = fleet.waits(report.zone, fleet.revision);
  const isWaiting = reason !== undefined && corrections.length < all.length;
  const holds = report.result === "held" ? report.holds : [];
  const links = mayWrite({
    // Guards judged what waits, too.
    holds: isWaiting ? holds.filter((each) => linkOf(each.reason) !== "guards") : holds,
    revision: isWaiting
      ? { reason, message: `the store says that revision ${fleet.revision} is not in force here` }
      : undefined,
    read: report.result === "error" ? report.failure.message : undefined,
    unknown: ["fleet", "lease", "budget", ...(isWaiting ? ["guards" as const] : [])],
  });
  const changes = (isWaiting ? corrections : all).length;
  const [planned] = fleet.zones;
  const steps = planned && (await storedSteps(planned, fleet, session));
  return { zone: report.zone, changes, links, steps };
}
