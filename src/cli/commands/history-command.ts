import { damageText, readHistory } from "../../history/file/history-lines.ts";
import { historyJson } from "../../history/history-json.ts";
import { renderDriftTimes, renderHistoryEntry } from "../../history/history-text.ts";
import type { HistoryEntry } from "../../history/history.ts";
import { type DriftTime, driftTimeIn, type Period } from "../../history/timeline.ts";
import { type Host, hasColor } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { paintOf } from "../../render/format.ts";
import { byEntryName } from "../../syntax/by-text.ts";
import type { DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { momentHelp, momentIn } from "../output/moment.ts";
import { isMatch } from "../session/listing.ts";
import { type VerifyFlags, verifyHistoryFiles } from "../session/verify-history-files.ts";

export const defineHistory: DefineCommand = (command, host, end) => {
  command
    // Options after "verify" are its own.
    .enablePositionalOptions()
    .argument("[zone]", "only this zone (a name; * matches anything)")
    .configFile()
    .formats("text", "json")
    .option("--since <when>", "from this moment or so long ago: 2026-03-01, 24h, 30d")
    .option("--until <when>", "up to this moment or so long ago; now where it is left out")
    .examples(
      "zonewarden history",
      "zonewarden history shop.example.com --since 24h",
      "zonewarden history --since 2026-03-01 --until 2026-04-01 --format json | jq .drift",
    )
    .action(async (zone: string | undefined, options: Omit<HistoryFlags, "zone">) => {
      end(await printHistory({ ...options, zone }, host));
    });
  defineVerify(command, host, end);
};

const defineVerify: DefineCommand = (command, host, end) => {
  command
    .command("verify")
    .description("check that no line of the history was changed, removed, inserted or moved")
    .argument("[file...]", "history files, oldest first; the one of the configuration by default")
    .configFile()
    .formats("text", "json")
    .option("--head <hash>", "a head that somebody else has kept, from a log or a notification")
    .option("--verify-key <file>", "the public key (PEM) of history.sign_key")
    .examples(
      "zonewarden history verify",
      "zonewarden history verify --head 9f2c41d8e6b0… --verify-key history-verify.pem",
      "zonewarden history verify backup/history.jsonl /var/lib/zonewarden/history.jsonl",
    )
    .action(async (files: readonly string[], flags: VerifyFlags) => {
      end(await verifyHistoryFiles(files, flags, host));
    });
};

interface HistoryFlags extends PrintFlags {
  /** A name, in which `*` matches anything; `undefined` for all zones. */
  readonly zone: string | undefined;
  readonly since?: string;
  readonly until?: string;
}

/** Reads the daemon's history file. Needs no network. */
async function printHistory(flags: HistoryFlags, host: Host): Promise<ExitCode> {
  const config = await loadConfigOrPrint(flags.config, host, AbortSignal.timeout(10_000));
  if (config === undefined) return exitCodes.invalid;
  const { path } = config.history;
  const range = rangeIn(flags, host.clock.now());
  if (range === undefined || path === undefined) {
    const noFile = `${flags.config} sets no history.path: the daemon keeps the history in memory, and shows it on its status page`;
    return fail(`history: ${range === undefined ? momentHelp : noFile}`, host);
  }
  const { entries, damaged } = await readHistory(host.historyStore(path).read(0));
  const { zone } = flags;
  const found = entries.filter((entry) => zone === undefined || isMatch(entry.zone, [zone]));
  const since = range.since ?? found[0]?.clearAt ?? found[0]?.at ?? range.until;
  const period = { since, until: range.until };
  const shown = found.filter(({ at }) => at >= since && at <= range.until);
  print(shown, driftTimes(found, period), period, flags.format, host);
  if (damaged.length === 0) return exitCodes.done;
  const remedy =
    "what they recorded is missing here; restore the file from a backup, or delete them";
  return fail(`${path}: ${damageText(damaged)}: ${remedy}`, host, exitCodes.partial);
}

/** What the flags name, without `since` if it is not set; `undefined` if a flag names no moment. */
function rangeIn(flags: HistoryFlags, now: Date): { since?: Date; until: Date } | undefined {
  const since = momentIn(flags.since ?? "0s", now);
  const until = momentIn(flags.until ?? "0s", now);
  if (since === undefined || until === undefined) return undefined;
  return flags.since === undefined ? { until } : { since, until };
}

function print(
  shown: readonly HistoryEntry[],
  times: readonly DriftTime[],
  period: Period,
  format: HistoryFlags["format"],
  host: Host,
): void {
  if (format === "json") {
    const report = {
      format: 1,
      ...period,
      drift: times.map(({ zone, episodes, seenMs, atMostMs, isDrifting }) => ({
        zone,
        episodes,
        seen_seconds: seenMs / 1000,
        at_most_seconds: atMostMs / 1000,
        drifting: isDrifting,
      })),
      entries: shown.map(historyJson),
    };
    host.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    return;
  }
  const paint = paintOf(hasColor(host, host.stdout));
  for (const entry of shown) host.stdout.write(renderHistoryEntry(entry, paint));
  host.stdout.write(renderDriftTimes(times, period));
}

function driftTimes(entries: readonly HistoryEntry[], period: Period): readonly DriftTime[] {
  return [...Map.groupBy(entries, ({ zone }) => zone)]
    .toSorted(byEntryName)
    .map(([zone, own]) => driftTimeIn(zone, own, period));
}
