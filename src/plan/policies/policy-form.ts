import { sha256 } from "../../syntax/digest.ts";
import { canonicalJson } from "../../syntax/json.ts";
import { behaviorOf, type PolicyBehavior } from "../../zone/resource.ts";

/**
 * The digest of what a policy does: 8 hexadecimal digits. Measurements have it for each hour, since the service does not say
 * when a policy was changed.
 */
export function policyForm(policy: PolicyBehavior): string {
  return sha256(canonicalJson(Object.values(behaviorOf(policy)))).slice(0, 8);
}
