import { sha256 } from "../../syntax/digest.ts";
import { canonicalJson, type Json } from "../../syntax/json.ts";
import type { Policy, ResourceKey } from "../../zone/resource.ts";
import type { Change } from "../change.ts";

/** The fields on which depends what a policy does. */
type PolicyFields = Readonly<
  Record<"action" | "expression" | "enabled" | "value", Json | undefined>
>;

/**
 * The digest of what a policy does: 8 hexadecimal digits. Measurements have it for each hour, since the service does not say
 * when a policy was changed.
 */
export function policyForm({ action, expression, enabled, value }: PolicyFields): string {
  return sha256(canonicalJson([action, expression, enabled, value])).slice(0, 8);
}

/**
 * The digests of the live policies that are declared, by their keys.
 *
 * @param liveKeys keys of what is declared and live.
 * @param changes what the live state differs in from the declared one.
 */
export function livePolicyForms(
  declared: readonly Policy[],
  liveKeys: ReadonlyMap<string, ResourceKey>,
  changes: readonly Change[],
): ReadonlyMap<ResourceKey, string> {
  const live = new Set(liveKeys.values());
  return new Map(
    declared.flatMap((policy): readonly (readonly [ResourceKey, string])[] => {
      const key = `policy/${policy.key}` as const;
      if (!live.has(key)) return [];
      const fields = changes.flatMap((each) => (each.key === key ? each.fields : []));
      const before = new Map(fields.map((each) => [each.field, each.before]));
      const valueOf = (field: keyof PolicyFields): Json | undefined =>
        before.has(field) ? before.get(field) : policy[field];
      const [action, expression] = [valueOf("action"), valueOf("expression")];
      const [enabled, value] = [valueOf("enabled"), valueOf("value")];
      return [[key, policyForm({ action, expression, enabled, value })]];
    }),
  );
}
