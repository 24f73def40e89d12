import type { Json, JsonObject } from "../../syntax/json.ts";

/** What an emulator begins with, as its YAML file says it (`schemas/emulator-seed.schema.json` describes each field). */
export interface Seed {
  readonly accounts?: readonly SeedAccount[];
  readonly tokens?: readonly SeedToken[];
  readonly rate_limit?: false | SeedRateLimit;
  readonly zones: readonly SeedZone[];
}

/** An account; managed rulesets belong to every account. */
export interface SeedAccount {
  readonly name: string;
  readonly id?: string;
  readonly rulesets?: readonly SeedRuleset[];
}

/** A credential and what it may do. */
export interface SeedToken {
  readonly name: string;
  readonly value: string;
  readonly permissions?: "all" | readonly string[];
  /** Patterns over zone names. */
  readonly zones?: readonly string[];
  /** Patterns over account names. */
  readonly accounts?: readonly string[];
  readonly status?: "active" | "disabled";
  readonly expires_on?: string;
  readonly not_before?: string;
}

/** Quota of requests for each token; durations are `300s` or `5m`. */
export interface SeedRateLimit {
  readonly requests?: number;
  readonly window?: string;
  readonly lockout?: string;
}

/** A zone and everything in it. */
export interface SeedZone {
  readonly name: string;
  readonly id?: string;
  /** Name of its account; the first one where it is not said. */
  readonly account?: string;
  readonly status?: string;
  readonly type?: string;
  readonly paused?: boolean;
  readonly plan?: string;
  readonly entitlements?: SeedEntitlements;
  readonly settings?: JsonObject;
  readonly policies?: readonly JsonObject[];
  /** Rules of the entry point of `http_request_firewall_managed`; absent: never configured, empty: configured and emptied. */
  readonly entrypoint?: readonly JsonObject[];
  readonly rulesets?: readonly SeedRuleset[];
  readonly scripts?: readonly SeedDetected[];
  readonly connections?: readonly SeedDetected[];
  readonly cookies?: readonly SeedDetected[];
}

/** What the zone's contract allows. */
export interface SeedEntitlements {
  /** Number of content security policies. */
  readonly policies?: number;
  /** Number of rules in an entry point. */
  readonly rules?: number;
  readonly connection_url_path?: boolean;
  readonly reporting_endpoint?: boolean;
}

/** A ruleset of the zone's or the account's own, in the service's own form. */
export interface SeedRuleset {
  readonly name: string;
  readonly phase: string;
  readonly kind?: string;
  readonly id?: string;
  readonly description?: string;
  readonly rules?: readonly JsonObject[];
}

/** A script, connection or cookie; moments are ISO times or ages (`2d`, `90m`). */
export type SeedDetected = Readonly<Record<string, Json>>;

/** A mistake in a seed, with its place counted from 1. */
export interface SeedProblem {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
