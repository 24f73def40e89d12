import { globIgnoringCase } from "../../syntax/glob.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import type { DesiredZone, Selector, ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { KnownZones, Zone, ZoneName } from "../../zone/zone.ts";
import { problemAt } from "../diagnostics.ts";
import { combine } from "./combine-selectors.ts";
import { type Declared, resolveNamesakes } from "./namesakes.ts";

/** Declared zones that were found in the listing, in its order, and what was wrong on the way. */
export interface Selection {
  /** No two of one name. */
  readonly zones: readonly DesiredZone[];
  readonly diagnostics: readonly Diagnostic[];
  /** Declared zones that are listed and left alone all the same, with the reason. */
  readonly leftAlone: ReadonlyMap<ZoneName, Diagnostic>;
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
  const { zones: found, diagnostics, leftAlone } = choose(declared, unlisted);
  const idle = unused.map(({ document }) => fitsNothing(document));
  return {
    zones: found,
    diagnostics: [...explicit.diagnostics, ...diagnostics, ...idle],
    leftAlone,
  };
}

interface Explicit {
  readonly documents: ReadonlyMap<string, readonly ZoneDocument[]>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Documents by the ids of the zones that they name: of those of one name, all. */
function findExplicit(documents: readonly ZoneDocument[], zones: readonly Zone[]): Explicit {
  const byName = Map.groupBy(zones, ({ name }) => name);
  const byId = new Map(zones.map((zone) => [zone.id, [zone]]));
  const found = new Map<string, ZoneDocument[]>();
  const diagnostics: Diagnostic[] = [];
  for (const document of documents) {
    const { target } = document;
    if (target.by === "selector") continue;
    const meant = target.by === "name" ? byName.get(target.name) : byId.get(target.id);
    if (meant === undefined) diagnostics.push(notListed(document, byName.keys()));
    for (const { id } of meant ?? []) found.set(id, [...(found.get(id) ?? []), document]);
  }
  return { documents: found, diagnostics };
}

/** Settles for each name which zone it stands for, and what that one shall be. */
function choose(declared: readonly Declared[], unlisted: KnownZones["unlisted"]): Selection {
  const found: DesiredZone[] = [];
  const diagnostics: Diagnostic[] = [];
  const leftAlone = new Map<ZoneName, Diagnostic>();
  for (const [name, all] of Map.groupBy(declared, ({ zone }) => zone.name)) {
    const { meant, diagnostic } = resolveNamesakes(all, unlisted);
    const choice = meant === undefined ? nothing : contentOf(meant);
    const why = choice.diagnostic ?? diagnostic;
    diagnostics.push(...[diagnostic, choice.diagnostic].filter((each) => each !== undefined));
    if (meant !== undefined && choice.content !== undefined) {
      found.push({ zone: meant.zone, content: choice.content });
    } else if (why !== undefined) leftAlone.set(name, why);
  }
  return { zones: found, diagnostics, leftAlone };
}

interface Choice {
  readonly content: ZoneContent | undefined;
  readonly diagnostic: Diagnostic | undefined;
}

const nothing: Choice = { content: undefined, diagnostic: undefined };

function contentOf({ zone, documents: [first, ...others] }: Declared): Choice {
  return first.target.by === "selector"
    ? fromSelectors(zone, first, others)
    : fromExplicit(zone, first, others);
}

/** One zone can be named by its name in one file, and by its id in another. */
function fromExplicit(zone: Zone, first: ZoneDocument, [second]: readonly ZoneDocument[]): Choice {
  if (second === undefined) return { content: first.content, diagnostic: undefined };
  const message = `the zone ${zone.name} (${zone.id}) is declared in ${placeText(first)} too`;
  const remedy = "keep one of the two; until then the zone is left alone";
  const diagnostic = problemAt(second.place, "ZONE_TWICE", { message, remedy });
  return { content: undefined, diagnostic };
}

function fromSelectors(zone: Zone, first: ZoneDocument, others: readonly ZoneDocument[]): Choice {
  let content = first.content;
  for (const document of others) {
    const combined = combine(content, document.content);
    if ("conflict" in combined) {
      return { content: undefined, diagnostic: conflict(zone, combined.conflict, first, document) };
    }
    content = combined.content;
  }
  return { content, diagnostic: undefined };
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

function conflict(zone: Zone, what: string, first: ZoneDocument, second: ZoneDocument): Diagnostic {
  const message = `this selector and the one in ${placeText(first)} want different ${what} of ${zone.name}`;
  const remedy = "narrow one of them, or declare the zone by name; until then it is left alone";
  return problemAt(second.place, "SELECTOR_CONFLICT", { message, remedy });
}

function notListed(document: ZoneDocument, names: Iterable<string>): Diagnostic {
  const { target } = document;
  const label = target.by === "name" ? target.name : target.by === "id" ? target.id : "";
  const guess = target.by === "name" ? didYouMean(target.name, names) : "";
  return problemAt(document.place, "ZONE_NOT_LISTED", {
    message: `the token does not see the zone ${label}`,
    remedy: guess || "give the token Zone Read for it, or delete the zone here",
  });
}

function fitsNothing(document: ZoneDocument): Diagnostic {
  return problemAt(document.place, "SELECTOR_UNUSED", {
    message: "the selector fits no zone that the token sees",
    remedy: "check its patterns; `*` stands for any run of characters",
  });
}

function placeText({ place }: ZoneDocument): string {
  return `${place.file}, line ${place.line},`;
}
