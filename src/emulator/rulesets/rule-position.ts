import type { FieldReader } from "../http/fields.ts";
import type { Rule } from "../state.ts";

/** Puts `rule` among `others` where `position` says; without one, at the end (SERVICE.md B.4). */
export function placed(
  others: readonly Rule[],
  rule: Rule,
  position: FieldReader | undefined,
): readonly Rule[] {
  return others.toSpliced(
    position === undefined ? others.length : indexIn(position, others),
    0,
    rule,
  );
}

/** The index among the other rules that a position stands for. */
function indexIn(position: FieldReader, others: readonly Rule[]): number {
  position.only(["before", "after", "index"]);
  if (Object.keys(position.body).length !== 1) {
    throw position.mistake("", "position must have exactly one of before, after and index");
  }
  const before = position.text("before");
  if (before !== undefined) return before === "" ? 0 : indexOf(position, "before", before, others);
  const after = position.text("after");
  if (after === "") return others.length;
  if (after !== undefined) return indexOf(position, "after", after, others) + 1;
  return counted(position, others.length);
}

function indexOf(
  position: FieldReader,
  name: "before" | "after",
  id: string,
  others: readonly Rule[],
): number {
  const index = others.findIndex((rule) => rule.id === id);
  if (index < 0) throw position.mistake(name, `could not find another rule ${id} in the ruleset`);
  return index;
}

function counted(position: FieldReader, length: number): number {
  const index = position.required("index", position.integer("index"));
  if (index >= 1 && index <= length + 1) return index - 1;
  throw position.mistake("index", `index ${index} is not between 1 and ${length + 1}`);
}
