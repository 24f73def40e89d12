// Made from schemas/zones.schema.json by `npm run generate`; a test compares them.

export type YamlName = string;
export type YamlLabels = {
  [k: string]: string | null;
} | null;
export type YamlVars = {
  [k: string]:
    | string
    | number
    | boolean
    | (string | number | boolean)[]
    | {
        type?: "string" | "integer" | "number" | "boolean" | "list";
        items?: "string" | "integer" | "number" | "boolean" | "host" | "ip" | "path";
        enum?: (string | number | boolean)[];
        pattern?: string;
        minimum?: number;
        maximum?: number;
        default?: string | number | boolean | (string | number | boolean)[];
        required?: boolean;
        description?: string;
      }
    | null;
} | null;
export type YamlMode = "enforce" | "observe" | null;
export type YamlPageShield = {
  settings?: YamlSettings;
  policies?: YamlPolicies;
  scripts?: YamlScripts;
} | null;
export type YamlSettings = {
  enabled?: boolean | null;
  use_cloudflare_reporting_endpoint?: boolean | null;
  use_connection_url_path?: boolean | null;
} | null;
export type YamlPolicies = {
  items?: YamlPolicy[] | null;
  unmanaged?: YamlUnmanaged;
} | null;
export type YamlKey = string;
export type YamlWas = string | null;
export type YamlRemove = true;
export type YamlPolicyPromotion = {
  from: "log" | "allow";
  to?: "log" | "allow";
  after: YamlStepAfter;
  when:
    | "time_only"
    | {
        violations_per_10k_requests?: number;
        unknown_scripts?: number;
        requests_at_least?: YamlRequestsAtLeast;
      };
  watch?: YamlStepWatch;
  rollback?: {
    violations_per_10k_requests: number;
    requests_at_least?: YamlRequestsAtLeast;
  };
  force?: YamlStepForce;
} | null;
export type YamlStepAfter = string;
export type YamlRequestsAtLeast = number;
export type YamlStepWatch = string;
export type YamlStepForce = boolean;
export type YamlExpression = string | null;
export type YamlEnabled = boolean | null;
export type YamlSources = string[] | boolean | null;
export type YamlUnmanaged = "report" | "delete" | "ignore" | null;
export type YamlScripts = {
  pages?: string[] | null;
  authorised?: YamlAuthorisedScript[] | null;
  acknowledged?: YamlAcknowledgedFinding[] | null;
  gone_after_days?: number | null;
} | null;
export type YamlCustomRules = {
  rules?: YamlCustomRule[] | null;
  unmanaged?: YamlUnmanaged;
} | null;
export type YamlBefore = string | null;
export type YamlAfter = string | null;
export type YamlPosition =
  | ("first" | "last" | null)
  | {
      before?: YamlReference;
      after?: YamlReference;
    };
export type YamlReference = string | null;
export type YamlRuleDescription = string | null;
export type YamlRulePromotion = {
  from: "log" | "managed_challenge" | "block";
  to?: "log" | "managed_challenge" | "block";
  after: YamlStepAfter;
  when: YamlRuleWhen;
  watch?: YamlStepWatch;
  rollback?: YamlRuleRollback;
  force?: YamlStepForce;
} | null;
export type YamlRuleWhen =
  | "time_only"
  | {
      events_per_10k_requests?: number;
      requests_at_least?: YamlRequestsAtLeast;
    };
export type YamlResponse = {
  status_code?: number | null;
  content_type?: "text/html" | "text/plain" | "application/json" | "text/xml" | null;
  content?: string | null;
} | null;
export type YamlCustomSkip = {
  ruleset?: "current" | null;
  phase?: "current" | null;
  phases?: ("http_ratelimit" | "http_request_sbfm" | "http_request_firewall_managed")[] | null;
  products?: YamlProducts;
  logging?: boolean | null;
} | null;
export type YamlProducts =
  ("bic" | "hot" | "rateLimit" | "securityLevel" | "uaBlock" | "waf" | "zoneLockdown")[] | null;
export type YamlAcknowledge = ("every-request" | "no-request")[] | null;
export type YamlCustomRulesets = YamlCustomRuleset[] | null;
export type YamlRateLimitingRules = {
  rules?: YamlRateLimitingRule[] | null;
  unmanaged?: YamlUnmanaged;
} | null;
export type YamlRatelimit = {
  characteristics?: string[] | null;
  period?: number | null;
  requests_per_period?: number | null;
  mitigation_timeout?: number | null;
  counting_expression?: string | null;
  requests_to_origin?: boolean | null;
  score_per_period?: number | null;
  score_response_header_name?: string | null;
} | null;
export type YamlManagedRules = {
  rules?: YamlManagedRule[] | null;
  unmanaged?: YamlUnmanaged;
} | null;
export type YamlManagedPromotion = {
  field?: "action" | "paranoia_level" | "score_threshold";
  from:
    | "log"
    | "managed_challenge"
    | "block"
    | 1
    | 2
    | 3
    | 4
    | "low"
    | "medium"
    | "high"
    | 60
    | 40
    | 25;
  to?:
    | "log"
    | "managed_challenge"
    | "block"
    | 1
    | 2
    | 3
    | 4
    | "low"
    | "medium"
    | "high"
    | 60
    | 40
    | 25;
  after: YamlStepAfter;
  when: YamlRuleWhen;
  watch?: YamlStepWatch;
  rollback?: YamlRuleRollback;
  force?: YamlStepForce;
} | null;
export type YamlOverrides = {
  enabled?: boolean | null;
  action?: YamlOverrideAction;
  sensitivity_level?: YamlSensitivityLevel;
  categories?: YamlCategoryOverride[] | null;
  rules?: YamlRuleOverride[] | null;
} | null;
export type YamlOverrideAction =
  "block" | "managed_challenge" | "js_challenge" | "log" | "challenge" | null;
export type YamlSensitivityLevel = "default" | "medium" | "low" | "eoff" | null;
export type YamlSkip = {
  ruleset?: "current" | null;
  phase?: "current" | null;
  rulesets?: YamlRulesetName[] | null;
  rules?: {
    [k: string]: string[] | null;
  } | null;
  phases?: string[] | null;
  products?: YamlProducts;
} | null;
export type YamlRulesetName = string;
export type YamlNamePatterns = string | string[];
export type YamlAccountPatterns = string | string[];
export type YamlStatusPatterns = string | string[];
export type YamlPlanPatterns = string | string[];

export interface ZoneFile {
  $schema?: string;
  version?: 1;
  profiles?: {
    [k: string]: YamlProfile;
  };
  zones?: YamlZoneEntry[];
}
export interface YamlProfile {
  description?: string;
  extends?: YamlName[];
  labels?: YamlLabels;
  vars?: YamlVars;
  mode?: YamlMode;
  page_shield?: YamlPageShield;
  custom_rules?: YamlCustomRules;
  custom_rulesets?: YamlCustomRulesets;
  rate_limiting_rules?: YamlRateLimitingRules;
  managed_rules?: YamlManagedRules;
}
export interface YamlPolicy {
  key: YamlKey;
  was?: YamlWas;
  remove?: YamlRemove;
  description?: string | null;
  action?: "log" | "allow" | "add_reporting_directives" | null;
  promote?: YamlPolicyPromotion;
  expression?: YamlExpression;
  enabled?: YamlEnabled;
  value?:
    | string
    | {
        "default-src"?: YamlSources;
        "script-src"?: YamlSources;
        "style-src"?: YamlSources;
        "connect-src"?: YamlSources;
        "img-src"?: YamlSources;
        "font-src"?: YamlSources;
        "object-src"?: YamlSources;
        "media-src"?: YamlSources;
        "manifest-src"?: YamlSources;
        "child-src"?: YamlSources;
        "frame-src"?: YamlSources;
        "worker-src"?: YamlSources;
        "form-action"?: YamlSources;
        "base-uri"?: YamlSources;
        "frame-ancestors"?: YamlSources;
        "upgrade-insecure-requests"?: YamlSources;
        [k: string]: YamlSources | undefined;
      }
    | null;
  acknowledge?: string[] | null;
}
export interface YamlAuthorisedScript {
  url: string;
  remove?: YamlRemove;
  owner?: string | null;
  justification?: string | null;
  approved_by?: string | null;
  approved_on?: string | null;
  review_by?: string | null;
  integrity?:
    | ("any" | "pinned" | null)
    | {
        hashes: string[];
      };
}
export interface YamlAcknowledgedFinding {
  id: string;
  remove?: YamlRemove;
  until?: string | null;
  reason?: string | null;
  by?: string | null;
}
export interface YamlCustomRule {
  key: YamlKey;
  was?: YamlWas;
  remove?: YamlRemove;
  before?: YamlBefore;
  after?: YamlAfter;
  position?: YamlPosition;
  description?: YamlRuleDescription;
  expression?: YamlExpression;
  action?: "block" | "challenge" | "js_challenge" | "managed_challenge" | "log" | "skip" | null;
  promote?: YamlRulePromotion;
  response?: YamlResponse;
  skip?: YamlCustomSkip;
  acknowledge?: YamlAcknowledge;
  enabled?: YamlEnabled;
}
export interface YamlRuleRollback {
  events_per_10k_requests: number;
  requests_at_least?: YamlRequestsAtLeast;
}
export interface YamlCustomRuleset {
  key: YamlKey;
  was?: YamlWas;
  remove?: YamlRemove;
  position?: YamlPosition;
  description?: YamlRuleDescription;
  expression?: string | null;
  acknowledge?: YamlAcknowledge;
  enabled?: YamlEnabled;
  rules?: YamlCustomRule[] | null;
}
export interface YamlRateLimitingRule {
  key: YamlKey;
  was?: YamlWas;
  remove?: YamlRemove;
  before?: YamlBefore;
  after?: YamlAfter;
  position?: YamlPosition;
  description?: YamlRuleDescription;
  expression?: YamlExpression;
  action?: "block" | "challenge" | "js_challenge" | "managed_challenge" | "log" | null;
  promote?: YamlRulePromotion;
  response?: YamlResponse;
  ratelimit?: YamlRatelimit;
  acknowledge?: YamlAcknowledge;
  enabled?: YamlEnabled;
}
export interface YamlManagedRule {
  key: YamlKey;
  was?: YamlWas;
  remove?: YamlRemove;
  before?: YamlBefore;
  after?: YamlAfter;
  position?: YamlPosition;
  description?: YamlRuleDescription;
  expression?: string | null;
  deploy?: string | null;
  paranoia_level?: 1 | 2 | 3 | 4 | null;
  score_threshold?: ("low" | "medium" | "high" | null) | number;
  action?: "block" | "managed_challenge" | "js_challenge" | "log" | "challenge" | null;
  promote?: YamlManagedPromotion;
  overrides?: YamlOverrides;
  skip?: YamlSkip;
  logging?: boolean | null;
  acknowledge?: YamlAcknowledge;
  enabled?: YamlEnabled;
}
export interface YamlCategoryOverride {
  category: string;
  remove?: YamlRemove;
  enabled?: boolean | null;
  action?: YamlOverrideAction;
  sensitivity_level?: YamlSensitivityLevel;
}
export interface YamlRuleOverride {
  id: string;
  remove?: YamlRemove;
  enabled?: boolean | null;
  action?: YamlOverrideAction;
  score_threshold?: number | null;
  sensitivity_level?: YamlSensitivityLevel;
}
export interface YamlZoneEntry {
  name?: string;
  id?: string;
  match?: YamlSelector;
  priority?: number;
  layers?: boolean;
  labels?: YamlLabels;
  profiles?: YamlName[];
  vars?: YamlVars;
  mode?: YamlMode;
  suspend?:
    | boolean
    | {
        reason: string;
        until?: string;
      };
  page_shield?: YamlPageShield;
  custom_rules?: YamlCustomRules;
  custom_rulesets?: YamlCustomRulesets;
  rate_limiting_rules?: YamlRateLimitingRules;
  managed_rules?: YamlManagedRules;
}
export interface YamlSelector {
  name?: YamlNamePatterns;
  account?: YamlAccountPatterns;
  status?: YamlStatusPatterns;
  plan?: YamlPlanPatterns;
  labels?: YamlLabelPatterns;
  not?: {
    name?: YamlNamePatterns;
    account?: YamlAccountPatterns;
    status?: YamlStatusPatterns;
    plan?: YamlPlanPatterns;
    labels?: YamlLabelPatterns;
  };
}
export interface YamlLabelPatterns {
  [k: string]: string | string[];
}
