import { globIgnoringCase } from "../../syntax/glob.ts";
import type { Selector, ZonePatterns } from "../../zone/desired-zone.ts";
import type { Zone } from "../../zone/zone.ts";

/** What is known of a zone that a selector may match; a missing fact is known to the listing only. */
export type KnownFacts = Readonly<Partial<Record<keyof ZonePatterns, readonly string[]>>>;

/** Whether a selector matches a zone; `undefined`: that depends on a fact that is missing. */
export type Matcher = (facts: KnownFacts) => boolean | undefined;

/** The facts of a listed zone. */
export function listedFacts({ name, accountName, accountId, status, plan }: Zone): KnownFacts {
  return { name: [name], account: [accountName, accountId], status: [status], plan: [plan] };
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

const patternKeys = ["name", "account", "status", "plan"] as const;

function patternsMatcher(patterns: ZonePatterns): Matcher {
  const checks = patternKeys.flatMap((key) => {
    const globs = patterns[key]?.map((pattern) => globIgnoringCase(pattern));
    return globs === undefined ? [] : [{ key, globs }];
  });
  return (facts) => {
    let isKnown = true;
    for (const { key, globs } of checks) {
      const texts = facts[key];
      if (texts === undefined) isKnown = false;
      else if (!texts.some((text) => globs.some((matches) => matches(text)))) return false;
    }
    return isKnown ? true : undefined;
  };
}
