import { printable, valueText } from "../../state/value.ts";
import type { Json } from "../../syntax/json.ts";
import { wrap } from "./wrap.ts";

/** A value in lines of at most `width` characters; a policy's value (`isCsp`) with a line for each directive. */
export function valueLines(
  value: Json | undefined,
  isCsp: boolean,
  width: number,
): readonly string[] {
  if (!isCsp || typeof value !== "string") return wrap(valueText(value), width);
  const directives = printable(value).split("; ");
  return directives.flatMap((directive, index) => {
    const end = index === directives.length - 1 ? "" : ";";
    return wrap(`${directive}${end}`, width - 2).map((line, at) => (at === 0 ? line : `  ${line}`));
  });
}
