import type { JsonObject } from "../syntax/json.ts";
import type { Policy, Settings } from "./state.ts";

/** How answers are written: as the published schema has them, or as the specification page shows them. */
export const dialects = ["published", "specification"] as const;

/** One of {@link dialects}. */
export type Dialect = (typeof dialects)[number];

/** Settings as GET shows them. */
export function settingsShown(settings: Settings, dialect: Dialect): JsonObject {
  switch (dialect) {
    case "published":
      return { ...settings };
    case "specification": {
      const { use_cloudflare_reporting_endpoint: endpoint, ...others } = settings;
      return { ...others, use_service_reporting_endpoint: endpoint };
    }
  }
}

/** Settings as PUT answers them: the specification page shows two members only (api-facts A.2). */
export function settingsStored(settings: Settings, dialect: Dialect): JsonObject {
  switch (dialect) {
    case "published":
      return { ...settings };
    case "specification":
      return { enabled: settings.enabled, updated_at: settings.updated_at };
  }
}

/** A policy as answers show it: the specification page has `enabled` as a string. */
export function policyShown(policy: Policy, dialect: Dialect): JsonObject {
  switch (dialect) {
    case "published":
      return { ...policy };
    case "specification":
      return { ...policy, enabled: String(policy.enabled) };
  }
}
