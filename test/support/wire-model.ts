import type { JsonObject } from "../../src/syntax/json.ts";

/** An object as the service speaks it. */
export type Wire = JsonObject;

/** A switch of a paranoia level. */
export function levelOn(level: number): Wire {
  return { category: `paranoia-level-${level}`, enabled: true };
}

export function levelOff(level: number): Wire {
  return { category: `paranoia-level-${level}`, enabled: false };
}
