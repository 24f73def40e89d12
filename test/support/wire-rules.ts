import type { JsonObject } from "../../src/syntax/json.ts";
import { type TestEmulator, objectIn } from "./emulator.ts";

/** Id of the OWASP core ruleset. */
export const owasp = "4814384a9e5d4991b9815dcfc25d2f1f";
/** Id of the service's own managed ruleset. */
export const cloudflare = "efb7b8c949ac4650a09736fc376e9aee";
/** Id of the OWASP score rule. */
export const scoreRule = "6179ae15870a4bb7b2d480d4843b323c";
/** The phase that deploys managed rulesets. */
export const phase = "http_request_firewall_managed";

/** A rule that deploys a managed ruleset. */
export function execute(id: string, more: JsonObject = {}): JsonObject {
  return { action: "execute", action_parameters: { id }, expression: "true", ...more };
}

/** Parameters of a rule that deploys the OWASP ruleset with overrides. */
export function tuned(overrides: unknown): JsonObject {
  return { action_parameters: objectIn({ id: owasp, overrides }) };
}

/** A rule that makes an exception from the OWASP ruleset. */
export const skip: JsonObject = {
  action: "skip",
  action_parameters: { rulesets: [owasp] },
  expression: "ssl",
};

/** Path of the entry point of `www.brand.example`, which the synthetic seed leaves unconfigured. */
export async function entrypointPath(world: TestEmulator): Promise<string> {
  return `/zones/${await world.zoneId("www.brand.example")}/rulesets/phases/${phase}/entrypoint`;
}
