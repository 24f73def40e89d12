import type { Place, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Path } from "../location.ts";

type PlaceOf = (path: Path) => Place;

const known = new WeakMap<ZoneDocument, PlaceOf>();

/** Says where the values of a document are set, for {@link placeIn}. */
export function keepPlaces(document: ZoneDocument, placeOf: PlaceOf): void {
  known.set(document, placeOf);
}

/**
 * Where the files set a value of a document, whose lists are keyed; the place of its entry, if that
 * is not known.
 */
export function placeIn(document: ZoneDocument, path: Path): Place {
  return known.get(document)?.(path) ?? document.place;
}
