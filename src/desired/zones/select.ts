import { nearestOfMany } from "../../syntax/nearest.ts";
import type { DesiredZone, ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { KnownZones, Zone, ZoneName } from "../../zone/zone.ts";
import { diagnosticAt } from "../diagnostics.ts";
import { lintOf, type LintRule } from "../lint.ts";
import { beyondPlan } from "./beyond-plan.ts";
import { combineSelectors } from "./combine-selectors.ts";
import { placeIn } from "./document-places.ts";
import { type ZoneDeclarations, resolveNamesakes } from "./namesakes.ts";
import { listedFacts, matcherOf } from "./selector.ts";
import { labelOf } from "./target.ts";

/** The declared zones that are listed, in the order of the listing. */
export interface Selection {
  /** At most one zone of each name. */
  readonly zones: readonly DesiredZone[];
  readonly diagnostics: readonly Diagnostic[];
  /** Declared and listed zones that are not managed, with the reason. */
  readonly leftAlone: ReadonlyMap<ZoneName, Diagnostic>;
}

/**
 * Finds the zones that documents declare. An explicit declaration beats every selector; several
 * selectors that match a zone must not contradict each other. A zone with an error is left out, the
 * others stay.
 */
export function selectZones(
  documents: readonly ZoneDocument[],
  { zones, unlisted }: KnownZones,
): Selection {
  const explicit = findExplicit(documents, zones);
  const selectors = documents.flatMap((document) =>
    document.target.by === "selector"
      ? [{ document, matches: matcherOf(document.target.selector) }]
      : [],
  );
  const used = new Set<ZoneDocument>();
  const declared = zones.flatMap((zone): readonly ZoneDeclarations[] => {
    const facts = listedFacts(zone);
    const matching = selectors
      .filter(({ matches }) => matches(facts) === true)
      .map(({ document }) => document);
    for (const document of matching) used.add(document);
    const [first, ...others] = explicit.documents.get(zone.id) ?? matching;
    return first === undefined ? [] : [{ zone, documents: [first, ...others] }];
  });
  const unused = selectors
    .filter(({ document }) => !used.has(document))
    .map(({ document }) => unusedSelector(document));
  const selection = resolveNames(declared, unlisted);
  const diagnostics = [...explicit.diagnostics, ...oncePerPlace(selection.diagnostics), ...unused];
  return { ...selection, diagnostics };
}

/** Like {@link selectZones}, with what the warnings count as. */
export function selectWith(rules: readonly LintRule[]): typeof selectZones {
  const lint = lintOf(rules);
  return (documents, known) => {
    const selection = selectZones(documents, known);
    return { ...selection, diagnostics: lint(selection.diagnostics) };
  };
}

/** Zones that share a profile get the same diagnostics. */
function oncePerPlace(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const byPlace = new Map(
    diagnostics.map((each) => {
      const { file, line, column } = each.place;
      return [[file, line, column, each.code, each.message].join(" "), each];
    }),
  );
  return [...byPlace.values()];
}

interface Explicit {
  readonly documents: ReadonlyMap<string, readonly ZoneDocument[]>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Documents that name a zone, by zone id. A document belongs to every zone of its name. */
function findExplicit(documents: readonly ZoneDocument[], zones: readonly Zone[]): Explicit {
  const byName = Map.groupBy(zones, ({ name }) => name);
  const byId = new Map(zones.map((zone) => [zone.id, [zone]]));
  const found = new Map<string, ZoneDocument[]>();
  const unread: Record<"name" | "id", Diagnostic[]> = { name: [], id: [] };
  const guessOf = nearestOfMany([...byName.keys()]);
  for (const document of documents) {
    const { target } = document;
    if (target.by === "selector") continue;
    const named = target.by === "name" ? byName.get(target.name) : byId.get(target.id);
    if (named === undefined) unread[target.by].push(notListed(document, guessOf));
    for (const { id } of named ?? []) found.set(id, [...(found.get(id) ?? []), document]);
  }
  return { documents: found, diagnostics: [unread.name, unread.id].flatMap(oncePerAccount) };
}

/** More zones that no token can read have one cause: a token is missing, not a letter in each name. */
const mostMisspelled = 10;

function oncePerAccount(unread: readonly Diagnostic[]): readonly Diagnostic[] {
  const [first] = unread;
  if (first === undefined || unread.length <= mostMisspelled) return unread;
  const remedy =
    "give a token Zone Read for the account of these zones, add it to `credentials`, or delete them here";
  return [{ ...first, remedy, zones: unread.length }];
}

/** Decides for each name which zone to manage, and merges its declarations. */
function resolveNames(
  declared: readonly ZoneDeclarations[],
  unlisted: KnownZones["unlisted"],
): Selection {
  const found: DesiredZone[] = [];
  const diagnostics: Diagnostic[] = [];
  const leftAlone = new Map<ZoneName, Diagnostic>();
  for (const [name, all] of Map.groupBy(declared, ({ zone }) => zone.name)) {
    const { resolved, diagnostic } = resolveNamesakes(all, unlisted);
    const joined = resolved && contentOf(resolved);
    const reasons = [diagnostic, joined?.diagnostic].filter((each) => each !== undefined);
    diagnostics.push(...reasons);
    const reason = reasons.at(-1);
    if (resolved !== undefined && joined?.content !== undefined) {
      const { zone, documents } = resolved;
      const isRestored = documents.some((each) => each.isRestored);
      found.push({ zone, content: joined.content, ...(isRestored && { isRestored }) });
      diagnostics.push(...beyondPlanIn(resolved, joined.content));
    } else if (reason !== undefined) leftAlone.set(name, reason);
  }
  return { zones: found, diagnostics, leftAlone };
}

/** Warnings about what the plan of a zone does not include, where its first document says it. */
function beyondPlanIn(
  { zone, documents: [document] }: ZoneDeclarations,
  content: ZoneContent,
): readonly Diagnostic[] {
  return beyondPlan(content, zone.plan).map((each) =>
    diagnosticAt(placeIn(document, each.path), each, each.path),
  );
}

interface JoinedContent {
  readonly content: ZoneContent | undefined;
  readonly diagnostic: Diagnostic | undefined;
}

function contentOf({ zone, documents: [first, ...others] }: ZoneDeclarations): JoinedContent {
  if (first.target.by === "selector") return fromSelectors(zone, first, others);
  const [second] = others;
  if (second === undefined) {
    const content = contentIn(first, zone);
    return { content, diagnostic: content === undefined ? unfilled(first, zone) : undefined };
  }
  // A zone can be declared by its name in one file, and by its id in another.
  const message = `the zone ${zone.name} (${zone.id}) is also declared in ${placeText(first)}`;
  const remedy = "keep one of the two; until then zonewarden does not manage the zone";
  const diagnostic = diagnosticAt(second.place, { code: "ZONE_TWICE", message, remedy });
  return { content: undefined, diagnostic };
}

function fromSelectors(
  zone: Zone,
  first: ZoneDocument,
  others: readonly ZoneDocument[],
): JoinedContent {
  let content = contentIn(first, zone);
  if (content === undefined) return { content, diagnostic: unfilled(first, zone) };
  for (const document of others) {
    const other = contentIn(document, zone);
    if (other === undefined) return { content: other, diagnostic: unfilled(document, zone) };
    const combined = combineSelectors(content, other);
    if ("conflict" in combined) {
      return { content: undefined, diagnostic: conflict(zone, combined.conflict, first, document) };
    }
    content = combined.content;
  }
  return { content, diagnostic: undefined };
}

/** What a document declares for a listed zone: placeholders may need what the listing tells. */
function contentIn({ content, contentFor }: ZoneDocument, zone: Zone): ZoneContent | undefined {
  return contentFor === undefined ? content : contentFor(zone);
}

function unfilled(document: ZoneDocument, { name }: Zone): Diagnostic {
  const message = `the placeholders of this entry cannot be filled for ${name}`;
  const remedy = "declare the zone by name, and run `zonewarden validate`";
  return diagnosticAt(document.place, { code: "BAD_PLACEHOLDER", message, remedy });
}

function conflict(zone: Zone, what: string, first: ZoneDocument, second: ZoneDocument): Diagnostic {
  const message = `this selector and the one in ${placeText(first)}, declare different ${what} for ${zone.name}`;
  const remedy =
    "narrow one of them, or declare the zone by name; until then zonewarden does not manage it";
  return diagnosticAt(second.place, { code: "SELECTOR_CONFLICT", message, remedy });
}

function notListed(
  document: ZoneDocument,
  guessOf: (name: string) => string | undefined,
): Diagnostic {
  const { target } = document;
  const guess = target.by === "name" ? guessOf(target.name) : undefined;
  return diagnosticAt(document.place, {
    code: "ZONE_NOT_LISTED",
    message: `no token can read the zone ${labelOf(target)}`,
    remedy:
      guess === undefined
        ? "give a token Zone Read for it, or delete the zone here"
        : `did you mean "${guess}"?`,
  });
}

function unusedSelector(document: ZoneDocument): Diagnostic {
  return diagnosticAt(document.place, {
    code: "SELECTOR_UNUSED",
    message: "the selector matches no zone that a token can read",
    remedy: "check its patterns; `*` matches any number of characters",
  });
}

function placeText({ place }: ZoneDocument): string {
  return `${place.file}, line ${place.line}`;
}
