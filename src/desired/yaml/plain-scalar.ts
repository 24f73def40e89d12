/** A text has something that is not read here, or a mistake. */
export class NotPlain extends Error {}

/** Ends the reading of a text. */
export function notPlain(): never {
  throw new NotPlain("not plain");
}

/** The value of a scalar without quotes that begins the rest of a line and ends with it, or before a comment. */
export function plainScalar(line: string): unknown {
  const comment = line.indexOf(" #");
  const written = withoutSpaces(comment < 0 ? line : line.slice(0, comment));
  const isPlain = plainStart.test(written) && !written.includes(": ") && !written.endsWith(":");
  return isPlain ? valueOf(written) : notPlain();
}

/** The value of a scalar without quotes in a flow collection, with spaces after it. */
export function plainValue(text: string): unknown {
  return valueOf(withoutSpaces(text));
}

/** Whether a text in any spelling is a word that stands for another value. */
export function isWord(text: string): boolean {
  return wordsInAnySpelling.test(text);
}

const blockHeader = /([|>])(-?) *\n/y;

/**
 * A text of several lines.
 *
 * @param at where its header stands, the `|` or `>`
 * @param column of the key or dash that has it
 * @returns the text, and where its last line ends
 */
export function blockScalar(
  text: string,
  at: number,
  column: number,
): { readonly value: string; readonly end: number } {
  blockHeader.lastIndex = at;
  const [, style, chomping] = blockHeader.exec(text) ?? notPlain();
  let end = blockHeader.lastIndex - 1;
  let indent = 0;
  const lines: string[] = [];
  let kept = 0;
  while (end + 1 < text.length) {
    const start = end + 1;
    const line = lineAt(text, start);
    if (!line.isEmpty && line.indent <= column) break;
    if (lines.length === 0) indent = line.isEmpty ? notPlain() : line.indent;
    // The spaces of an empty line may be a part of the text.
    if (line.isEmpty ? line.indent > indent : line.indent < indent) notPlain();
    lines.push(line.isEmpty ? "" : text.slice(start + indent, line.end));
    if (!line.isEmpty) kept = lines.length;
    end = line.end;
  }
  const value = joined(lines.slice(0, kept), style === ">");
  return { value: chomping === "-" ? value : `${value}\n`, end };
}

function lineAt(
  text: string,
  start: number,
): { readonly indent: number; readonly isEmpty: boolean; readonly end: number } {
  const content = afterSpaces(text, start);
  const end = text.indexOf("\n", content);
  if (end < 0) notPlain();
  return { indent: content - start, isEmpty: content === end, end };
}

/** Folded lines make one line; lines that begin or end with a space or are empty do not. */
function joined(lines: readonly string[], isFolded: boolean): string {
  if (lines.length === 0) notPlain();
  if (isFolded && lines.some((line) => /^$|^ | $/.test(line))) notPlain();
  return lines.join(isFolded ? " " : "\n");
}

const space = 32;

/** The offset of the first character from `start` on that is no space. */
export function afterSpaces(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === space) at += 1;
  return at;
}

/** The beginnings that mean nothing else in YAML. */
const plainStart = /^(?:[A-Za-z0-9_/$(\u00a1-\uffff]|\.[A-Za-z/])/;

/** Words that are no texts. Those in the first table are read here. */
const words = new Map([
  ["null", null],
  ["true", true],
  ["false", false],
]);
const wordsInAnySpelling = /^(?:null|true|false|\.inf|\.nan)$/i;

const number = /^(?:0|[1-9]\d{0,9})(?:\.\d{1,5})?$/;

/** What may be a number in another notation. */
const otherNumber = /^\d+\.?\d*(?:[eE][-+]?\d*)?$|^0[xob]/;

function withoutSpaces(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === space) end -= 1;
  return text.slice(0, end);
}

/** What a scalar without quotes stands for. */
function valueOf(written: string): unknown {
  const known = words.get(written);
  if (known !== undefined) return known;
  if (isWord(written)) notPlain();
  if (number.test(written)) return Number(written);
  return otherNumber.test(written) ? notPlain() : written;
}
