import type { Unmanaged } from "../../plan/plan.ts";
import { plural } from "../../state/plural.ts";
import { printable } from "../../state/value.ts";
import { kinds } from "../../zone/resource.ts";

/** How many of a kind are named before the rest is counted. */
const named = 3;

/** Live objects that are nobody's, a line for each kind: how many there are, and the first of them by name. */
export function unmanagedWords(unmanaged: readonly Unmanaged[]): readonly string[] {
  return kinds.flatMap((kind) => {
    const titles = unmanaged
      .filter((each) => each.kind === kind)
      .map(({ id, title }) => `“${printable(title || id)}”`);
    if (titles.length === 0) return [];
    const more = titles.length > named ? ` and ${titles.length - named} more` : "";
    return [`${plural(titles.length, kind)}: ${titles.slice(0, named).join(", ")}${more}`];
  });
}
