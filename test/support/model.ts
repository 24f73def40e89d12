import { ruleOf } from "../../src/api/read/parse-entrypoint.ts";
import type { Limits } from "../../src/plan/guard/guard.ts";
import {
  type Declared,
  type DesiredZone,
  noContent,
  type ZoneContent,
} from "../../src/zone/desired-zone.ts";
import type { LiveEntrypoint, LivePolicy, LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId, owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import { marked } from "../../src/zone/mark.ts";
import type { ReadTimes } from "../../src/zone/ports.ts";
import type { Promotion } from "../../src/zone/promotion.ts";
import type {
  CategoryOverride,
  CustomRuleset,
  ExecuteRule,
  MitigateRule,
  Overrides,
  OwaspTuning,
  Policy,
  RateLimit,
  RuleOverride,
  SkipParameters,
  SkipRule,
} from "../../src/zone/resource.ts";
import { zoneId, zoneName, type Zone } from "../../src/zone/zone.ts";
import type { Wire } from "./wire-model.ts";

/** The mark under which most stories happen. */
export const owner = "zonewarden";

/** How far a run may go where nothing else is configured. */
export const usualLimits: Limits = {
  maxDeleteShare: 0.3,
  maxUpdateShare: 0.6,
  minCompared: 3,
  weakening: "allow",
  quota: {},
  accept: [],
};

/** The zone of most stories. */
export const shopZone: Zone = zoneNamed("shop.example.com");

export function zoneNamed(text: string): Zone {
  const name = zoneName(text);
  const id = zoneId("023e105f4ecef8ad9ca31a8372d0c353");
  if (name === undefined || id === undefined) throw new Error(`${text} is no zone name`);
  return {
    id,
    name,
    accountId: "01a7362d577a6c3019a474fd6f485823",
    accountName: "Example Shops",
    status: "active",
    tier: "enterprise",
  };
}

export function desiredZone(content: Partial<ZoneContent> = {}): DesiredZone {
  return {
    zone: shopZone,
    content: { ...noContent, ...content },
  };
}

export function declared<T>(
  items: readonly T[],
  unmanaged: Declared<T>["unmanaged"] = "report",
): Declared<T> {
  return { items, unmanaged };
}

/** The settings of Page Shield, switched off. */
export const settingsOff = {
  enabled: false,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};

export function liveZone(parts: Partial<LiveZone> = {}): LiveZone {
  return {
    zone: shopZone,
    settings: undefined,
    policies: undefined,
    entrypoints: {},
    scoreRule: { id: documentedScoreRuleId, source: "account", version: "36" },
    ...parts,
  };
}

/** When each part was read, where all were read at once. */
export function readAllAt(ms: number): ReadTimes {
  return {
    settings: ms,
    policies: ms,
    custom_rules: ms,
    rate_limiting_rules: ms,
    managed_rules: ms,
    custom_rulesets: ms,
  };
}

export function policy(key: string, more: Partial<Policy> = {}): Policy {
  return {
    key,
    was: undefined,
    description: `Scripts of ${key}`,
    action: "log",
    expression: 'http.host eq "shop.example.com"',
    enabled: true,
    value: "script-src 'self'",
    acknowledge: [],
    promotion: undefined,
    ...more,
  };
}

/** A live policy of nobody. */
export function livePolicy(id: string, more: Partial<LivePolicy> = {}): LivePolicy {
  return {
    id,
    description: "Made by hand",
    action: "log",
    expression: 'http.host eq "shop.example.com"',
    enabled: true,
    value: "script-src 'self'",
    rest: {},
    ...more,
  };
}

/** A declared policy as it is live after it was carried out. */
export function carriedOut(
  id: string,
  { key, description, action, expression, enabled, value }: Policy,
  more: Partial<LivePolicy> = {},
): LivePolicy {
  return {
    id,
    description: marked(description, owner, key),
    action,
    expression,
    enabled,
    value,
    rest: {},
    ...more,
  };
}

/** A promotion of an action from log to block, of which no step is known. */
export function promotion(more: Partial<Promotion> = {}): Promotion {
  return {
    field: "action",
    steps: ["log", "managed_challenge", "block"],
    afterMs: 7 * 86_400_000,
    when: { ratePer10k: 1, unknownScripts: 0, requestsAtLeast: 1_000 },
    watchMs: 86_400_000,
    rollback: { ratePer10k: 5, requestsAtLeast: 1_000 },
    at: undefined,
    ...more,
  };
}

export const untuned: OwaspTuning = {
  paranoiaLevel: undefined,
  scoreThreshold: undefined,
  action: undefined,
};

export const noOverrides: Overrides = {
  enabled: undefined,
  action: undefined,
  sensitivity_level: undefined,
  categories: [],
  rules: [],
};

export function category(name: string, more: Partial<CategoryOverride> = {}): CategoryOverride {
  return {
    category: name,
    enabled: undefined,
    action: undefined,
    sensitivity_level: undefined,
    ...more,
  };
}

export function ruleOverride(id: string, more: Partial<RuleOverride> = {}): RuleOverride {
  return {
    id,
    enabled: undefined,
    action: undefined,
    score_threshold: undefined,
    sensitivity_level: undefined,
    ...more,
  };
}

/** A declared rule that deploys the OWASP core ruleset. */
export function deployment(key: string, more: Partial<ExecuteRule> = {}): ExecuteRule {
  return {
    action: "execute",
    key,
    was: undefined,
    position: undefined,
    description: "",
    expression: "true",
    enabled: true,
    ruleset: owaspRulesetId,
    tuning: untuned,
    overrides: noOverrides,
    promotion: undefined,
    ...more,
  };
}

export const skipNothing: SkipParameters = {
  ruleset: false,
  phase: false,
  rulesets: [],
  rules: {},
  phases: [],
  products: [],
};

/** What a declared rule has that selects the requests of a path. */
function ofPath(key: string) {
  return {
    key,
    was: undefined,
    position: undefined,
    description: "",
    expression: `http.request.uri.path eq "/${key}"`,
    enabled: true,
  };
}

/** A declared exception that spares a path from the rest of the ruleset. */
export function exception(key: string, more: Partial<SkipRule> = {}): SkipRule {
  return {
    ...ofPath(key),
    action: "skip",
    skip: { ...skipNothing, ruleset: true },
    logging: true,
    ...more,
  };
}

/** A declared rule that blocks the requests of a path. */
export function block(key: string, more: Partial<MitigateRule> = {}): MitigateRule {
  return {
    ...ofPath(key),
    action: "block",
    response: undefined,
    ratelimit: undefined,
    promotion: undefined,
    ...more,
  };
}

/** A custom ruleset with two rules. */
export function customRuleset(key: string, more: Partial<CustomRuleset> = {}): CustomRuleset {
  return {
    key,
    was: undefined,
    description: `Rules of the ${key} team`,
    expression: 'http.host eq "pay.example.com"',
    enabled: true,
    position: undefined,
    rules: [block("amounts"), block("bots", { action: "managed_challenge" })],
    ...more,
  };
}

/** A limit of five requests a minute from one address. */
export const rateLimit: RateLimit = {
  characteristics: ["cf.colo.id", "ip.src"],
  period: 60,
  requests_per_period: 5,
  mitigation_timeout: 600,
  counting_expression: "",
  requests_to_origin: false,
  score_per_period: undefined,
  score_response_header_name: undefined,
};

/** A live rule, read from what the service would give for it. */
export function liveRule(id: string, wire: Wire): LiveRule {
  return ruleOf({ id, version: "1", ref: id, enabled: true, expression: "true", ...wire });
}

/** A live rule that deploys a managed ruleset. */
export function liveDeployment(id: string, more: Wire = {}, overrides?: Wire): LiveRule {
  const parameters = { id: owaspRulesetId, version: "latest", ...(overrides && { overrides }) };
  return liveRule(id, { action: "execute", action_parameters: parameters, ...more });
}

/** A live exception that spares a path from the rest of the ruleset. */
export function liveException(id: string, path: string, more: Wire = {}): LiveRule {
  return liveRule(id, {
    action: "skip",
    action_parameters: { ruleset: "current" },
    expression: `http.request.uri.path eq "/${path}"`,
    logging: { enabled: true },
    ...more,
  });
}

/** An entry point with these rules, in its version 7. */
export function entrypoint(...rules: readonly LiveRule[]): LiveEntrypoint {
  return { state: "present", id: "ep", version: "7", rules };
}

export const absent: LiveEntrypoint = { state: "absent" };

/** A zone in which nothing was ever configured. */
export function bare(zone: Zone): LiveZone {
  return liveZone({ zone, settings: settingsOff, policies: [] });
}
