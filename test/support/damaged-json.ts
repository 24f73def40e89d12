import { isJsonObject, type Json, type JsonObject } from "../../src/syntax/json.ts";

/** What stands in place of a value: other kinds, and texts that mean something elsewhere. */
const strangeValues: readonly Json[] = [
  null,
  true,
  false,
  "",
  "..",
  "../../x",
  0,
  -1,
  1e308,
  [],
  {},
  "zonewarden:checkout",
  "strengthens",
  "delete-policy",
  "skip",
  "allow",
  "__proto__",
  "a".repeat(32),
  "\u001B[31mred",
  "\u202E",
  "x".repeat(100_000),
  Array.from({ length: 2_000 }, () => ({})),
];

interface Place {
  readonly holder: Json[] | Record<string, Json>;
  readonly key: string;
}

/** A copy of `json` in which one value, chosen by `random`, is another one, is missing, or stands there twice. */
export function damaged(json: JsonObject, random: () => number): JsonObject {
  const copy = structuredClone(json);
  const places = placesIn(copy);
  const { holder, key } = oneOf(places, random);
  const how = random();
  if (how < 0.4) set(holder, key, structuredClone(oneOf(strangeValues, random)));
  else if (how < 0.6) set(holder, key, structuredClone(at(oneOf(places, random))));
  else if (!Array.isArray(holder)) Reflect.deleteProperty(holder, key);
  else if (how < 0.8) holder.splice(Number(key), 1);
  else holder.push(structuredClone(at({ holder, key })));
  return copy;
}

function oneOf<T>(list: readonly T[], random: () => number): T {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error("nothing to choose from");
  return one;
}

function placesIn(json: Json): readonly Place[] {
  if (!Array.isArray(json) && !isJsonObject(json)) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the JSON is a copy of its own, so its read-only lists and objects may be changed
  const holder = json as Place["holder"];
  return Object.entries(holder).flatMap(([key, value]) => [{ holder, key }, ...placesIn(value)]);
}

function at({ holder, key }: Place): Json {
  const value = Array.isArray(holder) ? holder[Number(key)] : holder[key];
  return value ?? null;
}

function set(holder: Place["holder"], key: string, value: Json): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true });
}
