import type { DeclaredScripts } from "./declared-scripts.ts";
import {
  type CustomRuleset,
  isRuleKind,
  type ListedKind,
  type Policy,
  type ResourceKey,
  type Rule,
  type RuleKind,
  type Setting,
  together,
} from "./resource.ts";
import { factsOfPhase, phaseOfKind, type RulePhase, rulePhases } from "./rule-phase.ts";
import type { Zone, ZoneId, ZoneName } from "./zone.ts";

/** Whether differences are corrected or only reported. */
export type Mode = "enforce" | "observe";

/** What happens to unmanaged resources of a kind. `ignore`: they are not even reported. */
export type UnmanagedMode = "report" | "delete" | "ignore";

/**
 * The declared resources of a kind. An empty list is a declaration too: all live ones of ours are
 * deleted.
 */
export interface Declared<T> {
  readonly items: readonly T[];
  readonly unmanaged: UnmanagedMode;
}

/** Why a zone is read and reported, but not written. */
export interface Suspension {
  readonly reason: string;
  /** When the suspension ends; `undefined`: never. */
  readonly until: Date | undefined;
}

/** The desired state of a zone, with all profiles merged and all defaults applied. */
export interface ZoneContent {
  /** Of the zone itself; the program's mode may be stricter. */
  readonly mode: Mode;
  readonly suspension: Suspension | undefined;
  /** Declared settings; others are neither read nor written. */
  readonly settings: readonly Setting[];
  /** `undefined`: not declared, costs no request. */
  readonly policies: Declared<Policy> | undefined;
  /**
   * By phase; a phase that is missing is not declared, and costs no request. The order is part of
   * the desired state.
   */
  readonly rules: Readonly<Partial<Record<RulePhase, Declared<Rule>>>>;
  /** `undefined`: not declared, costs no request. */
  readonly customRulesets: Declared<CustomRuleset> | undefined;
  /** Compared with the inventory, never written. `undefined`: not declared. */
  readonly scripts: DeclaredScripts | undefined;
}

/** Declares nothing. */
export const noContent: ZoneContent = {
  mode: "enforce",
  suspension: undefined,
  settings: [],
  policies: undefined,
  rules: {},
  customRulesets: undefined,
  scripts: undefined,
};

/** Declared rules by phase, without the phases of which `of` gives nothing. */
export function byPhase(
  of: (phase: RulePhase) => Declared<Rule> | undefined,
): ZoneContent["rules"] {
  return Object.fromEntries(
    rulePhases.flatMap((phase) => {
      const rules = of(phase);
      return rules === undefined ? [] : [[phase, rules] as const];
    }),
  );
}

/** The declared rules of the entry points of all phases. */
export function declaredRules({ rules }: Pick<ZoneContent, "rules">): readonly Rule[] {
  return rulePhases.flatMap((phase) => rules[phase]?.items ?? []);
}

/** A declared list of rules, in order, with their keys as resources. */
export interface DeclaredList {
  readonly kind: RuleKind;
  /** A custom ruleset stands for the rule that executes it. */
  readonly rules: readonly (ResourceKeys & { readonly rule: Rule | CustomRuleset })[];
}

/** The key of a declared resource, and the one that it had, where the file names one. */
export interface ResourceKeys {
  readonly key: ResourceKey;
  readonly was: ResourceKey | undefined;
}

/** The declared entry points and custom rulesets. */
export function declaredLists({
  rules,
  customRulesets,
}: Pick<ZoneContent, "rules" | "customRulesets">): readonly DeclaredList[] {
  const entrypoints = rulePhases.flatMap((phase): readonly DeclaredList[] => {
    const { kind } = factsOfPhase(phase);
    const executed = phase === "custom_rules" ? (customRulesets?.items ?? []) : [];
    const items = together<Rule, CustomRuleset>(rules[phase]?.items ?? [], executed);
    const keysIn = (rule: Rule | CustomRuleset): ResourceKeys =>
      keysOf("rules" in rule ? "custom_ruleset" : kind, rule);
    return [{ kind, rules: items.map((rule) => ({ rule, ...keysIn(rule) })) }];
  });
  const custom = (customRulesets?.items ?? []).map(
    ({ key: ruleset, was: former, rules: items }) => {
      const { kind } = factsOfPhase("custom_rules");
      const inRuleset = items.map((rule): ResourceKeys & { readonly rule: Rule } => {
        const isRenamed = (rule.was ?? former) !== undefined;
        const was = `${kind}/${former ?? ruleset}/${rule.was ?? rule.key}` as const;
        return { rule, key: `${kind}/${ruleset}/${rule.key}`, was: isRenamed ? was : undefined };
      });
      return { kind, rules: inRuleset };
    },
  );
  return [...entrypoints, ...custom];
}

/** The keys of a declared resource of a kind; not of a rule of a custom ruleset. */
export function keysOf(
  kind: ListedKind,
  { key, was }: { readonly key: string; readonly was: string | undefined },
): ResourceKeys {
  return { key: `${kind}/${key}`, was: was === undefined ? undefined : `${kind}/${was}` };
}

/** What content declares of a kind; `undefined`: nothing. */
export function declaredOf(
  { policies, rules, customRulesets }: ZoneContent,
  kind: ListedKind,
): Declared<Policy | Rule | CustomRuleset> | undefined {
  if (isRuleKind(kind)) return rules[phaseOfKind(kind)];
  return kind === "policy" ? policies : customRulesets;
}

/** A place in a file: the path relative to `desired.path`; line and column counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The labels of a zone, by their keys. */
export type ZoneLabels = Readonly<Record<string, string>>;

/**
 * Patterns for listed zones, of which one must match; what is left out matches every zone, `*` any
 * characters.
 */
export interface ZonePatterns {
  readonly name?: readonly string[] | undefined;
  /** Name or id of the account. */
  readonly account?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  readonly plan?: readonly string[] | undefined;
  /** Of labels that the zone's own entry has; a zone without the label does not match. */
  readonly labels?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Zones that match all patterns, without those that match all of `not`. */
export interface Selector extends ZonePatterns {
  readonly not?: ZonePatterns | undefined;
}

/** The zones that an entry declares. */
export type Target =
  | { readonly by: "name"; readonly name: ZoneName }
  | { readonly by: "id"; readonly id: ZoneId }
  | { readonly by: "selector"; readonly selector: Selector };

/** One entry of `zones:` in a file. */
export interface ZoneDocument {
  readonly target: Target;
  /**
   * What it declares by itself; where it needs the listing, a part of what the zone gets, with
   * samples in place of what the listing tells.
   */
  readonly content: ZoneContent;
  readonly place: Place;
  /**
   * Whether only the listing tells what a zone gets from it: placeholders need it, or it is merged
   * with other entries that match the zone.
   */
  readonly needsListing?: boolean;
  readonly labels?: ZoneLabels;
  /**
   * Whether only the state of the daemon says so: whoever can write the state can forge it. The
   * files on the disk say it no more, or not yet.
   */
  readonly isRestored?: boolean;
}

/** A declared zone that was found in the zone listing. */
export interface DesiredZone {
  readonly zone: Zone;
  readonly content: ZoneContent;
  readonly labels?: ZoneLabels;
  /** The entries that declare it, the lowest first. */
  readonly documents?: readonly ZoneDocument[];
  /** Whether a part of the content is of a restored {@link ZoneDocument}. */
  readonly isRestored?: boolean;
}
