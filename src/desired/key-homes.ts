import { coerceObject, coerceText, type JsonObject } from "../syntax/json.ts";
import { type ShapeName, valueSchema } from "./schema-compiler.ts";

/** By key: the places of the maps that can have it, as `page_shield.policies.items[]`. */
type KeyHomes = ReadonlyMap<string, readonly string[]>;

const known = new Map<string, KeyHomes>();

/** More places than this would not help. */
const maxHomes = 3;

/**
 * Where a key belongs that is unknown at a place of a shape, in words. Places below this one come
 * first.
 *
 * @param pointer JSON pointer of the map that has the key
 */
export function homesOf(shape: ShapeName, key: string, pointer: string): readonly string[] {
  const name = shape === "zonewarden" ? shape : "zones";
  const homes = known.get(name) ?? keyHomes(name);
  known.set(name, homes);
  const all = homes.get(key) ?? [];
  // The keys of the top level of a zone file are not those of a zone.
  if (shape === "zones" && all.includes("")) return ['into an entry of "zones"', "into a profile"];
  const here = pointer.replaceAll(/\/\d+/g, "[]").replace(/^\//, "").replaceAll("/", ".");
  const others = all.filter((home) => home !== here);
  const below = others.filter((home) => here === "" || home.startsWith(here));
  const found = below.length > 0 ? below : others;
  if (found.length <= maxHomes) return found.map(wordsOf);
  const least = Math.min(...found.map(depthOf));
  const outer = found.filter((home) => depthOf(home) === least);
  return outer.length > maxHomes ? [] : outer.map(wordsOf);
}

/** Those of zone files are found from an entry of `zones` on, as parts are checked one by one. */
function keyHomes(name: "zones" | "zonewarden"): KeyHomes {
  const root = valueSchema(name);
  const definitions = coerceObject(root["$defs"]);
  const homes = new Map<string, string[]>();
  const visit = (written: JsonObject, place: string): void => {
    const definition = definitions[coerceText(written["$ref"]).replace("#/$defs/", "")];
    const { properties, items } = { ...coerceObject(definition), ...written };
    for (const [key, inner] of Object.entries(coerceObject(properties))) {
      homes.set(key, [...(homes.get(key) ?? []), place]);
      visit(coerceObject(inner), place === "" ? key : `${place}.${key}`);
    }
    if (items !== undefined) visit(coerceObject(items), `${place}[]`);
  };
  visit(name === "zones" ? coerceObject(definitions["zone_entry"]) : root, "");
  return homes;
}

/** An entry of a list is deeper than the list. */
function depthOf(home: string): number {
  return home.split(/\.|\[\]/).length;
}

function wordsOf(home: string): string {
  if (home === "") return "one level up, beside the other keys of the zone or file";
  return home.endsWith("[]") ? `into an entry of "${home.slice(0, -2)}"` : `below "${home}"`;
}
