import { sha256 } from "../../syntax/digest.ts";
import { canonicalJson } from "../../syntax/json.ts";
import type { PolicyBehavior } from "./policy-force.ts";

/**
 * The digest of what a policy does: 8 hexadecimal digits. Measurements have it for each hour, since the service does not say
 * when a policy was changed.
 */
export function policyForm({ action, expression, enabled, value }: PolicyBehavior): string {
  return sha256(canonicalJson([action, expression, enabled, value])).slice(0, 8);
}
