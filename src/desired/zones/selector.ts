import { globIgnoringCase } from "../../syntax/glob.ts";
import type { ZoneLabels, Selector, ZonePatterns } from "../../zone/desired-zone.ts";
import type { Zone } from "../../zone/zone.ts";

/** What is known of a zone that a selector may match; a missing fact is known to the listing only. */
export type KnownFacts = Readonly<Partial<Record<FactKey, readonly string[]>>> & {
  /** Of the zone's own entry. */
  readonly labels: ZoneLabels;
};

type FactKey = "name" | "account" | "status" | "plan";

/** Whether a selector matches a zone; `undefined`: that depends on a fact that is missing. */
export type Matcher = (facts: KnownFacts) => boolean | undefined;

/** The facts of a listed zone. */
export function listedFacts(
  { name, accountName, accountId, status, tier }: Zone,
  labels: ZoneLabels,
): KnownFacts {
  return {
    name: [name],
    account: [accountName, accountId],
    status: [status],
    plan: [tier],
    labels,
  };
}

/** Prepares a selector for many zones. */
export function matcherOf({ not, ...patterns }: Selector): Matcher {
  const includes = patternsMatcher(patterns);
  if (not === undefined) return includes;
  const excludes = patternsMatcher(not);
  return (facts) => {
    const isIncluded = includes(facts);
    if (isIncluded === false) return false;
    const isExcluded = excludes(facts);
    if (isExcluded === true) return false;
    return isExcluded === undefined ? undefined : isIncluded;
  };
}

const factKeys: readonly FactKey[] = ["name", "account", "status", "plan"];

type Globs = readonly ((text: string) => boolean)[];

function patternsMatcher(patterns: ZonePatterns): Matcher {
  const checks = factKeys.flatMap((key) => {
    const globs = globsOf(patterns[key]);
    return globs === undefined ? [] : [{ key, globs }];
  });
  const inLabels = Object.entries(patterns.labels ?? {}).map(([label, list]) => ({
    label,
    globs: globsOf(list) ?? [],
  }));
  return (facts) => {
    const hasLabels = inLabels.every(
      ({ label, globs }) =>
        Object.hasOwn(facts.labels, label) && isAmong(globs, [facts.labels[label] ?? ""]),
    );
    if (!hasLabels) return false;
    let isKnown = true;
    for (const { key, globs } of checks) {
      const texts = facts[key];
      if (texts === undefined) isKnown = false;
      else if (!isAmong(globs, texts)) return false;
    }
    return isKnown ? true : undefined;
  };
}

function globsOf(patterns: readonly string[] | undefined): Globs | undefined {
  return patterns?.map((pattern) => globIgnoringCase(pattern));
}

function isAmong(globs: Globs, texts: readonly string[]): boolean {
  return texts.some((text) => globs.some((matches) => matches(text)));
}
