import { type PolicyBehavior, forceOf } from "../plan/policies/policy-force.ts";
import { effectiveDirective } from "../syntax/csp/csp-match.ts";
import type { Script } from "../zone/inventory-item.ts";
import {
  type ObservedResource,
  pageSelector,
  policyEvaluator,
  observedResources,
} from "./policy-decision.ts";
import type { PageFacts } from "./selects-page.ts";

/** Scripts in use that the enforced policies of a zone do not account for. */
export interface OutsideScripts {
  /** No enforced policy lets them in on any page on which they were seen. */
  readonly scripts: readonly Script[];
  /** Of so many more it cannot be told. */
  readonly unclear: number;
}

/**
 * Finds the scripts that are outside every enforced policy: kept out by it, or on pages that none selects. One that
 * lets a script in accounts for it, though a browser also enforces the others on its page (SERVICE.md A.7).
 *
 * `undefined` where the zone enforces no policy on scripts: then everything is outside, and nobody wanted it otherwise.
 */
export function outsidePolicies(
  scripts: readonly Script[],
  policies: readonly PolicyBehavior[],
): OutsideScripts | undefined {
  const admits = policies.filter(isOnScripts).map(doorOf);
  if (admits.length === 0) return undefined;
  const outside = new Set<string>();
  const seen = observedResources(scripts);
  // What has no address that can be read cannot be judged.
  let unclear = scripts.length - seen.length;
  for (const each of seen) {
    const found = new Set(each.pages.flatMap((page) => admits.map((door) => door(each, page))));
    if (found.has("open")) continue;
    if (found.has("unclear")) unclear += 1;
    else outside.add(each.resource.id);
  }
  return { scripts: scripts.filter(({ id }) => outside.has(id)), unclear };
}

/** One that blocks, and not only frames or forms, say. */
function isOnScripts(policy: PolicyBehavior): boolean {
  return forceOf(policy) === "blocks" && effectiveDirective(policy.value, "script") !== undefined;
}

/** Whether a policy lets in what was seen on a page. */
type Door = (seen: ObservedResource, page: PageFacts) => "open" | "shut" | "unclear";

function doorOf(policy: PolicyBehavior): Door {
  const evaluate = policyEvaluator(policy);
  const selects = pageSelector(policy);
  return ({ resource, url }, page) => {
    const decision = evaluate(resource, url, page);
    if (decision.kind === "unclear") return "unclear";
    if (decision.kind !== "allowed") return "shut";
    return selects(page) === "yes" ? "open" : "unclear";
  };
}
