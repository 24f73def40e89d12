import { matchesPage } from "../syntax/url-pattern.ts";
import type { Script } from "../zone/inventory-item.ts";
import type { LivePolicy } from "../zone/live-zone.ts";
import { unmarked } from "../zone/mark.ts";
import {
  blocksScripts,
  type PageFacts,
  type PolicyEvaluator,
  policyEvaluator,
} from "./policy-decision.ts";

/** What an enforced policy does to a script on some pages. */
export interface Enforcement {
  /** Key of the policy, or its description. */
  readonly policy: string;
  readonly decision: "allows" | "blocks" | "unclear";
}

/**
 * Tells which enforced policies allow or block a script on pages. Of a pattern, the page without
 * its last `*` stands for all, where no page of the script is known that the pattern matches.
 *
 * @param patterns host and path; `*` at the start or the end
 */
export function scriptEnforcement(
  policies: readonly LivePolicy[],
  patterns: readonly string[],
): (script: Script) => readonly Enforcement[] {
  const enforced = policies.filter(blocksScripts).map((policy) => ({
    name: nameOf(policy),
    evaluate: policyEvaluator(policy),
  }));
  const samples = patterns
    .filter((pattern) => !pattern.startsWith("*"))
    .map((pattern) => `https://${pattern.replace("*", "")}`)
    .flatMap(pageOf);
  return (script) => {
    const url = URL.parse(script.url);
    if (url === null) return [];
    const known = [script.firstPageUrl, ...script.pageUrls]
      .filter((page) => patterns.some((pattern) => matchesPage(pattern, page)))
      .flatMap(pageOf);
    const pages = known.length > 0 ? known : samples;
    return enforced.flatMap(({ name, evaluate }) => {
      const decision = decisionOn(pages, script, url, evaluate);
      return decision === undefined ? [] : [{ policy: name, decision }];
    });
  };
}

function nameOf({ id, description: marked }: LivePolicy): string {
  const { key, description } = unmarked(marked);
  return key ?? (description.trim() || id);
}

function pageOf(text: string): readonly PageFacts[] {
  const url = URL.parse(text);
  return url === null ? [] : [{ url, hostOnly: false }];
}

/** The strictest decision on any of the pages; `undefined` if the policy applies to none. */
function decisionOn(
  pages: readonly PageFacts[],
  script: Script,
  url: URL,
  evaluate: PolicyEvaluator,
): Enforcement["decision"] | undefined {
  const kinds = pages.map((page) => evaluate(script, url, page).kind);
  if (kinds.includes("blocked")) return "blocks";
  if (kinds.includes("unclear")) return "unclear";
  return kinds.includes("allowed") ? "allows" : undefined;
}
