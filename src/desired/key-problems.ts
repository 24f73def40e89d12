import type { Diagnostic } from "../zone/diagnostic.ts";
import { itemsAt, valueAt } from "./import/coerce.ts";
import type { CoercedPart } from "./import/coerce.ts";
import type { Path } from "./yaml/path.ts";
import { problemIn } from "./zones/layer.ts";
import { identityOf } from "./zones/merge.ts";

/** Things with the same key in one list of a profile or zone, and the two names of one setting beside each other. */
export function keyProblems(part: CoercedPart): readonly Diagnostic[] {
  return [
    ...bothNames(part),
    ...repeats(part, ["page_shield", "policies", "items"], []),
    ...repeats(part, ["managed_rules", "rules"], []),
    ...itemsAt(part.content, "managed_rules", "rules").flatMap((rule, index) => {
      const path = ["managed_rules", "rules", index];
      return [
        ...repeats({ ...part, content: rule }, ["overrides", "categories"], path),
        ...repeats({ ...part, content: rule }, ["overrides", "rules"], path),
      ];
    }),
  ];
}

/** Repeated keys in the list at `steps`, which stands below `above`. */
function repeats(part: CoercedPart, steps: readonly string[], above: Path): readonly Diagnostic[] {
  const seen = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const [index, item] of itemsAt(part.content, ...steps).entries()) {
    const key = identityOf(item);
    if (key === undefined) continue;
    if (seen.has(key)) {
      const message = `"${key}" stands twice in this list`;
      const remedy = "give one of the two another name, or join them";
      diagnostics.push(
        problemIn(part, [...above, ...steps, index], "KEY_TWICE", { message, remedy }),
      );
    }
    seen.add(key);
  }
  return diagnostics;
}

function bothNames(part: CoercedPart): readonly Diagnostic[] {
  const names = ["use_cloudflare_reporting_endpoint", "use_service_reporting_endpoint"] as const;
  const settings = ["page_shield", "settings"];
  const isSaid = (name: string): boolean => valueAt(part.content, ...settings, name) !== undefined;
  if (!names.every(isSaid)) return [];
  const message = `"${names[1]}" is another name of "${names[0]}"`;
  const remedy = "keep one of the two";
  return [problemIn(part, [...settings, names[1]], "CONTRADICTION", { message, remedy })];
}
