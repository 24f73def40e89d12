import { type Force, forceOf } from "../plan/policies/policy-force.ts";
import { effectiveDirective } from "../syntax/csp/csp-match.ts";
import { type SeenResource, maliciousReasons } from "../zone/inventory-item.ts";
import type { PolicyBehavior } from "../zone/resource.ts";
import {
  type PolicyEvaluator,
  type NamedSource,
  type ObservedResource,
  type PolicyDecision,
  policyEvaluator,
  observedResources,
} from "./policy-decision.ts";

/** A policy before and after a plan; both are the same if it does not change. */
export interface ComparedPolicy {
  /** `policy/checkout`, or with the id of an unmanaged policy. */
  readonly key: string;
  readonly title: string;
  /** `undefined`: created. */
  readonly before: PolicyBehavior | undefined;
  /** `undefined`: deleted. */
  readonly after: PolicyBehavior | undefined;
}

export interface AffectedResource {
  readonly resource: SeenResource;
  /** Known pages on which it is affected. */
  readonly pages: readonly string[];
  /** Why it is malicious; empty: it is not. */
  readonly malicious: readonly string[];
}

export interface BlockedResource extends AffectedResource {
  /** Whether it was blocked before on all of these pages; a report is not a block. */
  readonly already: boolean;
}

export interface UnclearResource extends AffectedResource {
  readonly reason: string;
}

/** What a policy does to the resources on the pages that it selects. */
export interface PolicyImpact {
  readonly policy: ComparedPolicy;
  /** What happens to requests that do not match, after the change. */
  readonly force: Force;
  /** Number of resources on pages that it selects or may select. */
  readonly seen: number;
  readonly blocked: readonly BlockedResource[];
  /** Blocked before, allowed afterwards. */
  readonly newlyAllowed: readonly AffectedResource[];
  readonly allowedMalicious: readonly AffectedResource[];
  /** Sources for scripts and connections that match no resource on the hosts that it selects. */
  readonly unseen: readonly NamedSource[];
  readonly unclear: readonly UnclearResource[];
  /** Number of resources on a host that it selects, but on no page that it is known to select. */
  readonly elsewhere: number;
}

/** The impact of each policy. Resources with an invalid URL are ignored. */
export function cspImpact(
  policies: readonly ComparedPolicy[],
  resources: readonly SeenResource[],
  { maliciousBelow }: { readonly maliciousBelow: number },
): readonly PolicyImpact[] {
  const observed = observedResources(resources);
  return policies.map((policy) => impactOf(policy, observed, maliciousBelow));
}

function impactOf(
  policy: ComparedPolicy,
  observed: readonly ObservedResource[],
  maliciousBelow: number,
): PolicyImpact {
  const before = policyEvaluator(policy.before);
  const after = policyEvaluator(policy.after);
  const force = forceOf(policy.after);
  const startsToBlock = force === "blocks" && forceOf(policy.before) !== "blocks";
  const lists: ImpactLists = { blocked: [], newlyAllowed: [], allowedMalicious: [], unclear: [] };
  const used = new Set<NamedSource>();
  let seen = 0;
  let elsewhere = 0;
  for (const each of observed) {
    const was = decisionFor(before, each);
    const is = decisionFor(after, each);
    const isSelected = is.kind !== "untouched" || was.kind !== "untouched";
    const decision = isSelected ? is : elsewhereOnHost(after, each);
    if (decision.kind === "allowed") for (const source of decision.by) used.add(source);
    if (isSelected) {
      seen += 1;
      const malicious = maliciousReasons(each.resource, maliciousBelow);
      const affected = { resource: each.resource, pages: is.pages, malicious };
      addToLists(lists, affected, was, is, startsToBlock);
    } else if (decision.kind !== "untouched") elsewhere += 1;
  }
  const usedNames = new Set(used.values().map(nameOf));
  const unseen = matchableSources(policy.after).filter((source) => !usedNames.has(nameOf(source)));
  return { policy, force, seen, ...lists, unseen, elsewhere };
}

interface ImpactLists {
  readonly blocked: BlockedResource[];
  readonly newlyAllowed: AffectedResource[];
  readonly allowedMalicious: AffectedResource[];
  readonly unclear: UnclearResource[];
}

function addToLists(
  lists: ImpactLists,
  affected: AffectedResource,
  was: PagesDecision,
  is: PagesDecision,
  startsToBlock: boolean,
): void {
  if (is.kind === "blocked") {
    const wasBlocked = !startsToBlock && was.kind === "blocked";
    const already = wasBlocked && is.pages.every((page) => was.pages.includes(page));
    lists.blocked.push({ ...affected, already });
  } else if (is.kind === "unclear") lists.unclear.push({ ...affected, reason: is.reason });
  else {
    if (was.kind === "blocked") lists.newlyAllowed.push({ ...affected, pages: was.pages });
    if (is.kind === "allowed" && affected.malicious.length > 0) {
      lists.allowedMalicious.push(affected);
    }
  }
}

/** A decision for all pages of a resource, and the pages with that decision. */
type PagesDecision = PolicyDecision & { readonly pages: readonly string[] };

/** Blocked if one page blocks it, else unclear if one is unclear, else allowed. */
function decisionFor(
  evaluate: PolicyEvaluator,
  { resource, url, pages }: ObservedResource,
): PagesDecision {
  const decisions = pages.map((page) => evaluate(resource, url, page));
  for (const kind of ["blocked", "unclear", "allowed"] as const) {
    const first = decisions.find((decision) => decision.kind === kind);
    if (first === undefined) continue;
    const known = pages.filter((page, index) => decisions[index]?.kind === kind && !page.hostOnly);
    return { ...first, pages: known.map((page) => page.url.href) };
  }
  return untouchedPages;
}

const untouchedPages: PagesDecision = { kind: "untouched", pages: [] };

/** The decision for other pages of the host; untouched if the service returned all pages. */
function elsewhereOnHost(
  evaluate: PolicyEvaluator,
  { resource, url, pages }: ObservedResource,
): PolicyDecision {
  if (resource.pageUrls.length > 0) return { kind: "untouched" };
  const decisions = pages.map((page) => evaluate(resource, url, { ...page, hostOnly: true }));
  return decisions.find(({ kind }) => kind !== "untouched") ?? { kind: "untouched" };
}

/** The sources of a policy that can match a script or connection. */
function matchableSources(policy: PolicyBehavior | undefined): readonly NamedSource[] {
  if (policy === undefined || !["blocks", "reports"].includes(forceOf(policy))) return [];
  const sources = (["script", "connection"] as const).flatMap((request) => {
    const effective = effectiveDirective(policy.value, request);
    if (effective === undefined) return [];
    return effective.sources
      .filter(({ kind }) => ["host", "scheme", "self", "star"].includes(kind))
      .map((source) => ({ directive: effective.directive, source }));
  });
  return [...new Map(sources.map((each) => [nameOf(each), each])).values()];
}

function nameOf({ directive, source }: NamedSource): string {
  return `${directive} ${source.text}`;
}
