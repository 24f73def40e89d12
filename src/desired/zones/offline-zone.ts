import { memoized } from "../../syntax/remembered.ts";
import type { ZoneLabels, ZoneDocument } from "../../zone/desired-zone.ts";
import { inOrder } from "./layer-order.ts";
import { isLayer, isMerged, layersOf, type MergedDocument } from "./merged-document.ts";
import { type KnownFacts, type Matcher, matcherOf } from "./selector.ts";
import { labelOf, labelsIn } from "./target.ts";

/** An entry with `match`, and which zones it matches. */
export interface SelectingDocument {
  readonly document: ZoneDocument;
  readonly matches: Matcher;
}

/** The entries with `match`, in the order in which they are merged. */
export const selectorsIn: (documents: readonly ZoneDocument[]) => readonly SelectingDocument[] =
  memoized((documents) => {
    const selectors = documents.filter(({ target }) => target.by === "selector");
    return inOrder(selectors).flatMap((document) =>
      document.target.by === "selector"
        ? [{ document, matches: matcherOf(document.target.selector) }]
        : [],
    );
  });

/** The labels that the entries of a zone by name or id have themselves: those that selectors see. */
export function ownLabels(documents: readonly ZoneDocument[]): ZoneLabels {
  const all = documents
    .filter(isMerged)
    .flatMap(({ zone }) => Object.entries(labelsIn({ labels: zone.content.labels })));
  return Object.fromEntries(all);
}

/**
 * The labels of a zone without the listing, also those of entries of which only the listing tells
 * whether they match it.
 */
export function offlineLabels({ documents }: OfflineZone): ZoneLabels {
  const labels: Record<string, string | null> = {};
  for (const { content } of layersOf(documents)) {
    Object.assign(labels, content.labels);
  }
  return labelsIn({ labels });
}

/** The documents by what they declare. */
const entriesOf = memoized((documents: readonly ZoneDocument[]) =>
  Map.groupBy(documents.filter(isMerged), ({ target }) => labelOf(target)),
);

/** Whether an entry by name or id is merged over the entries whose `match` matches its zone. */
export function isOverLayers(document: ZoneDocument): boolean {
  return isMerged(document) && isLayer(document);
}

/** The documents of a zone, as far as they are known without the listing. */
export interface OfflineZone {
  /** The lowest first. */
  readonly documents: readonly MergedDocument[];
  /** Those of them of which only the listing tells whether they match the zone. */
  readonly uncertain: ReadonlySet<MergedDocument>;
}

/**
 * Finds the documents of a zone without the listing.
 *
 * @param zone a name, or the id or the `match` of an entry as text
 */
export function offlineZone(zone: string, documents: readonly ZoneDocument[]): OfflineZone {
  const own = entriesOf(documents).get(zone) ?? entriesOf(documents).get(zone.toLowerCase()) ?? [];
  const isSelector = own.some(({ target }) => target.by === "selector");
  if (isSelector || !own.every(isLayer)) return { documents: own, uncertain: new Set() };
  const isById = own.some(({ target }) => target.by === "id");
  const facts: KnownFacts = {
    ...(!isById && { name: [zone.toLowerCase()] }),
    labels: ownLabels(own),
  };
  const matching = selectorsIn(documents).flatMap(({ document, matches }) => {
    const isMatch = matches(facts);
    return isMatch === false || !isMerged(document) ? [] : [{ document, isMatch }];
  });
  const uncertain = matching.filter(({ isMatch }) => isMatch === undefined);
  return {
    documents: [...matching.map(({ document }) => document), ...own],
    uncertain: new Set(uncertain.map(({ document }) => document)),
  };
}
