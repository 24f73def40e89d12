import type { ZoneImpact } from "../impact/zone-impact.ts";
import { isLeftLive } from "../plan/cause/left-live.ts";
import type { Change, Effect, FieldChange } from "../plan/change.ts";
import { planHash } from "../plan/guard/release.ts";
import type { Plan } from "../plan/plan.ts";
import type { PlannedReport, RunReport, ZoneReport } from "../state/run-report.ts";
import { summarize } from "../state/summary.ts";
import { firstOf } from "../syntax/first-of.ts";
import type { ZoneName } from "../zone/zone.ts";
import { agoOf, authorsText, causeRemark } from "./cause-text.ts";
import {
  changedSources,
  effectMarks,
  effectWords,
  fieldWords,
  mostFields,
  remarkOf,
  shownFields,
  sourceMarks,
  valueLines,
  verbSigns,
} from "./change-text.ts";
import { fenced, markdownCode, markdownText, plural, printable } from "./format.ts";
import { fleetHoldText, type HeldFleet } from "./held-fleet.ts";
import { renderImpacts } from "./impact-text.ts";
import { aboutTexts, type SweepForecast, summaryText, sweepText, titleText } from "./plan-text.ts";

/** GitHub allows 65,536 characters in a comment. Bytes of UTF-8 are never fewer. */
const commentBytes = 60_000;

/** Kept for the lines that say what did not fit. */
const reservedBytes = 6_000;

/** Longer diffs are collapsed. */
const maxOpenLines = 24;

/** The names of more zones than this are collapsed. */
const mostOpenZones = 3;

/** Names of zones that did not fit; the others are counted. */
const mostNamed = 20;

/** What stands beside the plans of the zones. */
export interface MarkdownExtras {
  /** The plans as far as the fleet guard holds them as a whole. */
  readonly heldFleet?: HeldFleet | undefined;
  /** Zones that the files no longer declare. */
  readonly dropped?: readonly ZoneName[] | undefined;
  readonly sweep?: SweepForecast | undefined;
  readonly impacts?: readonly ZoneImpact[] | undefined;
}

export interface PlanMarkdown {
  readonly text: string;
  /** How many errors, holds and changes that weaken, delete or are unclear did not fit. */
  readonly unseen: number;
}

/**
 * A plan for a pull request: what a person must review in short form, then for each zone, or for zones with equal plans, a
 * table of changes with their diff. What is too large is left out, with a line that says so; what follows is not.
 */
export function renderMarkdown(
  { revision, commit, zones }: RunReport,
  { heldFleet, dropped = [], sweep, impacts }: MarkdownExtras = {},
  maxBytes: number = commentBytes,
): PlanMarkdown {
  const label = commit === undefined ? "" : ` (commit ${markdownCode(commit)})`;
  const page = new Page(maxBytes - reservedBytes);
  page.add(`## zonewarden plan: ${headline(zones)}\n`);
  if (heldFleet !== undefined) page.add(`${fleetHoldText(heldFleet, markdownCode)}\n`);
  page.add(`${summaryText(summarize(zones))}\n\nRevision ${markdownCode(revision)}${label}\n`);
  const blocks = blocksOf(zones);
  const unseen = page.addList("### Review first", reviewLines(zones, dropped));
  page.addList("### In several zones", sharedLines(zones, blocks));
  const left = blocks.filter((block) => !page.add(blockText(block)));
  const closing = [
    ...(sweep === undefined ? [] : [`${sweepText(sweep)}\n`]),
    ...(impacts === undefined ? [] : [impactMarkdown(impacts)]),
  ].filter((text) => !page.add(text));
  const notes = [
    ...(unseen === 0 ? [] : [unseenText(unseen)]),
    ...(left.length === 0 ? [] : [leftText(left)]),
    ...(closing.length === 0
      ? []
      : ["_The impact did not fit: `zonewarden plan --impact` shows it._\n"]),
  ];
  return { text: [...page.parts, ...notes].join("\n"), unseen };
}

class Page {
  readonly parts: string[] = [];
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Adds a part and a line end, if it fits. */
  add(part: string): boolean {
    const bytes = Buffer.byteLength(part) + 1;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    this.parts.push(part);
    return true;
  }

  /** Adds a heading and the lines that fit below it; returns how many did not fit. */
  addList(heading: string, lines: readonly string[]): number {
    if (lines.length === 0) return 0;
    this.add(`${heading}\n`);
    const left = lines.filter((line) => !this.add(line)).length;
    this.add("");
    return left;
  }
}

function unseenText(unseen: number): string {
  return `**${plural(unseen, "line")} of “Review first” did not fit, so the check fails.** Read the whole plan in the summary of the run, or run \`zonewarden plan\`. Then split the pull request.\n`;
}

function leftText(left: readonly Block[]): string {
  const names = left.flatMap(({ reports }) => reports.map(({ zone }) => markdownText(zone)));
  const what = `The table and the diff of ${plural(names.length, "zone")} did not fit`;
  return `_${what}: run \`zonewarden plan\` to see all:_ ${firstOf(names, mostNamed)}\n`;
}

/** Counts of changes by their effect, of deletes, and of zones that are held or were not read; "no changes" without any. */
function headline(zones: readonly ZoneReport[]): string {
  const changes = zones.flatMap(changesOf);
  const directions = Map.groupBy(changes, ({ effect }) => effect.direction);
  const results = Map.groupBy(zones, ({ result }) => result);
  const counts: readonly (readonly [sign: string, found: readonly unknown[], words: string])[] = [
    ...(["weakens", "unclear", "strengthens", "neutral"] as const).map(
      (each) => [`${effectMarks[each].sign} `, directions.get(each) ?? [], each] as const,
    ),
    ["", changes.filter(isDelete), "deleted"],
    ["", results.get("held") ?? [], "held"],
    ["", results.get("error") ?? [], "not read"],
  ];
  const texts = counts
    .filter(([, { length }]) => length > 0)
    .map(([sign, { length }, words]) => `${sign}${length} ${words}`);
  return texts.length === 0 ? "no changes" : texts.join(", ");
}

function changesOf(report: ZoneReport): readonly Change[] {
  return "plan" in report ? report.plan.changes : [];
}

/** A line about a zone; zones with the same `key` share it. */
interface Line {
  readonly zone: ZoneName;
  readonly key: string;
  readonly text: string;
}

/**
 * What a person must see: zones that were not read, holds, changes that weaken, delete or are unclear, and what is no longer
 * managed.
 */
function reviewLines(
  zones: readonly ZoneReport[],
  dropped: readonly ZoneName[],
): readonly string[] {
  const lines = zones.flatMap((report) =>
    changesOf(report).map((change) => ({ ...changeLine(change, report), rank: dangerOf(change) })),
  );
  const dangers = lines
    .filter(({ rank }) => rank < harmless)
    .toSorted((one, other) => one.rank - other.rank);
  return [
    ...shared(zones.flatMap(errorLines)),
    ...shared(holdLines(zones)),
    ...shared(dangers),
    ...shared(dropped.map(droppedLine)),
    ...shared(zones.flatMap(leftLiveLines)),
  ];
}

function droppedLine(zone: ZoneName): Line {
  const text = "**no longer declared**: it stays as it is, and nothing corrects it";
  return { zone, key: text, text };
}

function leftLiveLines(report: ZoneReport): readonly Line[] {
  const notes = "plan" in report ? report.plan.notes.filter((note) => isLeftLive(note)) : [];
  return notes.map((note) => {
    const text = `**no longer managed**: ${markdownText(note)}`;
    return { zone: report.zone, key: text, text };
  });
}

const harmless = 3;

/** The rank of a change: those that weaken come first, then those that delete or are unclear, then all others. */
function dangerOf(change: Change): number {
  if (change.effect.direction === "weakens") return 0;
  if (isDelete(change)) return 1;
  return change.effect.direction === "unclear" ? 2 : harmless;
}

function isDelete({ verb }: Change): boolean {
  return verb === "delete";
}

function isDanger(change: Change): boolean {
  return dangerOf(change) < harmless;
}

function errorLines(report: ZoneReport): readonly Line[] {
  if (report.result !== "error") return [];
  const { code, message } = report.failure;
  const text = `**not read**: ${markdownCode(code)}: ${markdownText(message)}`;
  return [{ zone: report.zone, key: text, text }];
}

/** A line for each reason. A message names the hash that releases one plan: those of many stand at their zones. */
function holdLines(zones: readonly ZoneReport[]): readonly Line[] {
  const holds = zones.flatMap((report) =>
    report.result === "held" ? report.holds.map((hold) => ({ ...hold, zone: report.zone })) : [],
  );
  return [...Map.groupBy(holds, ({ reason }) => reason)].flatMap(([reason, group]) =>
    group.map(({ zone, message }) => {
      const why = group.length === 1 ? `: ${markdownText(message)}` : "";
      return { zone, key: reason, text: `**held** by ${markdownCode(reason)}${why}` };
    }),
  );
}

/** Other changes of several zones whose plans differ: equal plans stand together anyway. */
function sharedLines(zones: readonly ZoneReport[], blocks: readonly Block[]): readonly string[] {
  const homes = new Map(
    blocks.flatMap((block) => block.reports.map(({ zone }) => [zone, block] as const)),
  );
  const lines = zones.flatMap((report) =>
    changesOf(report)
      .filter((change) => !isDanger(change))
      .map((change) => changeLine(change, report)),
  );
  const groups = [...Map.groupBy(lines, ({ key }) => key).values()];
  return groups
    .filter((group) => new Set(group.map(({ zone }) => homes.get(zone))).size > 1)
    .flatMap(shared);
}

/** Lines of a list; zones with the same key share a line. */
function shared(lines: readonly Line[]): readonly string[] {
  return [...Map.groupBy(lines, ({ key }) => key).values()].map((group) => {
    const names = [...new Set(group.map(({ zone }) => zone))];
    const text = group[0]?.text ?? "";
    if (names.length <= mostOpenZones) return `- ${namesText(names)}: ${text}`;
    return `- ${plural(names.length, "zone")}: ${text} <details><summary>zones</summary>${namesText(names)}</details>`;
  });
}

function namesText(names: readonly ZoneName[]): string {
  return names.map(markdownText).join(", ");
}

/** A change in short form, with its fields. */
function changeLine(change: Change, report: ZoneReport): Line {
  const { key, verb, effect, title, fields } = change;
  const remarks = remarksOf(change, report);
  const words = verb === "update" ? fields.map((field) => fieldWords(field, change)) : [];
  const what = `${verbSigns[verb]} ${key} ${firstOf(words, mostFields)}`.trim();
  const text = [`**${effectWords(effect)}**`, markdownCode(what), ...remarks, reasonsText(effect)]
    .filter((part) => part !== "")
    .join(" ");
  // A line does not show what a deleted resource was, and may not show all of a change.
  const hidden = verb === "delete" ? [] : [title, fields];
  return { zone: report.zone, key: JSON.stringify([text, ...hidden]), text };
}

function reasonsText({ reasons }: Effect): string {
  return reasons.map(markdownText).join("; ");
}

/** Whether it adopts or why it deletes, its cause and its authors, for people. */
function remarksOf(change: Change, report: ZoneReport): readonly string[] {
  return [
    remarkOf(change),
    causeRemark(change, changesOf(report)),
    authorsText(change, agoOf(report.finishedAt)),
  ]
    .filter((each) => each !== "")
    .map((remark) => `_${markdownText(remark)}_`);
}

/** Zones whose plans read the same, and what they read. */
interface Block {
  readonly reports: readonly ZoneReport[];
  readonly title: string;
  readonly text: string;
}

/** The zones that are not simply in sync: those with errors, holds and dangers first. */
function blocksOf(zones: readonly ZoneReport[]): readonly Block[] {
  const blocks = zones.flatMap((report) => {
    const block = { report, ...blockOf(report) };
    return block.text === "" ? [] : [block];
  });
  const groups = Map.groupBy(blocks, ({ title, text }) => `${title}\n${text}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      return [{ reports: group.map(({ report }) => report), title: first.title, text: first.text }];
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ reports: [report] }: Block): number {
  if (report === undefined || report.result === "error") return 0;
  if (report.result === "held") return 1;
  if (changesOf(report).some(isDanger)) return 2;
  return report.result === "in_sync" ? 4 : 3;
}

function blockOf(report: ZoneReport): Pick<Block, "title" | "text"> {
  if (report.result === "error") {
    const { code, message } = report.failure;
    return { title: "read failed", text: `> ${markdownCode(code)}: ${markdownText(message)}\n` };
  }
  if (report.result === "in_sync") return { title: "in sync", text: aboutText(report.plan) };
  const holds = report.result === "held" ? report.holds : [];
  const reasons = holds.map(
    ({ reason, message }) => `> **held** by ${markdownCode(reason)}: ${markdownText(message)}\n`,
  );
  return { title: titleText(report), text: [...reasons, planText(report)].join("\n") };
}

function blockText({ reports, title, text }: Block): string {
  const names = reports.map(({ zone }) => zone);
  const [report] = reports;
  if (names.length > 1 || report === undefined) {
    const list = `<details><summary>Zones</summary>\n\n${namesText(names)}\n\n</details>\n`;
    return [`### ${plural(names.length, "zone")}: ${title}\n`, list, text].join("\n");
  }
  const hash =
    changesOf(report).length === 0 || !("plan" in report)
      ? []
      : [`Plan ${markdownCode(planHash(report.plan))}\n`];
  return [`### ${markdownText(report.zone)}: ${title}\n`, text, ...hash].join("\n");
}

function planText(report: PlannedReport): string {
  const { plan } = report;
  const lines = plan.changes.flatMap(diffLines);
  const block = fenced("diff", lines);
  const summary = `Diff, ${plural(lines.length, "line")}`;
  const about = aboutText(plan);
  return [
    table(report),
    lines.length <= maxOpenLines
      ? block
      : `<details><summary>${summary}</summary>\n\n${block}\n</details>\n`,
    ...(about === "" ? [] : [about]),
    `${plural(plan.writes.length, "request")}\n`,
  ].join("\n");
}

function table(report: PlannedReport): string {
  const rows = report.plan.changes.map((change) => {
    const { key, title, effect, verb } = change;
    const reasons = reasonsText(effect);
    const words = [
      markdownCode(key),
      ...(title === "" ? [] : [markdownText(title)]),
      ...remarksOf(change, report),
    ].join(" ");
    const why = reasons === "" ? "" : `: ${reasons}`;
    return `| \`${verbSigns[verb]}\` | ${words} | ${effectWords(effect)}${why} |`;
  });
  return ["| | change | effect on protection |", "| --- | --- | --- |", ...rows, ""].join("\n");
}

const diffSigns = { create: "+", update: "!", delete: "-" } as const;

/** A change as a diff block; `!` marks an update. */
function diffLines(change: Change): readonly string[] {
  const sign = diffSigns[change.verb];
  const fields = shownFields(change).flatMap((field) => fieldLines(field, change));
  return [`${sign} ${printable(change.key)}`, ...fields];
}

function fieldLines(change: FieldChange, { verb, kind }: Change): readonly string[] {
  const { field, before, after } = change;
  const isCsp = kind === "policy" && field === "value";
  const sources = changedSources(change, kind).map(({ directive, source, verb: what }) => {
    return `${sourceMarks[what].sign}     ${printable(`${directive} ${source}`.trim())}`;
  });
  if (verb === "update" && sources.length > 0) return [`    ${field}`, ...sources];
  return [
    ...(verb === "create" || before === undefined
      ? []
      : sideLines("-", field, valueLines(before, isCsp, 100))),
    ...(verb === "delete" || after === undefined
      ? []
      : sideLines("+", field, valueLines(after, isCsp, 100))),
  ];
}

function sideLines(sign: string, field: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 1) return [`${sign}   ${field}: ${lines.join("")}`];
  return [`${sign}   ${field}:`, ...lines.map((line) => `${sign}     ${line}`)];
}

function aboutText(plan: Plan): string {
  return aboutTexts(plan)
    .map((line) => `- ${markdownText(line)}\n`)
    .join("");
}

/** Lines of the impact in a comment, beside the plan. */
const mostLines = 150;

/** The impact of plans, collapsed below the plan of a pull request. */
function impactMarkdown(impacts: readonly ZoneImpact[]): string {
  const lines = renderImpacts(impacts, { color: false }).split("\n");
  const left = lines.length - mostLines;
  const shown = [
    ...lines.slice(0, mostLines),
    ...(left > 0 ? [`… ${plural(left, "more line")}: zonewarden plan --impact shows all`] : []),
  ];
  const summary = "Impact on detected scripts and connections and on managed rules";
  return `<details><summary>${summary}</summary>\n\n${fenced("text", shown)}\n</details>\n`;
}
