import { changesWith, fieldsWith } from "../plan/cause/cause.ts";
import type { Change, Effect, FieldChange } from "../plan/change.ts";
import { compareCsp, type CspChange } from "../syntax/csp/compare-csp.ts";
import { firstOf } from "../syntax/first-of.ts";
import type { Json } from "../syntax/json.ts";
import { measuredText } from "./counted-text.ts";
import { type Paint, printable, valueText, wrap } from "./format.ts";

export const verbSigns = { create: "+", update: "~", delete: "-" } as const;

const verbStyles = { create: "green", update: "yellow", delete: "red" } as const;

const deleteReasonWords = {
  undeclared: "no longer declared",
  duplicate: "duplicate: another resource has the same mark",
  unmanaged: "unmanaged, and the zone says unmanaged: delete",
} as const;

/** That an update adopts, or why a delete deletes; "" for any other change. */
export function remarkOf(change: Change): string {
  if (change.verb === "update") return change.adopted ? "adopts it" : "";
  return change.verb === "delete" ? deleteReasonWords[change.reason] : "";
}

/** Width of the lines of a plan. */
const columns = 100;

/** Why a change is needed, and who made it necessary; "" if that is not said. */
interface WhyChange {
  readonly cause: string;
  readonly authors: string;
}

/** A change in lines: key, title and cause, authors, effect with reasons and what was counted of it, and each field before → after. */
export function changeLines(
  change: Change,
  paint: Paint,
  { cause, authors }: WhyChange,
): readonly string[] {
  const remark = remarkOf(change);
  const head = [
    paint(verbStyles[change.verb], `${verbSigns[change.verb]} ${printable(change.key)}`),
    ...(change.title === "" ? [] : [printable(change.title)]),
    ...(change.verb === "delete" ? [paint("dim", `(${remark})`)] : []),
    ...(change.verb === "update" && remark !== "" ? [paint("cyan", remark)] : []),
    ...(cause === "" ? [] : [paint("dim", cause)]),
  ].join("  ");
  const { direction, reasons } = change.effect;
  const why = reasons.length === 0 ? "" : `: ${reasons.map(printable).join("; ")}`;
  const linesOf = (text: string, style: Parameters<Paint>[0]): readonly string[] =>
    (text === "" ? [] : wrap(text, columns - 6)).map(
      (line, index) => `${index === 0 ? "    " : "      "}${paint(style, line)}`,
    );
  return [
    head,
    ...linesOf(authors, "cyan"),
    ...linesOf(`${effectWords(change.effect)}${why}`, effectMarks[direction].style),
    ...linesOf(measuredText([change]), "bold"),
    ...fieldLines(change, paint),
  ];
}

/** The fields of a change that are shown: of a create or delete, neither the description nor empty fields. */
export function shownFields({ verb, fields }: Change): readonly FieldChange[] {
  if (verb === "update") return fields;
  const sideOf = ({ before, after }: FieldChange) => (verb === "create" ? after : before);
  return fields.filter((each) => each.field !== "description" && sideOf(each) !== "");
}

function fieldLines(change: Change, paint: Paint): readonly string[] {
  const fields = shownFields(change);
  const width = Math.max(0, ...fields.map(({ field }) => field.length));
  return fields.flatMap((field) => {
    const name = paint("bold", printable(field.field).padEnd(width));
    const lines = sidesOf(field, change, columns - width - 6, paint);
    const indent = " ".repeat(width + 6);
    return lines.map((line, index) => (index === 0 ? `    ${name}  ${line}` : `${indent}${line}`));
  });
}

function sidesOf(
  { field, before, after }: FieldChange,
  { verb, kind }: Change,
  width: number,
  paint: Paint,
): readonly string[] {
  const isCsp = kind === "policy" && field === "value";
  if (verb === "create") return valueLines(after, isCsp, width);
  if (verb === "delete") {
    return valueLines(before, isCsp, width).map((line) => paint("dim", line));
  }
  const sources = changedSources({ field, before, after }, kind);
  if (sources.length > 0) {
    return sources.map(({ directive, source, verb: what }) => {
      const { sign, style, note } = sourceMarks[what];
      return `${paint(style, sign)} ${printable(directive)} ${printable(source)}${note}`;
    });
  }
  const [was, is] = [valueLines(before, isCsp, width - 2), valueLines(after, isCsp, width - 2)];
  const [first = "", ...more] = is;
  const arrow = `→ ${paint("green", first)}`;
  const red = was.map((line) => paint("red", line));
  const isShort = was.length + is.length === 2 && [...was, ...is].join(" → ").length <= width;
  if (isShort) return [`${red.join("")} ${arrow}`];
  return [...red, arrow, ...more.map((line) => `  ${paint("green", line)}`)];
}

/** The sources that the value of a policy gains and loses; none for any other field. */
export function changedSources(
  { field, before, after }: FieldChange,
  kind: Change["kind"],
): readonly CspChange[] {
  if (kind !== "policy" || field !== "value") return [];
  if (typeof before !== "string" || typeof after !== "string") return [];
  return compareCsp(before, after).changes;
}

export const sourceMarks = {
  added: { sign: "+", style: "green", note: "" },
  removed: { sign: "-", style: "red", note: "" },
  restricted: { sign: "+", style: "green", note: "(directive added)" },
  freed: { sign: "-", style: "red", note: "(directive removed)" },
} as const satisfies Readonly<Record<CspChange["verb"], object>>;

export const effectMarks = {
  strengthens: { sign: "▲", style: "green" },
  weakens: { sign: "▼", style: "red" },
  neutral: { sign: "·", style: "dim" },
  unclear: { sign: "◆", style: "magenta" },
} as const;

/** An effect with its sign: `▲ strengthens, may break`. */
export function effectWords({ direction, mayBreak }: Effect): string {
  const { sign } = effectMarks[direction];
  if (direction === "unclear" && mayBreak) return `${sign} may break`;
  return `${sign} ${direction}${mayBreak ? ", may break" : ""}`;
}

/** A value in lines of at most `width` characters; a policy's value (`isCsp`) has a line for each directive, and a text its own. */
export function valueLines(
  value: Json | undefined,
  isCsp: boolean,
  width: number,
): readonly string[] {
  if (typeof value !== "string" || value === "") return wrap(valueText(value), width);
  // A break at the end is shown as one: it would not be seen.
  if (!isCsp) return value.split(/\n(?!$)/).flatMap((line) => wrap(printable(line), width));
  const directives = printable(value).split("; ");
  return directives.flatMap((directive, index) => {
    const end = index === directives.length - 1 ? "" : ";";
    return wrap(`${directive}${end}`, width - 2).map((line, at) => (at === 0 ? line : `  ${line}`));
  });
}

/** Fields that a line about changes names. */
export const mostFields = 10;
/** Longest value in {@link changesLine}, in characters. */
const longestValue = 80;

/** Changes in a line, bounded: `~ managed_rule/owasp paranoia_level 1 → 2, + policy/site`. */
export function changesLine(changes: readonly Change[]): string {
  return firstOf(changes.flatMap(linePartsOf), mostFields);
}

function linePartsOf({ verb, key, fields }: Change): readonly string[] {
  const name = `${verbSigns[verb]} ${key}`;
  if (verb !== "update") return [name];
  return fields.map(
    ({ field, before, after }) => `${name} ${field} ${shortValue(before)} → ${shortValue(after)}`,
  );
}

/** A field in a line: of a policy's value, the first sources that it gains and loses. */
export function fieldWords(change: FieldChange, { kind }: Change): string {
  const { field, before, after } = change;
  const sources = changedSources(change, kind).map(({ directive, source, verb }) =>
    `${sourceMarks[verb].sign}${directive} ${source}`.trim(),
  );
  if (sources.length > 0) return `${field} ${firstOf(sources, mostFields)}`;
  return `${field} ${shortValue(before)} → ${shortValue(after)}`;
}

function shortValue(value: Json | undefined): string {
  const text = valueText(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

/** What somebody changed, as it was found, in a line, bounded: `managed_rule/owasp paranoia_level 2 → 1, policy/site deleted`. */
export function driftLine(changes: readonly Change[]): string {
  return firstOf(changesWith("drift", changes).flatMap(partsOf), mostFields);
}

function partsOf(change: Change): readonly string[] {
  const { verb, key, fields } = change;
  if (verb === "create") return [`${key} deleted`];
  if (verb === "delete") return [`${key} created`];
  const drifted = fieldsWith("drift", change);
  // What was applied is the declared value, unless that was changed too.
  const redeclared = new Set(fieldsWith("pending", change));
  return fields
    .filter(({ field }) => drifted.includes(field))
    .map(({ field, before, after }) => {
      const applied = redeclared.has(field) ? "" : `${shortValue(after)} `;
      return `${key} ${field} ${applied}→ ${shortValue(before)}`;
    });
}
