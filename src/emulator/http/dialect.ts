import type { JsonObject } from "../../syntax/json.ts";
import type { Policy, Settings } from "../state.ts";

/** How answers are written: as either of two descriptions has them (SERVICE.md, Two descriptions). */
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

/** Settings as PUT answers them: the specification page shows two members only (SERVICE.md A.2). */
export function settingsStored(settings: Settings, dialect: Dialect): JsonObject {
  switch (dialect) {
    case "published":
      return { ...settings };
    case "specification":
      return { enabled: settings.enabled, updated_at: settings.updated_at };
  }
}

/** A policy as answers show it: the specification page has `enabled` as a string (SERVICE.md A.6). */
export function policyShown(policy: Policy, dialect: Dialect): JsonObject {
  switch (dialect) {
    case "published":
      return { ...policy };
    case "specification":
      return { ...policy, enabled: String(policy.enabled) };
  }
}
