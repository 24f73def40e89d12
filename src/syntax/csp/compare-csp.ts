import { byText } from "../by-text.ts";
import { type FindCover, coversAmong } from "./csp-cover.ts";
import { cspDirectives } from "./csp-directives.ts";
import type { CspSource } from "./csp-source.ts";
import { distinctDirectives, parseCsp } from "./csp.ts";

/** What a policy permits afterwards: less, more, the same, or what cannot be put in one word. */
type CspDirection = "stricter" | "looser" | "equal" | "mixed";

/** One source that a directive gained or lost, or a directive that began or ceased to rule. */
export interface CspChange {
  readonly directive: string;
  /** `restricted`: nothing ruled the directive before; `freed`: nothing rules it now. */
  readonly verb: "added" | "removed" | "restricted" | "freed";
  /** In canonical form; "" for `restricted` and `freed`. */
  readonly source: string;
  /** `neutral`: what it matches is matched by another source anyway. */
  readonly effect: "stricter" | "looser" | "neutral" | "unclear";
}

/** What changes for a visitor's browser from one policy to the other. */
interface CspComparison {
  readonly direction: CspDirection;
  readonly changes: readonly CspChange[];
}

/** What rules a directive: the one named `by`, with the sources that count; not there where nothing does. */
interface Ruling {
  readonly by: string;
  readonly sources: readonly CspSource[];
}

type Policy = ReadonlyMap<string, readonly CspSource[]>;

/**
 * Compares what two policies permit, directive by directive, with fall-backs and sources that others
 * include taken into account (SERVICE.md E.2).
 *
 * A directive that both policies leave to the same other one is told under that one.
 */
export function compareCsp(before: string, after: string): CspComparison {
  const policies = [policyOf(before), policyOf(after)] as const;
  const named = new Set([...policies[0].keys(), ...policies[1].keys()]);
  const told = new Set<string>();
  const changes: CspChange[] = [];
  for (const name of named.union(new Set(cspDirectives.keys()))) {
    const [was, is] = [rulingOf(policies[0], name), rulingOf(policies[1], name)];
    const pair = `${was?.by ?? ""} ${is?.by ?? ""}`;
    if (!named.has(name) && told.has(pair)) continue;
    told.add(pair);
    for (const change of compareRulings(name, was, is)) changes.push(change);
  }
  return {
    direction: directionOf(changes),
    changes: changes.toSorted(
      byText(({ directive, verb, source }) => `${directive} ${verb} ${source}`),
    ),
  };
}

function policyOf(text: string): Policy {
  const { directives } = parseCsp(text);
  return new Map(
    distinctDirectives(directives).map(({ name, sources }) => [name, countingSources(sources)]),
  );
}

/** `'none'` matches nothing, and hashes, nonces or `'strict-dynamic'` switch `'unsafe-inline'` off (CSP Level 3). */
function countingSources(sources: readonly CspSource[]): readonly CspSource[] {
  const switchesOff = sources.some(
    ({ kind, text }) => kind === "hash" || kind === "nonce" || text === "'strict-dynamic'",
  );
  const unique = new Map(sources.map((source) => [source.text, source]));
  return [...unique.values()].filter(
    ({ kind, text }) => kind !== "none" && !(switchesOff && text === "'unsafe-inline'"),
  );
}

function rulingOf(policy: Policy, name: string): Ruling | undefined {
  const chain = [name, ...(cspDirectives.get(name)?.fallback ?? [])];
  const by = chain.find((candidate) => policy.has(candidate));
  return by === undefined ? undefined : { by, sources: policy.get(by) ?? [] };
}

function compareRulings(
  directive: string,
  was: Ruling | undefined,
  is: Ruling | undefined,
): readonly CspChange[] {
  if (was === undefined && is === undefined) return [];
  const strict = isRestricting(directive);
  if (was === undefined) {
    return [{ directive, verb: "restricted", source: "", effect: strict ? "stricter" : "neutral" }];
  }
  if (is === undefined) {
    return [{ directive, verb: "freed", source: "", effect: strict ? "looser" : "neutral" }];
  }
  const coverBefore = coversAmong(was.sources);
  const coverAfter = coversAmong(is.sources);
  return [
    ...difference(is.sources, was.sources).map((source): CspChange =>
      changeOf(directive, "added", source, coverBefore),
    ),
    ...difference(was.sources, is.sources).map((source): CspChange =>
      changeOf(directive, "removed", source, coverAfter),
    ),
  ];
}

/** Whether browsers heed the directive at all, and not for reports alone. */
function isRestricting(directive: string): boolean {
  return cspDirectives.has(directive) && !["report-to", "report-uri"].includes(directive);
}

function difference(
  these: readonly CspSource[],
  those: readonly CspSource[],
): readonly CspSource[] {
  const texts = new Set(those.map(({ text }) => text));
  return these.filter(({ text }) => !texts.has(text));
}

function changeOf(
  directive: string,
  verb: "added" | "removed",
  source: CspSource,
  findCover: FindCover,
): CspChange {
  const effect = isNeutral(directive, source, findCover)
    ? "neutral"
    : isUnclear(directive, source)
      ? "unclear"
      : verb === "added"
        ? "looser"
        : "stricter";
  return { directive, verb, source: source.text, effect };
}

function isNeutral(directive: string, source: CspSource, findCover: FindCover): boolean {
  const isReporting = source.text.startsWith("'report-");
  return !isRestricting(directive) || isReporting || findCover(source) !== undefined;
}

/** Tokens of directives without sources each have their own meaning; `'strict-dynamic'` replaces hosts by trust. */
function isUnclear(directive: string, source: CspSource): boolean {
  const isSourceList = cspDirectives.get(directive)?.value === "sources";
  return !isSourceList || source.text === "'strict-dynamic'";
}

function directionOf(changes: readonly CspChange[]): CspDirection {
  const effects = new Set(changes.map(({ effect }) => effect));
  effects.delete("neutral");
  if (effects.size === 0) return "equal";
  const [only = "unclear"] = effects;
  return effects.size > 1 || only === "unclear" || only === "neutral" ? "mixed" : only;
}
