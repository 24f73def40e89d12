import { trimmed } from "../../syntax/trimmed.ts";
import { twins } from "../../syntax/twins.ts";
import type { Declared, UnmanagedMode } from "../../zone/desired-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import type { RuleBase } from "../../zone/resource.ts";
import { contradiction, type Converted, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";

/** What a policy and a rule have in common. */
type Item = Pick<RuleBase, "key" | "was" | "description" | "expression" | "enabled">;

/** What they have in common in a file. */
interface Written {
  readonly key: string;
  readonly description?: string;
  readonly acknowledge?: readonly string[];
}

/**
 * Converts a merged list of policies or rules; no value if it is not declared.
 *
 * @param list where it is in a zone
 * @param check finds what is wrong with several items together
 */
export function declaredList<W extends Written, T extends Item>(
  list: Path,
  written: readonly W[] | undefined,
  unmanaged: UnmanagedMode = "report",
  convert: (item: W, path: Path) => Converted<T | undefined>,
  check: (items: readonly T[]) => readonly UnplacedDiagnostic[],
): Converted<Declared<T> | undefined> {
  if (written === undefined) return { value: undefined, diagnostics: [] };
  const converted = written.map((item) => convert(item, [...list, item.key]));
  const items = trimmed(converted.flatMap(({ value }) => value ?? []));
  return {
    value: { items, unmanaged },
    diagnostics: [
      ...written.flatMap((item) => markInDescription(item, [...list, item.key])),
      ...converted.flatMap(({ diagnostics }) => diagnostics),
      ...formerKeyConflicts(items, list),
      ...repeatedDescriptions(items, list),
      ...check(items),
    ],
  };
}

/** A description that ends like a mark would be read as one. */
function markInDescription(
  { description = "" }: Written,
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (unmarked(description).key === undefined) return [];
  const message = "the description ends with text that looks like a mark of zonewarden";
  const remedy = "delete the part in brackets: zonewarden adds the mark itself";
  return [{ code: "DESCRIPTION_MARKED", path: [...path, "description"], message, remedy }];
}

/**
 * A description that another item of the list has: at the service, the two cannot be told apart.
 */
function repeatedDescriptions(items: readonly Item[], list: Path): readonly UnplacedDiagnostic[] {
  return twins(items, ({ description }) => description || undefined).map(([{ key }, first]) => ({
    code: "REPEATED_DESCRIPTION",
    path: [...list, key, "description"],
    message: `"${key}" and "${first.key}" have the same description`,
    remedy: "say in each what is special about it",
  }));
}

/** A former key (`was`) must not be the key, or another former key, of the same list. */
function formerKeyConflicts(items: readonly Item[], list: Path): readonly UnplacedDiagnostic[] {
  const keys = new Set(items.map(({ key }) => key));
  return items.flatMap(({ key, was }) => {
    if (was === undefined) return [];
    const isUsed = keys.has(was);
    keys.add(was);
    if (!isUsed) return [];
    const message = `"${was}" is not a former key of "${key}": another item has or had that key`;
    return [contradiction([...list, key, "was"], message, "delete one of the two")];
  });
}

/** A comparison of two items of a list for the first thousand pairs: the time for more would not be worth it. */
export function limitedComparison<T>(
  compare: (a: string, b: string) => T,
): (a: string, b: string) => T | undefined {
  let left = 1_000;
  return (a, b) => {
    left -= 1;
    return left < 0 ? undefined : compare(a, b);
  };
}

/** What `acknowledge` must contain for a policy or a rule that applies to no request. */
export const noRequest = "no-request";

/**
 * A policy or a rule that applies to no request and does not acknowledge it.
 *
 * @param path of the expression that selects none
 */
export function selectsNoRequest(
  kind: "policy" | "rule" | "custom ruleset",
  { key, acknowledge = [] }: Written,
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (acknowledge.includes(noRequest)) return [];
  const message = `the ${kind} "${key}" applies to no request: its expression is never true`;
  const remedy = `correct the expression, or write \`enabled: false\`; or \`acknowledge: [${noRequest}]\` if you mean it`;
  return [{ code: "PROTECTS_NOTHING", path, message, remedy }];
}
