import {
  type Json,
  type JsonObject,
  isJsonObject,
  coerceObject,
  coerceObjects,
} from "../../syntax/json.ts";
import type { Overrides } from "../../zone/resource.ts";
import { ifAny, overrideFields } from "./rule-wire.ts";

/**
 * Overrides as the service reads them; `undefined` where nothing is overridden, since an empty object is refused
 * (SERVICE.md B.5). What the live ones carry that we do not know is kept, in them and in each element that stays.
 */
export function wireOverrides(
  overrides: Overrides,
  live: Json | undefined,
): JsonObject | undefined {
  const { categories, rules, ...whole } = overrides;
  const kept = coerceObject(live);
  const wire = {
    ...unknownIn(kept),
    ...defined(whole),
    ...ifAny("categories", withUnknown(categories, kept["categories"], "category")),
    ...ifAny("rules", withUnknown(rules, kept["rules"], "id")),
  };
  return Object.keys(wire).length > 0 ? wire : undefined;
}

/** Names of the fields in live overrides, and in their elements, that we do not know. */
export function unknownInOverrides(live: Json | undefined): readonly string[] {
  if (!isJsonObject(live)) return [];
  const inElements = (["categories", "rules"] as const).flatMap((list) =>
    coerceObjects(live[list]).flatMap((each) =>
      Object.keys(unknownIn(each)).map((name) => `${list}[].${name}`),
    ),
  );
  return [...new Set([...Object.keys(unknownIn(live)), ...inElements])];
}

type Part = Readonly<Record<string, string | number | boolean | undefined>>;

function withUnknown(
  parts: readonly object[],
  live: Json | undefined,
  name: "category" | "id",
): readonly JsonObject[] {
  const lives = coerceObjects(live);
  return parts.map((part) => {
    const wire = defined({ ...part });
    return { ...unknownIn(lives.find((each) => each[name] === wire[name]) ?? {}), ...wire };
  });
}

function unknownIn(live: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(live).filter(([name]) => !overrideFields.has(name)));
}

/** Leaves out what is `undefined`, as JSON does. */
function defined(part: Part): JsonObject {
  const wire: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(part)) {
    if (value !== undefined) wire[name] = value;
  }
  return wire;
}
