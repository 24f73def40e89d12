import { canonicalCsp } from "../../syntax/csp/csp.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import { isJsonObject, isObjectList } from "../../syntax/json.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import type { SettingName } from "../../zone/resource.ts";
import { areIdsOfList, isServiceId } from "../../zone/service-id.ts";
import { flagIn, textIn } from "../wire-value.ts";

export type LiveSettings = Readonly<Record<SettingName, boolean>>;

/** Parses the settings; `undefined` if one is missing, since a missing setting is not off. */
export function settingsOf(result: unknown): LiveSettings | undefined {
  if (!isJsonObject(result)) return undefined;
  const enabled = flagIn(result, "enabled");
  // The documentation has two names for the field (SERVICE.md A.2).
  const endpoint =
    flagIn(result, "use_cloudflare_reporting_endpoint") ??
    flagIn(result, "use_service_reporting_endpoint");
  const path = flagIn(result, "use_connection_url_path");
  if (enabled === undefined || endpoint === undefined || path === undefined) return undefined;
  return {
    enabled,
    use_cloudflare_reporting_endpoint: endpoint,
    use_connection_url_path: path,
  };
}

/** Parses a list of policies; `undefined` if one is incomplete or listed twice. */
export function policiesOf(result: unknown): readonly LivePolicy[] | undefined {
  if (!isObjectList(result)) return undefined;
  const policies = result.map(wholePolicyOf).filter((policy) => policy !== undefined);
  const areAllValid = policies.length === result.length;
  return areAllValid && areIdsOfList(policies.map(({ id }) => id)) ? policies : undefined;
}

/** The fields of a policy that only the service writes. */
const readOnlyFields: ReadonlySet<string> = new Set([
  "created_at",
  "created_on",
  "updated_at",
  "modified_on",
  "last_updated",
  "version",
]);

const texts = ["description", "action", "expression", "value"] as const;

/** Parses a policy; `undefined` if one of its fields is missing: every policy has all of them. */
export function wholePolicyOf(wire: unknown): LivePolicy | undefined {
  if (!isJsonObject(wire) || flagIn(wire, "enabled") === undefined) return undefined;
  return texts.every((name) => typeof wire[name] === "string") ? policyOf(wire) : undefined;
}

/**
 * Parses a policy of which some fields may be missing, which are empty then; `undefined` without a
 * valid id. Sources are sorted, since answers have them in any order (SERVICE.md A.6).
 */
export function policyOf(wire: unknown): LivePolicy | undefined {
  if (!isJsonObject(wire) || !isServiceId(textIn(wire, "id"))) return undefined;
  const known = {
    id: textIn(wire, "id"),
    description: textIn(wire, "description"),
    action: textIn(wire, "action"),
    expression: canonicalExpression(textIn(wire, "expression")),
    enabled: flagIn(wire, "enabled") ?? false,
    value: canonicalCsp(textIn(wire, "value")),
  };
  const rest = Object.entries(wire).filter(
    ([name]) => !Object.hasOwn(known, name) && !readOnlyFields.has(name),
  );
  return { ...known, rest: Object.fromEntries(rest) };
}
