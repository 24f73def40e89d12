import { hasColor, type Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { paintOf } from "../../render/format.ts";
import { historyJson } from "../../render/history-json.ts";
import { renderDriftTimes, renderHistoryEntry } from "../../render/history-text.ts";
import type { HistoryEntry } from "../../state/history.ts";
import { type DriftTime, driftTimeIn, type Period } from "../../state/timeline.ts";
import { byEntryName } from "../../syntax/by-text.ts";
import { coerceDate } from "../../syntax/json.ts";
import { entriesIn } from "../../telemetry/history/history-file.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { isWanted } from "../session/listing.ts";

/** What `history` is told. */
export interface HistoryFlags {
  readonly config: string;
  readonly format: "text" | "json";
  /** A name, in which `*` stands for any run of characters; `undefined` for all zones. */
  readonly zone: string | undefined;
  /** Moments, or how long ago. */
  readonly since?: string;
  readonly until?: string;
}

/** `zonewarden history`: prints what runs changed or found, and how long zones drifted. Needs no network. */
export async function history(flags: HistoryFlags, host: Host): Promise<ExitCode> {
  const config = await loadConfigOrPrint(flags.config, host, AbortSignal.timeout(10_000));
  if (config === undefined) return exitCodes.invalid;
  const { path } = config.history;
  const asked = periodIn(flags, host.clock.now());
  if (asked === undefined || path === undefined) {
    const file = `${flags.config} sets no history.path, so the daemon keeps it in memory alone and shows it on its status page`;
    host.stderr.write(`history: ${asked === undefined ? momentHelp : file}\n`);
    return exitCodes.failed;
  }
  const found = await entriesAt(path, flags.zone, host);
  const since = asked.since ?? found[0]?.clearAt ?? found[0]?.at ?? asked.until;
  const period = { since, until: asked.until };
  const shown = found.filter(({ at }) => at >= since && at <= asked.until);
  print({ shown, times: driftTimes(found, period), period }, flags, host);
  return exitCodes.done;
}

const momentHelp =
  "--since and --until take a moment (2026-03-01, 2026-03-01T08:00:00Z) or how long ago (90m, 24h, 30d)";

/** What is asked for: `since` may be left open. */
interface Asked {
  readonly since: Date | undefined;
  readonly until: Date;
}

function periodIn({ since, until }: HistoryFlags, now: Date): Asked | undefined {
  const from = since === undefined ? undefined : momentIn(since, now);
  const to = until === undefined ? now : momentIn(until, now);
  if (to === undefined || (since !== undefined && from === undefined)) return undefined;
  return { since: from, until: to };
}

async function entriesAt(
  path: string,
  zone: string | undefined,
  { historyStore }: Host,
): Promise<readonly HistoryEntry[]> {
  const found: HistoryEntry[] = [];
  for await (const entry of entriesIn(historyStore(path).read(0))) {
    if (zone === undefined || isWanted(entry.zone, [zone])) found.push(entry);
  }
  return found;
}

/** What is printed. */
interface Told {
  readonly shown: readonly HistoryEntry[];
  readonly times: readonly DriftTime[];
  readonly period: Period;
}

function print({ shown, times, period }: Told, flags: HistoryFlags, host: Host): void {
  if (flags.format === "json") {
    const report = {
      format: 1,
      since: period.since,
      until: period.until,
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

const agoUnits: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The moment that a text names: a date, or a time before now; `undefined` where it names none. */
function momentIn(text: string, now: Date): Date | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const length = agoUnits[unit];
  if (length !== undefined) return new Date(Number(now) - Number(count) * length);
  const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  return isDate ? coerceDate(text) : undefined;
}
