import type { JsonObject } from "../syntax/json.ts";
import { markdownCode } from "./format.ts";

/** Plans that the fleet guard holds as a whole. */
export interface HeldFleet {
  /** How many zones would change, how many of them with less protection, and the limit. */
  readonly found: string;
  /** The hash that releases them, 64 hexadecimal digits. */
  readonly hash: string;
  /** Names of the zones that would change. */
  readonly zones: readonly string[];
}

/** What `plan` says of plans that `apply`, or the first round of a daemon, would hold as a whole. */
export function fleetHoldText({ found, hash }: HeldFleet): string {
  return `Together held by fleet_change: ${found}. To apply all of them: apply --accept ${hash}; for the first round of the daemon, add the hash to limits.accept.`;
}

export function fleetHoldMarkdown({ found, hash }: HeldFleet): string {
  return `**Together held by \`fleet_change\`**: ${found}. To apply all of them: ${markdownCode(`zonewarden apply --accept ${hash}`)}; for the first round of the daemon, add the hash to \`limits.accept\`.`;
}

export function fleetHoldJson({ found, hash, zones }: HeldFleet): JsonObject {
  return { reason: "fleet_change", message: found, hash, zones };
}
