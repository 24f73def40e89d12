import type { Place, ZoneDocument } from "../../zone/desired-zone.ts";
import { keyPlace, type Path } from "../location.ts";
import { type Layer, originOf, type ZoneLayer } from "./layer.ts";

/** A document with the values that it was merged from. */
export interface MergedDocument extends ZoneDocument {
  readonly zone: ZoneLayer;
  /** Its profiles, and the entry itself last. */
  readonly layers: readonly Layer[];
}

/** Whether a document was read from files. */
export function isMerged(document: ZoneDocument): document is MergedDocument {
  return "layers" in document;
}

/** Whether entries whose `match` matches its zone are merged with it. */
export function isLayer({ target, zone }: Pick<MergedDocument, "target" | "zone">): boolean {
  return target.by === "selector" || zone.content.layers === true;
}

/** Where a document is among those of its zone: an entry by name or id is the last. */
export function priorityOf(document: ZoneDocument): number {
  if (document.target.by !== "selector") return Infinity;
  return isMerged(document) ? (document.zone.content.priority ?? 0) : 0;
}

/** Layers of documents, the lowest first. A profile that several use counts once, at its first place. */
export function layersOf(documents: readonly MergedDocument[]): readonly Layer[] {
  const names = new Set<string>();
  return documents.flatMap(({ layers }) =>
    layers.filter(({ profile }) => {
      if (profile === undefined) return true;
      const isFirst = !names.has(profile);
      names.add(profile);
      return isFirst;
    }),
  );
}

/**
 * Where the documents of a zone set a value, whose lists are keyed: the last that does so counts.
 *
 * @param documents the lowest first, at least one
 */
export function placeIn(documents: readonly [ZoneDocument, ...ZoneDocument[]], path: Path): Place {
  const merged = documents.filter(isMerged);
  const top = merged.at(-1);
  if (top === undefined) return documents[0].place;
  const origin = originOf(top.zone, layersOf(merged), path);
  return keyPlace(origin.layer.document, origin.path);
}

/** A document, and those of its layers that no document of a lower priority has. */
export interface AddedLayers {
  readonly document: MergedDocument;
  readonly layers: readonly Layer[];
}

/** Documents of one priority after the other, the lowest first. */
export function groupsOf(
  documents: readonly MergedDocument[],
): readonly (readonly AddedLayers[])[] {
  const below = new Set<string>();
  return [...Map.groupBy(documents, priorityOf).values()].map((group) => {
    const added = group.map((document) => ({
      document,
      layers: document.layers.filter(({ profile }) => profile === undefined || !below.has(profile)),
    }));
    for (const { profile } of group.flatMap(({ layers }) => layers)) {
      if (profile !== undefined) below.add(profile);
    }
    return added;
  });
}
