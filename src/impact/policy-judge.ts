import { forceOf, type PolicyTerms } from "../plan/policies/policy-terms.ts";
import { cspRuling, sourceMatcher } from "../syntax/csp/csp-match.ts";
import type { CspSource } from "../syntax/csp/csp-source.ts";
import { parseExpression } from "../syntax/expression/expression.ts";
import type { SeenResource } from "../zone/inventory-item.ts";
import { selectsPage, type PageFacts, type Selected } from "./selects-page.ts";

/** A directive's source. */
export interface NamedSource {
  readonly directive: string;
  readonly source: CspSource;
}

/**
 * What a policy does when a page loads something: it does not apply to the page, lets it through by some of its
 * sources (none where no directive rules it), keeps it out, or cannot be told by what is known.
 */
export type Verdict =
  | { readonly kind: "untouched" }
  | { readonly kind: "allowed"; readonly by: readonly NamedSource[] }
  | { readonly kind: "blocked" }
  | { readonly kind: "unclear"; readonly reason: string };

/** Judges one resource on one page. */
export type Judge = (resource: SeenResource, url: URL, page: PageFacts) => Verdict;

/** Prepares a policy for judging many resources. One that neither blocks nor reports touches nothing. */
export function policyJudge(terms: PolicyTerms | undefined): Judge {
  const force = forceOf(terms);
  if (terms === undefined || force === "none") return () => untouched;
  const selects = pageSelector(terms);
  if (force === "unknown") {
    return (_resource, _url, page) => (selects(page) === "no" ? untouched : unknownAction);
  }
  const judges = {
    script: requestJudge(terms.value, "script"),
    connection: requestJudge(terms.value, "connection"),
  } as const;
  return (resource, url, page) => {
    const selected = selects(page);
    if (selected === "no") return untouched;
    const verdict = judges[resource.kind](resource, url, page.url);
    return verdict.kind === "blocked" && selected === "maybe" ? tooClever : verdict;
  };
}

/** Says which pages a policy selects; one whose expression cannot be read may select any. */
export function pageSelector({ expression }: PolicyTerms): (page: PageFacts) => Selected {
  const { tree } = parseExpression(expression);
  if (tree === undefined) return () => "maybe";
  // Pages are shared by many resources, and a URL takes itself apart anew each time that it is asked.
  const known = new WeakMap<PageFacts, Selected>();
  return (page) => {
    const selected = known.get(page) ?? selectsPage(tree, page);
    known.set(page, selected);
    return selected;
  };
}

const untouched: Verdict = { kind: "untouched" };
const blocked: Verdict = { kind: "blocked" };
const freely: Verdict = { kind: "allowed", by: [] };

const tooClever: Verdict = {
  kind: "unclear",
  reason: "its expression decides by more than the address of the page",
};
const unknownAction: Verdict = {
  kind: "unclear",
  reason: "its action is not one that is known",
};
const trusted: Verdict = {
  kind: "unclear",
  reason: "'strict-dynamic' lets in what trusted scripts load, whatever its host",
};
const hashed: Verdict = {
  kind: "unclear",
  reason: "its hash is allowed, which counts only where the page's tag carries it as integrity",
};
/** Without that setting the path of a connection is not known (SERVICE.md A.2). */
const pathless: Verdict = {
  kind: "unclear",
  reason: "the service logs only hosts of connections (use_connection_url_path is off)",
};

type JudgeRequest = (resource: SeenResource, url: URL, page: URL) => Verdict;

function requestJudge(value: string, request: SeenResource["kind"]): JudgeRequest {
  const ruling = cspRuling(value, request);
  if (ruling === undefined) return () => freely;
  const { directive, sources } = ruling;
  const matching = sourceMatcher(sources);
  const anyPath = sourceMatcher(sources.map(withoutPath));
  const digests = new Set(sources.flatMap((each) => (each.kind === "hash" ? [each.text] : [])));
  const isTrusting = sources.some(({ text }) => text === "'strict-dynamic'");
  return (resource, url, page) => {
    if (resource.kind === "script" && isTrusting) return trusted;
    const by = matching(url, page);
    if (by.length > 0) {
      return { kind: "allowed", by: by.map((source) => ({ directive, source })) };
    }
    if (resource.kind === "script") {
      return digests.size > 0 && digests.has(hashSource(resource.hash)) ? hashed : blocked;
    }
    return url.pathname === "/" && anyPath(url, page).length > 0 ? pathless : blocked;
  };
}

function withoutPath(source: CspSource): CspSource {
  return source.kind === "host" ? { ...source, path: "" } : source;
}

/** The source that allows a content by its hash, as the service tells it (SERVICE.md A.4); "" where it does not. */
export function hashSource(hex: string): string {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return "";
  const bytes = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return `'sha256-${btoa(String.fromCodePoint(...bytes))}'`;
}
