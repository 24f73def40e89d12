import type { Json } from "../syntax/json.ts";
import type { Place } from "../zone/desired.ts";

/** A value of a merged zone, and the place that set it. */
export interface ShownValue {
  /** As `managed_rules.rules[owasp].paranoia_level`. */
  readonly path: string;
  readonly value: Json;
  readonly place: Place;
  /** The profile that the place is in; `undefined` for the zone itself. */
  readonly profile: string | undefined;
}

/** The declared zones before they were made into documents, by name, id or selector. */
export type Trace = ReadonlyMap<string, () => readonly ShownValue[]>;

/** A zone as merged, value by value; `undefined` where no file speaks of it under this name or id. */
export function showZone(trace: Trace, zone: string): readonly ShownValue[] | undefined {
  return trace.get(zone)?.();
}
