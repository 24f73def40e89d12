import type { JsonObject } from "../syntax/json.ts";
import type { ResourceKey } from "./resource.ts";
import { type RulePhase, rulePhases } from "./rule-phase.ts";
import type { RulePlace } from "./rule-place.ts";

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
      readonly position: RulePlace;
    }
  | {
      readonly call: "update-rule";
      readonly phase: RulePhase;
      readonly ruleset: string;
      readonly id: string;
      readonly body: JsonObject;
      /** `null`: the rule keeps its position. */
      readonly position: RulePlace | null;
    }
  | {
      readonly call: "delete-rule";
      readonly phase: RulePhase;
      readonly ruleset: string;
      readonly id: string;
    }
  /** Fails if there is an entry point (SERVICE.md B.3). */
  | {
      readonly call: "create-entrypoint";
      readonly phase: RulePhase;
      readonly rules: readonly JsonObject[];
    }
  /** Replaces the list of rules of the entry point: what others added after the read is lost (SERVICE.md B.3). */
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
] as const satisfies readonly Write["call"][];

export type WriteCall = Write["call"];
