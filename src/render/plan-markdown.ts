import type { ZoneImpact } from "../impact/zone-impact.ts";
import type { Change, FieldChange } from "../plan/change.ts";
import { planHash } from "../plan/guard/release.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunReport, ZoneReport } from "../state/run-report.ts";
import { summarize } from "../state/summary.ts";
import { compareCsp } from "../syntax/csp/compare-csp.ts";
import { agoOf, authorsText, causeRemark } from "./cause-text.ts";
import {
  effectWords,
  remarkOf,
  shownFields,
  sourceMarks,
  valueLines,
  verbSigns,
} from "./change-text.ts";
import { fenced, markdownCode, markdownText, plural, printable } from "./format.ts";
import { renderImpacts } from "./impact-text.ts";
import { aboutTexts, summaryText, titleText } from "./plan-text.ts";

/** GitHub allows 65,536 characters in a comment. */
const maxLength = 60_000;

/** Longer diffs are collapsed. */
const maxOpenLines = 24;

/** A plan for a pull request: a summary, and for each zone a table of changes with their diff. */
export function renderMarkdown({ revision, commit, zones }: RunReport): string {
  const label = commit === undefined ? "" : ` (commit ${markdownCode(commit)})`;
  const head = `## zonewarden plan\n\n${summaryText(summarize(zones))}\n\nRevision ${markdownCode(revision)}${label}\n`;
  const blocks = zones.map(zoneBlock).filter((block) => block !== "");
  const kept: string[] = [];
  let length = head.length;
  for (const block of blocks) {
    length += block.length + 1;
    if (length > maxLength) break;
    kept.push(block);
  }
  const left = blocks.length - kept.length;
  const more = `_${plural(left, "more zone")} did not fit: run \`zonewarden plan\` to see all._\n`;
  return [head, ...kept, ...(left > 0 ? [more] : [])].join("\n");
}

function zoneBlock(report: ZoneReport): string {
  const head = (words: string) => `### ${markdownText(report.zone)}: ${words}\n`;
  switch (report.result) {
    case "in_sync": {
      const about = aboutText(report.plan);
      return about === "" ? "" : [head("in sync"), about].join("\n");
    }
    case "error": {
      const { code, message } = report.failure;
      return `${head("read failed")}\n> ${markdownCode(code)}: ${markdownText(message)}\n`;
    }
    case "held":
    case "planned":
    case "applied": {
      const holds = report.result === "held" ? report.holds : [];
      const reasons = holds.map(
        ({ reason, message }) =>
          `> **held** by ${markdownCode(reason)}: ${markdownText(message)}\n`,
      );
      return [head(titleText(report)), ...reasons, planText(report)].join("\n");
    }
  }
}

function planText({ plan, finishedAt }: Exclude<ZoneReport, { readonly result: "error" }>): string {
  const lines = plan.changes.flatMap(diffLines);
  const block = fenced("diff", lines);
  const summary = `Diff, ${plural(lines.length, "line")}`;
  const about = aboutText(plan);
  return [
    table(plan.changes, finishedAt),
    lines.length <= maxOpenLines
      ? block
      : `<details><summary>${summary}</summary>\n\n${block}\n</details>\n`,
    ...(about === "" ? [] : [about]),
    `${plural(plan.writes.length, "request")}, plan ${markdownCode(planHash(plan))}\n`,
  ].join("\n");
}

function table(changes: readonly Change[], now: Date): string {
  const rows = changes.map((change) => {
    const { key, title, effect } = change;
    const remarks = [
      remarkOf(change),
      causeRemark(change, changes),
      authorsText(change, agoOf(now)),
    ].filter((each) => each !== "");
    const reasons = effect.reasons.map(markdownText).join("; ");
    const words = [
      markdownCode(key),
      ...(title === "" ? [] : [markdownText(title)]),
      ...remarks.map((remark) => `_${markdownText(remark)}_`),
    ].join(" ");
    const why = reasons === "" ? "" : `: ${reasons}`;
    return `| \`${verbSigns[change.verb]}\` | ${words} | ${effectWords(effect)}${why} |`;
  });
  return ["| | change | effect on protection |", "| --- | --- | --- |", ...rows, ""].join("\n");
}

const diffSigns = { create: "+", update: "!", delete: "-" } as const;

/** A change as a diff block; `!` marks an update. */
function diffLines(change: Change): readonly string[] {
  const sign = diffSigns[change.verb];
  const fields = shownFields(change).flatMap((field) => fieldLines(field, change));
  return [`${sign} ${change.key}`, ...fields];
}

function fieldLines(
  { field, before, after }: FieldChange,
  { verb, kind }: Change,
): readonly string[] {
  const isCsp = kind === "policy" && field === "value";
  if (verb === "update" && isCsp && typeof before === "string" && typeof after === "string") {
    const sources = compareCsp(before, after).changes.map(({ directive, source, verb: what }) => {
      return `${sourceMarks[what].sign}     ${printable(`${directive} ${source}`.trim())}`;
    });
    if (sources.length > 0) return [`    ${field}`, ...sources];
  }
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
export function impactMarkdown(impacts: readonly ZoneImpact[]): string {
  const lines = renderImpacts(impacts, { color: false }).split("\n");
  const left = lines.length - mostLines;
  const shown = [
    ...lines.slice(0, mostLines),
    ...(left > 0 ? [`… ${plural(left, "more line")}: zonewarden plan --impact shows all`] : []),
  ];
  const summary = "Impact on detected scripts and connections and on managed rules";
  return `<details><summary>${summary}</summary>\n\n${fenced("text", shown)}\n</details>\n`;
}
