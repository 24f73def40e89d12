import type { Problem } from "../zone/problem.ts";
import { problemIn } from "./layer.ts";
import type { Layer } from "./layer.ts";
import { identityOf } from "./merge.ts";
import type { Path } from "./path.ts";

/** Things with the same key in one list of a layer, and the two names of one setting beside each other. */
export function keyProblems(layer: Layer): readonly Problem[] {
  const { page_shield: shield, managed_rules: managed } = layer.content;
  const rules = managed?.rules ?? [];
  return [
    ...bothNames(layer),
    ...repeats(layer, shield?.policies?.items, ["page_shield", "policies", "items"]),
    ...repeats(layer, rules, ["managed_rules", "rules"]),
    ...rules.flatMap(({ overrides }, index) => {
      const path = ["managed_rules", "rules", index, "overrides"];
      return [
        ...repeats(layer, overrides?.categories, [...path, "categories"]),
        ...repeats(layer, overrides?.rules, [...path, "rules"]),
      ];
    }),
  ];
}

function repeats(
  layer: Layer,
  list: readonly unknown[] | null | undefined,
  path: Path,
): readonly Problem[] {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const [index, item] of (list ?? []).entries()) {
    const key = identityOf(item);
    if (key === undefined) continue;
    if (seen.has(key)) {
      const message = `"${key}" stands twice in this list`;
      const remedy = "give one of the two another name, or join them";
      problems.push(problemIn(layer, [...path, index], "KEY_TWICE", { message, remedy }));
    }
    seen.add(key);
  }
  return problems;
}

function bothNames(layer: Layer): readonly Problem[] {
  const settings = layer.content.page_shield?.settings ?? {};
  const names = ["use_cloudflare_reporting_endpoint", "use_service_reporting_endpoint"] as const;
  if (names.some((name) => settings[name] === undefined)) return [];
  const message = `"${names[1]}" is another name of "${names[0]}"`;
  const path = ["page_shield", "settings", names[1]];
  return [problemIn(layer, path, "CONTRADICTION", { message, remedy: "keep one of the two" })];
}
