import type { ActorStyle } from "../../zone/audit-entry.ts";
import type { Mode, Place } from "../../zone/desired-zone.ts";
import type { ItemKind } from "../../zone/inventory-item.ts";
import type { RuleQuotas } from "../../zone/rule-phase.ts";
import type { RolloutSettings } from "../../zone/wave.ts";
import type { Window } from "../../zone/window.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { LintRule } from "../lint.ts";
import type { ConfigFile, YamlNotification } from "./config-file.ts";

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** Where a secret is read from: the absolute path of a file, or an environment variable. */
export type SecretSource = { readonly file: string } | { readonly env: string };

/**
 * A token, with patterns of the accounts and zones it is used for; `*` matches any number of
 * characters.
 */
export interface CredentialConfig {
  readonly name: string;
  readonly source: SecretSource;
  readonly accounts: readonly string[];
  readonly zones: readonly string[];
}

/** A zone that a wave names, and where. */
export interface Canary {
  readonly name: ZoneName;
  readonly place: Place;
  readonly path: string;
}

/** A sink of notifications. */
export interface NotificationConfig extends Readonly<
  Pick<YamlNotification, "name" | "type" | "severity">
> {
  readonly url: SecretSource | { readonly url: string };
  /** The signing key; `undefined`: notifications are not signed. */
  readonly secret: SecretSource | undefined;
  readonly zones: readonly string[];
  /** Selects zones by their labels; "": all. */
  readonly labels: string;
  /** How people are written, where `audit.actors` does not show less. */
  readonly actors: ActorStyle;
}

/** The Lease whose holder works, of several processes. */
export interface ClusterConfig {
  readonly lease: string;
  readonly leaseDurationMs: number;
  /** Absolute; `undefined`: the cluster in which the process runs. */
  readonly kubeconfig: string | undefined;
}

/** Where state and history are kept: in a directory (absolute path), or in a schema of a PostgreSQL database. */
export type StoreConfig =
  | { readonly path: string }
  | { readonly postgres: { readonly url: SecretSource; readonly schema: string } };

/** How long the history of runs is kept, and who signs it. */
export interface HistoryConfig {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  /** Absolute path of the private key that signs the history; `undefined`: it is not signed. */
  readonly signKey: string | undefined;
}

/** `zonewarden.yaml` with every default filled in. */
export interface Config {
  readonly mode: Mode;
  readonly api: {
    /** URL of the service, or of the embedded emulator. */
    readonly baseUrl: string;
    readonly emulator: { readonly seed: string | undefined; readonly listen: Listen } | undefined;
    readonly timeoutMs: number;
    readonly concurrency: number;
    /** Whether equal versions in the listing of rulesets mean equal rules, or every list is read. */
    readonly rulesetVersions: "trust" | "read";
  };
  readonly credentials: readonly CredentialConfig[];
  /** `path` is absolute; `adopt` says when declared resources without our mark become ours. */
  readonly desired: Readonly<ConfigFile["desired"]>;
  /** In the order of the file; of several rules that match, the last one counts. */
  readonly lint: readonly LintRule[];
  readonly schedule: {
    readonly cron: readonly string[];
    readonly timezone: string;
    readonly onChange: boolean;
    readonly debounceMs: number;
  };
  /** Limits of what a run may change without a release. */
  readonly limits: {
    readonly maxDeleteShare: number;
    readonly maxUpdateShare: number;
    readonly minCompared: number;
    readonly maxFleetShare: number;
    readonly minFleet: number;
    /** The larger of a number and a share of the zones; absent: the default of the fleet guard. */
    readonly maxWeakened?: { readonly zones: number; readonly share: number };
    readonly weakening: "allow" | "refuse";
    readonly quota: RuleQuotas;
    readonly contendedRounds: number;
    readonly contendedWindowMs: number;
    /** Hashes of held plans and revisions that are released. */
    readonly accept: readonly string[];
  };
  /** `undefined`: a revision reaches all zones at once. */
  readonly rollout: RolloutSettings | undefined;
  /** Token of the commands for waves and steps; `undefined`: they are off. */
  readonly rolloutToken: SecretSource | undefined;
  readonly canaries: readonly Canary[];
  readonly budget: {
    readonly requests: number;
    readonly windowMs: number;
    readonly reserve: number;
  };
  readonly windows: readonly Window[];
  readonly server: {
    readonly listen: Listen;
    /** Host names under which the server answers, besides its own. */
    readonly hosts: readonly string[];
    /** Address of the status page for people, without a slash at its end; "": none is known. */
    readonly url: string;
    /** Token of the reconcile endpoint; `undefined`: the endpoint is off. */
    readonly reconcileToken: SecretSource | undefined;
  };
  readonly notifications: readonly NotificationConfig[];
  /** Absolute path of the public key of saved plans; `undefined`: they need no signature. */
  readonly plan: { readonly verifyKey: string | undefined };
  readonly history: HistoryConfig;
  /** `undefined`: the daemon remembers nothing across restarts. */
  readonly store: StoreConfig | undefined;
  /** `undefined`: this process works alone. */
  readonly cluster: ClusterConfig | undefined;
  readonly impact: {
    /** A script whose integrity score is below this is malicious. */
    readonly maliciousBelow: number;
    /** An item seen within this time is in use. */
    readonly freshMs: number;
  };
  readonly audit: {
    /** `undefined`: the audit log is not followed. */
    readonly follow: { readonly everyMs: number; readonly overlapMs: number } | undefined;
    /** How people are written. */
    readonly actors: ActorStyle;
  };
  /** `undefined`: nothing is measured. */
  readonly measurements: { readonly maxAgeMs: number } | undefined;
  /** `undefined`: the inventory is not read. */
  readonly inventory:
    | {
        readonly everyMs: number;
        readonly kinds: readonly ItemKind[];
      }
    | undefined;
  /** The label that metrics have, by the key of a zone's label. */
  readonly metrics: { readonly zoneLabels: Readonly<Record<string, string>> };
  readonly log: Readonly<ConfigFile["log"]>;
}
