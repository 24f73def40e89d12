import { didYouMean } from "../syntax/nearest.ts";
import type { DesiredZone, Selector, ZoneContent, ZoneDocument } from "../zone/desired.ts";
import { problemCodes } from "../zone/problem-codes.ts";
import type { ProblemCode } from "../zone/problem-codes.ts";
import type { Problem } from "../zone/problem.ts";
import type { Zone } from "../zone/zone.ts";
import { combine } from "./combine.ts";
import { matcherOf } from "./pattern.ts";
import type { Words } from "./problem-of.ts";

/** Declared zones that were found in the listing, in its order, and what was wrong on the way. */
export interface Selection {
  readonly zones: readonly DesiredZone[];
  readonly problems: readonly Problem[];
}

/**
 * Finds the zones that documents speak of. An explicit zone beats every selector; several selectors that fit one
 * zone must not want different things of it. A zone about which something is wrong is left out, the others stay.
 */
export function selectZones(documents: readonly ZoneDocument[], zones: readonly Zone[]): Selection {
  const explicit = findExplicit(documents, zones);
  const selectors = documents.flatMap((document) =>
    document.target.by === "selector"
      ? [{ document, fits: selectorMatcher(document.target.selector) }]
      : [],
  );
  const used = new Set<ZoneDocument>();
  const found: DesiredZone[] = [];
  const problems = [...explicit.problems];
  for (const zone of zones) {
    const own = explicit.documents.get(zone.id);
    const fitting = selectors.filter(({ fits }) => fits(zone)).map(({ document }) => document);
    for (const document of fitting) used.add(document);
    const { content, problem } =
      own === undefined ? fromSelectors(zone, fitting) : fromExplicit(zone, own);
    if (content !== undefined) found.push({ zone, content });
    if (problem !== undefined) problems.push(problem);
  }
  const unused = selectors.filter(({ document }) => !used.has(document));
  return {
    zones: found,
    problems: [...problems, ...unused.map(({ document }) => fitsNothing(document))],
  };
}

interface Explicit {
  readonly documents: ReadonlyMap<string, readonly ZoneDocument[]>;
  readonly problems: readonly Problem[];
}

/** Documents by the id of the zone that they name. */
function findExplicit(documents: readonly ZoneDocument[], zones: readonly Zone[]): Explicit {
  const byName = new Map(zones.map((zone) => [zone.name, zone.id]));
  const ids = new Set(zones.map(({ id }) => id));
  const found = new Map<string, ZoneDocument[]>();
  const problems: Problem[] = [];
  for (const document of documents) {
    const { target } = document;
    if (target.by === "selector") continue;
    const id = target.by === "name" ? byName.get(target.name) : target.id;
    if (id === undefined || !ids.has(id)) problems.push(notListed(document, byName.keys()));
    else found.set(id, [...(found.get(id) ?? []), document]);
  }
  return { documents: found, problems };
}

interface Choice {
  readonly content: ZoneContent | undefined;
  readonly problem: Problem | undefined;
}

/** One zone can be named by its name in one file, and by its id in another. */
function fromExplicit(zone: Zone, documents: readonly ZoneDocument[]): Choice {
  const [first, second] = documents;
  if (first === undefined || second === undefined) {
    return { content: first?.content, problem: undefined };
  }
  const message = `the zone ${zone.name} (${zone.id}) is declared in ${placeText(first)} too`;
  const remedy = "keep one of the two; until then the zone is left alone";
  return { content: undefined, problem: problemOf(second, "ZONE_TWICE", { message, remedy }) };
}

function fromSelectors(zone: Zone, documents: readonly ZoneDocument[]): Choice {
  const [first, ...others] = documents;
  if (first === undefined) return { content: undefined, problem: undefined };
  let content = first.content;
  for (const document of others) {
    const combined = combine(content, document.content);
    if ("conflict" in combined) {
      return { content: undefined, problem: conflict(zone, combined.conflict, first, document) };
    }
    content = combined.content;
  }
  return { content, problem: undefined };
}

function selectorMatcher({ name, account, status, plan }: Selector): (zone: Zone) => boolean {
  const [fitsName, fitsAccount, fitsStatus, fitsPlan] = [
    matcherOf(name),
    matcherOf(account),
    matcherOf(status),
    matcherOf(plan),
  ];
  return (zone) =>
    fitsName(zone.name) &&
    (fitsAccount(zone.accountName) || fitsAccount(zone.accountId)) &&
    fitsStatus(zone.status) &&
    fitsPlan(zone.plan);
}

function conflict(zone: Zone, what: string, first: ZoneDocument, second: ZoneDocument): Problem {
  const message = `this selector and the one in ${placeText(first)} want different ${what} of ${zone.name}`;
  const remedy = "narrow one of them, or declare the zone by name; until then it is left alone";
  return problemOf(second, "SELECTOR_CONFLICT", { message, remedy });
}

function notListed(document: ZoneDocument, names: Iterable<string>): Problem {
  const { target } = document;
  const label = target.by === "name" ? target.name : target.by === "id" ? target.id : "";
  const guess = target.by === "name" ? didYouMean(target.name, names) : "";
  return problemOf(document, "ZONE_NOT_LISTED", {
    message: `the token does not see the zone ${label}`,
    remedy: guess || "give the token Zone Read for it, or delete the zone here",
  });
}

function fitsNothing(document: ZoneDocument): Problem {
  return problemOf(document, "SELECTOR_UNUSED", {
    message: "the selector fits no zone that the token sees",
    remedy: "check its patterns; `*` stands for any run of characters",
  });
}

function placeText({ place }: ZoneDocument): string {
  return `${place.file}, line ${place.line},`;
}

function problemOf({ place }: ZoneDocument, code: ProblemCode, words: Words): Problem {
  return { code, severity: problemCodes[code].severity, place, path: "", ...words };
}
