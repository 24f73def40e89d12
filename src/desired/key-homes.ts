import { coerceObject, isJsonObject, type JsonObject } from "../syntax/json.ts";

/**
 * By key: the places of the maps that can have it, as `page_shield.policies.items[]`; "" is the top
 * level.
 */
export type KeyHomes = ReadonlyMap<string, readonly string[]>;

/**
 * The keys of a schema. Those of zone files are found from an entry of `zones` on, as its parts are
 * checked one by one.
 */
export function keyHomes(schema: unknown, isZoneFile: boolean): KeyHomes {
  const root = coerceObject(schema);
  const definitions = coerceObject(root["$defs"]);
  const homes = new Map<string, string[]>();
  const visit = (written: JsonObject, place: string): void => {
    const reference = written["$ref"];
    const part =
      typeof reference === "string"
        ? coerceObject(definitions[reference.replace("#/$defs/", "")])
        : written;
    for (const [key, inner] of Object.entries(coerceObject(part["properties"]))) {
      homes.set(key, [...(homes.get(key) ?? []), place]);
      visit(coerceObject(inner), place === "" ? key : `${place}.${key}`);
    }
    if (isJsonObject(part["items"])) visit(part["items"], `${place}[]`);
  };
  visit(isZoneFile ? coerceObject(definitions["zone_entry"]) : root, "");
  return homes;
}

/** More places than this would not help. */
const maxHomes = 2;

/**
 * Where a key belongs that is unknown at a place, in words. Places below this one come first.
 *
 * @param pointer JSON pointer of the map that has the key
 */
export function homesOf(homes: KeyHomes, key: string, pointer: string): readonly string[] {
  const here = pointer.replaceAll(/\/\d+/g, "[]").replace(/^\//, "").replaceAll("/", ".");
  const all = (homes.get(key) ?? []).filter((home) => home !== here);
  const below = all.filter((home) => here === "" || home.startsWith(here));
  const found = below.length > 0 ? below : all;
  if (found.length <= maxHomes) return found.map((home) => wordsOf(home));
  const least = Math.min(...found.map(depthOf));
  const outer = found.filter((home) => depthOf(home) === least);
  return outer.length > maxHomes ? [] : outer.map((home) => wordsOf(home));
}

function depthOf(home: string): number {
  return home.split(".").length;
}

function wordsOf(home: string): string {
  if (home === "") return "one level up, beside the other keys of the zone or file";
  return home.endsWith("[]") ? `into an entry of "${home.slice(0, -2)}"` : `below "${home}"`;
}
