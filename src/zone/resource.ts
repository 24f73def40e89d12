import type { Promotion } from "./promotion.ts";

/** The kinds of rules, in the order of their phases (`rule-phase.ts`). */
export const ruleKinds = ["custom_rule", "rate_limiting_rule", "managed_rule"] as const;

export type RuleKind = (typeof ruleKinds)[number];

/** The kinds that are declared as lists, and can be deleted. */
export const listedKinds = ["policy", "custom_ruleset", ...ruleKinds] as const;

export type ListedKind = (typeof listedKinds)[number];

/** The kinds of resources in a zone, in display order. */
export const kinds = ["setting", ...listedKinds] as const;

export type Kind = (typeof kinds)[number];

export function ofEachKind<T>(of: () => T): Readonly<Record<Kind, T>> {
  return {
    setting: of(),
    policy: of(),
    custom_ruleset: of(),
    custom_rule: of(),
    rate_limiting_rule: of(),
    managed_rule: of(),
  };
}

export function isRuleKind(kind: Kind): kind is RuleKind {
  return ruleKinds.some((each) => each === kind);
}

/** A kind as people say it: `managed rule`. */
export function kindWords(kind: Kind): string {
  return kind.replaceAll("_", " ");
}

/**
 * Identifies a resource within its zone: `setting/enabled`, `policy/checkout`, `managed_rule/owasp`; a rule of the custom
 * ruleset `payments` is `custom_rule/payments/block`.
 */
export type ResourceKey = `${Kind}/${string}`;

/** The key of the custom ruleset in which a rule is; `undefined` for all other resources. */
export function rulesetIn(key: ResourceKey): string | undefined {
  const [kind, ruleset, rule] = key.split("/");
  return kind === "custom_rule" && rule !== undefined ? ruleset : undefined;
}

/** The kind of the list that declares a resource: a custom ruleset declares its rules. */
export function listKindOf(kind: ListedKind, key: ResourceKey): ListedKind {
  return rulesetIn(key) === undefined ? kind : "custom_ruleset";
}

/** The Page Shield settings that can be written (SERVICE.md A.2), each managed separately. */
export const settingNames = [
  "enabled",
  "use_cloudflare_reporting_endpoint",
  "use_connection_url_path",
] as const;

export type SettingName = (typeof settingNames)[number];

/** A declared Page Shield setting. */
export interface Setting {
  readonly name: SettingName;
  readonly value: boolean;
}

/** What a policy does to a request that its expression selects (SERVICE.md A.6). */
export const policyActions = ["log", "allow", "add_reporting_directives"] as const;

export type PolicyAction = (typeof policyActions)[number];

/** What a policy does: its fields in the service beside the description, which names it (SERVICE.md A.6). */
export interface PolicyBehavior {
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
  /** Directives in canonical form (`syntax/csp/csp.ts`). */
  readonly value: string;
}

/** The fields of {@link PolicyBehavior}, which are compared, sent and counted, in the order in which a plan shows them. */
export function behaviorOf({ action, expression, enabled, value }: PolicyBehavior): PolicyBehavior {
  return { action, expression, enabled, value };
}

/** A declared content security policy. */
export interface Policy extends PolicyBehavior {
  readonly key: string;
  /** The former key, so that a renamed policy keeps its id. */
  readonly was: string | undefined;
  /** Without the mark. */
  readonly description: string;
  readonly action: PolicyAction;
  /** Sources of scripts in use that the policy may block nevertheless. Not sent to the service. */
  readonly acknowledge: readonly string[];
  /** Of the action; `undefined`: the policy is as declared at once. */
  readonly promotion: Promotion | undefined;
}

/** The actions that a rule, also the OWASP score rule, takes against a request (SERVICE.md B.7, B.10). */
export const mitigateActions = [
  "block",
  "managed_challenge",
  "js_challenge",
  "log",
  "challenge",
] as const;

export type MitigateAction = (typeof mitigateActions)[number];

/** Paranoia levels of the OWASP core ruleset; a level includes those below it. */
export const paranoiaLevels = [1, 2, 3, 4] as const;

export type ParanoiaLevel = (typeof paranoiaLevels)[number];

/** The tuning of the OWASP core ruleset; `undefined` leaves the default of the ruleset. */
export interface OwaspTuning {
  readonly paranoiaLevel: ParanoiaLevel | undefined;
  readonly scoreThreshold: number | undefined;
  readonly action: MitigateAction | undefined;
}

/** Override of one category (tag) of a managed ruleset; `undefined`: not overridden. */
export interface CategoryOverride {
  readonly category: string;
  readonly enabled: boolean | undefined;
  readonly action: string | undefined;
  readonly sensitivity_level: string | undefined;
}

/** Override of one rule of a managed ruleset; `undefined`: not overridden. */
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
 * The order of `categories` is kept, since the last one listed wins (SERVICE.md B.5). `rules` are
 * sorted by id.
 */
export interface Overrides {
  readonly enabled: boolean | undefined;
  readonly action: string | undefined;
  readonly sensitivity_level: string | undefined;
  readonly categories: readonly CategoryOverride[];
  readonly rules: readonly RuleOverride[];
}

/**
 * What an exception skips, in canonical form: every list sorted, without duplicates
 * (SERVICE.md B.4).
 */
export interface SkipParameters {
  /** The rest of its own ruleset. */
  readonly ruleset: boolean;
  /** The rest of the phase. */
  readonly phase: boolean;
  readonly rulesets: readonly string[];
  readonly rules: Readonly<Record<string, readonly string[]>>;
  readonly phases: readonly string[];
  readonly products: readonly string[];
}

/**
 * A place among the live rules that are not ours: anywhere before or after all of them, or the one
 * with a ref or id.
 */
export type RulePosition =
  | "first"
  | "last"
  | { readonly before: string }
  | { readonly after: string };

/** The index in a list of keys at which a position puts a rule beside one of them; `undefined` if it names none. */
export function placeAmong(
  keys: readonly string[],
  position: RulePosition | undefined,
): number | undefined {
  if (typeof position !== "object") return undefined;
  const named = keys.indexOf("before" in position ? position.before : position.after);
  return named < 0 ? undefined : "before" in position ? named : named + 1;
}

/**
 * Declared rules of an entry point with the custom rulesets that it executes, both in their orders: a ruleset is beside the
 * rule that its position names, else at the end.
 */
export function together<R extends RuleBase, C extends RuleBase>(
  rules: readonly R[],
  rulesets: readonly C[],
): readonly (R | C)[] {
  const keys = rules.map(({ key }) => key);
  const items: (R | C)[] = [...rules];
  let at = items.length;
  for (const each of rulesets.toReversed()) {
    at = Math.min(at, placeAmong(keys, each.position) ?? at);
    items.splice(at, 0, each);
  }
  return items;
}

/** What every declared rule has. */
export interface RuleBase {
  readonly key: string;
  /** The former key. */
  readonly was: string | undefined;
  readonly description: string;
  readonly expression: string;
  readonly enabled: boolean;
  /** `undefined`: where it is; a new one comes last. */
  readonly position: RulePosition | undefined;
}

/** A declared rule that deploys a managed ruleset. */
export interface ExecuteRule extends RuleBase {
  readonly action: "execute";
  /** Id of the managed ruleset: 32 hexadecimal digits. */
  readonly ruleset: string;
  readonly tuning: OwaspTuning;
  /** The overrides beside the tuning. */
  readonly overrides: Overrides;
  /** Of one field of the tuning; `undefined`: the rule is as declared at once. */
  readonly promotion: Promotion | undefined;
}

/**
 * A declared exception: the requests that it selects skip what `skip` names, in the rules after it.
 */
export interface SkipRule extends RuleBase {
  readonly action: "skip";
  readonly skip: SkipParameters;
  readonly logging: boolean;
  /** An exception has no steps. */
  readonly promotion?: undefined;
}

/** What a visitor gets whose request a rule blocks (SERVICE.md B.10). */
export interface BlockResponse {
  /** 400 to 499. */
  readonly status_code: number;
  readonly content_type: string;
  readonly content: string;
}

/** When a rate limit acts, in canonical form with all defaults (SERVICE.md B.11). */
export interface RateLimit {
  /** What counts together: sorted, without duplicates. */
  readonly characteristics: readonly string[];
  /** In seconds. */
  readonly period: number;
  readonly requests_per_period: number | undefined;
  /** How long the action lasts, in seconds; 0: as long as the rate is exceeded. */
  readonly mitigation_timeout: number;
  /** Canonical; "": the expression of the rule. */
  readonly counting_expression: string;
  /** Whether only requests count that no cache answers. */
  readonly requests_to_origin: boolean;
  readonly score_per_period: number | undefined;
  readonly score_response_header_name: string | undefined;
}

/** A declared rule that acts against the requests that it selects, or that exceed its rate limit. */
export interface MitigateRule extends RuleBase {
  readonly action: MitigateAction;
  /** `undefined`: the default of the service. */
  readonly response: BlockResponse | undefined;
  /** `undefined` in the phases without rate limits. */
  readonly ratelimit: RateLimit | undefined;
  /** Of the action; `undefined`: the rule is as declared at once. */
  readonly promotion: Promotion | undefined;
}

/** A declared rule of the entry point of a phase, or of a custom ruleset. */
export type Rule = ExecuteRule | SkipRule | MitigateRule;

/**
 * A declared custom ruleset of a zone, and the rule of the entry point that executes it for the requests of its expression
 * (SERVICE.md B.12). Its position may also name the key of a declared rule of the entry point; by default it is executed
 * after all of these.
 */
export interface CustomRuleset extends RuleBase {
  /** In order. */
  readonly rules: readonly Rule[];
}

/**
 * The key of the rule that executes a custom ruleset, among the rules of the entry point: that of the ruleset as a resource.
 * Keys of other rules have no slash.
 */
export function deploymentKey(key: string): DeploymentKey {
  return `custom_ruleset/${key}`;
}

type DeploymentKey = `custom_ruleset/${string}`;

export function isDeploymentKey(key: string): key is DeploymentKey {
  return key.startsWith("custom_ruleset/");
}
