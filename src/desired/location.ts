import type { Path } from "./yaml/path.ts";
import type { Source } from "./yaml/source.ts";
import type { Offsets } from "./yaml/yaml-reader.ts";

/** A document of a file as plain data, with what is needed to say where its parts stand. */
export interface Located {
  readonly source: Source;
  readonly offsets: Offsets;
  readonly value: unknown;
}

/** A part of a document: its parent where that is a map or list, and its offsets there. */
interface Part {
  readonly keyOffset: number;
  readonly valueOffset: number;
}

/** Where the key of the value at `path` stands, or what comes nearest to it. */
export function keyOffset(located: Located, path: Path): number {
  return partAt(located, path).keyOffset;
}

/** Where the value at `path` stands, or what comes nearest to it. */
export function valueOffset(located: Located, path: Path): number {
  return partAt(located, path).valueOffset;
}

function partAt({ offsets, value }: Located, path: Path): Part {
  let holder = value;
  let part: Part = { keyOffset: 0, valueOffset: 0 };
  for (const step of path) {
    if (typeof holder !== "object" || holder === null) break;
    const next = partIn(holder, step, offsets.get(holder) ?? []);
    if (next === undefined) break;
    part = next;
    holder = Reflect.get(holder, step);
  }
  return part;
}

function partIn(
  holder: object,
  step: string | number,
  offsets: readonly number[],
): Part | undefined {
  if (Array.isArray(holder)) {
    const offset = offsets[Number(step)];
    return offset === undefined ? undefined : { keyOffset: offset, valueOffset: offset };
  }
  const index = Object.keys(holder).indexOf(String(step));
  const key = offsets[2 * index];
  const value = offsets[2 * index + 1];
  return key === undefined || value === undefined
    ? undefined
    : { keyOffset: key, valueOffset: value };
}
