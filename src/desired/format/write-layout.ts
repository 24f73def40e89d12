import type {
  Collection,
  DocumentLayout,
  WrittenEntry,
  LineValue,
  Remark,
  WrittenValue,
} from "./layout.ts";
import { stringText } from "./scalar-text.ts";
import { isSuppressed, withLead } from "./sort-keys.ts";

/** Brackets that do not fit on a line of this width are written with one entry a line. */
const maxWidth = 100;

/**
 * The text of documents in their one form.
 *
 * @param spaced keys of the top level whose entries have an empty line between them, if they are
 *   longer than a line
 */
export function textOfLayout(
  documents: readonly DocumentLayout[],
  spaced: readonly string[],
): string {
  const lines = documents.flatMap((document, index) => [
    ...withoutOuterBlanks(remarkLines(document.before, 0)),
    ...documentLines(document, index > 0 || document.hasMarker, spaced),
  ]);
  return `${withoutOuterBlanks(lines).join("\n")}\n`;
}

function documentLines(
  { root: { opening, inner, value, closing }, tail }: DocumentLayout,
  isMarked: boolean,
  spaced: readonly string[],
): readonly string[] {
  const props = value?.props ?? [];
  const marker = ["---", ...props].join(" ") + after(opening);
  const lines = [
    ...remarkLines(inner, 0),
    ...(value === undefined ? [] : rootLines({ ...value, props: [] }, spaced)),
    ...(closing === "" ? [] : [closing]),
    ...remarkLines(tail, 0),
  ];
  return [...(isMarked || props.length > 0 ? [marker] : []), ...withoutOuterBlanks(lines)];
}

function rootLines(value: WrittenValue, spaced: readonly string[]): readonly string[] {
  return "entries" in value && value.entries.length > 0
    ? collectionLines(value, 0, { isSpaced: true, spaced })
    : (valueLines(value, 0, 0, false) ?? []);
}

/** Whether entries that are longer than a line have an empty line between them. */
interface Spacing {
  readonly isSpaced: boolean;
  /** The keys whose values have it too. */
  readonly spaced: readonly string[];
}

function collectionLines(
  { is, entries, tail }: Collection,
  indent: number,
  { isSpaced, spaced }: Spacing,
): readonly string[] {
  const lines: string[] = [];
  let before = 0;
  for (const [index, entry] of entries.entries()) {
    const below = { isSpaced: spaced.includes(entry.key?.name ?? ""), spaced: [] };
    const own = entryLines(entry, is, indent, below);
    const text = own.slice(own.findIndex((line) => line !== ""));
    const isApart = own[0] === "" || (isSpaced && (before > 1 || text.length > 1));
    if (index > 0 && isApart) lines.push("");
    for (const line of text) lines.push(line);
    before = text.length;
  }
  return [...lines, ...withoutLastBlanks(remarkLines(tail, indent))];
}

/** An entry with the lines before it. */
function entryLines(
  entry: WrittenEntry,
  is: Collection["is"],
  indent: number,
  spacing: Spacing,
): readonly string[] {
  const { key, value } = entry;
  const lead = remarkLines(entry.lead, indent);
  const name = [...(key?.props ?? []), stringText(key?.name ?? "", "block")].join(" ");
  const head = " ".repeat(indent) + (is === "list" ? "-" : `${name}:`);
  if (value === undefined) return [...lead, head + after(entry.opening)];
  const lines = valueLines(value, head.length + 1, indent, isSuppressed(entry));
  const own =
    lines === undefined
      ? withBlock(head, entry, value, indent, spacing)
      : withLines(head, entry, withClosing(lines, value, entry.closing), indent);
  return [...lead, ...(lead.at(-1) === "" && own[0] === "" ? own.slice(1) : own)];
}

/** A key or dash with a value on the same line, unless a comment is between them. */
function withLines(
  head: string,
  { key, opening, inner }: WrittenEntry,
  [first = "", ...others]: readonly string[],
  indent: number,
): readonly string[] {
  if (opening === "" && (key === undefined || inner.length === 0)) {
    return [...remarkLines(inner, indent), `${head} ${first}`, ...others];
  }
  const below = `${" ".repeat(indent + 2)}${first}`;
  return [head + after(opening), ...remarkLines(inner, indent + 2), below, ...others];
}

/** A key or dash with a map or list below it. */
function withBlock(
  head: string,
  { key, opening, inner, closing }: WrittenEntry,
  value: WrittenValue,
  indent: number,
  spacing: Spacing,
): readonly string[] {
  const [comment = "", ...others] = [opening, closing].filter((text) => text !== "");
  const full = withLead(value, [...others.map((text) => ({ text, column: 0 })), ...inner]);
  const block = "entries" in full ? collectionLines(full, indent + 2, spacing) : [];
  if (key !== undefined || comment !== "" || value.props.length > 0) {
    return [[head, ...value.props].join(" ") + after(comment), ...block];
  }
  // Comments stand before the dash.
  const start = block.findIndex((line) => /^ *[^ #]/.test(line));
  const first = `${head} ${block[start]?.slice(indent + 2) ?? ""}`;
  return [...block.slice(0, start).map((line) => line.slice(2)), first, ...block.slice(start + 1)];
}

/**
 * The lines of a value after its key, the first without indentation; `undefined` for a map or list
 * that is written below it.
 *
 * @param column where the first line begins
 * @param isPinned whether a comment is about exactly what stands on its line
 */
function valueLines(
  value: WrittenValue,
  column: number,
  indent: number,
  isPinned: boolean,
): readonly string[] | undefined {
  if (value.is === "block") {
    return [withProps(value.props, value.header), ...indented(value.lines, indent + 2)];
  }
  if (value.is === "line") return textLines(value, column, indent);
  const text = isBelow(value, isPinned) ? undefined : flowText(value);
  if (text === undefined) return undefined;
  const isOneLine = isPinned || value.entries.length === 0;
  return isOneLine || column + text.length <= maxWidth ? [text] : undefined;
}

function isBelow({ style, entries }: Collection, isPinned: boolean): boolean {
  const isSpread = style === "block" || (isPinned && style === "several-lines");
  return isSpread && entries.length > 0;
}

function textLines(
  { props, text, lines: [first = "", ...others] }: LineValue,
  column: number,
  indent: number,
): readonly string[] {
  const whole = withProps(props, text.block);
  if (others.length === 0 || column + whole.length <= maxWidth) return [whole];
  return [withProps(props, first), ...indented(others, indent + 2)];
}

function withProps(props: readonly string[], text: string): string {
  return [...props, text].filter((part) => part !== "").join(" ");
}

function indented(lines: readonly string[], indent: number): readonly string[] {
  const pad = " ".repeat(indent);
  return lines.map((line) => (line === "" ? "" : pad + line));
}

/** The comment of a text in block style stands after its header. */
function withClosing(
  lines: readonly string[],
  value: WrittenValue,
  closing: string,
): readonly string[] {
  const at = value.is === "block" ? 0 : lines.length - 1;
  return lines.map((line, index) => (index === at ? line + after(closing) : line));
}

/** A value on one line between brackets; `undefined` if it has comments or block style. */
function flowText(value: WrittenValue): string | undefined {
  if (value.is === "line") return withProps(value.props, value.text.flow);
  if (value.is === "block" || value.style === "block" || hasText(value.tail)) return undefined;
  const parts: string[] = [];
  for (const entry of value.entries) {
    const text = flowEntry(entry);
    if (text === undefined) return undefined;
    parts.push(text);
  }
  const inside = parts.join(", ");
  const map = inside === "" ? "{}" : `{ ${inside} }`;
  return withProps(value.props, value.is === "list" ? `[${inside}]` : map);
}

function flowEntry({
  lead,
  key,
  opening,
  inner,
  value,
  closing,
}: WrittenEntry): string | undefined {
  if (hasText(lead) || hasText(inner) || opening !== "" || closing !== "") return undefined;
  const text = value && flowText(value);
  if (text === undefined || key === undefined) return text;
  return `${[...key.props, stringText(key.name, "flow")].join(" ")}: ${text}`;
}

function hasText(remarks: readonly Remark[]): boolean {
  return remarks.some(({ text }) => text !== "");
}

function after(comment: string): string {
  return comment === "" ? "" : ` ${comment}`;
}

/** Lines, of several empty ones the first. */
function remarkLines(remarks: readonly Remark[], indent: number): readonly string[] {
  const distinct = remarks.filter(
    ({ text }, index) => text !== "" || remarks[index - 1]?.text !== "",
  );
  return indented(
    distinct.map(({ text }) => text),
    indent,
  );
}

function withoutLastBlanks(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

function withoutOuterBlanks(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== "");
  return first === -1 ? [] : withoutLastBlanks(lines.slice(first));
}
