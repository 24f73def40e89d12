import type { Change, Effect, FieldChange } from "../plan/change.ts";
import { compareCsp, type CspChange } from "../syntax/compare-csp.ts";
import type { Paint } from "./paint.ts";
import { printable, valueText } from "./value.ts";

/** Signs in front of changes. */
export const verbSigns = { create: "+", update: "~", delete: "-" } as const;

const verbStyles = { create: "green", update: "yellow", delete: "red" } as const;

/** Signs in front of effects. */
export const effectMarks = {
  strengthens: { sign: "▲", style: "green" },
  weakens: { sign: "▼", style: "red" },
  neutral: { sign: "·", style: "dim" },
  unclear: { sign: "◆", style: "magenta" },
} as const;

/** Why something is deleted, in words. */
export const deleteReasons = {
  undeclared: "no longer declared",
  duplicate: "a spare one with the same mark",
  unmanaged: "not declared, and the zone says unmanaged: delete",
} as const;

/** A change in lines: what it is, what it does to the protection, and each field before → after. */
export function changeLines(change: Change, paint: Paint): readonly string[] {
  const head = [
    paint(verbStyles[change.verb], `${verbSigns[change.verb]} ${change.key}`),
    ...(change.title === "" ? [] : [paint("dim", printable(change.title))]),
    effectText(change.effect, paint),
    ...(change.verb === "update" && change.adopted ? [paint("cyan", "adopted")] : []),
    ...(change.verb === "delete" ? [paint("dim", `(${deleteReasons[change.because]})`)] : []),
  ].join("  ");
  const reasons = change.effect.reasons.map((reason) => paint("dim", `    ${printable(reason)}`));
  return [head, ...fieldLines(change, paint), ...reasons];
}

/** The effect in a word or two, with its mark. */
export function effectText({ direction, mayBreak }: Effect, paint: Paint): string {
  const { sign, style } = effectMarks[direction];
  const words = direction === "unclear" ? "may break" : direction;
  const suffix = mayBreak && direction !== "unclear" ? ", may break" : "";
  return paint(style, `${sign} ${words}${suffix}`);
}

function fieldLines(change: Change, paint: Paint): readonly string[] {
  const shown = change.verb === "delete" ? [] : change.fields;
  const width = Math.max(0, ...shown.map(({ field }) => field.length));
  return shown.flatMap((field) => fieldText(field, change, width, paint));
}

function fieldText(
  change: FieldChange,
  { verb, kind }: Change,
  width: number,
  paint: Paint,
): readonly string[] {
  const name = paint("bold", change.field.padEnd(width));
  const { before, after } = change;
  if (verb === "create") return [`    ${name}  ${valueText(after)}`];
  if (kind === "policy" && change.field === "value" && isText(before) && isText(after)) {
    return sourceLines(before, after, name, width, paint);
  }
  return [`    ${name}  ${paint("red", valueText(before))} → ${paint("green", valueText(after))}`];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A policy's value differs by sources, not as a text: each is named with its directive. */
function sourceLines(
  before: string,
  after: string,
  name: string,
  width: number,
  paint: Paint,
): readonly string[] {
  const { changes } = compareCsp(before, after);
  const indent = " ".repeat(width + 6);
  if (changes.length === 0) {
    return [
      `    ${name}  ${paint("red", valueText(before))}`,
      `${indent}→ ${paint("green", valueText(after))}`,
    ];
  }
  return changes.map((change, index) => {
    return `${index === 0 ? `    ${name}  ` : indent}${sourceText(change, paint)}`;
  });
}

function sourceText({ directive, source, verb }: CspChange, paint: Paint): string {
  const text = `${printable(directive)} ${printable(source)}`;
  switch (verb) {
    case "added":
      return `${paint("green", "+")} ${text}`;
    case "removed":
      return `${paint("red", "-")} ${text}`;
    case "restricted":
      return `${paint("green", "+")} ${text}(rules it from now on)`;
    case "freed":
      return `${paint("red", "-")} ${text}(no longer ruled)`;
  }
}
