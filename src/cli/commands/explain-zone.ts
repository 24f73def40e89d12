import type { Config } from "../../desired/config/config.ts";
import { type Host, quietHost } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { type LinkAnswer, mayWrite } from "../../plan/guard/may-write.ts";
import {
  answersIn,
  answersJson,
  answersText,
  type WriteAnswer,
} from "../../render/write-answers.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { parseJson } from "../../syntax/json.ts";
import type { DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { askDaemon } from "../session/ask-daemon.ts";
import { planAll } from "../session/plan-all.ts";
import { type Session, withSession } from "../session/session.ts";

/** `zonewarden explain zone`: why a zone is not written. */
export const defineExplainZone: DefineCommand = (command, host, end) => {
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
    .action(async (zone: string, flags: PrintFlags) => {
      end(await explainZone(zone, flags, host));
    });
};

async function explainZone(zone: string, flags: PrintFlags, host: Host): Promise<ExitCode> {
  const config = await loadConfigOrPrint(flags.config, host, AbortSignal.timeout(5_000));
  if (config === undefined) return exitCodes.invalid;
  const { url, answers } = await fromDaemon(zone, config);
  if (answers !== undefined) return print(answers, `asked ${url}`, flags, host);
  return withSession(flags.config, host, async (session) => {
    const planned = await fromPlan(zone, flags, session);
    if (typeof planned === "number") return planned;
    return print(planned, `${url} does not answer for this zone: it was planned here`, flags, host);
  });
}

function print(answers: WriteAnswer, from: string, { format }: PrintFlags, host: Host): ExitCode {
  const json = `${JSON.stringify(answersJson(answers), undefined, 2)}\n`;
  host.stdout.write(format === "json" ? json : `${answersText(answers)}\n(${from})\n`);
  return exitCodes.done;
}

/** `answers` is `undefined` if no daemon answers that knows the zone. */
async function fromDaemon(
  zone: string,
  config: Config,
): Promise<{ readonly url: string; readonly answers: WriteAnswer | undefined }> {
  const path = `/api/v1/zones/${encodeURIComponent(zone)}/write`;
  const { url, response } = await askDaemon(path, config);
  const isKnown = response?.ok === true;
  return { url, answers: isKnown ? answersIn(parseJson(await response.text())) : undefined };
}

async function fromPlan(
  zone: string,
  { config }: PrintFlags,
  session: Session,
): Promise<WriteAnswer | ExitCode> {
  const flags = { config, format: "text", zones: [zone], audit: false, onlyReads: true } as const;
  const fleet = await planAll(flags, {
    ...session,
    host: quietHost(session.host, { quiet: true }),
  });
  if (typeof fleet === "number") return fleet;
  const [report] = [...fleet.zones.map(({ planned }) => planned.report), ...fleet.missing];
  if (report === undefined) {
    return fail(`explain zone: ${zone}: no zone has this name`, session.host);
  }
  const changes = report.result === "error" ? 0 : report.plan.changes.length;
  return { zone: report.zone, changes, links: linksOf(report) };
}

function linksOf(report: ZoneReport): readonly LinkAnswer[] {
  return mayWrite({
    holds: report.result === "held" ? report.holds : [],
    read: report.result === "error" ? report.failure.message : undefined,
    unknown: ["fleet", "lease", "budget"],
  });
}
