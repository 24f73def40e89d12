import {
  coerceDate,
  coerceObject,
  coerceText,
  isJsonObject,
  type JsonObject,
  jsonOf,
  parseName,
  coerceCount,
} from "../../syntax/json.ts";

/** When a head is recorded: once a day, or when the daemon stops. */
const headReasons = ["daily", "stop"] as const;

export type HeadReason = (typeof headReasons)[number];

const recordNames = ["begin", "dropped", "head"] as const;

/** A line about the chain itself. */
export type ChainRecord = {
  readonly at: Date;
  /** Name of the chain. */
  readonly chain: string;
} & (
  | { readonly record: "begin" }
  | { readonly record: "dropped"; readonly dropped: DroppedLines }
  | { readonly record: "head"; readonly reason: HeadReason }
);

/** The oldest lines, which the program dropped. */
export interface DroppedLines {
  readonly lines: number;
  /** Time of the first and of the last of them; `undefined` if they cannot be read. */
  readonly firstAt: Date | undefined;
  readonly lastAt: Date | undefined;
  /** The last of them: its number in the chain (0 for a line without one) and its hash. */
  readonly last: { readonly n: number; readonly hash: string };
}

/** A record as JSON. `at` is first: the history file is recognised by it. */
export function chainRecordJson(record: ChainRecord, version: string): JsonObject {
  const { at, chain, record: name, ...more } = record;
  const content = "dropped" in more ? more.dropped : more;
  return jsonOf({ at, record: name, chain, version, ...content });
}

/** The record of a JSON value; `undefined` if it is none. */
export function chainRecordFrom(value: unknown): ChainRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const at = coerceDate(value["at"]);
  const chain = coerceText(value["chain"]);
  if (at === undefined || chain === "") return undefined;
  const base = { at, chain };
  switch (parseName(recordNames, value["record"])) {
    case "begin":
      return { ...base, record: "begin" };
    case "dropped": {
      const last = coerceObject(value["last"]);
      const dropped = {
        lines: coerceCount(value["lines"]),
        firstAt: coerceDate(value["first_at"]),
        lastAt: coerceDate(value["last_at"]),
        last: { n: coerceCount(last["n"]), hash: coerceText(last["hash"]) },
      };
      return { ...base, record: "dropped", dropped };
    }
    case "head": {
      const reason = parseName(headReasons, value["reason"]);
      return reason && { ...base, record: "head", reason };
    }
    case undefined:
      return undefined;
  }
}
