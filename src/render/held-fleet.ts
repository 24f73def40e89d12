import type { JsonObject } from "../syntax/json.ts";

/** Plans that the fleet guard holds as a whole. */
export interface HeldFleet {
  /** How many zones would change, how many of them with less protection, and the limit. */
  readonly found: string;
  /** The hash that releases them: of what the files declare. */
  readonly hash: string;
  /** The key that sets the limit. */
  readonly limit: string;
  /** Names of the zones that would change. */
  readonly zones: readonly string[];
}

/** What `plan` says of plans that the daemon or `apply` would hold as a whole; `code` marks names and hashes. */
export function fleetHoldText(
  { found, hash, limit }: HeldFleet,
  code: (text: string) => string = (text) => text,
): string {
  return `Together held by ${code("fleet_change")}: ${found}. To apply all of them: add ${code(hash)} to ${code("limits.accept")} for the daemon, or run ${code(`zonewarden apply --accept ${hash}`)}; or raise ${code(`limits.${limit}`)}.`;
}

export function fleetHoldJson({ found, hash, zones }: HeldFleet): JsonObject {
  return { reason: "fleet_change", message: found, hash, zones };
}
