import { forceOf } from "../plan/policies/policy-force.ts";
import { effectiveDirective, sourceMatcher } from "../syntax/csp/csp-match.ts";
import type { CspSource } from "../syntax/csp/csp-source.ts";
import { selects } from "../syntax/expression/evaluate-expression.ts";
import type { Expression } from "../syntax/expression/expression-tree.ts";
import { parseExpression } from "../syntax/expression/expression.ts";
import { type RequestFacts, valueOfField } from "../syntax/expression/request-facts.ts";
import { memoized } from "../syntax/remembered.ts";
import type { SeenResource } from "../zone/inventory-item.ts";
import type { PolicyBehavior } from "../zone/resource.ts";

export interface NamedSource {
  readonly directive: string;
  readonly source: CspSource;
}

/**
 * What a policy does when a page loads a resource: it does not apply to the page, allows it by some
 * of its sources (none if no directive applies), blocks it, or it is unclear which.
 */
export type PolicyDecision =
  | { readonly kind: "untouched" }
  | { readonly kind: "allowed"; readonly by: readonly NamedSource[] }
  | { readonly kind: "blocked" }
  | { readonly kind: "unclear"; readonly reason: string };

export type PolicyEvaluator = (resource: SeenResource, url: URL, page: PageFacts) => PolicyDecision;

/**
 * Prepares a policy for decisions about many resources. One that neither blocks nor reports affects
 * none.
 */
export function policyEvaluator(terms: PolicyBehavior | undefined): PolicyEvaluator {
  const force = forceOf(terms);
  if (terms === undefined || force === "none") return () => untouched;
  const selectionOf = pageSelector(terms);
  if (force === "unknown") {
    return (_resource, _url, page) => (selectionOf(page) === "no" ? untouched : unknownAction);
  }
  const evaluators = {
    script: requestEvaluator(terms.value, "script"),
    connection: requestEvaluator(terms.value, "connection"),
  } as const;
  return (resource, url, page) => {
    const selected = selectionOf(page);
    if (selected === "no") return untouched;
    const decision = evaluators[resource.kind](resource, url, page.url);
    return decision.kind === "blocked" && selected === "maybe" ? expressionUndecided : decision;
  };
}

/** Whether a policy blocks scripts, and not only frames or forms, for example. */
export function blocksScripts(policy: PolicyBehavior): boolean {
  return forceOf(policy) === "blocks" && effectiveDirective(policy.value, "script") !== undefined;
}

/** Tells which pages a policy selects; one with an invalid expression may select any. */
export function pageSelector({ expression }: PolicyBehavior): (page: PageFacts) => Selected {
  const { tree } = parseExpression(expression);
  if (tree === undefined) return () => "maybe";
  // Many resources share pages, and reading the parts of a URL is slow.
  return memoized((page: PageFacts) => selectsPage(tree, page));
}

/** Whether an expression selects a page; `maybe` if it depends on more than the URL of the page. */
type Selected = "yes" | "no" | "maybe";

export interface PageFacts {
  readonly url: URL;
  /** Only the host is known; the rest of the URL is a guess. */
  readonly hostOnly: boolean;
}

/** Whether `expression` selects requests for a page, before any rewriting (SERVICE.md A.7). */
function selectsPage(expression: Expression, { url, hostOnly }: PageFacts): Selected {
  const { host, pathname: path, protocol, search } = url;
  const request: RequestFacts = hostOnly
    ? { host }
    : { host, path, query: search.slice(1), ssl: protocol === "https:" };
  const selected = selects(expression, (field) => valueOfField(field, request));
  if (selected === undefined) return "maybe";
  return selected ? "yes" : "no";
}

const untouched: PolicyDecision = { kind: "untouched" };
const blocked: PolicyDecision = { kind: "blocked" };
const unrestricted: PolicyDecision = { kind: "allowed", by: [] };

const expressionUndecided = unclear("its expression depends on more than the URL of the page");
const unknownAction = unclear("its action is unknown");
const strictDynamic = unclear("'strict-dynamic' allows what trusted scripts load, from any host");
const hashAllowed = unclear("its hash is allowed, which needs the integrity attribute in the page");
/** Without that setting the paths of connections are unknown (SERVICE.md A.2). */
const pathUnknown = unclear(
  "the service logs only hosts of connections (use_connection_url_path is off)",
);

function unclear(reason: string): PolicyDecision {
  return { kind: "unclear", reason };
}

type RequestEvaluator = (resource: SeenResource, url: URL, page: URL) => PolicyDecision;

function requestEvaluator(value: string, request: SeenResource["kind"]): RequestEvaluator {
  const ruling = effectiveDirective(value, request);
  if (ruling === undefined) return () => unrestricted;
  const { directive, sources } = ruling;
  const named = new Map(sources.map((source) => [source, { directive, source }]));
  const matching = sourceMatcher(sources);
  const anyPath = sourceMatcher(sources.map(withoutPath));
  const texts = new Set(sources.map(({ text }) => text));
  const isTrusting = texts.has("'strict-dynamic'");
  return (resource, url, page) => {
    if (resource.kind === "script" && isTrusting) return strictDynamic;
    const by = matching(url, page);
    if (by.length > 0) {
      return { kind: "allowed", by: by.flatMap((source) => named.get(source) ?? []) };
    }
    if (resource.kind === "script") {
      return texts.has(hashSource(resource.hash)) ? hashAllowed : blocked;
    }
    return url.pathname === "/" && anyPath(url, page).length > 0 ? pathUnknown : blocked;
  };
}

function withoutPath(source: CspSource): CspSource {
  return source.kind === "host" ? { ...source, path: "" } : source;
}

/** The source for a hash in the form of the service (SERVICE.md A.4); "" if it has none. */
export function hashSource(hex: string): string {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return "";
  const bytes = Array.from(hex.matchAll(/../g), ([pair]) => Number.parseInt(pair, 16));
  return `'sha256-${btoa(String.fromCodePoint(...bytes))}'`;
}

export interface ObservedResource {
  readonly resource: SeenResource;
  readonly url: URL;
  readonly pages: readonly PageFacts[];
}

/** Parses the URLs of resources and their pages. Resources with an invalid URL are left out. */
export function observedResources(resources: readonly SeenResource[]): readonly ObservedResource[] {
  const pageAt = pageParser(false);
  const hostAt = pageParser(true);
  return resources.flatMap((resource) => {
    const url = URL.parse(resource.url);
    if (url === null) return [];
    // In most lists the service returns only the first page (SERVICE.md A.4).
    const { pageUrls, firstPageUrl, host } = resource;
    const pages = pageUrls.length > 0 ? pageUrls.flatMap(pageAt) : pageAt(firstPageUrl);
    return { resource, url, pages: pages.length > 0 ? pages : hostAt(`https://${host}/`) };
  });
}

/** Parses the URLs of pages, each once as many resources share it. An invalid one has no page. */
function pageParser(hostOnly: boolean): (text: string) => readonly PageFacts[] {
  const known = new Map<string, readonly PageFacts[]>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const url = URL.parse(text);
    const pages = url === null ? [] : [{ url, hostOnly }];
    known.set(text, pages);
    return pages;
  };
}
