import { type ChainRecord, chainRecordJson } from "../../src/history/chain/chain-records.ts";
import { NewLines, sealOf } from "../../src/history/chain/history-chain.ts";
import { coerceObject, type JsonObject } from "../../src/syntax/json.ts";
import { lineWithoutHash, linesIn } from "./kept-history.ts";

/** The lines of a history file, each with its line feed. */
export type Lines = readonly string[];

export function sealIn(line: string): ReturnType<typeof sealOf> {
  return sealOf(Buffer.from(line.trimEnd(), "latin1"));
}

export function wholeLines(bytes: Uint8Array): Lines {
  return linesIn(bytes).filter((line) => line !== "");
}

/** What somebody writes who knows the format and not the private key. */
export const chainForgeries = ["dropped", "dropped_head", "begin", "head"] as const;
export type Forgery = (typeof chainForgeries)[number];

/** The lines with records after them that fit them in each way. */
export function withRecords(lines: Lines, forged: readonly Forgery[], head: string): Lines {
  const first = lines.map(sealIn).find((seal) => seal !== undefined);
  const end = sealIn(lines.at(-1) ?? "") ?? { n: 0, hash: "" };
  const added = new NewLines({ chain: "c1", n: end.n, hash: end.hash }, undefined);
  for (const record of forged) {
    const base = { at: new Date("2026-11-20T23:00:00Z"), chain: "c1" };
    const named = record === "dropped_head" ? head : (first?.prev ?? "");
    const last = { n: (first?.n ?? 1) - 1, hash: named };
    const [firstAt, lastAt] = [undefined, base.at];
    const dropped = { lines: 3, firstAt, lastAt, last };
    const records: Record<Forgery, ChainRecord> = {
      dropped: { ...base, record: "dropped", dropped },
      dropped_head: { ...base, record: "dropped", dropped },
      begin: { ...base, record: "begin" },
      head: { ...base, record: "head", reason: "daily" },
    };
    added.add(chainRecordJson(records[record], "1.2.3"), false);
  }
  return [...lines, ...wholeLines(Buffer.from(added.text))];
}

/** The lines from one on, each with another content and following the one before again. */
export function chainedAnew(
  lines: Lines,
  from: number,
  change: (content: JsonObject) => JsonObject = asHead,
): Lines {
  const before = sealIn(lines[from - 1] ?? "");
  const anew = new NewLines(
    { chain: "c1", n: before?.n ?? 0, hash: before?.hash ?? "" },
    undefined,
  );
  for (const line of lines.slice(from)) {
    const all = Object.entries(coerceObject(JSON.parse(line)));
    const content = all.filter(([name]) => !["n", "prev", "signature", "hash"].includes(name));
    anew.add(change(Object.fromEntries(content)), false);
  }
  return [...lines.slice(0, from), ...wholeLines(Buffer.from(anew.text))];
}

function asHead({ at = "" }: JsonObject): JsonObject {
  return { at, record: "head", chain: "c1", version: "1.2.3", reason: "stop" };
}

/** What somebody does to the lines without the private key. */
export const edits: Readonly<Record<string, (lines: Lines) => Lines>> = {
  nothing: (lines) => lines,
  "the first line cut": (lines) => lines.slice(1),
  "the first half cut": (lines) => lines.slice(Math.ceil(lines.length / 2)),
  "all but the last cut": (lines) => lines.slice(-1),
  "everything cut": () => [],
  "two in the middle cut": (lines) => lines.toSpliced(3, 2),
  "the last one cut": (lines) => lines.slice(0, -1),
  "two without a hash in front": (lines) => [lineWithoutHash(1), lineWithoutHash(2), ...lines],
  "one without a hash instead of the first two": (lines) => [lineWithoutHash(1), ...lines.slice(2)],
  "one inserted": (lines) => lines.toSpliced(2, 0, lines[4] ?? ""),
  "one replaced": (lines) => lines.with(2, lines[4] ?? ""),
  "chained anew from the third": (lines) => chainedAnew(lines, 2),
};
