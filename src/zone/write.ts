import type { JsonObject } from "../syntax/json.ts";
import type { RuleListPlace } from "./live-zone.ts";
import type { ResourceKey } from "./resource.ts";
import { type RulePhase, rulePhases } from "./rule-phase.ts";
import type { RulePlace } from "./rule-place.ts";

/**
 * One write as data, as a saved plan holds it. Bodies are complete, since PUT and PATCH replace
 * (SERVICE.md A.6, B.4). `custom_ruleset` is the key of the custom ruleset that has the rule; left out, the entry point has
 * it. A rule that executes a custom ruleset of ours names it by its mark (`refOf`): an earlier write may create it.
 * Several writes may make one change together.
 */
export type Write = { readonly changes: readonly ResourceKey[] } & (
  | { readonly call: "update-settings"; readonly body: JsonObject }
  | { readonly call: "create-policy"; readonly body: JsonObject }
  | { readonly call: "update-policy"; readonly id: string; readonly body: JsonObject }
  | { readonly call: "delete-policy"; readonly id: string }
  | (OneRule & {
      readonly call: "create-rule";
      readonly body: JsonObject;
      readonly position: RulePlace;
    })
  | (OneRule & {
      readonly call: "update-rule";
      readonly id: string;
      readonly body: JsonObject;
      /** `null`: the rule keeps its position. */
      readonly position: RulePlace | null;
    })
  | (OneRule & { readonly call: "delete-rule"; readonly id: string })
  /** Fails if there is an entry point (SERVICE.md B.3). */
  | (AllRules & { readonly call: "create-entrypoint" })
  /** Replaces the list of rules of the entry point: what others added after the read is lost (SERVICE.md B.3). */
  | (AllRules & { readonly call: "put-entrypoint" })
  /** Creates a custom ruleset, which does nothing until a rule executes it (SERVICE.md B.12). */
  | (WholeRuleset & { readonly call: "create-ruleset"; readonly body: JsonObject })
  /** Changes the description of a custom ruleset: its rules stay (SERVICE.md B.3). */
  | (WholeRuleset & {
      readonly call: "update-ruleset";
      readonly ruleset: string;
      readonly body: JsonObject;
    })
  /** Deletes a custom ruleset with its rules; fails while a rule executes it (SERVICE.md B.3). */
  | (WholeRuleset & { readonly call: "delete-ruleset"; readonly ruleset: string })
);

interface OneRule extends RuleListPlace {
  readonly ruleset: string;
}

interface AllRules {
  readonly phase: RulePhase;
  readonly rules: readonly JsonObject[];
}

interface WholeRuleset {
  readonly phase: RulePhase;
  readonly custom_ruleset: string;
}

/** A write of a custom ruleset as a whole. */
export type CustomRulesetWrite = Extract<
  Write,
  { readonly call: "create-ruleset" | "update-ruleset" | "delete-ruleset" }
>;

export function isRulesetWrite(write: Write): write is CustomRulesetWrite {
  return isRulesetCall(write.call);
}

export function isRulesetCall(call: WriteCall): call is CustomRulesetWrite["call"] {
  return call.endsWith("-ruleset");
}

/** The parts of a zone that have their own requests. */
export const zoneParts = ["settings", "policies", ...rulePhases, "custom_rulesets"] as const;

export type ZonePart = (typeof zoneParts)[number];

/** The parts that the listing of rulesets shows the versions of. */
export type RulesPart = Exclude<ZonePart, "settings" | "policies">;

export function partOf(write: Write): ZonePart {
  if ("custom_ruleset" in write) return "custom_rulesets";
  switch (write.call) {
    case "update-settings":
      return "settings";
    case "create-policy":
    case "update-policy":
    case "delete-policy":
      return "policies";
    case "create-rule":
    case "update-rule":
    case "delete-rule":
    case "create-entrypoint":
    case "put-entrypoint":
      return write.phase;
  }
}

export const writeCalls = [
  "update-settings",
  "create-policy",
  "update-policy",
  "delete-policy",
  "create-rule",
  "update-rule",
  "delete-rule",
  "create-entrypoint",
  "put-entrypoint",
  "create-ruleset",
  "update-ruleset",
  "delete-ruleset",
] as const satisfies readonly Write["call"][];

export type WriteCall = Write["call"];
