import { namesIn } from "../../syntax/by-text.ts";

/** Phases of rulesets (published schema, `rulesets_RulesetPhase`). */
export const phases: readonly string[] = namesIn(`
  ddos_l4 ddos_l7 http_config_settings http_custom_errors http_log_custom_fields http_ratelimit
  http_request_cache_settings http_request_dynamic_redirect http_request_firewall_custom
  http_request_firewall_managed http_request_late_transform http_request_origin
  http_request_redirect http_request_sanitize http_request_sbfm http_request_transform
  http_response_cache_settings http_response_compression http_response_firewall_managed
  http_response_headers_transform magic_transit magic_transit_ids_managed magic_transit_managed
  magic_transit_ratelimit
`);

/** The phase whose entry point deploys the managed WAF rulesets. */
export const managedPhase = "http_request_firewall_managed";

/** Actions of rules (SERVICE.md B.4). */
export const ruleActions: readonly string[] = namesIn(`
  block challenge compress_response ddos_dynamic execute force_connection_close js_challenge log
  log_custom_field managed_challenge redirect rewrite route score serve_error set_cache_control
  set_cache_settings set_cache_tags set_config skip transform_response_html
`);

/** Actions of the OWASP score rule (SERVICE.md B.7). */
export const scoreActions = ["block", "managed_challenge", "js_challenge", "log", "challenge"];

/** What a phase has and allows. */
interface PhaseRules {
  /** `source` of its rulesets; only WAF phases have it (SERVICE.md B.3). */
  readonly source?: string;
  /** Actions of its rules; `undefined`: all. */
  readonly actions?: readonly string[];
  /** Actions that only zones of the plan enterprise have besides. */
  readonly enterpriseActions?: readonly string[];
  /** Whether its managed rulesets have sensitivity levels (SERVICE.md B.5). */
  readonly hasSensitivity?: boolean;
}

/** Rules of such a phase only deploy managed rulesets and add exceptions. */
const managed: PhaseRules = { actions: ["execute", "skip"], enterpriseActions: ["log"] };
const wafSource = { source: "firewall_managed" };

const rulesOfPhases: Readonly<Record<string, PhaseRules>> = {
  ddos_l4: { hasSensitivity: true },
  ddos_l7: { hasSensitivity: true },
  http_ratelimit: { source: "rate_limit" },
  http_request_firewall_custom: wafSource,
  http_request_firewall_managed: { ...wafSource, ...managed },
  http_response_firewall_managed: { ...wafSource, ...managed },
  magic_transit_ids_managed: managed,
  magic_transit_managed: managed,
};

export function phaseRules(phase: string): PhaseRules {
  return rulesOfPhases[phase] ?? {};
}
