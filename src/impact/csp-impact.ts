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

/** A policy before and after a change; where nothing changes both are the same. */
export interface ComparedPolicy {
  /** `policy/checkout`, or with the id of one that is not ours. */
  readonly key: string;
  readonly title: string;
  /** `undefined`: it is not there yet. */
  readonly before: PolicyBehavior | undefined;
  /** `undefined`: it goes. */
  readonly after: PolicyBehavior | undefined;
}

/** Something that was seen, where, and why it is held for malicious. */
export interface AffectedResource {
  readonly resource: SeenResource;
  /** Pages on which what is said was found, as far as they are known. */
  readonly pages: readonly string[];
  /** Empty: it is not. */
  readonly malicious: readonly string[];
}

/** Something that the policy keeps out. */
export interface BlockedResource extends AffectedResource {
  /** Whether it was no better off before the change on any of these pages: one that was only reported was. */
  readonly already: boolean;
}

/** Something of which it cannot be told whether the policy keeps it out. */
export interface UnclearResource extends AffectedResource {
  readonly reason: string;
}

/** What a policy does to what was seen on the pages that it selects. */
export interface PolicyImpact {
  readonly policy: ComparedPolicy;
  /** What becomes of requests that do not fit, after the change. */
  readonly force: Force;
  /** How many resources were seen on pages that it selects, or may select. */
  readonly seen: number;
  readonly blocked: readonly BlockedResource[];
  /** Kept out before, let in afterwards. */
  readonly newlyAllowed: readonly AffectedResource[];
  readonly allowedMalicious: readonly AffectedResource[];
  /** Sources for scripts and connections that match nothing that was seen on the hosts it selects. */
  readonly unseen: readonly NamedSource[];
  readonly unclear: readonly UnclearResource[];
  /** Seen on a host that it selects, but on no page of which it is known that it selects it. */
  readonly elsewhere: number;
}

/** When an item is malicious. */
interface ImpactOptions {
  readonly maliciousBelow: number;
}

/** What each policy does to what was seen. Items whose URL cannot be read take no part. */
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

/** Sorts what was seen by what becomes of it. */
class ImpactLists {
  seen = 0;
  readonly blocked: BlockedResource[] = [];
  readonly newlyAllowed: AffectedResource[] = [];
  readonly allowedMalicious: AffectedResource[] = [];
  readonly unclear: UnclearResource[] = [];
  readonly #isHarder: boolean;
  readonly #options: ImpactOptions;

  /** @param isHarder whether the policy blocks from now on what it only reported before, or nothing. */
  constructor(isHarder: boolean, options: ImpactOptions) {
    this.#isHarder = isHarder;
    this.#options = options;
  }

  add(resource: SeenResource, was: PagesDecision, is: PagesDecision): void {
    this.seen += 1;
    const malicious = maliciousReasons(resource, this.#options.maliciousBelow);
    const affected = { resource, pages: is.pages, malicious };
    if (is.kind === "blocked") {
      const already = !this.#isHarder && was.kind === "blocked" && isOnNoOtherPage(is, was);
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

/** A verdict over all pages of a resource, and the pages that it holds for. */
type PagesDecision = PolicyDecision & { readonly pages: readonly string[] };

/** Blocked where one page blocks it, then unclear, then allowed. */
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
  return nowhere;
}

const nowhere: PagesDecision = { kind: "untouched", pages: [] };

function isOnNoOtherPage(is: PagesDecision, was: PagesDecision): boolean {
  return is.pages.every((page) => was.pages.includes(page));
}

/** The verdict on other pages of the same host, where the service named one page only; untouched where it named them all. */
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

/** Kinds of sources that could match something that is seen. */
const matching: ReadonlySet<string> = new Set(["host", "scheme", "self", "star"]);

/** Keeps account of which sources of a policy match something that was seen. */
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

  /** Counts the sources that let something in. */
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
