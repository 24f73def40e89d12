import type { Author } from "../../src/plan/cause/author.ts";
import type { Cause, Change, Direction, FieldChange } from "../../src/plan/change.ts";
import type { Hold, HoldReason } from "../../src/plan/guard/hold.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Unmanaged } from "../../src/plan/write-order.ts";
import type { AuditFeedStatus, JudgedTokenUse } from "../../src/state/audit-status.ts";
import type { ClusterStatus, DaemonStatus } from "../../src/state/daemon-status.ts";
import type { LoadReport, RolloutStatus } from "../../src/state/load-report.ts";
import type { Failure, Outcome, SkipReason, ZoneReport } from "../../src/state/run-report.ts";
import type { DeclaredZone } from "../../src/state/zone-state.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import { kinds, type ResourceKey } from "../../src/zone/resource.ts";
import type { Write } from "../../src/zone/write.ts";
import { zoneName, type ZoneName } from "../../src/zone/zone.ts";
import { zoneNamed } from "./model.ts";

/** The moment at which every story of these tests begins. */
export const start: Date = new Date("2026-11-21T10:00:00.000Z");

export function at(minutes: number): Date {
  return new Date(start.getTime() + minutes * 60_000);
}

export function named(text: string): ZoneName {
  const name = zoneName(text);
  if (name === undefined) throw new Error(`${text} is no zone name`);
  return name;
}

export function declared(name: string, more: Partial<DeclaredZone> = {}): DeclaredZone {
  const unlabelled = {
    mode: "enforce",
    suspension: undefined,
    labels: {},
    hold: undefined,
  } as const;
  return { name: named(name), ...unlabelled, ...more };
}

export function change(
  key: ResourceKey,
  direction: Direction = "strengthens",
  more: {
    readonly title?: string;
    readonly fields?: readonly FieldChange[];
    readonly reasons?: readonly string[];
    readonly mayBreak?: boolean;
  } = {},
): Change {
  const kind = kinds.find((each) => key.startsWith(`${each}/`));
  if (kind === undefined) throw new Error(key);
  return {
    verb: "update",
    kind,
    key,
    id: "5f1b0a",
    title: more.title ?? "",
    adopted: false,
    fields: more.fields ?? [{ field: "enabled", before: false, after: true }],
    effect: { direction, mayBreak: more.mayBreak ?? false, reasons: more.reasons ?? [] },
    causes: [],
  };
}

/** Changes of which every field has one cause. */
export function withCause(cause: Cause, changes: readonly Change[]): readonly Change[] {
  return changes.map((each) =>
    each.causes.length > 0
      ? each
      : { ...each, causes: [{ cause, fields: each.fields.map(({ field }) => field) }] },
  );
}

export function planOf(
  zone: string,
  changes: readonly Change[] = [],
  unmanaged: readonly Unmanaged[] = [],
): Plan {
  return {
    zone: zoneNamed(zone),
    changes,
    writes: changes.map(({ key }) => writeOf(key)),
    waitsFor: new Map(),
    unmanaged,
    unowned: [],
    adoptedRules: [],
    liveKeys: new Map(),
    policyForms: new Map(),
    steps: new Map(),
    placedBy: new Map(),
    grown: [],
    notes: [],
    holds: [],
    compared: 5,
    deletable: 4,
    owaspVersion: "",
  };
}

export function writeOf(...changes: ResourceKey[]): Write {
  return { call: "update-policy", id: "5f1b0a", changes, body: { action: "allow" } };
}

export function failure(message = "GET page_shield: 503", more: Partial<Failure> = {}): Failure {
  return {
    code: "API_UNAVAILABLE",
    message,
    transient: true,
    ray: "8f2a",
    retryAfterMs: 0,
    ...more,
  };
}

export function hold(code: HoldReason, message = `held: ${code}`): Hold {
  return { reason: code, message };
}

export function done(...keys: ResourceKey[]): Outcome {
  return { status: "done", write: writeOf(...keys), ray: "8f2b", interleaved: false };
}

export function failed(...keys: ResourceKey[]): Outcome {
  return { status: "failed", write: writeOf(...keys), failure: failure("PUT policies: 400") };
}

export function lost(...keys: ResourceKey[]): Outcome {
  return { status: "unknown", write: writeOf(...keys), failure: failure("POST policies: reset") };
}

export function skipped(reason: SkipReason, ...keys: ResourceKey[]): Outcome {
  return { status: "skipped", write: writeOf(...keys), reason };
}

/** A write that waits for one that was refused. */
export function waiting(key: ResourceKey, ...waitsFor: ResourceKey[]): Outcome {
  return { status: "skipped", write: writeOf(key), reason: "earlier_failure", waitsFor };
}

/** What a run came to, without what all runs have. */
export type Came =
  | { readonly result: "in_sync"; readonly unmanaged?: readonly Unmanaged[] }
  | { readonly result: "error"; readonly failure?: Failure }
  | {
      readonly result: "planned" | "held";
      /** Of all fields of all changes that have no causes of their own. */
      readonly cause: Cause;
      readonly changes: readonly Change[];
      readonly holds?: readonly Hold[];
      readonly unmanaged?: readonly Unmanaged[];
    }
  | {
      readonly result: "applied";
      /** Of all fields of all changes that have no causes of their own. */
      readonly cause: Cause;
      readonly changes: readonly Change[];
      readonly outcomes?: readonly Outcome[];
      readonly left?: readonly Change[];
    };

/** Who made drift: a person, in the dashboard. */
export function author(more: Partial<Author> = {}): Author {
  const who = { kind: "person", name: "alice@example.com", context: "dash" } as const;
  const request = { method: "PUT", path: "/zones/z1/page_shield", ray: "8f2b" };
  return { ...who, at: at(0), ...request, isCertain: true, fields: [], ...more };
}

/** A use of our token elsewhere. */
export function tokenUse(more: Partial<JudgedTokenUse> = {}): JudgedTokenUse {
  const request = { method: "PUT", path: "/zones/z1/page_shield", ray: "ray" };
  const [credential, zone] = ["shops", "shop.example.com"];
  return { at: at(0), credential, zone, ...request, isDrift: false, ...more };
}

/** What is known of two followed accounts, of different numbers of entries of each kind. */
export function auditOf(more: Partial<AuditFeedStatus> = {}): AuditFeedStatus {
  return {
    state: "following",
    since: start,
    accounts: { off: 0, following: 2, denied: 0, lagging: 0 },
    entries: { woke: 3, own: 5, unrelated: 7, malformed: 1, elsewhere: 2, elsewhere_drift: 4 },
    reason: "",
    usedElsewhere: [],
    usedElsewhereOf: new Map(),
    ...more,
  };
}

/** A report of a run that ended `minutes` after the start. */
export function report(zone: string, minutes: number, came: Came): ZoneReport {
  const isApplied = came.result === "applied";
  const base = {
    zone: named(zone),
    run: `run-${minutes}`,
    trigger: "schedule",
    revision: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681",
    startedAt: new Date(at(minutes).getTime() - 1_200),
    finishedAt: at(minutes),
    phases: isApplied ? { fetch: 700, plan: 3, apply: 497 } : { fetch: 700, plan: 500, apply: 0 },
  } as const;
  switch (came.result) {
    case "in_sync":
      return { ...base, result: "in_sync", plan: planOf(zone, [], came.unmanaged) };
    case "error":
      return { ...base, result: "error", failure: came.failure ?? failure() };
    case "planned":
      return {
        ...base,
        result: "planned",
        plan: planOf(zone, withCause(came.cause, came.changes), came.unmanaged),
      };
    case "held":
      return {
        ...base,
        result: "held",
        plan: planOf(zone, withCause(came.cause, came.changes), came.unmanaged),
        holds: came.holds ?? [],
      };
    case "applied":
      return {
        ...base,
        result: "applied",
        plan: planOf(zone, withCause(came.cause, came.changes)),
        outcomes: came.outcomes ?? came.changes.map(({ key }) => done(key)),
        left: withCause(came.cause, came.left ?? []),
      };
  }
}

export function diagnostic(more: Partial<Diagnostic> = {}): Diagnostic {
  return {
    code: "SCHEMA_ENUM",
    severity: "error",
    place: { file: "shops.yaml", line: 12, column: 15 },
    path: "zones[0].page_shield.policies.items[0].action",
    message: '"blok" is no action of a policy.',
    remedy: 'Did you mean "log"?',
    ...more,
  };
}

export function load(more: Partial<LoadReport> = {}): LoadReport {
  return {
    result: "applied",
    source: "./zones",
    revision: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681",
    hash: "a1b2c3d4e5f60718",
    held: undefined,
    diagnostics: [],
    zones: 3,
    at: start,
    ...more,
  };
}

/** Why the files of {@link heldLoad} are not followed. */
export const fleetRefusal: Hold = hold(
  "fleet_change",
  "revision sha256-0357424802a9 changes 2 and drops 0 of 3 zones (67 %), the limit is 30 %: acknowledge it",
);

/** A reading of files that a guard holds. */
export function heldLoad(more: Partial<LoadReport> = {}): LoadReport {
  const held = {
    revision: "sha256-0357424802a9",
    hash: "0357424802a9",
    hold: fleetRefusal,
    zones: 2,
  };
  return load({ result: "held", held, ...more });
}

/** A reading of files whose changes go out in waves: the first of three was applied. */
export function loadInWaves(rollout: Partial<RolloutStatus> = {}): LoadReport {
  const usual: RolloutStatus = {
    state: "running",
    wave: 1,
    waves: 3,
    unsettled: [],
    nextAt: new Date(Number(start) + 2 * 3_600_000),
    waiting: new Map([
      [2, 5],
      [3, 40],
    ]),
  };
  return load({ rollout: { ...usual, ...rollout } });
}

/** A Lease that another process holds. */
export function clusterOf(more: Partial<ClusterStatus> = {}): ClusterStatus {
  return {
    lease: "zonewarden",
    identity: "zonewarden-1_b",
    isHeld: false,
    holder: "zonewarden-0_a",
    page: "",
    transitions: 3,
    failure: undefined,
    works: false,
    ...more,
  };
}

/** A process that waits for the Lease. */
export const standby: ClusterStatus = clusterOf();

export function daemon(more: Partial<DaemonStatus> = {}): DaemonStatus {
  return {
    version: "0.1.0",
    startedAt: start,
    workingSince: start,
    mode: "enforce",
    schedule: {
      expressions: ["*/15 * * * *"],
      timezone: "Etc/UTC",
      nextAt: at(15),
      longestGapMs: 900_000,
      sweepMs: 60_000,
    },
    inventoryEveryMs: undefined,
    audit: undefined,
    measurements: undefined,
    queue: { waiting: 0, running: [] },
    credentials: [
      {
        name: "shops",
        valid: true,
        expiresAt: undefined,
        limit: 1200,
        remaining: 1100,
        resetAt: at(5),
        waitedMs: 1500,
      },
    ],
    state: { status: "ok", lost: undefined },
    cluster: undefined,
    ...more,
  };
}
