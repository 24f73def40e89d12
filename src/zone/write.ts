import type { JsonObject } from "../syntax/json.ts";
import type { ResourceKey } from "./resource.ts";

/** Where a rule stands in its ruleset, in the service's words (SERVICE.md B.4); "" after means last. */
export type Position =
  | { readonly before: string }
  | { readonly after: string }
  | { readonly index: number };

/**
 * One request that writes, in the unit of the service, as data: a saved plan holds it, and nothing is decided
 * after it was made. Bodies are complete, since PUT and PATCH replace (SERVICE.md A.6, B.4).
 */
export type Write = { readonly changes: readonly ResourceKey[] } & (
  | { readonly call: "update-settings"; readonly body: JsonObject }
  | { readonly call: "create-policy"; readonly body: JsonObject }
  | { readonly call: "update-policy"; readonly id: string; readonly body: JsonObject }
  | { readonly call: "delete-policy"; readonly id: string }
  | {
      readonly call: "create-rule";
      readonly ruleset: string;
      readonly body: JsonObject;
      readonly position: Position;
    }
  | {
      readonly call: "update-rule";
      readonly ruleset: string;
      readonly id: string;
      readonly body: JsonObject;
      /** `null`: the rule stays where it is. */
      readonly position: Position | null;
    }
  | { readonly call: "delete-rule"; readonly ruleset: string; readonly id: string }
  /** Creates the entry point where there is none, else replaces its list of rules (SERVICE.md B.3). */
  | { readonly call: "put-entrypoint"; readonly rules: readonly JsonObject[] }
);

/** A part of a zone that is read and written by requests of its own. */
export type ZonePart = "settings" | "policies" | "rules";

/** The part of a zone that a write changes. */
export function partOf({ call }: Write): ZonePart {
  switch (call) {
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
      return "rules";
  }
}

/** The names of all sorts of {@link Write}. */
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

/** The name of a {@link Write}. */
export type WriteCall = Write["call"];
