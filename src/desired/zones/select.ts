import { nearestOfMany } from "../../syntax/nearest.ts";
import type { Selection } from "../../zone/desired-state.ts";
import type { DesiredZone, ZoneDocument } from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { withStepsOfTier } from "../../zone/steps-in-tier.ts";
import type { KnownZones, Zone, ZoneName } from "../../zone/zone.ts";
import type { Config } from "../config/config.ts";
import { diagnosticAt, oncePerMessage, type UnplacedDiagnostic } from "../diagnostics.ts";
import { lintOf } from "../lint.ts";
import { identityText } from "../template/fill-zone.ts";
import { beyondTier } from "./beyond-tier.ts";
import { ZoneMerger } from "./merge-zone.ts";
import { isMerged, placeIn } from "./merged-document.ts";
import { type ZoneDeclarations, resolveNamesakes } from "./namesakes.ts";
import { isOverLayers, ownLabels, selectorsIn } from "./offline-zone.ts";
import { promotionNeeds } from "./promotion-needs.ts";
import { listedFacts } from "./selector.ts";
import { type StackedZone, stackZone } from "./stack-zone.ts";
import { labelOf } from "./target.ts";

/**
 * Finds the zones that documents declare. The entries whose `match` matches a zone are merged, by
 * priority. An entry by name or id replaces them, or is merged over them. A zone with an error is
 * left out, the others stay.
 */
export function selectZones(
  documents: readonly ZoneDocument[],
  { zones, unlisted }: KnownZones,
): Selection {
  const explicit = findExplicit(documents, zones);
  const selectors = selectorsIn(documents);
  const used = new Set<ZoneDocument>();
  const declared = zones.flatMap((zone): readonly ZoneDeclarations[] => {
    const own = explicit.documents.get(zone.id) ?? [];
    const facts = listedFacts(zone, ownLabels(own));
    const matching = selectors
      .filter(({ matches }) => matches(facts) === true)
      .map(({ document }) => document);
    for (const document of matching) used.add(document);
    const [first, ...others] = own.every(isOverLayers) ? [...matching, ...own] : own;
    return first === undefined ? [] : [{ zone, documents: [first, ...others] }];
  });
  const unused = selectors
    .filter(({ document }) => !used.has(document))
    .map(({ document }) => unusedSelector(document));
  const selection = resolveNames(declared, unlisted);
  const found = oncePerMessage(oncePerPlace(selection.diagnostics));
  const diagnostics = [...explicit.diagnostics, ...found, ...unused];
  return { ...selection, diagnostics };
}

/** Like {@link selectZones}, with what promotions need of the configuration, and with what the warnings count as. */
export function selectWith(
  config: Pick<Config, "lint" | "store" | "measurements">,
): typeof selectZones {
  const lint = lintOf(config.lint);
  return (documents, known) => {
    const selection = selectZones(documents, known);
    const needs = selection.zones.flatMap(({ documents: [first, ...others] = [], content }) =>
      first === undefined ? [] : placedIn([first, ...others], promotionNeeds(content, config)),
    );
    const diagnostics = [...selection.diagnostics, ...oncePerPlace(needs)];
    return { ...selection, diagnostics: lint(diagnostics) };
  };
}

/** Zones that share a profile get the same diagnostics. */
export function oncePerPlace(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(diagnostics.map((each) => [identityText(each), each])).values()];
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
  const merger = new ZoneMerger();
  for (const [name, all] of Map.groupBy(declared, ({ zone }) => zone.name)) {
    const { resolved, diagnostic } = resolveNamesakes(all, unlisted);
    const joined = resolved && contentOf(resolved, merger);
    const reasons = [diagnostic, ...(joined?.diagnostics ?? [])].filter(
      (each) => each !== undefined,
    );
    diagnostics.push(...reasons);
    const reason = reasons.findLast(isError) ?? reasons.at(-1);
    if (resolved !== undefined && joined?.content !== undefined) {
      const { zone, documents } = resolved;
      const { labels } = joined;
      const content = withStepsOfTier(joined.content, zone.tier);
      const isRestored = documents.some((each) => each.isRestored);
      found.push({ zone, content, labels, documents, ...(isRestored && { isRestored }) });
      diagnostics.push(...placedIn(documents, beyondTier(joined.content, zone.tier)));
    } else if (reason !== undefined) leftAlone.set(name, reason);
  }
  return { zones: found, diagnostics, leftAlone };
}

/** Warnings about a zone, where its documents say what they are about. */
export function placedIn(
  documents: readonly [ZoneDocument, ...ZoneDocument[]],
  unplaced: readonly UnplacedDiagnostic[],
): readonly Diagnostic[] {
  return unplaced.map((each) => diagnosticAt(placeIn(documents, each.path), each, each.path));
}

function contentOf({ zone, documents }: ZoneDeclarations, merger: ZoneMerger): StackedZone {
  const [first, second] = documents.filter(({ target }) => target.by !== "selector");
  if (first !== undefined && second !== undefined) {
    // A zone can be declared by its name in one file, and by its id in another.
    const { file, line } = first.place;
    const message = `the zone ${zone.name} (${zone.id}) is also declared in ${file}, line ${line}`;
    const remedy = "keep one of the two; until then zonewarden does not manage the zone";
    const diagnostic = diagnosticAt(second.place, { code: "ZONE_TWICE", message, remedy });
    return { content: undefined, labels: {}, diagnostics: [diagnostic] };
  }
  const [only] = documents;
  const merged = documents.filter(isMerged);
  if (only.needsListing !== true || merged.length < documents.length) {
    return { content: only.content, labels: only.labels ?? {}, diagnostics: [] };
  }
  return stackZone(merged, zone, merger);
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
