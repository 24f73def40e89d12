import { byText } from "../by-text.ts";
import { type FindCover, coversAmong } from "./csp-cover.ts";
import { cspDirectives } from "./csp-directives.ts";
import type { CspSource } from "./csp-source.ts";
import { type AppliedDirective, appliedDirective, distinctDirectives, parseCsp } from "./csp.ts";

/** How a policy changes: permits less, more, the same, or neither. */
type CspDirection = "stricter" | "looser" | "equal" | "mixed";

/** One source that a directive gained or lost, or a directive that began or ceased to apply. */
export interface CspChange {
  readonly directive: string;
  /** `restricted`: no directive applied before; `freed`: none applies now. */
  readonly verb: "added" | "removed" | "restricted" | "freed";
  /** In canonical form; "" for `restricted` and `freed`. */
  readonly source: string;
  /** `neutral`: another source matches the same. */
  readonly effect: "stricter" | "looser" | "neutral" | "unclear";
}

/** What changes for browsers from one policy to the other. */
interface CspComparison {
  readonly direction: CspDirection;
  readonly changes: readonly CspChange[];
}

type Policy = ReadonlyMap<string, readonly CspSource[]>;

/**
 * Compares what two policies permit for each directive, with fallbacks and sources that include
 * others (SERVICE.md E.2). A directive that falls back to the same other one in both policies is
 * reported under that one.
 */
export function compareCsp(before: string, after: string): CspComparison {
  const policies = [policyOf(before), policyOf(after)] as const;
  const named = new Set([...policies[0].keys(), ...policies[1].keys()]);
  const reported = new Set<string>();
  const changes: CspChange[] = [];
  for (const name of named.union(new Set(cspDirectives.keys()))) {
    const [was, is] = [appliedDirective(policies[0], name), appliedDirective(policies[1], name)];
    const pair = `${was?.directive ?? ""} ${is?.directive ?? ""}`;
    if (reported.has(pair)) continue;
    reported.add(pair);
    for (const change of compareApplied(name, was, is)) changes.push(change);
  }
  return {
    direction: directionOf(changes),
    changes: changes.toSorted(
      byText(({ directive, verb, source }) => `${directive} ${verb} ${source}`),
    ),
  };
}

function policyOf(text: string): Policy {
  return new Map(distinctDirectives(parseCsp(text)).map(({ name, sources }) => [name, sources]));
}

/**
 * `'none'` matches nothing. Valid hashes and nonces disable `'unsafe-inline'`, and for scripts
 * `'strict-dynamic'` does (CSP Level 3).
 */
function countingSources(sources: readonly CspSource[], forScripts: boolean): readonly CspSource[] {
  const disablesInline = sources.some(
    (source) =>
      ("isValid" in source && source.isValid) || (forScripts && source.text === "'strict-dynamic'"),
  );
  const unique = new Map(sources.map((source) => [source.text, source]));
  return [...unique.values()].filter(
    ({ kind, text }) => kind !== "none" && !(disablesInline && text === "'unsafe-inline'"),
  );
}

function compareApplied(
  directive: string,
  was: AppliedDirective | undefined,
  is: AppliedDirective | undefined,
): readonly CspChange[] {
  if (was === undefined && is === undefined) return [];
  const strict = isRestricting(directive);
  if (was === undefined) {
    return [{ directive, verb: "restricted", source: "", effect: strict ? "stricter" : "neutral" }];
  }
  if (is === undefined) {
    return [{ directive, verb: "freed", source: "", effect: strict ? "looser" : "neutral" }];
  }
  // Scripts and styles can both fall back to default-src.
  const forScripts =
    directive === "default-src" ? [true, false] : [directive.startsWith("script-src")];
  const changes = forScripts.flatMap((each) => {
    const before = countingSources(was.sources, each);
    const after = countingSources(is.sources, each);
    return [
      ...sourceChanges(directive, "added", after, before),
      ...sourceChanges(directive, "removed", before, after),
    ];
  });
  return [...new Map(changes.map((each) => [`${each.verb} ${each.source}`, each])).values()];
}

/** Whether browsers enforce the directive, and do not use it for reports only. */
function isRestricting(directive: string): boolean {
  return cspDirectives.has(directive) && !["report-to", "report-uri"].includes(directive);
}

/** The sources of `these` that are not among `those`. */
function sourceChanges(
  directive: string,
  verb: "added" | "removed",
  these: readonly CspSource[],
  those: readonly CspSource[],
): readonly CspChange[] {
  const texts = new Set(those.map(({ text }) => text));
  const findCover = coversAmong(those);
  const usual = verb === "added" ? "looser" : "stricter";
  return these
    .filter(({ text }) => !texts.has(text))
    .map((source) => {
      const effect = isUnclear(directive, source) ? "unclear" : usual;
      const isKept = isNeutral(directive, source, findCover);
      return { directive, verb, source: source.text, effect: isKept ? "neutral" : effect };
    });
}

function isNeutral(directive: string, source: CspSource, findCover: FindCover): boolean {
  const isReporting = source.text.startsWith("'report-");
  return !isRestricting(directive) || isReporting || findCover(source) !== undefined;
}

/**
 * Tokens of directives without sources have meanings of their own; `'strict-dynamic'` disables
 * hosts; some browsers ignore a malformed hash, and others let it disable `'unsafe-inline'`.
 */
function isUnclear(directive: string, source: CspSource): boolean {
  const isSourceList = cspDirectives.get(directive)?.value === "sources";
  const isMalformed = "isValid" in source && !source.isValid;
  return !isSourceList || isMalformed || source.text === "'strict-dynamic'";
}

function directionOf(changes: readonly CspChange[]): CspDirection {
  const effects = new Set(changes.map(({ effect }) => effect));
  effects.delete("neutral");
  if (effects.size === 0) return "equal";
  const [only = "unclear"] = effects;
  return effects.size > 1 || only === "unclear" || only === "neutral" ? "mixed" : only;
}
