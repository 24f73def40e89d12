import { cspDirectives } from "./csp-directives.ts";
import { matchesSource } from "./csp-source-match.ts";
import type { CspSource } from "./csp-source.ts";
import { effectiveDirectives, parseCsp } from "./csp.ts";

/** What a page asks for, as far as policies tell requests apart. */
export type CspRequest = "script" | "connection";

/** The sources that match a URL loaded by a page; none: it is blocked. */
export type MatchSources = (url: URL, page: URL) => readonly CspSource[];

/** The directive of a policy that rules a kind of request. */
export interface CspRuling {
  /** May be a fall-back. */
  readonly directive: string;
  readonly sources: readonly CspSource[];
}

/** Directives of requests; the first that a policy names, fall-backs after it, rules. */
const directives = { script: "script-src-elem", connection: "connect-src" } as const;

/** What rules requests of one kind; `undefined`: nothing, so that all are allowed. */
export function cspRuling(policy: string, request: CspRequest): CspRuling | undefined {
  const named = new Map(
    effectiveDirectives(parseCsp(policy).directives).map(({ name, sources }) => [name, sources]),
  );
  const name = directives[request];
  const chain = [name, ...(cspDirectives.get(name)?.fallback ?? [])];
  const directive = chain.find((each) => named.has(each));
  return directive === undefined ? undefined : { directive, sources: named.get(directive) ?? [] };
}

/**
 * Prepares sources for being held against many URLs, as browsers do (CSP Level 3, "Does url match source list").
 *
 * Sources are kept by the host that they speak of, so that a URL is held against few of a long list.
 */
export function sourceMatcher(sources: readonly CspSource[]): MatchSources {
  const everywhere: CspSource[] = [];
  const byHost = new Map<string, CspSource[]>();
  for (const source of sources) {
    if (source.kind !== "host" || source.host === "*") everywhere.push(source);
    else {
      const same = byHost.get(source.host);
      if (same === undefined) byHost.set(source.host, [source]);
      else same.push(source);
    }
  }
  return (url, page) => {
    const candidates = hostsAbove(url.hostname).flatMap((host) => byHost.get(host) ?? []);
    return [...candidates, ...everywhere].filter((source) => matchesSource(source, url, page));
  };
}

/** A host and the wildcards that take it in. */
function hostsAbove(host: string): readonly string[] {
  const hosts = [host];
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
    hosts.push(`*${host.slice(dot)}`);
  }
  return hosts;
}
