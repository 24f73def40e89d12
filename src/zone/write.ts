import type { JsonObject } from "../syntax/json.ts";
import type { ResourceKey } from "./resource.ts";
import { type RulePhase, rulePhases } from "./rule-phase.ts";

/**
 * The position of a rule, as the service takes it (SERVICE.md B.4): before "" is first, after "" is
 * last.
 */
export type Position = { readonly before: string } | { readonly after: string };

/**
 * One write as data, as a saved plan holds it. Bodies are complete, since PUT and PATCH replace
 * (SERVICE.md A.6, B.4).
 */
export type Write = { readonly changes: readonly ResourceKey[] } & (
  | { readonly call: "update-settings"; readonly body: JsonObject }
  | { readonly call: "create-policy"; readonly body: JsonObject }
  | { readonly call: "update-policy"; readonly id: string; readonly body: JsonObject }
  | { readonly call: "delete-policy"; readonly id: string }
  | {
      readonly call: "create-rule";
      readonly phase: RulePhase;
      readonly ruleset: string;
      readonly body: JsonObject;
      readonly position: Position;
    }
  | {
      readonly call: "update-rule";
      readonly phase: RulePhase;
      readonly ruleset: string;
      readonly id: string;
      readonly body: JsonObject;
      /** `null`: the rule keeps its position. */
      readonly position: Position | null;
    }
  | {
      readonly call: "delete-rule";
      readonly phase: RulePhase;
      readonly ruleset: string;
      readonly id: string;
    }
  /** Creates the entry point if there is none, else replaces its list of rules (SERVICE.md B.3). */
  | {
      readonly call: "put-entrypoint";
      readonly phase: RulePhase;
      readonly rules: readonly JsonObject[];
    }
);

/** The parts of a zone that have their own requests. */
export const zoneParts = ["settings", "policies", ...rulePhases] as const;

export type ZonePart = (typeof zoneParts)[number];

/** The part of a zone that a write changes. */
export function partOf(write: Write): ZonePart {
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
  "put-entrypoint",
] as const satisfies readonly Write["call"][];

export type WriteCall = Write["call"];
