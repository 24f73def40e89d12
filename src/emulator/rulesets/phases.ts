import { namesIn } from "../../syntax/by-text.ts";
import { aliasOf } from "../../syntax/expression/expression-fields.ts";
import type { Owner } from "../state.ts";
import type { ExpressionLimits } from "./filter-expression.ts";
import { type RateLimitPlan, rateLimitPlans } from "./rate-limit-plans.ts";

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

const plans = ["free", "pro", "business", "enterprise"] as const;

type Plan = (typeof plans)[number];

/** What a phase has and allows. */
export interface ServedPhase {
  /** `source` of its rulesets; only WAF phases have it (SERVICE.md B.3). */
  readonly source?: string;
  /** Actions of its rules; `undefined`: all. */
  readonly actions?: readonly string[];
  /** Actions that only zones of the plan enterprise have besides. */
  readonly enterpriseActions?: readonly string[];
  /** Actions that only rulesets of accounts have besides. */
  readonly accountActions?: readonly string[];
  /** Whether its managed rulesets have sensitivity levels (SERVICE.md B.5). */
  readonly hasSensitivity?: boolean;
  /** Limit of the rules of a zone in this phase; `undefined`: {@link usualLimit}. */
  readonly rules?: Readonly<Record<Plan, number>>;
  /** Limit of a zone's custom rulesets; `undefined`: zones have none in this phase. */
  readonly customRulesets?: Readonly<Record<Plan, number>>;
  /** The response of `block`: its largest content in bytes, and the least plan. */
  readonly response?: { readonly maxBytes: number; readonly plan: Plan };
  /** Phases that `skip` may name; `undefined`: any. */
  readonly skippedPhases?: readonly string[];
  /** Whether `skip` can name managed rulesets and their rules. */
  readonly skipsManaged?: boolean;
  /** Whether expressions must not have fields of the response. */
  readonly isBeforeResponse?: boolean;
  /** See {@link ExpressionLimits}. */
  readonly regexNeeds?: string;
  /** What a field needs that the owner's plan does not have; `undefined`: nothing. */
  readonly fieldNeeds?: (field: string, owner: Owner) => string | undefined;
  readonly hasRateLimit?: boolean;
}

/** Limit of rules in phases whose limit is not published. */
const usualLimit = 100;

/** Limit of rules in a ruleset of an account (SERVICE.md B.8). */
const accountLimit = 1_000;

/** Rules of such a phase only deploy managed rulesets and add exceptions. */
const managed: ServedPhase = {
  actions: ["execute", "skip"],
  enterpriseActions: ["log"],
  skipsManaged: true,
};

/**
 * Fields that need a plan, the longer names first; names stand for those below them. Fields that
 * are an add-on count as enterprise (SERVICE.md B.10).
 */
const planOfFields: readonly (readonly [field: string, Plan])[] = [
  ["cf.waf.credential_check.username_and_password_leaked", "pro"],
  ["cf.waf.score.class", "business"],
  ["cf.api_gateway.auth_id_present", "enterprise"],
  ["cf.bot_management", "enterprise"],
  ["cf.llm", "enterprise"],
  ["cf.waf.auth_detected", "enterprise"],
  ["cf.waf.content_scan", "enterprise"],
  ["cf.waf.credential_check", "enterprise"],
  ["cf.waf.score", "enterprise"],
  ["http.request.body", "enterprise"],
  ["http.request.cookies", "pro"],
  ["http.request.jwt", "enterprise"],
  ["ip.src.is_in_european_union", "business"],
  ["ip.src.subdivision_1_iso_code", "business"],
  ["ip.src.subdivision_2_iso_code", "business"],
];

function wafFieldNeeds(field: string, owner: Owner): string | undefined {
  const plan = planOfFields.find(([name]) => isBelow(aliasOf(field), name))?.[1];
  if (plan === undefined || hasPlan(owner, plan)) return undefined;
  const article = plan === "enterprise" ? "an" : "a";
  return `${article} ${plan.charAt(0).toUpperCase()}${plan.slice(1)} plan or a WAF Advanced plan`;
}

function rateLimitFieldNeeds(field: string, owner: Owner): string | undefined {
  const isIncluded = rateLimitPlan(owner).includesField(aliasOf(field));
  return isIncluded ? undefined : "an higher Advanced Rate Limiting plan";
}

/** Whether a field is `name` or a part of it. */
function isBelow(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`);
}

const customPhase = "http_request_firewall_custom";
const challenges = ["challenge", "js_challenge", "managed_challenge"];

const servedPhases: Readonly<Record<string, ServedPhase>> = {
  ddos_l4: { hasSensitivity: true },
  ddos_l7: { hasSensitivity: true },
  [customPhase]: {
    source: "firewall_custom",
    actions: ["block", ...challenges, "skip", "execute"],
    enterpriseActions: ["log"],
    accountActions: ["rewrite"],
    rules: { free: 5, pro: 20, business: 100, enterprise: 1_000 },
    customRulesets: { free: 1, pro: 2, business: 5, enterprise: 10 },
    response: { maxBytes: 2_048, plan: "pro" },
    skippedPhases: ["http_ratelimit", "http_request_sbfm", managedPhase],
    isBeforeResponse: true,
    fieldNeeds: wafFieldNeeds,
  },
  http_ratelimit: {
    source: "rate_limit",
    actions: ["block", ...challenges],
    enterpriseActions: ["log"],
    accountActions: ["execute"],
    response: { maxBytes: 30_720, plan: "free" },
    isBeforeResponse: true,
    regexNeeds: "an Advanced Rate Limiting plan",
    fieldNeeds: rateLimitFieldNeeds,
    hasRateLimit: true,
  },
  [managedPhase]: { source: "firewall_managed", ...managed },
  http_response_firewall_managed: { source: "firewall_managed", ...managed },
  magic_transit_ids_managed: managed,
  magic_transit_managed: managed,
};

export function servedPhase(phase: string): ServedPhase {
  return servedPhases[phase] ?? {};
}

/** Whether the rules of an owner in a phase may have an action. */
export function allowsAction(owner: Owner, phase: string, action: string): boolean {
  const { actions, enterpriseActions = [], accountActions = [] } = servedPhase(phase);
  if (actions === undefined || actions.includes(action)) return true;
  if (owner.level === "account" && accountActions.includes(action)) return true;
  return hasPlan(owner, "enterprise") && enterpriseActions.includes(action);
}

/** Whether a zone has at least a plan; accounts with rulesets have all of them. */
export function hasPlan(owner: Owner, plan: Plan): boolean {
  return owner.level === "account" || plans.indexOf(planOf(owner.plan)) >= plans.indexOf(plan);
}

/** What the plan of a zone or account includes of rate limits. */
export function rateLimitPlan(owner: Owner): RateLimitPlan {
  if (owner.level === "account") return rateLimitPlans.advanced;
  const plan = planOf(owner.plan);
  const isAdvanced = plan === "enterprise" && owner.entitlements.advanced_rate_limiting !== false;
  return rateLimitPlans[isAdvanced ? "advanced" : plan];
}

/** Limit of rules that an owner may have in a phase. */
export function ruleLimit(owner: Owner, phase: string): number {
  if (owner.level === "account") return accountLimit;
  const { rules } = owner.entitlements;
  if (typeof rules === "number") return rules;
  const facts = servedPhase(phase);
  const byPlan = facts.hasRateLimit === true ? rateLimitPlan(owner).rules : undefined;
  return rules?.[phase] ?? byPlan ?? facts.rules?.[planOf(owner.plan)] ?? usualLimit;
}

/** What the expressions of an owner's rules in a phase may have. */
export function expressionLimits(
  owner: Owner,
  phase: string,
  isLenient: boolean,
): ExpressionLimits {
  const { fieldNeeds, isBeforeResponse, regexNeeds } = servedPhase(phase);
  return {
    plan: owner.level === "zone" ? owner.plan : "",
    isLenient,
    isBeforeResponse,
    regexNeeds,
    fieldNeeds: (field) => fieldNeeds?.(field, owner),
  };
}

/** Limit of custom rulesets that a zone may have in a phase. */
export function customRulesetLimit(plan: string, phase: string): number {
  return servedPhase(phase).customRulesets?.[planOf(plan)] ?? 0;
}

function planOf(text: string): Plan {
  return plans.find((plan) => plan === text) ?? "free";
}
