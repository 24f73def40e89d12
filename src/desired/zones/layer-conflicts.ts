import { isDeepStrictEqual } from "node:util";

import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../syntax/json.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticAt } from "../diagnostics.ts";
import { keyPlace, type Path, pathText } from "../location.ts";
import { identityOf, type Layer, originOf } from "./layer.ts";
import { isChangedList } from "./list-change.ts";
import type { ZoneMerger } from "./merge-zone.ts";
import { groupsOf, layersOf, type MergedDocument } from "./merged-document.ts";
import { findingList, policyList, scriptList, sections } from "./zone-lists.ts";

/**
 * Documents of one priority that set different values for one path: then the order between them
 * would count, and they have none. Told at both, with the zone as an example.
 *
 * @param documents of a zone, the lowest first
 */
export function conflictsIn(
  documents: readonly MergedDocument[],
  zone: string,
  merger: ZoneMerger,
): readonly Diagnostic[] {
  const below: MergedDocument[] = [];
  return groupsOf(documents).flatMap((group) => {
    const under = layersOf(below);
    below.push(...group.map(({ document }) => document));
    const pairs = group.flatMap((a, index) => group.slice(index + 1).map((b) => [a, b] as const));
    return pairs.flatMap(([a, b]) => {
      const difference = differenceIn(
        valuesOf([...under, ...a.layers, ...b.layers], merger),
        valuesOf([...under, ...b.layers, ...a.layers], merger),
        [],
      );
      if (difference === undefined) return [];
      const path = difference.map((step) => (step === "" ? "vars" : step));
      return [
        conflict(a.document, b.document, path, zone),
        conflict(b.document, a.document, path, zone),
      ];
    });
  });
}

function conflict(
  { zone, layers, place }: MergedDocument,
  { place: other }: MergedDocument,
  path: Path,
  name: string,
): Diagnostic {
  const origin = originOf(zone, layers, path);
  const isProfile = origin.layer.profile !== undefined;
  const at = isProfile ? place : keyPlace(origin.layer.document, origin.path);
  return diagnosticAt(
    at,
    {
      code: "SELECTOR_CONFLICT",
      message: `this entry and the one in ${other.file}, line ${other.line}, have the same priority and declare different ${pathText(path)}, for example for ${name}`,
      remedy:
        "give one of them a higher `priority`, or narrow its `match`; until then zonewarden does not manage the zones that both match",
    },
    isProfile ? [] : path,
  );
}

/** The merged values that have an order. Of modes and suspensions the stricter counts. */
function valuesOf(layers: readonly Layer[], merger: ZoneMerger): JsonObject {
  const values = Object.entries(merger.valuesOf(layers)).filter(
    ([key]) => sections.has(key) || key === "labels",
  );
  const declared: Record<string, Json> = {};
  const written: Record<string, Json> = {};
  for (const [name, value] of layers.flatMap(({ content }) => Object.entries(content.vars ?? {}))) {
    if (isJsonObject(value)) declared[name] = value;
    else written[name] = value;
  }
  // A map declares a variable, and another value sets it.
  return { ...Object.fromEntries(values), vars: declared, "": written };
}

/** Lists whose order means nothing. */
const unordered = new Set([policyList, scriptList, findingList].map((list) => list.join(".")));

/** The first path where two values differ; `undefined` if they are equal. */
function differenceIn(a: Json | undefined, b: Json | undefined, path: Path): Path | undefined {
  if (a === b) return undefined;
  if (isJsonObject(a) && isJsonObject(b)) {
    return first(Object.keys({ ...a, ...b }), (key) =>
      differenceIn(a[key], b[key], [...path, key]),
    );
  }
  return isJsonList(a) && isJsonList(b) ? differenceOfLists(a, b, path) : path;
}

function differenceOfLists(a: readonly Json[], b: readonly Json[], path: Path): Path | undefined {
  // What several entries add to one list has no order.
  if (isChangedList(a) && isChangedList(b)) {
    return isDeepStrictEqual(new Set(a), new Set(b)) ? undefined : path;
  }
  if (unordered.has(path.join("."))) {
    const [inA, inB] = [byIdentity(a), byIdentity(b)];
    return first([...inA.keys(), ...inB.keys()], (key) =>
      differenceIn(inA.get(key), inB.get(key), [...path, key]),
    );
  }
  if (!isDeepStrictEqual(keysOf(a), keysOf(b))) return path;
  return first([...a.keys()], (index) =>
    differenceIn(a[index], b[index], [...path, identityOf(a[index]) ?? index]),
  );
}

function first<T>(items: readonly T[], find: (item: T) => Path | undefined): Path | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function byIdentity(list: readonly Json[]): ReadonlyMap<string, Json> {
  return new Map(list.map((item, index) => [identityOf(item) ?? String(index), item]));
}

/** What tells the items of a list apart, in their order. */
function keysOf(list: readonly Json[]): readonly unknown[] {
  return list.map((item) => identityOf(item) ?? item);
}
