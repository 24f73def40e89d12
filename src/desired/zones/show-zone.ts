import { coerceObject, isJsonList, isJsonObject, type Json } from "../../syntax/json.ts";
import type { Place, ZoneDocument } from "../../zone/desired-zone.ts";
import { zoneName } from "../../zone/zone.ts";
import { keyPlace, type Path } from "../location.ts";
import { fillZone } from "../template/fill-zone.ts";
import { Variables } from "../template/variables.ts";
import { bringerOf, identityOf, type Layer, memberName, originOf } from "./layer.ts";
import { factsOfTarget, ZoneMerger } from "./merge-zone.ts";
import { layersOf } from "./merged-document.ts";
import { offlineZone, type OfflineZone } from "./offline-zone.ts";

/** A value of a merged zone, and the place that sets it. */
export interface ShownValue {
  /** For example `managed_rules.rules[owasp].paranoia_level`; of a member of a list, with `[]`. */
  readonly path: string;
  readonly value: Json;
  readonly place: Place;
  /** The profile that sets it; `undefined` for the zone itself. */
  readonly profile: string | undefined;
}

/** What is known of a zone without the listing. */
export interface ShownZone extends OfflineZone {
  readonly values: readonly ShownValue[];
}

/**
 * The entries of a zone and their merged values, also where only the listing tells whether an entry
 * matches it; `undefined` if no file declares it by this name, id or selector.
 */
export function showZone(documents: readonly ZoneDocument[], zone: string): ShownZone | undefined {
  const found = offlineZone(zone, documents);
  const own = found.documents.at(-1);
  if (own === undefined) return undefined;
  const layers = layersOf(found.documents);
  const name = zoneName(zone);
  const facts =
    own.target.by === "selector" && name !== undefined ? { name } : factsOfTarget(own.target);
  const variables = new Variables(layers, facts);
  const { values } = fillZone(new ZoneMerger().valuesOf(layers), variables);
  const known = [...variables.names].flatMap((each) => {
    const value = variables.valueOf(`vars.${each}`);
    return value === undefined ? [] : [{ path: ["vars", each], value }];
  });
  const filled = [...leaves(values, [])].filter(
    ({ path: [key = ""] }) =>
      !notMerged.has(key) && !(key === "profiles" && found.documents.length > 1),
  );
  // A member of a list is looked for as it is once variables have filled it.
  const filledLayers = layers.map((layer) => ({
    ...layer,
    content: fillZone(coerceObject(layer.content), variables).values,
  }));
  const bringerIn = (path: Path, member: Json): Layer | undefined => {
    const bringer = bringerOf(filledLayers, path, member);
    return layers.find((_, index) => filledLayers[index] === bringer);
  };
  return {
    ...found,
    values: [...known, ...filled].flatMap(({ path, value }) =>
      shown(own.zone, layers, bringerIn, path, value),
    ),
  };
}

/** Keys of a layer that are not merged into the zone. */
const notMerged = new Set<string | number>([
  "extends",
  "description",
  "vars",
  "match",
  "priority",
  "layers",
]);

function* leaves(value: Json, path: Path): Generator<{ path: Path; value: Json }> {
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
  } else if (isJsonList(value) && value.some(isJsonObject)) {
    for (const [index, item] of value.entries()) {
      yield* leaves(item, [...path, identityOf(item) ?? index]);
    }
  } else {
    yield { path, value };
  }
}

/** A value with its place; of a list that several layers make, each member with its own. */
function shown(
  own: Layer,
  layers: readonly Layer[],
  bringerIn: (path: Path, member: Json) => Layer | undefined,
  path: Path,
  value: Json,
): readonly ShownValue[] {
  const members = isJsonList(value) ? value : [];
  const bringers = members.map((each) => bringerIn(path, each));
  if (new Set(bringers).size > 1) {
    return members.map((member, index) => {
      const bringer = bringers[index];
      const among = bringer === undefined ? layers : [bringer];
      const at = [...path, memberName(member) ?? index];
      return { ...shownAt(own, among, at, member), path: `${mergedPathText(path)}[]` };
    });
  }
  return [shownAt(own, layers, path, value)];
}

function shownAt(own: Layer, layers: readonly Layer[], path: Path, value: Json): ShownValue {
  const { layer, path: inDocument } = originOf(own, layers, path);
  const place = keyPlace(layer.document, inDocument);
  return { path: mergedPathText(path), value, place, profile: layer.profile };
}

/** A path with the keys of list items in brackets: `rules[owasp].action`. */
function mergedPathText(path: Path): string {
  return path.reduce<string>((text, step, index) => {
    const isItem = typeof step === "number" || keyedLists.has(String(path[index - 1]));
    if (isItem) return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

const keyedLists = new Set([
  "items",
  "rules",
  "custom_rulesets",
  "categories",
  "authorised",
  "acknowledged",
]);
