import { authorsText, causeWords, driftWords } from "../render/cause-text.ts";
import { effectMarks, verbSigns } from "../render/change-text.ts";
import { durationText, type Paint, printable, revisionText, valueText } from "../render/format.ts";
import { stepEventText } from "../render/step-event-text.ts";
import { tokenUseText } from "../state/audit-status.ts";
import { type RolloutRecord, turnText } from "../state/rollout-turn.ts";
import type { HistoryChange, HistoryEntry, HistoryEntryResult } from "./history.ts";
import type { DriftTime, Period } from "./timeline.ts";

const resultStyles = {
  in_sync: "green",
  applied: "green",
  planned: "yellow",
  held: "yellow",
  partial: "red",
  error: "red",
  no_longer_declared: "dim",
  interrupted: "red",
  running: "yellow",
} as const satisfies Readonly<Record<HistoryEntryResult, string>>;

export function renderHistoryEntry(entry: HistoryEntry, paint: Paint): string {
  const { at, zone, result, causes, trigger, run } = entry;
  const origin = [
    `${trigger}, revision ${printable(revisionText(entry))}`,
    ...(run === "" ? [] : [`run ${printable(run)}`]),
  ].join(", ");
  const head = [
    at.toISOString(),
    paint("bold", zone),
    paint(resultStyles[result], result.replaceAll("_", " ")),
    ...(causes.length === 0 ? [] : [causeWords(causes)]),
    paint("dim", origin),
  ].join("  ");
  const failure = entry.failure === undefined ? [] : [`  ${printable(entry.failure.message)}`];
  const held = entry.holds.map(({ reason, message }) => `  ${printable(message)} (${reason})`);
  const uses = (entry.tokenUses ?? []).map((use) => `  ${printable(tokenUseText(use))}`);
  const moves = (entry.stepEvents ?? []).map((each) => `  ${printable(stepEventText(each))}`);
  const changes = entry.changes.flatMap((change) => linesOf(change, paint));
  return [head, ...moves, ...changes, ...held, ...failure, ...uses]
    .map((line) => `${line}\n`)
    .join("");
}

export function renderTurn(record: RolloutRecord, paint: Paint): string {
  const origin = paint("dim", `revision ${printable(revisionText(record))}`);
  return `${[record.at.toISOString(), paint("bold", printable(turnText(record))), origin].join("  ")}\n`;
}

function linesOf(change: HistoryChange, paint: Paint): readonly string[] {
  const { verb, key, title, direction, drift, result, fields } = change;
  const { sign, style } = effectMarks[direction];
  const head = [
    `  ${verbSigns[verb]} ${printable(key)}`,
    ...(title === "" ? [] : [printable(title)]),
    paint(style, `${sign} ${direction}`),
    result,
    ...(drift === undefined ? [] : [driftWords[drift]]),
  ].join("  ");
  const who = historyAuthors(change);
  const lines = [head, ...(who === "" ? [] : [`      ${paint("cyan", who)}`])];
  if (verb !== "update") return lines;
  const width = Math.max(...fields.map(({ field }) => field.length));
  return [
    ...lines,
    ...fields.map(
      ({ field, before, after }) =>
        `      ${printable(field).padEnd(width)}  ${valueText(before)} → ${valueText(after)}`,
    ),
  ];
}

/** Who made the drift that a change corrected, with its moment in full. */
export function historyAuthors({ causes, ...change }: HistoryChange): string {
  const explanations = causes.map((cause) => ({ cause, fields: [] }));
  return authorsText({ ...change, causes: explanations }, (at) => `at ${at.toISOString()}`);
}

/** How long zones drifted within a period, a line for each zone. */
export function renderDriftTimes(times: readonly DriftTime[], { since, until }: Period): string {
  const drifting = times.filter(({ episodes }) => episodes > 0);
  const head = `Drift from ${since.toISOString()} to ${until.toISOString()}:`;
  if (drifting.length === 0) return `${head} none\n`;
  const width = Math.max(...drifting.map(({ zone }) => zone.length));
  const lines = drifting.map((time) => `  ${time.zone.padEnd(width)}  ${driftTimeText(time)}`);
  return `${[head, ...lines].join("\n")}\n`;
}

/** `drifted 2 times, 3 h seen, at most 3 h 15 min, still drifting`. */
export function driftTimeText({ episodes, seenMs, atMostMs, isDrifting }: DriftTime): string {
  if (episodes === 0) return "no drift on record";
  const times = episodes === 1 ? "once" : `${episodes} times`;
  const lengths = `${durationText(seenMs)} seen, at most ${durationText(atMostMs)}`;
  return `drifted ${times}, ${lengths}${isDrifting ? ", still drifting" : ""}`;
}
