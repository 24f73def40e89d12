import type { JsonObject } from "../../syntax/json.ts";
import type { Entitlements, Undocumented } from "../state.ts";

/**
 * Initial state of an emulator, in the form of its YAML file (see
 * `schemas/emulator-seed.schema.json`).
 */
export interface Seed {
  readonly accounts?: readonly SeedAccount[];
  readonly tokens?: readonly SeedToken[];
  readonly rate_limit?: false | SeedRateLimit;
  readonly undocumented?: Partial<Undocumented>;
  readonly zones: readonly SeedZone[];
}

/** An account; managed rulesets belong to every account. */
export interface SeedAccount {
  readonly name: string;
  readonly id?: string;
  readonly rulesets?: readonly SeedRuleset[];
}

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

/** Rate limit of each credential; durations as in `300s` or `5m`. */
export interface SeedRateLimit {
  readonly requests?: number;
  readonly window?: string;
  readonly lockout?: string;
}

export interface SeedZone {
  readonly name: string;
  readonly id?: string;
  /** Name of its account; by default the first one. */
  readonly account?: string;
  readonly status?: string;
  readonly type?: string;
  readonly paused?: boolean;
  readonly plan?: string;
  readonly entitlements?: Partial<Entitlements>;
  readonly settings?: JsonObject;
  readonly policies?: readonly JsonObject[];
  /**
   * Rules of the entry point of `http_request_firewall_managed`; absent: never created; empty:
   * without rules.
   */
  readonly entrypoint?: readonly JsonObject[];
  readonly rulesets?: readonly SeedRuleset[];
  /** Of scripts, connections and cookies, times are ISO times or ages (`2d`, `90m`). */
  readonly scripts?: readonly JsonObject[];
  readonly connections?: readonly JsonObject[];
  readonly cookies?: readonly JsonObject[];
  /** What happens after the start, after durations as in `12h` or `2d`. */
  readonly events?: readonly JsonObject[];
  /** Requests of the zone, and how they meet its policies and rules. */
  readonly traffic?: JsonObject;
}

/** A ruleset of the zone or account, in the service's form. */
export interface SeedRuleset {
  readonly name: string;
  readonly phase: string;
  readonly kind?: string;
  readonly id?: string;
  readonly description?: string;
  readonly rules?: readonly JsonObject[];
}

/** An error in a seed; line and column count from 1. */
export interface SeedDiagnostic {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
