import type { JsonObject } from "../../syntax/json.ts";
import { permissions, zoneIn } from "../http/access.ts";
import { type Dialect, type Endpoint, endpoint } from "../http/api-endpoint.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { Settings, EmulatedZone } from "../state.ts";

const path = "/zones/:zone_id/page_shield";

/**
 * Members that an update of the settings may have: both names of the reporting endpoint are known.
 */
export const settingMembers = [
  "enabled",
  "use_cloudflare_reporting_endpoint",
  "use_service_reporting_endpoint",
  "use_connection_url_path",
];

/** Page Shield settings (SERVICE.md A.2). */
export const settingsEndpoints: readonly Endpoint[] = [
  endpoint("GET", path, "Get Page Shield settings", permissions.pageShieldRead, (call) => ({
    result: settingsResult(zoneIn(call).settings, call.dialect),
  })),
  endpoint("PUT", path, "Update Page Shield settings", permissions.pageShieldWrite, (call) => {
    const zone = zoneIn(call);
    const settings = updatedSettings(zone, call.body(), call.now);
    // The specification page has two members only in the response to a PUT (SERVICE.md A.2).
    const { enabled, updated_at } = settings;
    const result = call.dialect === "published" ? settings : { enabled, updated_at };
    return { result, next: { ...zone, settings } };
  }),
];

function settingsResult(settings: Settings, dialect: Dialect): object {
  if (dialect === "published") return settings;
  const { use_cloudflare_reporting_endpoint: reporting, ...others } = settings;
  return { ...others, use_service_reporting_endpoint: reporting };
}

/** The settings of a zone after an update; members that `body` does not have stay. */
export function updatedSettings(zone: EmulatedZone, body: JsonObject, now: Date): Settings {
  const { settings: before, entitlements } = zone;
  const fields = new FieldReader(body, "", unpublishedCodes.pageShield);
  const after: Settings = {
    enabled: fields.boolean("enabled") ?? before.enabled,
    updated_at: timestamp(now),
    use_cloudflare_reporting_endpoint:
      fields.boolean("use_cloudflare_reporting_endpoint") ??
      fields.boolean("use_service_reporting_endpoint") ??
      before.use_cloudflare_reporting_endpoint,
    use_connection_url_path:
      fields.boolean("use_connection_url_path") ?? before.use_connection_url_path,
  };
  for (const { name, value, entitlement } of entitledChanges) {
    if (entitlements[entitlement] || before[name] === value || after[name] !== value) continue;
    const message = `not entitled: this zone may not change ${name}`;
    throw apiError(403, unpublishedCodes.notEntitled, message, `/${name}`);
  }
  return after;
}

/** Changes of a setting to `value` that need an entitlement. */
const entitledChanges = [
  { name: "use_connection_url_path", value: true, entitlement: "connection_url_path" },
  { name: "use_cloudflare_reporting_endpoint", value: false, entitlement: "reporting_endpoint" },
] as const;
