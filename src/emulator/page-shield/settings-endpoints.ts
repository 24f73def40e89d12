import type { JsonObject } from "../../syntax/json.ts";
import { permissions, zoneIn } from "../http/access.ts";
import { refused, unpublishedCodes } from "../http/api-error.ts";
import { type Endpoint, settingsShown, settingsStored, shown, stored } from "../http/endpoint.ts";
import { fieldsOf } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { Settings, ZoneState } from "../state.ts";

const path = "/zones/:zone_id/page_shield";

/** Page Shield settings (SERVICE.md A.2). */
export const settingsEndpoints: readonly Endpoint[] = [
  {
    method: "GET",
    path,
    summary: "Get Page Shield settings",
    permissions: permissions.pageShieldRead,
    dryRun: false,
    handle: (call) => shown(settingsShown(zoneIn(call).settings, call.dialect)),
  },
  {
    method: "PUT",
    path,
    summary: "Update Page Shield settings",
    permissions: permissions.pageShieldWrite,
    dryRun: false,
    handle: (call) => {
      const zone = zoneIn(call);
      const settings = changedSettings(zone, call.body(), call.now);
      return stored(settingsStored(settings, call.dialect), { ...zone, settings });
    },
  },
];

/** The settings of a zone after `body`, which names those that change; both names of the endpoint's field are known. */
export function changedSettings(zone: ZoneState, body: JsonObject, now: Date): Settings {
  const fields = fieldsOf(body, "", unpublishedCodes.pageShield);
  const settings: Settings = {
    enabled: fields.flag("enabled") ?? zone.settings.enabled,
    updated_at: timestamp(now),
    use_cloudflare_reporting_endpoint:
      fields.flag("use_cloudflare_reporting_endpoint") ??
      fields.flag("use_service_reporting_endpoint") ??
      zone.settings.use_cloudflare_reporting_endpoint,
    use_connection_url_path:
      fields.flag("use_connection_url_path") ?? zone.settings.use_connection_url_path,
  };
  refuseUnentitled(zone, settings);
  return settings;
}

function refuseUnentitled({ settings: before, entitlements }: ZoneState, after: Settings): void {
  if (
    after.use_connection_url_path &&
    !before.use_connection_url_path &&
    !entitlements.connection_url_path
  ) {
    throw notEntitled("use_connection_url_path");
  }
  if (
    !after.use_cloudflare_reporting_endpoint &&
    before.use_cloudflare_reporting_endpoint &&
    !entitlements.reporting_endpoint
  ) {
    throw notEntitled("use_cloudflare_reporting_endpoint");
  }
}

function notEntitled(name: string): Error {
  return refused(
    403,
    unpublishedCodes.notEntitled,
    `not entitled: this zone may not change ${name}`,
    `/${name}`,
  );
}
