import { isJsonList, isJsonObject, type Json } from "../../syntax/json.ts";
import type { Place, ZoneDocument } from "../../zone/desired-zone.ts";
import { keyPlace, type Path } from "../location.ts";
import { fillZone } from "../template/fill-zone.ts";
import { Variables } from "../template/variables.ts";
import {
  bringerOf,
  identityOf,
  type Layer,
  memberName,
  originOf,
  type TraceEntry,
} from "./layer.ts";
import { factsOf, ZoneMerger } from "./merge-zone.ts";
import { matcherOf } from "./selector.ts";
import { labelOf } from "./target.ts";

/** A value of a merged zone, and the place that sets it. */
export interface ShownValue {
  /** For example `managed_rules.rules[owasp].paranoia_level`; of a member of a list, with `[]`. */
  readonly path: string;
  readonly value: Json;
  readonly place: Place;
  /** The profile that sets it; `undefined` for the zone itself. */
  readonly profile: string | undefined;
}

/** The merged values of a zone; `undefined` if no file declares it by this name, id or selector. */
export function showZone(
  trace: readonly TraceEntry[],
  zone: string,
): readonly ShownValue[] | undefined {
  const declared = trace.find(({ target }) => [zone, zone.toLowerCase()].includes(labelOf(target)));
  const own = declared?.layers.at(-1);
  if (declared === undefined || own === undefined) return undefined;
  const { layers, target } = declared;
  const variables = new Variables(layers, factsOf(target));
  const { values } = fillZone(new ZoneMerger().valuesOf(layers), variables);
  const known = [...variables.names].flatMap((name) => {
    const value = variables.valueOf(`vars.${name}`);
    return value === undefined ? [] : [{ path: ["vars", name], value }];
  });
  const filled = [...leaves(values, [])].filter(({ path }) => !notMerged.has(String(path[0])));
  return [...known, ...filled].flatMap(({ path, value }) => shown(own, layers, path, value));
}

/** Selectors that match a zone of this name, or may: what else they match on only a listing tells. */
export function selectorsNaming(
  documents: readonly ZoneDocument[],
  name: string,
): readonly ZoneDocument[] {
  const facts = { name: [name] };
  return documents.filter(
    ({ target }) => target.by === "selector" && matcherOf(target.selector)(facts) !== false,
  );
}

/** Keys of a layer that are not merged into the zone. */
const notMerged = new Set(["extends", "description", "vars"]);

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
  path: Path,
  value: Json,
): readonly ShownValue[] {
  const members = isJsonList(value) ? value : [];
  const bringers = members.map((each) => bringerOf(layers, path, each));
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

const keyedLists = new Set(["items", "rules", "categories", "authorised", "acknowledged"]);
