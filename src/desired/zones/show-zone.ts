import { globIgnoringCase } from "../../syntax/glob.ts";
import { type Json, isJsonObject, coerceObject } from "../../syntax/json.ts";
import type { Place, ZoneDocument } from "../../zone/desired-zone.ts";
import type { TraceEntry } from "../load/join-zone-files.ts";
import { type Layer, type MergedPath, keyPlace, originOf } from "./layer.ts";
import { Merger, identityOf } from "./merge.ts";

/** A value of a merged zone, and the place that set it. */
export interface ShownValue {
  /** As `managed_rules.rules[owasp].paranoia_level`. */
  readonly path: string;
  readonly value: Json;
  readonly place: Place;
  /** The profile that the place is in; `undefined` for the zone itself. */
  readonly profile: string | undefined;
}

/** A zone as merged, value by value; `undefined` where no file speaks of it by this name, id or selector. */
export function showZone(
  trace: readonly TraceEntry[],
  zone: string,
): readonly ShownValue[] | undefined {
  const layers = trace.find(({ label }) => label === zone.toLowerCase() || label === zone)?.layers;
  const own = layers?.at(-1);
  if (layers === undefined || own === undefined) return undefined;
  const merger = new Merger();
  const merged = layers.reduce<Json>((below, { content }) => {
    return merger.merge(below, coerceObject(content)) ?? {};
  }, {});
  return [...leaves(merged, [])]
    .filter(({ path }) => !notMerged.has(String(path[0])))
    .map(({ path, value }) => shown(own, layers, path, value));
}

/** Selectors that a zone of this name would fit, were it listed with what else they ask for. */
export function selectorsNaming(
  documents: readonly ZoneDocument[],
  name: string,
): readonly ZoneDocument[] {
  return documents.filter(
    ({ target }) => target.by === "selector" && fits(target.selector.name, name),
  );
}

function fits(pattern: string | undefined, name: string): boolean {
  return pattern === undefined || globIgnoringCase(pattern)(name);
}

/** What belongs to a layer itself, and does not go down to the zone. */
const notMerged = new Set(["extends", "description"]);

interface Leaf {
  readonly path: MergedPath;
  readonly value: Json;
}

function* leaves(value: Json, path: MergedPath): Generator<Leaf> {
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
  } else if (Array.isArray(value) && value.some((item: Json) => isJsonObject(item))) {
    const items: readonly Json[] = value;
    for (const [index, item] of items.entries()) {
      yield* leaves(item, [...path, identityOf(item) ?? index]);
    }
  } else {
    yield { path, value };
  }
}

function shown(own: Layer, layers: readonly Layer[], path: MergedPath, value: Json): ShownValue {
  const origin = originOf(own, layers, path);
  const { profile } = origin.layer;
  return { path: mergedPathText(path), value, place: keyPlace(origin), profile };
}

/** Items of keyed lists stand in brackets: `rules[owasp].action`. */
function mergedPathText(path: MergedPath): string {
  return path.reduce<string>((text, step, index) => {
    const isItem = typeof step === "number" || keyedLists.has(String(path[index - 1]));
    if (isItem) return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

const keyedLists = new Set(["items", "rules", "categories"]);
