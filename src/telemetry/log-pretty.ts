import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

const levelStyles: Readonly<Record<string, Style>> = {
  trace: "dim",
  debug: "dim",
  info: "green",
  warn: "yellow",
  error: "red",
  fatal: ["bold", "red"],
};

const shownBefore = new Set(["level", "time", "msg"]);

/**
 * One line of JSON as people read it at a terminal: time, level, message, facts; lists below, indented.
 *
 * Own code, since pino-pretty brings a dozen packages for what a terminal needs of it.
 */
export function prettyLine(line: string, color: boolean): string {
  const record = parseRecord(line);
  if (record === undefined) return line;

  const paint = (style: Style, text: string): string =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const level = textOf(record["level"]);
  const facts: string[] = [];
  const below: string[] = [];
  for (const [name, value] of Object.entries(record)) {
    if (shownBefore.has(name) || value === "") continue;
    if (Array.isArray(value)) below.push(...value.flatMap((item: unknown) => itemLines(item)));
    else facts.push(`${paint("dim", `${name}=`)}${textOf(value)}`);
  }
  const time = paint("dim", textOf(record["time"]).slice(11, 19));
  const head = paint(levelStyles[level] ?? "bold", level.toUpperCase().padEnd(5));
  const first = [time, head, paint("bold", textOf(record["msg"])), ...facts].join(" ");
  return `${[first, ...below.map((text) => `               ${text}`)].join("\n")}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

function parseRecord(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}

/** Keeps a hostile text from steering the terminal. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
}

/** A change of an audit line: its key, then what differs in it. Anything else: as it is. */
function itemLines(item: unknown): readonly string[] {
  if (!isFields(item)) return [textOf(item)];
  const { key, verb, fields } = item;
  if (!Array.isArray(fields)) return [Object.values(item).map(textOf).join(": ")];
  return [
    `${textOf(verb)} ${textOf(key)}`,
    ...fields.filter(isFields).map((field) => `  ${fieldLine(field)}`),
  ];
}

function fieldLine({ field, before, after }: Fields): string {
  return `${textOf(field)}: ${sideOf(before)} → ${sideOf(after)}`;
}

function sideOf(value: unknown): string {
  return value === undefined ? "(none)" : textOf(value);
}
