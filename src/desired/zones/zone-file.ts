// Made from schemas/zones.schema.json by `npm run generate`; a test compares them.

export type Name = string;
export type Vars = {
  [k: string]:
    | string
    | number
    | boolean
    | {
        type?: "string" | "integer" | "number" | "boolean";
        default?: string | number | boolean;
        required?: boolean;
        description?: string;
      }
    | null;
} | null;
export type Mode = "enforce" | "observe" | null;
export type PageShield = {
  settings?: Settings;
  policies?: Policies;
  scripts?: Scripts;
} | null;
export type Settings = {
  enabled?: boolean | null;
  use_cloudflare_reporting_endpoint?: boolean | null;
  use_service_reporting_endpoint?: boolean | null;
  use_connection_url_path?: boolean | null;
} | null;
export type Policies = {
  /**
   * @maxItems 200
   */
  items?: Policy[] | null;
  unmanaged?: Unmanaged;
} | null;
export type Key = string;
export type Was = string | null;
export type Remove = true;
export type Expression = string | null;
/**
 * @maxItems 1000
 */
export type Sources = string[] | boolean | null;
export type Unmanaged = "report" | "delete" | "ignore" | null;
export type Scripts = {
  /**
   * @minItems 1
   * @maxItems 50
   */
  pages?: string[] | null;
  /**
   * @maxItems 1000
   */
  authorised?: AuthorisedScript[] | null;
  /**
   * @maxItems 1000
   */
  acknowledged?: AcknowledgedFinding[] | null;
  gone_after_days?: number | null;
} | null;
export type ManagedRules = {
  /**
   * @maxItems 1000
   */
  rules?: ManagedRule[] | null;
  unmanaged?: Unmanaged;
} | null;
export type Overrides = {
  enabled?: boolean | null;
  action?: OverrideAction;
  sensitivity_level?: SensitivityLevel;
  /**
   * @maxItems 1000
   */
  categories?: CategoryOverride[] | null;
  /**
   * @maxItems 1000
   */
  rules?: RuleOverride[] | null;
} | null;
export type OverrideAction =
  "block" | "managed_challenge" | "js_challenge" | "log" | "challenge" | null;
export type SensitivityLevel = "default" | "medium" | "low" | "eoff" | null;
export type Skip = {
  ruleset?: "current" | null;
  phase?: "current" | null;
  /**
   * @maxItems 1000
   */
  rulesets?: RulesetName[] | null;
  rules?: {
    /**
     * @maxItems 1000
     */
    [k: string]: string[] | null;
  } | null;
  /**
   * @maxItems 100
   */
  phases?: string[] | null;
  /**
   * @maxItems 100
   */
  products?:
    ("bic" | "hot" | "rateLimit" | "securityLevel" | "uaBlock" | "waf" | "zoneLockdown")[] | null;
} | null;
export type RulesetName = string;

export interface ZoneFile {
  $schema?: string;
  version?: 1;
  profiles?: {
    [k: string]: Profile;
  };
  zones?: ZoneEntry[];
}
export interface Profile {
  description?: string;
  /**
   * @maxItems 100
   */
  extends?: Name[];
  vars?: Vars;
  mode?: Mode;
  page_shield?: PageShield;
  managed_rules?: ManagedRules;
}
export interface Policy {
  key: Key;
  was?: Was;
  remove?: Remove;
  description?: string | null;
  action?: "log" | "allow" | "add_reporting_directives" | null;
  expression?: Expression;
  enabled?: boolean | null;
  value?:
    | string
    | {
        "default-src"?: Sources;
        "script-src"?: Sources;
        "style-src"?: Sources;
        "connect-src"?: Sources;
        "img-src"?: Sources;
        "font-src"?: Sources;
        "object-src"?: Sources;
        "media-src"?: Sources;
        "manifest-src"?: Sources;
        "child-src"?: Sources;
        "frame-src"?: Sources;
        "worker-src"?: Sources;
        "form-action"?: Sources;
        "base-uri"?: Sources;
        "frame-ancestors"?: Sources;
        "upgrade-insecure-requests"?: Sources;
        [k: string]: Sources | undefined;
      }
    | null;
  /**
   * @maxItems 1000
   */
  acknowledge?: string[] | null;
}
export interface AuthorisedScript {
  url: string;
  remove?: Remove;
  owner?: string | null;
  justification?: string | null;
  approved_by?: string | null;
  approved_on?: string | null;
  review_by?: string | null;
  integrity?:
    | ("any" | "pinned" | null)
    | {
        /**
         * @minItems 1
         * @maxItems 100
         */
        hashes: string[];
      };
}
export interface AcknowledgedFinding {
  id: string;
  remove?: Remove;
  until?: string | null;
  reason?: string | null;
  by?: string | null;
}
export interface ManagedRule {
  key: Key;
  was?: Was;
  remove?: Remove;
  before?: string | null;
  after?: string | null;
  deploy?: string | null;
  paranoia_level?: 1 | 2 | 3 | 4 | null;
  score_threshold?: ("low" | "medium" | "high" | null) | number;
  action?: "block" | "managed_challenge" | "js_challenge" | "log" | "challenge" | null;
  overrides?: Overrides;
  skip?: Skip;
  logging?: boolean | null;
  acknowledge?: "every-request"[] | null;
  expression?: string | null;
  enabled?: boolean | null;
  description?: string | null;
}
export interface CategoryOverride {
  category: string;
  remove?: Remove;
  enabled?: boolean | null;
  action?: OverrideAction;
  sensitivity_level?: SensitivityLevel;
}
export interface RuleOverride {
  id: string;
  remove?: Remove;
  enabled?: boolean | null;
  action?: OverrideAction;
  score_threshold?: number | null;
  sensitivity_level?: SensitivityLevel;
}
export interface ZoneEntry {
  name?: string;
  id?: string;
  match?: Selector;
  /**
   * @maxItems 100
   */
  profiles?: Name[];
  vars?: Vars;
  mode?: Mode;
  suspend?:
    | boolean
    | {
        reason: string;
        until?: string;
      };
  page_shield?: PageShield;
  managed_rules?: ManagedRules;
}
export interface Selector {
  name?: string;
  account?: string;
  status?: string;
  plan?: string;
}
