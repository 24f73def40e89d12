import { sha256 } from "../../syntax/digest.ts";
import type { KeyChange } from "../batched-store.ts";

/** Characters of a checksum. It tells damage from content; it is no signature. */
const checksumLength = 16;

/** A value as a line that says whether it is whole. */
export function lineOf(value: unknown): string {
  return `${withChecksum(JSON.stringify(value))}\n`;
}

/** The value of a line without its line end; `undefined` if the line is not whole. */
export function valueIn(line: string): unknown {
  const text = line.slice(checksumLength + 1);
  return line === withChecksum(text) ? JSON.parse(text) : undefined;
}

/** The changes of a batch; `undefined` if a value is something else. */
export function changesIn(value: unknown): readonly KeyChange[] | undefined {
  return Array.isArray(value) && value.every(isChange) ? value : undefined;
}

function isChange(value: unknown): value is KeyChange {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const parts: readonly unknown[] = value;
  return typeof parts[0] === "string" && (typeof parts[1] === "string" || parts[1] === null);
}

function withChecksum(text: string): string {
  return `${sha256(text).slice(0, checksumLength)} ${text}`;
}
