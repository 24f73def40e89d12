import type { Place } from "../zone/desired-zone.ts";

/** Steps from a document to one of its values: keys of maps and indexes of lists. */
export type Path = readonly (string | number)[];

/** A path as text: `zones[0].page_shield.policies`. */
export function pathText(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w$-]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** The lines of a file: enough to turn an offset into a place without keeping the text. */
export interface Source {
  readonly file: string;
  /** Offset of the first character of each line. */
  readonly starts: Uint32Array;
}

export function sourceOf(file: string, text: string): Source {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return { file, starts: Uint32Array.from(starts) };
}

/** The place of an offset. Line and column count from 1, the column in UTF-16 units. */
export function placeAt(source: Source, offset: number): Place {
  let low = 0;
  let high = source.starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((source.starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { file: source.file, line: low + 1, column: offset - (source.starts[low] ?? 0) + 1 };
}

/**
 * Where the parts of maps and lists begin: for each map or list a record of one {@link partSize}
 * for each part, in the order of `Object.keys` or of the list. One array of numbers: thousands of
 * zones stay in memory with their places.
 */
export type Offsets = Uint32Array;

/**
 * Numbers for a part: the offsets of its key and of its value, and the index of the record of its
 * value.
 */
export const partSize = 3;

/** The index of the record of a value that has no parts. */
export const noParts = 0xff_ff_ff_ff;

/** A YAML document as plain data, and the offsets of its parts. */
export interface Located {
  readonly source: Source;
  readonly offsets: Offsets;
  /** Index of the record of `value` in `offsets`. */
  readonly record: number;
  readonly value: unknown;
}

/** The place of the key at `path`, or of its nearest parent that the document has. */
export function keyPlace(document: Located, path: Path): Place {
  return placeAt(document.source, partAt(document, path).keyOffset);
}

/** The place of the value at `path`, or of its nearest parent that the document has. */
export function valuePlace(document: Located, path: Path): Place {
  return placeAt(document.source, partAt(document, path).valueOffset);
}

/**
 * The place of a character in a scalar of the file `text`: exact if the scalar up to there stands
 * on one line and has no escapes, else the place where the scalar begins.
 *
 * @param offset in `value`, the scalar at `path`
 */
export function placeInScalar(
  document: Located,
  path: Path,
  text: string,
  value: string,
  offset: number,
): Place {
  const start = partAt(document, path).valueOffset;
  return placeAt(document.source, offsetInScalar(text, start, value, offset));
}

function offsetInScalar(text: string, start: number, value: string, offset: number): number {
  const written = value.slice(0, offset + 1);
  if (written.includes("\n")) return start;
  const candidates = [start, start + 1, blockStart(text, start)];
  const begin = candidates.find((at) => text.startsWith(written, at));
  return begin === undefined ? start : begin + offset;
}

/** Offset of the first line of a block scalar, after its header and indentation. */
function blockStart(text: string, start: number): number {
  const header = /[|>][^\n]*\n\s*/y;
  header.lastIndex = start;
  return header.test(text) ? header.lastIndex : start;
}

interface Part {
  readonly keyOffset: number;
  readonly valueOffset: number;
}

function partAt({ offsets, record, value }: Located, path: Path): Part {
  let holder = value;
  let parts = record;
  let part: Part = { keyOffset: 0, valueOffset: 0 };
  for (const step of path) {
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step)) break;
    const index = Array.isArray(holder) ? Number(step) : positionOf(holder, String(step));
    const at = parts + index * partSize;
    part = { keyOffset: offsets[at] ?? 0, valueOffset: offsets[at + 1] ?? 0 };
    parts = offsets[at + 2] ?? noParts;
    holder = Reflect.get(holder, step);
  }
  return part;
}

/** Those of large maps: each of thousands of profiles can have a diagnostic. */
const positions = new WeakMap<object, ReadonlyMap<string, number>>();

/** The position of a key of a map in `Object.keys`. */
function positionOf(map: object, name: string): number {
  const known = positions.get(map)?.get(name);
  if (known !== undefined) return known;
  const names = Object.keys(map);
  if (names.length > 50) positions.set(map, new Map(names.map((each, index) => [each, index])));
  return names.indexOf(name);
}
