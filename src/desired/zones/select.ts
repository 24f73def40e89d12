import { globIgnoringCase } from "../../syntax/glob.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import type { DesiredZone, Selector, ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Problem } from "../../zone/problem.ts";
import type { KnownZones, Zone, ZoneName } from "../../zone/zone.ts";
import { problemAt } from "../problem-of.ts";
import { combine } from "./combine.ts";
import { type Declared, meantOf } from "./namesakes.ts";

/** Declared zones that were found in the listing, in its order, and what was wrong on the way. */
export interface Selection {
  /** No two of one name. */
  readonly zones: readonly DesiredZone[];
  readonly problems: readonly Problem[];
  /** Declared zones that are listed and left alone all the same, with the reason. */
  readonly leftAlone: ReadonlyMap<ZoneName, Problem>;
}

/**
 * Finds the zones that documents speak of. An explicit zone beats every selector; several selectors that fit one
 * zone must not want different things of it. A zone about which something is wrong is left out, the others stay.
 */
export function selectZones(
  documents: readonly ZoneDocument[],
  { zones, unlisted }: KnownZones,
): Selection {
  const explicit = findExplicit(documents, zones);
  const selectors = documents.flatMap((document) =>
    document.target.by === "selector"
      ? [{ document, fits: selectorMatcher(document.target.selector) }]
      : [],
  );
  const used = new Set<ZoneDocument>();
  const declared = zones.flatMap((zone): readonly Declared[] => {
    const fitting = selectors.filter(({ fits }) => fits(zone)).map(({ document }) => document);
    for (const document of fitting) used.add(document);
    const speaking = explicit.documents.get(zone.id) ?? fitting;
    const [first, ...others] = speaking;
    return first === undefined ? [] : [{ zone, documents: [first, ...others] }];
  });
  const unused = selectors.filter(({ document }) => !used.has(document));
  const { zones: found, problems, leftAlone } = choose(declared, unlisted);
  const idle = unused.map(({ document }) => fitsNothing(document));
  return { zones: found, problems: [...explicit.problems, ...problems, ...idle], leftAlone };
}

interface Explicit {
  readonly documents: ReadonlyMap<string, readonly ZoneDocument[]>;
  readonly problems: readonly Problem[];
}

/** Documents by the ids of the zones that they name: of those of one name, all. */
function findExplicit(documents: readonly ZoneDocument[], zones: readonly Zone[]): Explicit {
  const byName = Map.groupBy(zones, ({ name }) => name);
  const byId = new Map(zones.map((zone) => [zone.id, [zone]]));
  const found = new Map<string, ZoneDocument[]>();
  const problems: Problem[] = [];
  for (const document of documents) {
    const { target } = document;
    if (target.by === "selector") continue;
    const meant = target.by === "name" ? byName.get(target.name) : byId.get(target.id);
    if (meant === undefined) problems.push(notListed(document, byName.keys()));
    for (const { id } of meant ?? []) found.set(id, [...(found.get(id) ?? []), document]);
  }
  return { documents: found, problems };
}

/** Settles for each name which zone it stands for, and what that one shall be. */
function choose(declared: readonly Declared[], unlisted: KnownZones["unlisted"]): Selection {
  const found: DesiredZone[] = [];
  const problems: Problem[] = [];
  const leftAlone = new Map<ZoneName, Problem>();
  for (const [name, all] of Map.groupBy(declared, ({ zone }) => zone.name)) {
    const { meant, problem } = meantOf(all, unlisted);
    const choice = meant === undefined ? nothing : contentOf(meant);
    const why = choice.problem ?? problem;
    problems.push(...[problem, choice.problem].filter((each) => each !== undefined));
    if (meant !== undefined && choice.content !== undefined) {
      found.push({ zone: meant.zone, content: choice.content });
    } else if (why !== undefined) leftAlone.set(name, why);
  }
  return { zones: found, problems, leftAlone };
}

interface Choice {
  readonly content: ZoneContent | undefined;
  readonly problem: Problem | undefined;
}

const nothing: Choice = { content: undefined, problem: undefined };

function contentOf({ zone, documents: [first, ...others] }: Declared): Choice {
  return first.target.by === "selector"
    ? fromSelectors(zone, first, others)
    : fromExplicit(zone, first, others);
}

/** One zone can be named by its name in one file, and by its id in another. */
function fromExplicit(zone: Zone, first: ZoneDocument, [second]: readonly ZoneDocument[]): Choice {
  if (second === undefined) return { content: first.content, problem: undefined };
  const message = `the zone ${zone.name} (${zone.id}) is declared in ${placeText(first)} too`;
  const remedy = "keep one of the two; until then the zone is left alone";
  const problem = problemAt(second.place, "ZONE_TWICE", { message, remedy });
  return { content: undefined, problem };
}

function fromSelectors(zone: Zone, first: ZoneDocument, others: readonly ZoneDocument[]): Choice {
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

/** Without a pattern every text fits. */
function matcherOf(pattern: string | undefined): (text: string) => boolean {
  return pattern === undefined ? () => true : globIgnoringCase(pattern);
}

function conflict(zone: Zone, what: string, first: ZoneDocument, second: ZoneDocument): Problem {
  const message = `this selector and the one in ${placeText(first)} want different ${what} of ${zone.name}`;
  const remedy = "narrow one of them, or declare the zone by name; until then it is left alone";
  return problemAt(second.place, "SELECTOR_CONFLICT", { message, remedy });
}

function notListed(document: ZoneDocument, names: Iterable<string>): Problem {
  const { target } = document;
  const label = target.by === "name" ? target.name : target.by === "id" ? target.id : "";
  const guess = target.by === "name" ? didYouMean(target.name, names) : "";
  return problemAt(document.place, "ZONE_NOT_LISTED", {
    message: `the token does not see the zone ${label}`,
    remedy: guess || "give the token Zone Read for it, or delete the zone here",
  });
}

function fitsNothing(document: ZoneDocument): Problem {
  return problemAt(document.place, "SELECTOR_UNUSED", {
    message: "the selector fits no zone that the token sees",
    remedy: "check its patterns; `*` stands for any run of characters",
  });
}

function placeText({ place }: ZoneDocument): string {
  return `${place.file}, line ${place.line},`;
}
