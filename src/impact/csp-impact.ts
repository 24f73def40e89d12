import { forceOf, type Force, type PolicyTerms } from "../plan/policies/policy-terms.ts";
import { maliciousReasons, type SeenResource } from "../zone/inventory-item.ts";
import { policyJudge, type Judge, type NamedSource, type Verdict } from "./policy-judge.ts";
import { seenResources, type Seen } from "./seen-resources.ts";
import { UsedSources } from "./used-sources.ts";

/** A policy before and after a change; where nothing changes both are the same. */
export interface JudgedPolicy {
  /** `policy/checkout`, or with the id of one that is not ours. */
  readonly key: string;
  readonly title: string;
  /** `undefined`: it is not there yet. */
  readonly before: PolicyTerms | undefined;
  /** `undefined`: it goes. */
  readonly after: PolicyTerms | undefined;
}

/** Something that was seen, where, and why it is held for malicious. */
export interface Sighting {
  readonly resource: SeenResource;
  /** Pages on which what is said was found, as far as they are known. */
  readonly pages: readonly string[];
  /** Empty: it is not. */
  readonly malicious: readonly string[];
}

/** Something that the policy keeps out. */
export interface BlockedSighting extends Sighting {
  /** Whether it was no better off before the change on any of these pages: one that was only reported was. */
  readonly already: boolean;
}

/** Something of which it cannot be told whether the policy keeps it out. */
export interface UnclearSighting extends Sighting {
  readonly reason: string;
}

/** What a policy does to what was seen on the pages that it selects. */
export interface PolicyImpact {
  readonly policy: JudgedPolicy;
  /** What becomes of requests that do not fit, after the change. */
  readonly force: Force;
  /** How many resources were seen on pages that it selects, or may select. */
  readonly seen: number;
  readonly blocked: readonly BlockedSighting[];
  /** Kept out before, let in afterwards. */
  readonly newlyAllowed: readonly Sighting[];
  readonly allowedMalicious: readonly Sighting[];
  /** Sources for scripts and connections that match nothing that was seen on the hosts it selects. */
  readonly unseen: readonly NamedSource[];
  readonly unclear: readonly UnclearSighting[];
  /** Seen on a host that it selects, but on no page of which it is known that it selects it. */
  readonly elsewhere: number;
}

/** When an item is malicious. */
export interface ImpactOptions {
  readonly maliciousBelow: number;
}

/** What each policy does to what was seen. Items whose URL cannot be read take no part. */
export function cspImpact(
  policies: readonly JudgedPolicy[],
  resources: readonly SeenResource[],
  options: ImpactOptions,
): readonly PolicyImpact[] {
  const seen = seenResources(resources);
  return policies.map((policy) => impactOf(policy, seen, options));
}

function impactOf(
  policy: JudgedPolicy,
  seen: readonly Seen[],
  options: ImpactOptions,
): PolicyImpact {
  const before = policyJudge(policy.before);
  const after = policyJudge(policy.after);
  const used = new UsedSources(policy.after);
  const force = forceOf(policy.after);
  const isHarder = force === "blocks" && forceOf(policy.before) !== "blocks";
  const found = new Findings(isHarder, options);
  let elsewhere = 0;
  for (const each of seen) {
    const is = judgeAll(after, each);
    const was = judgeAll(before, each);
    used.note(is);
    if (is.kind !== "untouched" || was.kind !== "untouched") {
      found.add(each.resource, was, is);
      continue;
    }
    const verdict = elsewhereOnHost(after, each);
    used.note(verdict);
    elsewhere += verdict.kind === "untouched" ? 0 : 1;
  }
  const { seen: count, blocked, newlyAllowed, allowedMalicious, unclear } = found;
  const lists = { blocked, newlyAllowed, allowedMalicious, unclear };
  return { policy, force, seen: count, ...lists, unseen: used.unseen(), elsewhere };
}

/** Sorts what was seen by what becomes of it. */
class Findings {
  seen = 0;
  readonly blocked: BlockedSighting[] = [];
  readonly newlyAllowed: Sighting[] = [];
  readonly allowedMalicious: Sighting[] = [];
  readonly unclear: UnclearSighting[] = [];
  readonly #isHarder: boolean;
  readonly #options: ImpactOptions;

  /** @param isHarder whether the policy blocks from now on what it only reported before, or nothing. */
  constructor(isHarder: boolean, options: ImpactOptions) {
    this.#isHarder = isHarder;
    this.#options = options;
  }

  add(resource: SeenResource, was: PagesVerdict, is: PagesVerdict): void {
    this.seen += 1;
    const malicious = maliciousReasons(resource, this.#options.maliciousBelow);
    const sighting = { resource, pages: is.pages, malicious };
    if (is.kind === "blocked") {
      const already = !this.#isHarder && was.kind === "blocked" && isOnNoOtherPage(is, was);
      this.blocked.push({ ...sighting, already });
      return;
    }
    if (is.kind === "unclear") {
      this.unclear.push({ ...sighting, reason: is.reason });
      return;
    }
    if (was.kind === "blocked") this.newlyAllowed.push({ ...sighting, pages: was.pages });
    if (is.kind === "allowed" && malicious.length > 0) this.allowedMalicious.push(sighting);
  }
}

/** A verdict over all pages of a resource, and the pages that it holds for. */
type PagesVerdict = Verdict & { readonly pages: readonly string[] };

/** Blocked where one page blocks it, then unclear, then allowed. */
function judgeAll(judge: Judge, { resource, url, pages }: Seen): PagesVerdict {
  const verdicts = pages.map((page) => ({ page, verdict: judge(resource, url, page) }));
  for (const kind of ["blocked", "unclear", "allowed"] as const) {
    const found = verdicts.filter(({ verdict }) => verdict.kind === kind);
    const [first] = found;
    if (first === undefined) continue;
    const known = found.filter(({ page }) => !page.hostOnly).map(({ page }) => page.url.href);
    return { ...first.verdict, pages: known };
  }
  return nowhere;
}

const nowhere: PagesVerdict = { kind: "untouched", pages: [] };

function isOnNoOtherPage(is: PagesVerdict, was: PagesVerdict): boolean {
  return is.pages.every((page) => was.pages.includes(page));
}

/** The verdict on other pages of the same host, where the service named one page only; untouched where it named them all. */
function elsewhereOnHost(judge: Judge, { resource, url, pages }: Seen): Verdict {
  if (resource.pageUrls.length > 0) return { kind: "untouched" };
  const verdicts = pages
    .filter(({ hostOnly }) => !hostOnly)
    .map((page) => judge(resource, url, { ...page, hostOnly: true }));
  return verdicts.find(({ kind }) => kind !== "untouched") ?? { kind: "untouched" };
}
