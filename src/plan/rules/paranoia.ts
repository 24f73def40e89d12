import type { CategoryOverride, Overrides, ParanoiaLevel } from "../../zone/resource.ts";
import { paranoiaLevels } from "../../zone/resource.ts";

/**
 * States every paranoia level around other categories (SERVICE.md B.7).
 *
 * Of several categories of a rule the last one listed counts (SERVICE.md B.5): what is said of a category beats the
 * levels that are on, and no category brings back a level that is off.
 */
export function rulesBetweenLevels(
  categories: readonly CategoryOverride[],
  level: ParanoiaLevel,
): readonly CategoryOverride[] {
  const levels = paranoiaLevels.map((each) => levelSwitch(each, each <= level));
  return [
    ...levels.filter(({ enabled }) => enabled === true),
    ...categories,
    ...levels.filter(({ enabled }) => enabled === false),
  ];
}

/**
 * The one spelling of overrides that differ only in how they say the paranoia level.
 *
 * The usual recipe names nothing but the levels that are off (SERVICE.md B.7). Levels that are on and stand before every
 * category that could beat them are on with or without a word.
 */
export function canonicalLevels(overrides: Overrides): Overrides {
  const { categories } = overrides;
  const level = paranoiaOf(categories);
  if (level === undefined) return overrides;
  const others = categories.filter((each) => !switchesAnyLevel(each));
  return hasSafeOrder(categories, others)
    ? { ...overrides, categories: rulesBetweenLevels(others, level) }
    : overrides;
}

/** Whether levels that are on stand before all other categories and levels that are off behind them. */
function hasSafeOrder(
  categories: readonly CategoryOverride[],
  others: readonly CategoryOverride[],
): boolean {
  const [first] = others;
  const last = others.at(-1);
  if (first === undefined || last === undefined) return true;
  const [start, end] = [categories.indexOf(first), categories.indexOf(last) + 1];
  return (
    end - start === others.length &&
    categories.slice(0, start).every((each) => isLevelSwitch(each, true)) &&
    categories.slice(end).every((each) => isLevelSwitch(each, false))
  );
}

/**
 * The level that categories amount to: the highest below those that are switched off, or all four where all are
 * switched on. `undefined` where a lower one is off under a higher one, and where nothing is off and a level is not
 * mentioned: the service's own pages disagree on whether it is on then (SERVICE.md B.7).
 */
export function paranoiaOf(categories: readonly CategoryOverride[]): ParanoiaLevel | undefined {
  const switches = new Map(categories.map(({ category, enabled }) => [category, enabled]));
  const stateOf = (level: ParanoiaLevel) => switches.get(tagOf(level));
  const isTold =
    paranoiaLevels.some((level) => stateOf(level) === false) ||
    paranoiaLevels.every((level) => stateOf(level) === true);
  const on = paranoiaLevels.filter((level) => stateOf(level) !== false);
  const highest = on.at(-1);
  return isTold && highest === on.length ? highest : undefined;
}

/** Whether an override does nothing but switch a paranoia level. */
export function switchesAnyLevel(override: CategoryOverride): boolean {
  return isLevelSwitch(override, true) || isLevelSwitch(override, false);
}

function isLevelSwitch(override: CategoryOverride, enabled: boolean): boolean {
  return (
    paranoiaLevels.some((level) => override.category === tagOf(level)) &&
    override.enabled === enabled &&
    override.action === undefined &&
    override.sensitivity_level === undefined
  );
}

function levelSwitch(level: ParanoiaLevel, enabled: boolean): CategoryOverride {
  return { category: tagOf(level), enabled, action: undefined, sensitivity_level: undefined };
}

function tagOf(level: ParanoiaLevel): string {
  return `paranoia-level-${level}`;
}
