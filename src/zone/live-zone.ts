import type { JsonObject } from "../syntax/json.ts";
import type { Overrides, SettingName, SkipParameters } from "./resource.ts";
import type { Zone } from "./zone.ts";

/** A policy as it is live, in canonical form. */
export interface LivePolicy {
  readonly id: string;
  /** As stored, with whatever mark it carries. */
  readonly description: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly value: string;
  /** Fields that we do not know, carried through where a write replaces the object. */
  readonly rest: JsonObject;
}

/** What a live rule does, as far as we understand it. */
export type RuleAction =
  | { readonly type: "execute"; readonly ruleset: string; readonly overrides: Overrides }
  | { readonly type: "skip"; readonly skip: SkipParameters; readonly logging: boolean }
  | { readonly type: "other"; readonly name: string };

/** A rule of the entry point as it is live. */
export interface LiveRule {
  readonly id: string;
  readonly ref: string;
  readonly version: string;
  readonly description: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly action: RuleAction;
  /** The rule as the service gave it, byte for byte: what a PUT of the list sends back. */
  readonly wire: JsonObject;
}

/** The entry point ruleset of `http_request_firewall_managed`. Absent and empty are two states (SERVICE.md B.3). */
export type LiveEntrypoint =
  | { readonly state: "absent" }
  | {
      readonly state: "present";
      readonly id: string;
      readonly version: string;
      readonly rules: readonly LiveRule[];
    };

/** Where the id of the OWASP score rule was found. */
export type ScoreRuleSource = "account" | "zone" | "documented";

/** The last rule of the OWASP core ruleset, which holds threshold and action. */
export interface ScoreRule {
  readonly id: string;
  readonly source: ScoreRuleSource;
  /** Version of the managed ruleset; "" where it could not be read. */
  readonly version: string;
}

/** What was read of a zone. `undefined` means: not asked for. A failed read never gets here. */
export interface LiveZone {
  readonly zone: Zone;
  readonly settings: Readonly<Record<SettingName, boolean>> | undefined;
  readonly policies: readonly LivePolicy[] | undefined;
  readonly entrypoint: LiveEntrypoint | undefined;
  readonly scoreRule: ScoreRule | undefined;
}
