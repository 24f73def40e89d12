import type { Script } from "../zone/inventory-item.ts";
import type { PolicyBehavior } from "../zone/resource.ts";
import {
  type ObservedResource,
  type PageFacts,
  type PolicyDecision,
  blocksScripts,
  pageSelector,
  policyEvaluator,
  observedResources,
} from "./policy-decision.ts";

/** Scripts in use that no enforced policy of a zone allows. */
export interface OutsideScripts {
  /** No enforced policy allows them on any page on which they were reported. */
  readonly scripts: readonly Script[];
  /** Number of further scripts that may be outside. */
  readonly unclear: number;
}

/**
 * Finds the scripts that are outside every enforced policy: blocked, or on pages that none selects.
 * One policy that allows a script is enough, though browsers also enforce the others on its page
 * (SERVICE.md A.7). `undefined` if the zone enforces no policy on scripts.
 */
export function outsidePolicies(
  scripts: readonly Script[],
  policies: readonly PolicyBehavior[],
): OutsideScripts | undefined {
  const admits = policies.filter(blocksScripts).map(admitsOf);
  if (admits.length === 0) return undefined;
  const outside = new Set<string>();
  const seen = observedResources(scripts);
  // A script with an invalid URL has no decision.
  let unclear = scripts.length - seen.length;
  for (const each of seen) {
    const found = new Set(each.pages.flatMap((page) => admits.map((admit) => admit(each, page))));
    if (found.has("allowed")) continue;
    if (found.has("unclear")) unclear += 1;
    else outside.add(each.resource.id);
  }
  return { scripts: scripts.filter(({ id }) => outside.has(id)), unclear };
}

type Admits = (seen: ObservedResource, page: PageFacts) => PolicyDecision["kind"];

function admitsOf(policy: PolicyBehavior): Admits {
  const evaluate = policyEvaluator(policy);
  const selects = pageSelector(policy);
  return ({ resource, url }, page) => {
    const { kind } = evaluate(resource, url, page);
    return kind === "allowed" && selects(page) === "maybe" ? "unclear" : kind;
  };
}
