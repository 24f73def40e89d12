import { isDeepStrictEqual } from "node:util";

import type { Hold } from "../plan/guard/hold.ts";
import { forceOf } from "../plan/policies/policy-force.ts";
import { sourceMatcher } from "../syntax/csp/csp-match.ts";
import { parseCspSource } from "../syntax/csp/csp-source.ts";
import { firstOf } from "../syntax/first-of.ts";
import { behaviorOf, type Policy } from "../zone/resource.ts";
import type { BlockedResource, ComparedPolicy, PolicyImpact } from "./csp-impact.ts";

/** When a script counts as in use. */
interface InUseLimits {
  readonly now: Date;
  readonly freshMs: number;
}

/** Whether a change of a policy can block more than before. */
export function canBlockMore({ before, after }: ComparedPolicy): boolean {
  if (forceOf(after) !== "blocks") return false;
  return !isDeepStrictEqual(before && behaviorOf(before), after && behaviorOf(after));
}

/**
 * Holds for policies that start to block scripts that are in use, not malicious and not
 * acknowledged in the file.
 */
export function blocksInUse(
  impacts: readonly PolicyImpact[],
  declared: readonly Policy[],
  limits: InUseLimits,
): readonly Hold[] {
  return impacts.flatMap((impact) => {
    const { policy } = impact;
    const own = declared.find(({ key }) => `policy/${key}` === policy.key);
    const inUse = blockedInUse(impact, own?.acknowledge ?? [], limits);
    return inUse.length === 0 ? [] : [holdOf(policy, inUse, limits)];
  });
}

/** The scripts in use that a policy begins to block, are not malicious, and are of none of the acknowledged sources. */
export function blockedInUse(
  { force, blocked }: PolicyImpact,
  acknowledge: readonly string[],
  limits: InUseLimits,
): readonly BlockedResource[] {
  if (force !== "blocks") return [];
  const isAcknowledged = acknowledgement(acknowledge);
  return blocked.filter(
    (each) =>
      !each.already &&
      each.malicious.length === 0 &&
      each.resource.kind === "script" &&
      isRecent(each, limits) &&
      !isAcknowledged(each),
  );
}

/** A script without a time of the last report can be in use. */
function isRecent({ resource }: BlockedResource, { now, freshMs }: InUseLimits): boolean {
  const seenAt = resource.lastSeenAt;
  return seenAt === undefined || Number(now) - Number(seenAt) <= freshMs;
}

/** Acknowledged sources match as sources of the policy do, on each page that blocks the script. */
function acknowledgement(texts: readonly string[]): (affected: BlockedResource) => boolean {
  const matching = sourceMatcher(texts.map((text) => parseCspSource(text)));
  return ({ resource, pages }) => {
    const url = URL.parse(resource.url);
    const known = pages.flatMap((page) => URL.parse(page) ?? []);
    if (url === null) return false;
    const all = known.length > 0 ? known : [new URL("https://page.invalid/")];
    return all.every((page) => matching(url, page).length > 0);
  };
}

/** More scripts are only counted. */
const mostNamed = 5;

function holdOf(
  { key }: ComparedPolicy,
  inUse: readonly BlockedResource[],
  { freshMs }: InUseLimits,
): Hold {
  const names = inUse.map(({ resource, pages }) => {
    const [page] = pages;
    return page === undefined ? resource.url : `${resource.url} on ${page}`;
  });
  const count = inUse.length === 1 ? "1 script that was" : `${inUse.length} scripts that were`;
  return {
    reason: "blocks_in_use",
    message: `${key} would block ${count} seen within ${limitText(freshMs)} (impact.fresh): ${firstOf(names, mostNamed)}; add their sources to its value, or to its acknowledge list if they may be blocked`,
  };
}

function limitText(ms: number): string {
  return ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : `${ms / 60_000} min`;
}
