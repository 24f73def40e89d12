import type { JsonObject } from "../syntax/json.ts";

/** Page Shield settings of a zone, as the published schema has them. */
export interface Settings {
  readonly enabled: boolean;
  readonly updated_at: string;
  readonly use_cloudflare_reporting_endpoint: boolean;
  readonly use_connection_url_path: boolean;
}

/** A content security policy, as the published schema has it. */
export interface EmulatedPolicy {
  readonly id: string;
  readonly description: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly value: string;
}

/** A rule in the form of responses; members that the service omits are absent. */
export interface EmulatedRule {
  readonly id: string;
  readonly version: string;
  readonly last_updated: string;
  readonly ref: string;
  readonly action: string;
  readonly action_parameters?: JsonObject;
  readonly expression?: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly logging?: { readonly enabled: boolean };
  readonly ratelimit?: JsonObject;
  readonly exposed_credential_check?: JsonObject;
  /** Of managed rules only. */
  readonly categories?: readonly string[];
  /** Of the OWASP score rule only. */
  readonly score_threshold?: number;
}

/** One version of a ruleset in the form of responses. */
export interface EmulatedRuleset {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: string;
  readonly phase: string;
  readonly version: string;
  readonly last_updated: string;
  readonly source?: string;
  readonly rules: readonly EmulatedRule[];
}

/** A ruleset with its earlier versions, oldest first. */
export interface StoredRuleset {
  readonly current: EmulatedRuleset;
  readonly past: readonly EmulatedRuleset[];
}

/**
 * A script, connection or cookie that browsers reported; its status depends on the reports and the
 * time.
 */
export interface InventoryItem {
  readonly id: string;
  readonly reports: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** Members of the response that do not change with time. */
  readonly facts: JsonObject;
  /** Members that only the response with the single item has. */
  readonly detail: JsonObject;
}

/** What a zone's contract includes. */
export interface Entitlements {
  /** Limit of content security policies. */
  readonly policies: number;
  /** Limit of rules in every phase, or in those that it names; else the plan's. */
  readonly rules?: number | Readonly<Record<string, number>>;
  /** Whether a zone of the plan enterprise has Advanced Rate Limiting; by default it has. */
  readonly advanced_rate_limiting?: boolean;
  readonly connection_url_path: boolean;
  readonly reporting_endpoint: boolean;
  /** What its settings of datasets have that differs from the plan's, by dataset. */
  readonly datasets?: Readonly<Record<string, Partial<DatasetSettings>>>;
}

/** What a zone may read of a dataset of the analytics, in the service's form. */
export interface DatasetSettings {
  readonly enabled: boolean;
  /** Seconds. */
  readonly notOlderThan: number;
  /** Seconds. */
  readonly maxDuration: number;
  readonly maxPageSize: number;
}

/** That browsers load a script, or no longer have it. */
export interface ScriptLoad {
  readonly url: string;
  /** `undefined`: those before. */
  readonly pages: readonly string[] | undefined;
  /** `undefined`: that before. */
  readonly content: string | undefined;
  /** The integrity score of other content. */
  readonly score: number;
  /** Whether the script is gone. */
  readonly vanish: boolean;
}

/** Something that will happen in a zone: a script is loaded, or monitoring is switched. */
export interface ZoneEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly script?: ScriptLoad;
  /** How often it happens again. */
  readonly everyMs?: number;
  /** Whether it is such a repetition. */
  readonly isRepeat?: boolean;
  readonly monitoring?: boolean;
}

/** Requests of a zone, and how they meet its policies and rules. */
export interface Traffic {
  readonly seed?: number;
  /** Mean requests in an hour of the host that is called like the zone. */
  readonly requests_per_hour?: number;
  /** Mean requests in an hour by host, instead. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** Parts of the requests, from 0 to 1, by id, ref or description of the rule or policy. */
  readonly shares?: Readonly<Record<string, number>>;
  /** Requests in an hour above which datasets are sampled. */
  readonly sampled_above?: number;
}

/** What counts requests of a zone while it is in force: a policy or a rule. */
export interface CountedObject {
  /** `policyID` or `ruleId`, as datasets have it. */
  readonly id: string;
  /** Undefined for a policy. */
  readonly rulesetId?: string;
  readonly source?: string;
  readonly action: string;
  /** The part of the requests that it counts, from 0 to 1. */
  readonly share: number;
  /** Seed of its random numbers. */
  readonly key: number;
}

/** The requests of a zone, and what was in force for them, from a moment on; immutable. */
export interface Protection {
  /** Milliseconds since 1970; 0 for what was in force first. */
  readonly from: number;
  readonly hosts: readonly HostTraffic[];
  /** Requests in an hour above which datasets are sampled. */
  readonly sampledAbove: number;
  readonly policies: readonly CountedObject[];
  readonly rules: readonly CountedObject[];
}

/** The requests of one host; `key` is the seed of its random numbers. */
export interface HostTraffic {
  readonly host: string;
  readonly requestsPerHour: number;
  readonly key: number;
}

/** A zone with all its resources; immutable, replaced as a whole. */
export interface EmulatedZone {
  readonly level: "zone";
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  readonly status: string;
  readonly type: string;
  readonly paused: boolean;
  readonly plan: string;
  readonly createdOn: string;
  readonly entitlements: Entitlements;
  readonly settings: Settings;
  readonly policies: readonly EmulatedPolicy[];
  readonly rulesets: readonly StoredRuleset[];
  readonly scripts: readonly InventoryItem[];
  readonly connections: readonly InventoryItem[];
  readonly cookies: readonly InventoryItem[];
  /** What the seed lets happen later, in that order. */
  readonly events?: readonly ZoneEvent[];
  readonly traffic?: Traffic;
}

/** An account; immutable, replaced as a whole. */
export interface AccountState {
  readonly level: "account";
  readonly id: string;
  readonly name: string;
  readonly createdOn: string;
  readonly rulesets: readonly StoredRuleset[];
}

/** What rulesets belong to. */
export type Owner = EmulatedZone | AccountState;

/** What the service does where its documentation does not say it (SERVICE.md B.11 and B.13). */
export interface Undocumented {
  /** Whether a PUT of a ruleset that changes nothing makes a version. */
  readonly identical_put: "stored" | "ignored";
  /** Whether a rate limit without a counting expression has an empty one in responses. */
  readonly counting_expression: "omitted" | "empty";
  /** Whether errors of the analytics come with the documented status, or in a 200. */
  readonly analytics_errors: "in_200" | "status";
}

/** A credential; `null`: no such time. */
export interface TokenState {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly permissions: "all" | readonly string[];
  readonly zones: readonly string[];
  readonly accounts: readonly string[];
  readonly status: "active" | "disabled";
  readonly expiresOn: string | null;
  readonly notBefore: string | null;
}

export interface RequestLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly lockoutMs: number;
}

/** Where the service moved a managed ruleset, and when. */
export interface MovedManaged {
  readonly version: string;
  readonly last_updated: string;
}

/** The whole state of the service, as plain data. */
export interface State {
  readonly accounts: readonly AccountState[];
  readonly zones: readonly EmulatedZone[];
  readonly tokens: readonly TokenState[];
  readonly rateLimit: RequestLimit | null;
  /** Managed rulesets, by id, that were moved from the version that the emulator starts with. */
  readonly movedManaged?: Readonly<Record<string, MovedManaged>>;
  /** By zone, what was in force and from when on, oldest first; a zone that never changed has none. */
  readonly protections?: Readonly<Record<string, readonly Protection[]>>;
  /** By default `stored`, `omitted` and `in_200`. */
  readonly undocumented?: Partial<Undocumented>;
  /** How far the emulator's clock is ahead of the real one, in milliseconds. */
  readonly clockOffset: number;
  /** How many ids were generated, so that none is generated twice. */
  readonly made: number;
}
