import { type Force, type PolicyBehavior, forceOf } from "../plan/policies/policy-force.ts";
import { effectiveDirective } from "../syntax/csp/csp-match.ts";
import { type SeenResource, maliciousReasons } from "../zone/inventory-item.ts";
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

/** A script or connection that a policy affects. */
export interface AffectedResource {
  readonly resource: SeenResource;
  /** Known pages on which it is affected. */
  readonly pages: readonly string[];
  /** Why it is malicious; empty: it is not. */
  readonly malicious: readonly string[];
}

/** A resource that the policy blocks. */
export interface BlockedResource extends AffectedResource {
  /** Whether it was blocked before on all of these pages; a report is not a block. */
  readonly already: boolean;
}

/** A resource that the policy may block. */
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

interface ImpactOptions {
  readonly maliciousBelow: number;
}

/** The impact of each policy. Resources with an invalid URL are ignored. */
export function cspImpact(
  policies: readonly ComparedPolicy[],
  resources: readonly SeenResource[],
  options: ImpactOptions,
): readonly PolicyImpact[] {
  const seen = observedResources(resources);
  return policies.map((policy) => impactOf(policy, seen, options));
}

function impactOf(
  policy: ComparedPolicy,
  seen: readonly ObservedResource[],
  options: ImpactOptions,
): PolicyImpact {
  const before = policyEvaluator(policy.before);
  const after = policyEvaluator(policy.after);
  const used = new UsedSources(policy.after);
  const force = forceOf(policy.after);
  const isHarder = force === "blocks" && forceOf(policy.before) !== "blocks";
  const found = new ImpactLists(isHarder, options);
  let elsewhere = 0;
  for (const each of seen) {
    const is = decisionFor(after, each);
    const was = decisionFor(before, each);
    used.record(is);
    if (is.kind !== "untouched" || was.kind !== "untouched") {
      found.add(each.resource, was, is);
      continue;
    }
    const decision = elsewhereOnHost(after, each);
    used.record(decision);
    elsewhere += decision.kind === "untouched" ? 0 : 1;
  }
  const { seen: count, blocked, newlyAllowed, allowedMalicious, unclear } = found;
  const lists = { blocked, newlyAllowed, allowedMalicious, unclear };
  return { policy, force, seen: count, ...lists, unseen: used.unseen(), elsewhere };
}

/** Resources by what happens to them. */
class ImpactLists {
  seen = 0;
  readonly blocked: BlockedResource[] = [];
  readonly newlyAllowed: AffectedResource[] = [];
  readonly allowedMalicious: AffectedResource[] = [];
  readonly unclear: UnclearResource[] = [];
  readonly #isHarder: boolean;
  readonly #options: ImpactOptions;

  /** @param isHarder whether the policy starts to block. */
  constructor(isHarder: boolean, options: ImpactOptions) {
    this.#isHarder = isHarder;
    this.#options = options;
  }

  add(resource: SeenResource, was: PagesDecision, is: PagesDecision): void {
    this.seen += 1;
    const malicious = maliciousReasons(resource, this.#options.maliciousBelow);
    const affected = { resource, pages: is.pages, malicious };
    if (is.kind === "blocked") {
      const already = !this.#isHarder && was.kind === "blocked" && isOnSamePages(is, was);
      this.blocked.push({ ...affected, already });
      return;
    }
    if (is.kind === "unclear") {
      this.unclear.push({ ...affected, reason: is.reason });
      return;
    }
    if (was.kind === "blocked") this.newlyAllowed.push({ ...affected, pages: was.pages });
    if (is.kind === "allowed" && malicious.length > 0) this.allowedMalicious.push(affected);
  }
}

/** A decision for all pages of a resource, and the pages with that decision. */
type PagesDecision = PolicyDecision & { readonly pages: readonly string[] };

/** Blocked if one page blocks it, else unclear if one is unclear, else allowed. */
function decisionFor(
  evaluate: PolicyEvaluator,
  { resource, url, pages }: ObservedResource,
): PagesDecision {
  const decisions = pages.map((page) => ({ page, decision: evaluate(resource, url, page) }));
  for (const kind of ["blocked", "unclear", "allowed"] as const) {
    const found = decisions.filter(({ decision }) => decision.kind === kind);
    const [first] = found;
    if (first === undefined) continue;
    const known = found.filter(({ page }) => !page.hostOnly).map(({ page }) => page.url.href);
    return { ...first.decision, pages: known };
  }
  return untouchedPages;
}

const untouchedPages: PagesDecision = { kind: "untouched", pages: [] };

function isOnSamePages(is: PagesDecision, was: PagesDecision): boolean {
  return is.pages.every((page) => was.pages.includes(page));
}

/** The decision for other pages of the host; untouched if the service returned all pages. */
function elsewhereOnHost(
  evaluate: PolicyEvaluator,
  { resource, url, pages }: ObservedResource,
): PolicyDecision {
  if (resource.pageUrls.length > 0) return { kind: "untouched" };
  const decisions = pages
    .filter(({ hostOnly }) => !hostOnly)
    .map((page) => evaluate(resource, url, { ...page, hostOnly: true }));
  return decisions.find(({ kind }) => kind !== "untouched") ?? { kind: "untouched" };
}

/** Kinds of sources that can match a resource. */
const matching: ReadonlySet<string> = new Set(["host", "scheme", "self", "star"]);

/** Tracks which sources of a policy match a resource. */
class UsedSources {
  readonly #sources: ReadonlyMap<string, NamedSource>;
  readonly #used = new Set<string>();

  constructor(policy: PolicyBehavior | undefined) {
    const force = forceOf(policy);
    const rulings =
      policy !== undefined && (force === "blocks" || force === "reports")
        ? [
            effectiveDirective(policy.value, "script"),
            effectiveDirective(policy.value, "connection"),
          ]
        : [];
    const sources = rulings.flatMap((ruling) =>
      (ruling?.sources ?? [])
        .filter(({ kind }) => matching.has(kind))
        .map((source) => ({ directive: ruling?.directive ?? "", source })),
    );
    this.#sources = new Map(sources.map((each) => [nameOf(each), each]));
  }

  /** Records the sources that allow a resource. */
  record(decision: PolicyDecision): void {
    if (decision.kind !== "allowed") return;
    for (const each of decision.by) this.#used.add(nameOf(each));
  }

  /** The sources that matched nothing. */
  unseen(): readonly NamedSource[] {
    return [...this.#sources].filter(([name]) => !this.#used.has(name)).map(([, each]) => each);
  }
}

function nameOf({ directive, source }: NamedSource): string {
  return `${directive} ${source.text}`;
}
