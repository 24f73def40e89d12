import type { Argument, Operand, Value } from "../expression-tree.ts";
import type { Conjunction, SignedCondition } from "./conjunctions.ts";

/** What texts of a field must be like, from the conditions that must hold. */
interface TextShape {
  /** The only texts that fit; `undefined` if there is no such limit. */
  readonly exact: readonly string[] | undefined;
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  /** Parts, in an order that fits. */
  readonly inside: readonly string[];
}

/** More texts than these are not tried. */
const maxTexts = 24;

/** What stands between the parts of a text that nothing else says. */
const fillers = ["", "a", "q7", "-q7z"];

/**
 * Texts that can fulfil the conditions of a conjunction on `field`; the most likely first, none if
 * there can be none.
 */
export function sampleTexts(field: string, conjunction: Conjunction): readonly string[] {
  const shape = conjunction.reduce(
    (known: TextShape, literal) => meet(known, shapeOf(literal, field)),
    anyText,
  );
  if (shape.exact !== undefined) return shape.exact.slice(0, maxTexts);
  const start = longest(shape.starts);
  const end = longest(shape.ends);
  const texts = fillers.flatMap((filler) => [
    [start, ...shape.inside].join(filler) + filler + end,
    start + filler + shape.inside.join("") + end,
  ]);
  // The start can contain the end, and both can overlap.
  return [...new Set([...texts, start, end])].slice(0, maxTexts);
}

const anyText: TextShape = { exact: undefined, starts: [], ends: [], inside: [] };

function meet(a: TextShape, b: TextShape): TextShape {
  const others = b.exact && new Set(b.exact);
  return {
    exact: a.exact && others ? a.exact.filter((text) => others.has(text)) : (a.exact ?? b.exact),
    starts: [...a.starts, ...b.starts],
    ends: [...a.ends, ...b.ends],
    inside: [...a.inside, ...b.inside],
  };
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), "");
}

function shapeOf({ condition, holds }: SignedCondition, field: string): TextShape {
  if (condition.kind === "truth") return holds ? shapeOfCall(condition.operand, field) : anyText;
  const { left, operator, right } = condition;
  if (!isField(left, field)) return anyText;
  if (!holds) return operator === "ne" ? { ...anyText, exact: textsOf(right) } : anyText;
  if (operator === "eq" || operator === "in") return { ...anyText, exact: textsOf(right) };
  if (right.kind !== "text") return anyText;
  if (operator === "contains") return { ...anyText, inside: [right.text] };
  return operator.endsWith("wildcard") ? shapeOfPattern(right.text) : anyText;
}

function shapeOfCall(operand: Operand, field: string): TextShape {
  if (operand.kind !== "call") return anyText;
  const [subject, text] = operand.arguments;
  if (subject === undefined || !isField(subject, field) || text?.kind !== "text") return anyText;
  if (operand.name === "starts_with") return { ...anyText, starts: [text.text] };
  if (operand.name === "ends_with") return { ...anyText, ends: [text.text] };
  return operand.name === "contains" ? { ...anyText, inside: [text.text] } : anyText;
}

function shapeOfPattern(pattern: string): TextShape {
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (end === undefined) return { ...anyText, exact: [start, start.toLowerCase()] };
  return { exact: undefined, starts: [start], ends: [end], inside: rest };
}

/** Whether this is the field, perhaps in a function. */
function isField(node: Argument, field: string): boolean {
  if (node.kind === "field") return node.name === field && node.indexes.length === 0;
  const [first] = node.kind === "call" ? node.arguments : [];
  return first !== undefined && isField(first, field);
}

/**
 * The texts that are equal to a value, or in a set; in lower case too, for fields that are folded.
 */
function textsOf(value: Value): readonly string[] | undefined {
  const values = value.kind === "set" ? value.members : [value];
  const texts = values.flatMap((each) => (each.kind === "text" ? [each.text] : []));
  if (texts.length < values.length) return undefined;
  return [...new Set(texts.flatMap((text) => [text, text.toLowerCase()]))];
}
