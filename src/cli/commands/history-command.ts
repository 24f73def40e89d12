import { offlineLabels, offlineZone } from "../../desired/zones/offline-zone.ts";
import { labelOf } from "../../desired/zones/target.ts";
import { damageText, readHistory } from "../../history/file/history-lines.ts";
import { historyJson } from "../../history/history-json.ts";
import { renderDriftTimes, renderHistoryEntry, renderTurn } from "../../history/history-text.ts";
import type { HistoryEntry } from "../../history/history.ts";
import { rolloutRecordJson } from "../../history/rollout-json.ts";
import { type DriftTime, driftTimeIn, type Period } from "../../history/timeline.ts";
import type { CheckedFile } from "../../history/verify/check-file.ts";
import {
  type HistoryCheck,
  type HistoryFile,
  verifyHistory,
} from "../../history/verify/verify-history.ts";
import { hasColor, type Host } from "../../host/host.ts";
import { loadConfigOrPrint, loadDesiredOrPrint } from "../../host/load.ts";
import { jsonText, paintOf } from "../../render/format.ts";
import type { RolloutRecord } from "../../state/rollout-turn.ts";
import { byEntryName } from "../../syntax/by-text.ts";
import { momentHelp, momentIn } from "../../syntax/duration.ts";
import { jsonOf } from "../../syntax/json.ts";
import type { LabelSelector } from "../../zone/label-selector.ts";
import type { DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { isMatch } from "../session/listing.ts";
import { type ProofFlags, proofIn } from "../session/plan-keys.ts";
import { historyIn, withHistory } from "../session/stored.ts";

export const defineHistory: DefineCommand = (command, host) => {
  command
    // Options after "verify" are its own.
    .enablePositionalOptions()
    .argument("[zone]", "only this zone (a name; * matches anything)")
    .selector()
    .configFile()
    .formats("text", "json")
    .option("--since <when>", "from this moment or so long ago: 2026-03-01, 24h, 30d")
    .option("--until <when>", "up to this moment or so long ago; now where it is left out")
    .examples(
      "zonewarden history",
      "zonewarden history shop.example.com --since 24h",
      "zonewarden history --since 2026-03-01 --until 2026-04-01 --format json | jq .drift",
    )
    .runs((zone: string | undefined, flags: HistoryFlags) => printHistory(zone, flags, host));
  defineVerify(command, host);
};

const defineVerify: DefineCommand = (command, host) => {
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
    .runs((files: readonly string[], flags: VerifyFlags) => verifyHistoryFiles(files, flags, host));
};

interface HistoryFlags extends PrintFlags {
  readonly since?: string;
  readonly until?: string;
  readonly selector?: LabelSelector;
}

/**
 * Reads the daemon's history file. Needs no network.
 *
 * @param zone a name, in which `*` matches anything; `undefined` for all zones.
 */
async function printHistory(
  zone: string | undefined,
  flags: HistoryFlags,
  host: Host,
): Promise<ExitCode> {
  const config = await loadConfigOrPrint(flags.config, host, AbortSignal.timeout(10_000));
  if (config === undefined) return exitCodes.invalid;
  const range = rangeIn(flags, host.clock.now());
  if (range === undefined) return fail(`history: ${momentHelp}`, host);
  if (range.since !== undefined && range.since > range.until) {
    return fail("history: --since is after --until", host);
  }
  const { selector } = flags;
  const { signal } = new AbortController();
  const files = selector && (await loadDesiredOrPrint(config, host, signal));
  if (selector !== undefined && files === undefined) return exitCodes.invalid;
  const isAsked = (name: string): boolean =>
    (zone === undefined || isMatch(name, [zone])) &&
    (selector?.(offlineLabels(offlineZone(name, files?.documents ?? []))) ?? true);
  const isDeclared = async (): Promise<boolean> => {
    const { documents = [] } = files ?? (await loadDesiredOrPrint(config, host, signal)) ?? {};
    const names = [...documents.map(({ target }) => labelOf(target)), zone ?? ""];
    return names.some((name) => isAsked(name) && offlineZone(name, documents).documents.length > 0);
  };
  const isFleet = zone === undefined && selector === undefined;
  return withHistory(config, flags.config, host, (kept) =>
    printKept(kept, isAsked, isFleet ? undefined : isDeclared, range, flags, host),
  );
}

/** @param isDeclared whether the files declare an asked zone; `undefined`: the fleet is asked for. */
async function printKept(
  { file, pieces }: HistoryFile,
  isAsked: (zone: string) => boolean,
  isDeclared: (() => Promise<boolean>) | undefined,
  range: { since?: Date; until: Date },
  flags: HistoryFlags,
  host: Host,
): Promise<ExitCode> {
  const { entries, rollouts, damaged } = await readHistory(pieces());
  const names = new Set(entries.map((entry) => entry.zone).filter(isAsked));
  if (names.size === 0) {
    const nothing = `${file} records nothing of ${isDeclared ? "these zones" : "any zone"}`;
    if ((await isDeclared?.()) === false) {
      return fail(`${nothing}, and no zone file declares them`, host);
    }
    host.stderr.write(`${nothing}\n`);
  }
  const found = entries.filter((entry) => names.has(entry.zone));
  const since = range.since ?? found[0]?.clearAt ?? found[0]?.at ?? range.until;
  const period = { since, until: range.until };
  const shown = found.filter(({ at }) => at >= since && at <= range.until);
  const ofFleet = isDeclared ? [] : rollouts.filter(({ at }) => at >= since && at <= range.until);
  print(
    { entries: shown, rollouts: ofFleet },
    driftTimes(found, period),
    period,
    flags.format,
    host,
  );
  if (damaged.length === 0) return exitCodes.done;
  const remedy =
    "what they recorded is missing here; restore the file from a backup, or delete them";
  return fail(`${file}: ${damageText(damaged)}: ${remedy}`, host, exitCodes.partial);
}

/** What the flags name, without `since` if it is not set; `undefined` if a flag names no moment. */
function rangeIn(flags: HistoryFlags, now: Date): { since?: Date; until: Date } | undefined {
  const since = momentIn(flags.since ?? "0s", now);
  const until = momentIn(flags.until ?? "0s", now);
  if (since === undefined || until === undefined) return undefined;
  return flags.since === undefined ? { until } : { since, until };
}

/** Rollouts concern the whole fleet: they are shown where all zones are. */
interface Shown {
  readonly entries: readonly HistoryEntry[];
  readonly rollouts: readonly RolloutRecord[];
}

function print(
  { entries, rollouts }: Shown,
  times: readonly DriftTime[],
  period: Period,
  format: HistoryFlags["format"],
  host: Host,
): void {
  if (format === "json") {
    const report = {
      format: 1,
      ...jsonOf(period),
      drift: times.map(({ zone, episodes, seenMs, atMostMs, isDrifting }) => {
        const [seenSeconds, atMostSeconds] = [seenMs / 1000, atMostMs / 1000];
        return jsonOf({ zone, episodes, seenSeconds, atMostSeconds, isDrifting });
      }),
      entries: entries.map(historyJson),
      rollouts: rollouts.map(rolloutRecordJson),
    };
    host.stdout.write(jsonText(report));
    return;
  }
  const paint = paintOf(hasColor(host, host.stdout));
  const inOrder = [...entries, ...rollouts].toSorted((a, b) => Number(a.at) - Number(b.at));
  for (const each of inOrder) {
    host.stdout.write("turn" in each ? renderTurn(each, paint) : renderHistoryEntry(each, paint));
  }
  host.stdout.write(renderDriftTimes(times, period));
}

function driftTimes(entries: readonly HistoryEntry[], period: Period): readonly DriftTime[] {
  return [...Map.groupBy(entries, ({ zone }) => zone)]
    .toSorted(byEntryName)
    .map(([zone, own]) => driftTimeIn(zone, own, period));
}

interface VerifyFlags extends ProofFlags, PrintFlags {}

/** Checks history files, or the one of the configuration if none is named. Needs no network. */
async function verifyHistoryFiles(
  named: readonly string[],
  { config, format, ...flags }: VerifyFlags,
  host: Host,
): Promise<ExitCode> {
  const proof = await proofIn(flags, host);
  if (typeof proof === "string") return fail(`history verify: ${proof}`, host);
  const verify = async (files: readonly HistoryFile[]): Promise<ExitCode> => {
    const check = await verifyHistory(files, proof);
    host.stdout.write(format === "json" ? checkText(check) : textOf(check));
    return check.flaws.length === 0 ? exitCodes.done : exitCodes.partial;
  };
  if (named.length > 0) return verify(named.map((file) => historyIn(file, host)));
  const loaded = await loadConfigOrPrint(config, host, AbortSignal.timeout(10_000));
  if (loaded === undefined) return exitCodes.invalid;
  return withHistory(loaded, config, host, (history) => verify([history]));
}

/** Whether the files are as they were written, as far as the proof shows it. */
function resultOf({ flaws, remarks }: HistoryCheck): "intact" | "not_covered" | "changed" {
  if (flaws.length > 0) return "changed";
  return remarks.some(({ code }) => code === "not_covered") ? "not_covered" : "intact";
}

function checkText(check: HistoryCheck): string {
  const { flaws, remarks } = check;
  const files = check.files.map(({ file, lines, chains, firstAt, lastAt, seals }) => {
    const last = seals.at(-1);
    const numbers = { firstNumber: seals[0]?.n, lastNumber: last?.n };
    return { file, lines, chains, firstAt, lastAt, ...numbers, head: last?.hash };
  });
  const head = files.at(-1)?.head;
  return jsonText(jsonOf({ format: 1, result: resultOf(check), head, files, flaws, remarks }));
}

/** Flaws that the text shows; the JSON has all. */
const shownFlaws = 50;

function textOf(check: HistoryCheck): string {
  const { files, flaws, remarks, covered } = check;
  const lines = files.map(fileText);
  for (const { file, line, code, message } of remarks) {
    lines.push(`${place(file, line)}: ${code}: ${message}`);
  }
  for (const { file, line, code, message } of flaws.slice(0, shownFlaws)) {
    lines.push(`${place(file, line)}: error: ${code}: ${message}`);
  }
  if (flaws.length > shownFlaws) lines.push(`… and ${flaws.length - shownFlaws} more`);
  lines.push(conclusions[resultOf(check)](flaws.length));
  if (flaws.length === 0 && covered === undefined) lines.push(unprovedText);
  return `${lines.join("\n")}\n`;
}

const conclusions = {
  intact: () =>
    "Intact: from the first line to the last, no line was changed, removed, inserted or moved.",
  not_covered: () =>
    "Not proved: the lines fit each other, but how the file begins is not covered by the head.",
  changed: (count: number) => `Not intact: ${count} ${count === 1 ? "finding" : "findings"}.`,
};

const unprovedText = `This does not show whether lines at the end were removed, or the whole file was written anew: compare with a head
that somebody else has kept (--head), or with the signatures (--verify-key).`;

function fileText({ file, lines, chains, firstAt, lastAt, seals }: CheckedFile): string {
  const times =
    firstAt === undefined || lastAt === undefined
      ? ""
      : `, ${firstAt.toISOString()} to ${lastAt.toISOString()}`;
  const last = seals.at(-1);
  const head = last === undefined ? "no head" : `head ${last.hash}, line ${last.n} of the chain`;
  return `${file}: ${lines} lines${times}; ${head} ${chains.join(", ")}`.trimEnd();
}

function place(file: string, line: number): string {
  return line === 0 ? file : `${file}:${line}`;
}
