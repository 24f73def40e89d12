/** What is managed in a zone, in the order in which people read it. */
export const kinds = ["setting", "policy", "rule"] as const;

/** One of the three kinds of managed things. */
export type Kind = (typeof kinds)[number];

/** Names a managed thing within its zone: `setting/enabled`, `policy/checkout`, `rule/owasp`. */
export type ResourceKey = `${Kind}/${string}`;

/** The Page Shield settings that can be written (SERVICE.md A.2), each managed for itself. */
export const settingNames = [
  "enabled",
  "use_cloudflare_reporting_endpoint",
  "use_connection_url_path",
] as const;

/** Name of a Page Shield setting. */
export type SettingName = (typeof settingNames)[number];

/** A declared Page Shield setting. */
export interface Setting {
  readonly name: SettingName;
  readonly value: boolean;
}

/** What a policy does to a request that its expression selects (SERVICE.md A.6). */
export const policyActions = ["log", "allow", "add_reporting_directives"] as const;

/** Action of a content security policy. */
export type PolicyAction = (typeof policyActions)[number];

/** A declared content security policy. */
export interface Policy {
  readonly key: string;
  /** The key under which this policy was declared before, so that a renamed one keeps its id. */
  readonly was: string | undefined;
  /** Without our mark. */
  readonly description: string;
  readonly action: PolicyAction;
  readonly expression: string;
  readonly enabled: boolean;
  /** Directives in canonical form (`syntax/csp/csp.ts`). */
  readonly value: string;
  /** Sources of scripts that are in use and may be blocked all the same; never sent to the service. */
  readonly acknowledge: readonly string[];
}

/** What the last rule of the OWASP ruleset can do when the score is reached (SERVICE.md B.7). */
export const scoreActions = [
  "block",
  "managed_challenge",
  "js_challenge",
  "log",
  "challenge",
] as const;

/** Action of the OWASP score rule. */
export type ScoreAction = (typeof scoreActions)[number];

/** Paranoia levels of the OWASP core ruleset; a level includes those below it. */
export const paranoiaLevels = [1, 2, 3, 4] as const;

/** An OWASP paranoia level. */
export type ParanoiaLevel = (typeof paranoiaLevels)[number];

/** What a file says about the OWASP core ruleset beside its overrides; `undefined` leaves it to the ruleset. */
export interface OwaspTuning {
  readonly paranoiaLevel: ParanoiaLevel | undefined;
  readonly scoreThreshold: number | undefined;
  readonly action: ScoreAction | undefined;
}

/** Override of one category (tag) of a managed ruleset; `undefined` is not overridden. */
export interface CategoryOverride {
  readonly category: string;
  readonly enabled: boolean | undefined;
  readonly action: string | undefined;
  readonly sensitivity_level: string | undefined;
}

/** Override of one rule of a managed ruleset; `undefined` is not overridden. */
export interface RuleOverride {
  readonly id: string;
  readonly enabled: boolean | undefined;
  readonly action: string | undefined;
  readonly score_threshold: number | undefined;
  readonly sensitivity_level: string | undefined;
}

/**
 * Overrides of a deployed managed ruleset in canonical form.
 *
 * The order of `categories` has meaning (the last one listed wins, SERVICE.md B.5) and is kept;
 * `rules` are sorted by id.
 */
export interface Overrides {
  readonly enabled: boolean | undefined;
  readonly action: string | undefined;
  readonly sensitivity_level: string | undefined;
  readonly categories: readonly CategoryOverride[];
  readonly rules: readonly RuleOverride[];
}

/** What a skip rule skips, in canonical form: every list sorted, without repetitions (SERVICE.md B.4). */
export interface SkipParameters {
  /** The rest of the ruleset that holds the rule. */
  readonly ruleset: boolean;
  /** The rest of the phase. */
  readonly phase: boolean;
  readonly rulesets: readonly string[];
  readonly rules: Readonly<Record<string, readonly string[]>>;
  readonly phases: readonly string[];
  readonly products: readonly string[];
}

/** What both sorts of declared rules have. */
interface RuleBase {
  readonly key: string;
  /** The key under which this rule was declared before. */
  readonly was: string | undefined;
  readonly description: string;
  readonly expression: string;
  readonly enabled: boolean;
}

/** A declared rule that deploys a managed ruleset. */
export interface ExecuteRule extends RuleBase {
  readonly action: "execute";
  /** Id of the managed ruleset: 32 hexadecimal digits. */
  readonly ruleset: string;
  readonly tuning: OwaspTuning;
  /** What the file overrides beside the tuning. */
  readonly overrides: Overrides;
}

/** A declared exception: requests it selects are spared what `skip` names, in the rules after it. */
export interface SkipRule extends RuleBase {
  readonly action: "skip";
  readonly skip: SkipParameters;
  readonly logging: boolean;
}

/** A declared rule of the entry point of `http_request_firewall_managed`. */
export type Rule = ExecuteRule | SkipRule;
