import type { JsonObject } from "../syntax/json.ts";
import type { ZoneName } from "../zone/zone.ts";
import { printable } from "./format.ts";

/** Plans that the fleet guard holds as a whole. */
export interface HeldFleet {
  /** How many zones would change, how many of them with less protection, and the limit. */
  readonly found: string;
  /** The hash that releases them: of what the files declare. */
  readonly hash: string;
  /** The key that sets the limit; `undefined`: the daemon holds them, and `found` also says how they are released. */
  readonly limit: string | undefined;
  /** Names of the zones that would change. */
  readonly zones: readonly ZoneName[];
}

/** What `plan` says of plans that are held as a whole; `code` marks names and hashes, `safe` makes a stored text harmless. */
export function fleetHoldText(
  { found, hash, limit }: HeldFleet,
  code: (text: string) => string = (text) => text,
  safe: (text: string) => string = printable,
): string {
  if (limit === undefined) return `Held by the daemon, ${code("fleet_change")}: ${safe(found)}.`;
  return `Together held by ${code("fleet_change")}: ${found}. To apply all of them: add ${code(hash)} to ${code("limits.accept")} for the daemon, or run ${code(`zonewarden apply --accept ${hash}`)}; or raise ${code(`limits.${limit}`)}.`;
}

export function fleetHoldJson({ found, hash, zones }: HeldFleet): JsonObject {
  return { reason: "fleet_change", message: found, hash, zones };
}
