import { canonicalCsp } from "../../syntax/csp/csp.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import { type JsonObject, isJsonObject, isObjectList } from "../../syntax/json.ts";
import type { LivePolicy } from "../../zone/live-zone.ts";
import type { SettingName } from "../../zone/resource.ts";
import { flagIn, textIn } from "../wire-value.ts";

/** Page Shield settings as they are live. */
export type LiveSettings = Readonly<Record<SettingName, boolean>>;

/** Reads the settings object; `undefined` where one of them is missing, since missing is not off. */
export function settingsOf(result: unknown): LiveSettings | undefined {
  if (!isJsonObject(result)) return undefined;
  const enabled = flagIn(result, "enabled");
  // Descriptions of the service have two names for the field (SERVICE.md A.2).
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

/** Reads a list of policies, whole or not at all. */
export function policiesOf(result: unknown): readonly LivePolicy[] | undefined {
  if (!isObjectList(result)) return undefined;
  const policies = result.map(policyOf).filter((policy) => policy !== undefined);
  return policies.length === result.length ? policies : undefined;
}

/** Fields of a policy that we compare, and those that only the service writes. */
const known: ReadonlySet<string> = new Set([
  "id",
  "description",
  "action",
  "expression",
  "enabled",
  "value",
  "created_at",
  "created_on",
  "updated_at",
  "modified_on",
  "last_updated",
  "version",
]);

/**
 * Reads a policy; `undefined` where it has no id. What else is missing reads as empty: it may be somebody else's. Its
 * sources are brought into one order, since answers have them in any (SERVICE.md A.6).
 */
export function policyOf(wire: unknown): LivePolicy | undefined {
  if (!isJsonObject(wire) || textIn(wire, "id") === "") return undefined;
  return {
    id: textIn(wire, "id"),
    description: textIn(wire, "description"),
    action: textIn(wire, "action"),
    expression: canonicalExpression(textIn(wire, "expression")),
    enabled: flagIn(wire, "enabled") ?? false,
    value: canonicalCsp(textIn(wire, "value")),
    rest: unknownFieldsOf(wire),
  };
}

function unknownFieldsOf(wire: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => !known.has(name)));
}
