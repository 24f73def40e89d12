import { CST } from "yaml";

import { isNoString, stringText } from "./scalar-text.ts";

/** A comment on a line of its own; "" is an empty line. */
export interface Remark {
  readonly text: string;
  /** Spaces before it. */
  readonly column: number;
}

/** An entry of a map or list with everything that is written around it. */
export interface WrittenEntry {
  /** The lines before it. */
  readonly lead: readonly Remark[];
  /** `undefined` in a list. */
  readonly key: Key | undefined;
  /** The comment after the colon or dash; "" for none. */
  readonly opening: string;
  /** The lines between the colon or dash and the value. */
  readonly inner: readonly Remark[];
  /** `undefined`: nothing is written. */
  readonly value: WrittenValue | undefined;
  /** The comment after the value, or after the header of a text in block style; "" for none. */
  readonly closing: string;
}

interface Key {
  readonly name: string;
  /** Anchors and tags. */
  readonly props: readonly string[];
}

/** A value on one line, a text in block style, or a map or list. */
export type WrittenValue = LineValue | BlockText | Collection;

export interface LineValue {
  readonly is: "line";
  readonly props: readonly string[];
  readonly text: { readonly block: string; readonly flow: string };
  /** The lines of a text without quotes; one for anything else. */
  readonly lines: readonly string[];
}

export interface BlockText {
  readonly is: "block";
  readonly props: readonly string[];
  /** Style and treatment of the line ends, such as `>-`. */
  readonly header: string;
  /** Without indentation. */
  readonly lines: readonly string[];
}

export interface Collection {
  readonly is: "map" | "list";
  readonly props: readonly string[];
  /** `several-lines` and `one-line`: between brackets. */
  readonly style: "block" | "one-line" | "several-lines";
  readonly entries: readonly WrittenEntry[];
  /** The lines after the last entry. */
  readonly tail: readonly Remark[];
}

/** One document of a file. */
export interface DocumentLayout {
  /** The lines before its marker. */
  readonly before: readonly Remark[];
  readonly hasMarker: boolean;
  /** The document as the only entry of a list whose dash is not written. */
  readonly root: WrittenEntry;
  readonly tail: readonly Remark[];
}

/** The documents of a text without errors, with all comments. */
export function layoutOf(tokens: Iterable<CST.Token>): readonly DocumentLayout[] {
  const documents: DocumentLayout[] = [];
  let outside: CST.SourceToken[] = [];
  for (const token of tokens) {
    if (token.type === "document") {
      documents.push(documentOf(token, marksOf(outside, true).remarks));
      outside = [];
    } else if (token.type === "doc-end") outside.push(...(token.end ?? []));
    else if (isSource(token)) outside.push(token);
  }
  const { remarks } = marksOf(outside, true);
  const last = documents.pop();
  if (last !== undefined) documents.push({ ...last, tail: [...last.tail, ...remarks] });
  return documents;
}

function documentOf(
  { start, value, end = [] }: CST.Document,
  outside: readonly Remark[],
): DocumentLayout {
  const marker = start.findIndex(({ type }) => type === "doc-start");
  const above = [...outside, ...marksOf(start.slice(0, Math.max(marker, 0)), true).remarks];
  const hasMarker = marker !== -1;
  const after = marksOf(start.slice(marker + 1), !hasMarker);
  const marks = hasMarker ? after : { ...after, remarks: [...above, ...after.remarks] };
  const { entry, spill } = entryOf(undefined, marks, value, -1);
  return {
    before: hasMarker ? above : [],
    hasMarker,
    root: entry,
    tail: [...spill, ...marksOf(end, true).remarks],
  };
}

/** What tokens between values say. */
interface Marks {
  /** The comment that ends the line where the tokens begin. */
  readonly inline: string;
  readonly remarks: readonly Remark[];
  /** Anchors and tags. */
  readonly props: readonly string[];
}

function marksOf(tokens: readonly CST.SourceToken[], isLineStart: boolean): Marks {
  const remarks: Remark[] = [];
  const props: string[] = [];
  let inline = "";
  let isEmpty = isLineStart;
  for (const { type, source, indent } of tokens) {
    if (type === "newline") {
      if (isEmpty) remarks.push({ text: "", column: 0 });
      isEmpty = true;
    } else if (type === "comment") {
      const text = source.trimEnd();
      if (isEmpty || inline !== "") remarks.push({ text, column: indent });
      else inline = text;
      isEmpty = false;
    } else if (type !== "space" && type !== "byte-order-mark") {
      if (type === "anchor" || type === "tag") props.push(source);
      isEmpty = false;
    }
  }
  return { inline, remarks, props };
}

const noMarks: Marks = { inline: "", remarks: [], props: [] };

/** An entry, and the lines after its value, which belong to what follows. */
interface ReadEntry {
  readonly entry: WrittenEntry;
  readonly spill: readonly Remark[];
}

/** @param column of the map or list that has the entry */
function entryOf(
  key: Key | undefined,
  { inline: opening, remarks: inner, props }: Marks,
  token: CST.Token | undefined,
  column: number,
): ReadEntry {
  const { value, after } = valueOf(token, props);
  const entry = { key, opening, value, closing: after.inline };
  if (value === undefined) {
    return { entry: { ...entry, lead: [], inner: [] }, spill: [...inner, ...after.remarks] };
  }
  if (!("tail" in value)) return { entry: { ...entry, lead: [], inner }, spill: after.remarks };
  // Nothing can be written in an empty map or list.
  const end = value.entries.length === 0 ? 0 : outerFrom(value.tail, column);
  const [own, outer] = [value.tail.slice(0, end), value.tail.slice(end)];
  const isEmpty = value.entries.length === 0;
  return {
    entry: { ...entry, lead: isEmpty ? outer : [], inner, value: { ...value, tail: own } },
    spill: isEmpty ? after.remarks : [...outer, ...after.remarks],
  };
}

/** Where the lines begin that are indented less than the entries before them: they belong to what follows. */
function outerFrom(tail: readonly Remark[], column: number): number {
  const first = tail.findIndex((remark) => remark.text !== "" && remark.column <= column);
  const before = first === -1 ? tail : tail.slice(0, first);
  return before.findLastIndex(({ text }) => text !== "") + 1;
}

interface ReadValue {
  readonly value: WrittenValue | undefined;
  /** What follows on its line, and on lines after it. */
  readonly after: Marks;
}

function valueOf(token: CST.Token | undefined, props: readonly string[]): ReadValue {
  if (token === undefined) return lineValue("", props, noMarks);
  const { type } = token;
  if (type === "block-map" || type === "block-seq") {
    return { value: blockCollection(token, props), after: noMarks };
  }
  if (type === "block-scalar") return blockText(token, props);
  if (type === "flow-collection") {
    return { value: flowCollection(token, props), after: marksOf(token.end.slice(1), false) };
  }
  const after = marksOf(("end" in token ? token.end : undefined) ?? [], false);
  if (CST.isScalar(token) && token.source !== "") {
    return { value: scalarValue(token, props), after };
  }
  return lineValue(type === "alias" ? token.source : "", props, after);
}

function lineValue(text: string, props: readonly string[], after: Marks): ReadValue {
  if (text === "" && props.length === 0) return { value: undefined, after };
  return { value: { is: "line", props, text: { block: text, flow: text }, lines: [text] }, after };
}

function scalarValue(token: CST.FlowScalar, props: readonly string[]): LineValue {
  const { value } = CST.resolveAsScalar(token);
  const isPlain = token.type === "scalar";
  // A tag decides what a text without quotes is.
  const isTagged = props.some((prop) => prop.startsWith("!"));
  const isKept = isPlain && (isNoString(value) || (isTagged && !token.source.includes("\n")));
  const text = isKept
    ? { block: token.source, flow: token.source }
    : { block: stringText(value, "block"), flow: stringText(value, "flow") };
  const isFolded = isPlain && !isKept && text.block === value;
  const lines = isFolded ? token.source.split("\n").map((line) => line.trim()) : [text.block];
  return { is: "line", props, text, lines };
}

function blockText(token: CST.BlockScalar, props: readonly string[]): ReadValue {
  const header = token.props.find(({ type }) => type === "block-scalar-header");
  const source = header !== undefined && "source" in header ? header.source : "|";
  const { inline } = marksOf(token.props.filter(isSource).slice(1), false);
  const after = { ...noMarks, inline };
  const all = token.source.replaceAll("\r\n", "\n").split("\n");
  const lines = all.slice(0, all.findLastIndex((line) => /[^ ]/.test(line)) + 1);
  // Empty lines after it would belong to it.
  if (source.includes("+") || lines.length === 0) {
    return lineValue(stringText(CST.resolveAsScalar(token).value, "flow"), props, after);
  }
  const given = Number(/\d/.exec(source)?.[0] ?? 0);
  const first = lines.find((line) => /[^ ]/.test(line)) ?? "";
  const indent = given > 0 ? token.indent + given : first.length - first.trimStart().length;
  const content = lines.map((line) => line.slice(indent));
  const mustSay = content.find((line) => line !== "")?.startsWith(" ") === true;
  const chomp = source.includes("-") ? "-" : "";
  const value = {
    is: "block",
    props,
    header: source.charAt(0) + (mustSay ? "2" : "") + chomp,
    lines: content,
  } as const;
  return { value, after };
}

function blockCollection(
  token: CST.BlockMap | CST.BlockSequence,
  props: readonly string[],
): Collection {
  const entries: WrittenEntry[] = [];
  let carried: readonly Remark[] = [];
  for (const item of token.items) {
    const { lead, read } =
      token.type === "block-map" ? mapItem(item, token.indent) : listItem(item, token.indent);
    carried = [...carried, ...lead];
    if (read === undefined) continue;
    entries.push({ ...read.entry, lead: [...carried, ...read.entry.lead] });
    carried = read.spill;
  }
  const is = token.type === "block-map" ? "map" : "list";
  return { is, props, style: "block", entries, tail: carried };
}

/** The lines before an item; without a key or dash, the item is only these. */
interface Item {
  readonly lead: readonly Remark[];
  readonly read: ReadEntry | undefined;
}

function mapItem(item: CST.CollectionItem, column: number): Item {
  const { key, lead } = keyOf(item, marksOf(item.start, true));
  if (key === undefined) return { lead, read: undefined };
  return { lead, read: entryOf(key, marksOf(item.sep ?? [], false), item.value, column) };
}

/** The key of an entry, and the lines before it. */
function keyOf(
  { key, sep = [] }: CST.CollectionItem,
  { inline, remarks, props }: Marks,
): { readonly key: Key | undefined; readonly lead: readonly Remark[] } {
  const end = key && "end" in key && Array.isArray(key.end) ? key.end : [];
  const behind = marksOf(end, false);
  const inlines = [inline, behind.inline].filter((text) => text !== "");
  const lead = [...remarks, ...inlines.map((text) => ({ text, column: 0 })), ...behind.remarks];
  if (key === undefined && sep.length === 0) return { key: undefined, lead };
  return { key: { name: CST.resolveAsScalar(key)?.value ?? "", props }, lead };
}

function listItem({ start, value }: CST.CollectionItem, column: number): Item {
  const dash = start.findIndex(({ type }) => type === "seq-item-ind");
  const lead = marksOf(start.slice(0, dash === -1 ? undefined : dash), true).remarks;
  if (dash === -1) return { lead, read: undefined };
  const read = entryOf(undefined, marksOf(start.slice(dash + 1), false), value, column);
  return { lead, read };
}

function flowCollection(token: CST.FlowCollection, props: readonly string[]): Collection {
  const is = token.start.type === "flow-map-start" ? "map" : "list";
  const entries: WrittenEntry[] = [];
  let carried: readonly Remark[] = [];
  for (const item of token.items) {
    const before = marksOf(item.start, false);
    carried = [...carried, ...withInline(entries, before.inline)];
    const { key, lead } = keyOf(item, { ...before, inline: "" });
    carried = [...carried, ...lead];
    const read = flowEntry(item, is, key, before.props);
    if (read === undefined) continue;
    entries.push({ ...read.entry, lead: [...carried, ...read.entry.lead] });
    carried = read.spill;
  }
  const style = hasLineEnd(token) ? "several-lines" : "one-line";
  return { is, props, style, entries, tail: carried };
}

/** Adds a comment to the last entry, on whose line it is; returns it if there is none, or it has one. */
function withInline(entries: WrittenEntry[], text: string): readonly Remark[] {
  const last = entries.at(-1);
  if (text === "") return [];
  if (last === undefined || last.closing !== "") return [{ text, column: 0 }];
  entries.splice(-1, 1, { ...last, closing: text });
  return [];
}

function flowEntry(
  { sep = [], value }: CST.CollectionItem,
  is: Collection["is"],
  key: Key | undefined,
  props: readonly string[],
): ReadEntry | undefined {
  if (key === undefined) {
    return value && entryOf(undefined, { ...noMarks, props }, value, -1);
  }
  const { entry, spill } = entryOf(key, marksOf(sep, false), value, -1);
  if (is === "map") return { entry, spill };
  // A pair in a list: `[a: 1]`.
  const entries = [{ ...entry, lead: [] }];
  const pair: Collection = { is: "map", props: [], style: "one-line", entries, tail: [] };
  return { entry: { ...noEntry, lead: entry.lead, value: pair }, spill };
}

const noEntry = { lead: [], key: undefined, opening: "", inner: [], closing: "" };

function hasLineEnd(token: CST.FlowCollection): boolean {
  return CST.stringify({ ...token, end: token.end.slice(0, 1) }).includes("\n");
}

function isSource(token: CST.Token): token is CST.SourceToken {
  return "source" in token && "indent" in token;
}
