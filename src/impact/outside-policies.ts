import type { Script } from "../zone/inventory.ts";
import { forceOf, policyJudge, type PolicyTerms } from "./policy-judge.ts";
import { seenResources } from "./seen-resources.ts";

/** Scripts in use that the enforced policies of a zone do not account for. */
export interface Outside {
  /** No enforced policy lets them in on any page on which they were seen. */
  readonly scripts: readonly Script[];
  /** Of so many more it cannot be told. */
  readonly unclear: number;
}

/**
 * Finds the scripts that are outside every enforced policy: kept out by it, or on pages that none selects.
 *
 * `undefined` where the zone enforces no policy: then everything is outside, and nobody wanted it otherwise.
 */
export function outsidePolicies(
  scripts: readonly Script[],
  policies: readonly PolicyTerms[],
): Outside | undefined {
  const judges = policies
    .filter((policy) => forceOf(policy) === "blocks")
    .map((policy) => policyJudge(policy));
  if (judges.length === 0) return undefined;
  const outside = new Set<string>();
  let unclear = 0;
  for (const { resource, url, pages } of seenResources(scripts)) {
    const kinds = new Set(
      pages.flatMap((page) => judges.map((judge) => judge(resource, url, page).kind)),
    );
    if (kinds.has("allowed")) continue;
    if (kinds.has("unclear")) unclear += 1;
    else outside.add(resource.id);
  }
  return { scripts: scripts.filter(({ id }) => outside.has(id)), unclear };
}
