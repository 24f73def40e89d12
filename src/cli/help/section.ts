import { wrap } from "../../render/format.ts";
import { tableText } from "../output/table.ts";

/** A section of a Markdown document with the sections below it; `undefined` if no heading has this text. */
export function sectionOf(markdown: string, heading: string): string | undefined {
  let isCode = false;
  let level = 0;
  const section: string[] = [];
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const found = isCode ? undefined : headingIn(line);
    if (level > 0 && found !== undefined && found.level <= level) break;
    if (level === 0 && found?.text === heading) level = found.level;
    if (level > 0) section.push(line);
  }
  return level === 0 ? undefined : section.join("\n").trimEnd();
}

function headingIn(line: string): { readonly level: number; readonly text: string } | undefined {
  const [, marks = "", text = ""] = /^(#+) (.*)$/.exec(line) ?? [];
  return marks === "" ? undefined : { level: marks.length, text };
}

/** Lines longer than this are broken, where they can be. */
const maxWidth = 100;

/** Markdown as plain text for a terminal: headings in capitals, tables in columns, code indented, links without addresses. */
export function plainText(markdown: string): string {
  const blocks = blocksOf(markdown.replaceAll(/^<!--.*?-->\n?/gms, ""));
  return `${blocks.map(blockText).join("\n\n")}\n`;
}

/** Groups the lines of a text: each code block, and each run of lines without an empty one between them. */
function blocksOf(markdown: string): readonly (readonly string[])[] {
  const blocks: string[][] = [];
  let isCode = false;
  let isOpen = false;
  for (const line of markdown.split("\n")) {
    const isFence = line.startsWith("```");
    const startsBlock = !isOpen || (isFence && !isCode);
    if (line === "" && !isCode) isOpen = false;
    else if (startsBlock) {
      blocks.push([line]);
      isOpen = true;
    } else blocks.at(-1)?.push(line);
    if (isFence) isCode = !isCode;
  }
  return blocks;
}

function blockText(lines: readonly string[]): string {
  const [first = ""] = lines;
  if (first.startsWith("```")) return lines.slice(1, -1).map(indented).join("\n");
  if (first.startsWith("#")) return inline(first.replace(/^#+ /, "")).toUpperCase();
  if (first.startsWith("|")) return tableBlock(lines);
  const isList = /^(?:-|\d+\.) /.test(first);
  return (isList ? itemsOf(lines) : [lines.join(" ")])
    .map((text) => wrap(inline(text), maxWidth).join(isList ? "\n  " : "\n"))
    .join("\n");
}

function indented(line: string): string {
  return `    ${line}`.trimEnd();
}

function itemsOf(lines: readonly string[]): readonly string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (/^\s*(?:-|\d+\.) /.test(line)) items.push(line);
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return items;
}

/** A table in columns, of which the widest is broken where the table is too wide. */
function tableBlock(lines: readonly string[]): string {
  const [head = [], , ...rows] = lines.map(cellsOf);
  const widths = head.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const widest = widths.indexOf(Math.max(...widths));
  const others = widths.toSpliced(widest, 1).reduce((sum, width) => sum + width + 2, 2);
  const limits = widths.with(widest, Math.max(maxWidth - others, 40));
  const broken = rows.flatMap((row) => {
    const cells = limits.map((limit, index) => wrap(row[index] ?? "", limit));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) => cells.map((cell) => cell[line] ?? ""));
  });
  return tableText({ head, rows: broken }).replaceAll(/^/gm, "  ");
}

function cellsOf(line: string): readonly string[] {
  const cells = line
    .replace(/^\|/, "")
    .replace(/\|\s*$/, "")
    .split(/(?<!\\)\|/);
  return cells.map((cell) => inline(cell.trim().replaceAll("\\|", "|")));
}

/** A line without the marks of Markdown. What is in code stays as it is. */
function inline(text: string): string {
  return text
    .split(/(`` .*? ``|`[^`]*`)/)
    .map((part) =>
      part.startsWith("`")
        ? part.replaceAll(/^`+ ?| ?`+$/g, "")
        : part.replaceAll("**", "").replaceAll(/(?<!\w)[*_](\S.*?)[*_](?!\w)/g, "$1"),
    )
    .join("")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<(https?:[^>]*)>/g, "$1");
}
