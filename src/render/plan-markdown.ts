import type { ZoneImpact } from "../impact/zone-impact.ts";
import type { Change, FieldChange } from "../plan/change.ts";
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
  remarkOf,
  shownFields,
  sourceMarks,
  valueLines,
  verbSigns,
} from "./change-text.ts";
import { measuredText } from "./counted-text.ts";
import { fenced, markdownCode, markdownText, plural, printable } from "./format.ts";
import { fleetHoldText, type HeldFleet } from "./held-fleet.ts";
import { renderImpacts } from "./impact-text.ts";
import {
  factsOfPlan,
  isDanger,
  otherGroups,
  type PlanGroup,
  reviewGroups,
  type PlanFacts,
} from "./plan-groups.ts";
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
  /** Why the store was not read, and what is not known without it. */
  readonly unread?: string | undefined;
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
  { unread, heldFleet, dropped = [], sweep, impacts }: MarkdownExtras = {},
  maxBytes: number = commentBytes,
): PlanMarkdown {
  const label = commit === undefined ? "" : ` (commit ${markdownCode(commit)})`;
  const page = new Page(maxBytes - reservedBytes);
  page.add(`## zonewarden plan: ${headline(zones)}\n`);
  if (unread !== undefined) page.add(`${markdownText(unread)}\n`);
  if (heldFleet !== undefined) {
    page.add(`${fleetHoldText(heldFleet, markdownCode, markdownText)}\n`);
  }
  page.add(`${summaryText(summarize(zones))}\n\nRevision ${markdownCode(revision)}${label}\n`);
  const blocks = blocksOf(zones);
  const facts = zones.map(factsOfPlan);
  const unseen = page.addList("### Review first", reviewGroups(facts, dropped).map(itemOf));
  page.addList("### In several zones", sharedGroups(facts, blocks).map(itemOf));
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
    ["", changes.filter(({ verb }) => verb === "delete"), "deleted"],
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

/** Other changes of several zones whose plans differ: equal plans stand together anyway. */
function sharedGroups(zones: readonly PlanFacts[], blocks: readonly Block[]): readonly PlanGroup[] {
  const homes = new Map(
    blocks.flatMap((block) => block.reports.map(({ zone }) => [zone, block] as const)),
  );
  return otherGroups(zones).filter(
    (group) => new Set(group.zones.map((zone) => homes.get(zone))).size > 1,
  );
}

/** A group as an item of a list. */
function itemOf({ zones, head, code, remarks, text }: PlanGroup): string {
  const what = [
    `**${head}**`,
    ...(code === "" ? [] : [markdownCode(code)]),
    ...remarks.map((remark) => `_${markdownText(remark)}_`),
  ].join(" ");
  const said = text === "" ? what : `${what}: ${markdownText(text)}`;
  if (zones.length <= mostOpenZones) return `- ${namesText(zones)}: ${said}`;
  return `- ${plural(zones.length, "zone")}: ${said} <details><summary>zones</summary>${namesText(zones)}</details>`;
}

function namesText(names: readonly ZoneName[]): string {
  return names.map(markdownText).join(", ");
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
  // What was counted differs: the counts of zones with equal plans are added.
  const blocks = zones.flatMap((report) => {
    const block = { report, ...blockOf([unmeasured(report)]) };
    return block.text === "" ? [] : [block];
  });
  const groups = Map.groupBy(blocks, ({ title, text }) => `${title}\n${text}`);
  return [...groups.values()]
    .map((group) => {
      const reports = group.map(({ report }) => report);
      return { reports, ...blockOf(reports) };
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ reports: [report] }: Block): number {
  if (report === undefined || report.result === "error") return 0;
  if (report.result === "held") return 1;
  if (changesOf(report).some(isDanger)) return 2;
  return report.result === "in_sync" ? 4 : 3;
}

function unmeasured(report: ZoneReport): ZoneReport {
  if (!("plan" in report)) return report;
  const changes = report.plan.changes.map(({ measured: _measured, ...change }) => change);
  return { ...report, plan: { ...report.plan, changes } };
}

/** @param same reports whose plans read the same, apart from what was counted. */
function blockOf(same: readonly ZoneReport[]): Pick<Block, "title" | "text"> {
  const [report] = same;
  if (report === undefined) return { title: "", text: "" };
  if (report.result === "error") {
    const { code, message } = report.failure;
    return { title: "read failed", text: `> ${markdownCode(code)}: ${markdownText(message)}\n` };
  }
  if (report.result === "in_sync") return { title: "in sync", text: aboutText(report.plan) };
  const holds = report.result === "held" ? report.holds : [];
  const reasons = holds.map(
    ({ reason, message }) => `> **held** by ${markdownCode(reason)}: ${markdownText(message)}\n`,
  );
  return { title: titleText(report), text: [...reasons, planText(report, same)].join("\n") };
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

function planText(report: PlannedReport, same: readonly ZoneReport[]): string {
  const { plan } = report;
  const lines = plan.changes.flatMap(diffLines);
  const block = fenced("diff", lines);
  const summary = `Diff, ${plural(lines.length, "line")}`;
  const about = aboutText(plan);
  return [
    table(report, same),
    lines.length <= maxOpenLines
      ? block
      : `<details><summary>${summary}</summary>\n\n${block}\n</details>\n`,
    ...(about === "" ? [] : [about]),
    `${plural(plan.writes.length, "request")}\n`,
  ].join("\n");
}

function table(report: PlannedReport, same: readonly ZoneReport[]): string {
  const rows = report.plan.changes.map((change, nth) => {
    const { key, title, effect, verb } = change;
    const reasons = effect.reasons.map(markdownText).join("; ");
    const measured = measuredText(same.flatMap((each) => changesOf(each)[nth] ?? []));
    const words = [
      markdownCode(key),
      ...(title === "" ? [] : [markdownText(title)]),
      ...remarksOf(change, report),
    ].join(" ");
    const why = [reasons, markdownText(measured)].filter((part) => part !== "").join("; ");
    const said = [effectWords(effect), ...(why === "" ? [] : [why])].join(": ");
    return `| \`${verbSigns[verb]}\` | ${words} | ${said} |`;
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
