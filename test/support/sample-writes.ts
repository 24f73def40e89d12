import type { JsonObject } from "../../src/syntax/json.ts";
import type { LiveEntrypoint } from "../../src/zone/live-zone.ts";
import type { Write } from "../../src/zone/write.ts";
import { livePolicy, liveZone } from "./model.ts";

/** Settings as the service shows them. */
export const settings = {
  enabled: true,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};

export function versionOf(version: string): LiveEntrypoint {
  return { state: "present", id: "e1", version, rules: [] };
}

/** All parts of a zone, so that a part that gets lost shows. */
export const shop = liveZone({
  settings: { ...settings, enabled: false },
  policies: [livePolicy("p1")],
  entrypoints: { managed_rules: versionOf("4") },
});

export const updateSettings: Write = {
  call: "update-settings",
  body: { enabled: true },
  changes: [],
};

export const createPolicy: Write = {
  call: "create-policy",
  body: { description: "Checkout [zonewarden:checkout]" },
  changes: [],
};

export const createRule: Write = {
  call: "create-rule",
  phase: "managed_rules",
  ruleset: "e1",
  body: { ref: "zonewarden:health" },
  position: { after: "", behind: [], before: "ref-r1" },
  changes: [],
};

export const deleteRule: Write = {
  call: "delete-rule",
  phase: "managed_rules",
  ruleset: "e1",
  id: "r1",
  changes: [],
};

export const putEntrypoint: Write = {
  call: "put-entrypoint",
  phase: "managed_rules",
  rules: [],
  changes: [],
};

export function wirePolicy(id: string, description: string): JsonObject {
  return { id, description, action: "log", expression: "true", enabled: true, value: "img-src a" };
}
