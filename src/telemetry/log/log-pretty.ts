import { type Paint, paintOf, printable, shortRevision, valueText } from "../../render/format.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  coerceText,
  parseJson,
} from "../../syntax/json.ts";

const levelStyles = {
  trace: "dim",
  debug: "dim",
  info: "green",
  warn: "yellow",
  error: "red",
  fatal: "red",
} as const;

/** Fields that have their own place, or are only for machines. */
const leftOut = new Set(["level", "time", "msg", "audit", "run"]);

/** Indent of further lines: the column of the message. */
const indent = " ".repeat(15);

/**
 * A JSON log line as text for a terminal: time, level, message, fields; lists below, indented. Not pino-pretty, which
 * has a dozen dependencies.
 */
export function prettyLine(line: string, color: boolean): string {
  const record = parseRecord(line);
  if (record === undefined) return line;

  const paint = paintOf(color);
  const facts = Object.entries(record).filter(
    ([name, value]) => !leftOut.has(name) && value !== "" && !isLong(value),
  );
  const first = [
    paint("dim", textAt(record, "time").slice(11, 19)),
    levelText(textAt(record, "level"), paint),
    paint("bold", printable(textAt(record, "msg"))),
    ...facts.map(([name, value]) => paint("dim", `${name}=`) + factText(name, value)),
  ].join(" ");
  const below = Object.values(record).filter(isLong).flatMap(linesBelow);
  return `${[first, ...below.map((text) => indent + text)].join("\n")}\n`;
}

function parseRecord(line: string): JsonObject | undefined {
  const value = parseJson(line);
  return isJsonObject(value) ? value : undefined;
}

function textAt(record: JsonObject, name: string): string {
  return coerceText(record[name]);
}

function levelText(level: string, paint: Paint): string {
  const style = Object.entries(levelStyles).find(([name]) => name === level)?.[1] ?? "bold";
  return paint(style, level.toUpperCase().padEnd(5));
}

function factText(name: string, value: Json): string {
  const text = valueText(value);
  return name === "revision" || name === "commit" ? shortRevision(text) : text;
}

/** Whether a value gets its own lines: a list or an error. */
function isLong(value: Json): boolean {
  return Array.isArray(value) || (isJsonObject(value) && "stack" in value);
}

function linesBelow(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => itemLines(item));
  if (!isJsonObject(value)) return [];
  return textAt(value, "stack").split("\n").map(printable);
}

/** A change of an audit line with its fields; any other value in one line. */
function itemLines(item: Json): readonly string[] {
  if (!isJsonObject(item)) return [valueText(item)];
  const { key, verb, fields } = item;
  if (key === undefined || verb === undefined || !Array.isArray(fields)) {
    return [Object.values(item).map(valueText).join(": ")];
  }
  return [
    `${valueText(verb)} ${valueText(key)}`,
    ...fields
      .filter((field: Json) => isJsonObject(field))
      .map(({ field, before, after }) => {
        return `  ${valueText(field)}: ${valueText(before)} → ${valueText(after)}`;
      }),
  ];
}
