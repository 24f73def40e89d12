import { historyJson, tokenUseJson } from "../history/history-json.ts";
import type { StoredEntry, StoredFleet, StoredZone } from "../history/stored-fleet.ts";
import { causesIn } from "../plan/cause/cause.ts";
import { changeJson, failureJson } from "../render/plan-json.ts";
import { scriptsJson } from "../render/scripts/scripts-json.ts";
import type { AuditFeedStatus } from "../state/audit-status.ts";
import type { ClusterStatus } from "../state/daemon-status.ts";
import { countByKind, driftIn } from "../state/drift.ts";
import { removedShownMs } from "../state/fleet.ts";
import type { InventoryFacts, InventoryState, ItemBrief } from "../state/inventory.ts";
import type { HeldRevision, LoadReport } from "../state/load-report.ts";
import {
  type ChangeRecord,
  driftOf,
  holdsOf,
  type LastRun,
  pendingOf,
  unknownOf,
  type ZoneState,
} from "../state/zone-state.ts";
import {
  countByStatus,
  fleetInventory,
  isInventoryOn,
  select,
  selectStored,
  type ZoneFilter,
} from "./pages/selection.ts";
import type { Snapshot } from "./snapshot.ts";

/** Format of the answers of `/api/v1`; see `schemas/status.schema.json`. */
export const statusFormat = "zonewarden-status/1";

/** `/api/v1/fleet`: the process and the counts of its zones. */
export function fleetJson({ fleet, daemon, now }: Snapshot): JsonBody {
  const { schedule, queue } = daemon;
  return {
    format: statusFormat,
    version: daemon.version,
    mode: daemon.mode,
    started_at: daemon.startedAt,
    desired: fleet.load === undefined ? null : loadJson(fleet.load),
    zones: fleet.zones.length,
    by_status: countByStatus(fleet.zones),
    inventory: fleetInventoryJson(fleet.zones),
    schedule: {
      cron: schedule.expressions,
      timezone: schedule.timezone,
      next_at: schedule.nextAt ?? null,
      longest_gap_seconds: schedule.longestGapMs / 1000,
    },
    queue,
    cluster: daemon.cluster === undefined ? null : clusterJson(daemon.cluster),
    audit: daemon.audit === undefined ? null : auditJson(daemon.audit),
    state: { status: daemon.state.status, lost: daemon.state.lost ?? null },
    credentials: daemon.credentials.map((credential) => ({
      name: credential.name,
      valid: credential.valid,
      expires_at: credential.expiresAt ?? null,
      requests: {
        limit: credential.limit,
        remaining: credential.remaining,
        reset_at: credential.resetAt ?? null,
      },
    })),
    recent: fleet.recent.map(recordJson),
    removed: fleet.removedSince(new Date(Number(now) - removedShownMs)),
  };
}

function auditJson({ usedElsewhere, reason, ...audit }: AuditFeedStatus): JsonBody {
  const { usedElsewhereOf: _ofZones, ...status } = audit;
  const token_uses = usedElsewhere.map((use) => ({ ...tokenUseJson(use), drift: use.isDrift }));
  return { ...status, reason: reason === "" ? null : reason, token_uses };
}

function clusterJson(cluster: ClusterStatus): JsonBody {
  const { lease, identity, isHeld, holder, page, transitions, failure, works } = cluster;
  return {
    lease,
    identity,
    leader: isHeld,
    holder: holder === "" ? null : holder,
    page: page === "" ? null : page,
    transitions,
    failure: failure ?? null,
    reconciles: works,
  };
}

/** `/api/v1/zones`: a page of zones, filtered as on the status page. */
export function zonesJson({ fleet }: Snapshot, selection: ZoneFilter): JsonBody {
  const { counts, matching, page, pages, zones } = select(fleet.zones, selection);
  return { matching, page, pages, by_status: counts, zones: zones.map(summaryJson) };
}

/** `/api/v1/fleet` of a process that does not work: what the store says. What it does not know is left out. */
export function storedFleetJson({ readAt, zones }: StoredFleet, { daemon }: Snapshot): JsonBody {
  const isRead = typeof zones !== "string";
  return {
    format: statusFormat,
    version: daemon.version,
    mode: daemon.mode,
    started_at: daemon.startedAt,
    source: "store",
    read_at: readAt,
    failure: isRead ? null : zones,
    zones: isRead ? zones.length : null,
    by_status: isRead ? countByStatus(zones) : null,
    cluster: daemon.cluster === undefined ? null : clusterJson(daemon.cluster),
  };
}

/** `/api/v1/zones` of a process that does not work. */
export function storedZonesJson(
  readAt: Date,
  stored: readonly StoredZone[],
  selection: ZoneFilter,
): JsonBody {
  const { counts, matching, page, pages, zones } = selectStored(stored, selection);
  const source = { source: "store", read_at: readAt };
  const shown = zones.map(storedZoneJson);
  return { ...source, matching, page, pages, by_status: counts, zones: shown };
}

function storedZoneJson({ name, status, entry }: StoredZone): JsonBody {
  return {
    name,
    status,
    drifted_since: entry?.driftedSince ?? null,
    last_entry: entry === undefined ? null : storedEntryJson(entry),
  };
}

function storedEntryJson(entry: StoredEntry): JsonBody {
  const { at, run, trigger, revision, result, causes, changes, holds, failure } = entry;
  const hold_reasons = [...new Set(holds.map(({ reason }) => reason))];
  const why = { hold_reasons, failure: failure ?? null };
  return { at, run, trigger, revision, result, causes, changes, ...why };
}

/** `/api/v1/zones/:name`: the state of a zone. */
export function zoneJson(state: ZoneState): JsonBody {
  const { zone, declared, failure, inventory, scripts } = state;
  return {
    ...summaryJson(state),
    id: zone?.id ?? null,
    account: zone === undefined ? null : { id: zone.accountId, name: zone.accountName },
    plan: zone?.plan ?? null,
    suspension:
      declared.suspension === undefined
        ? null
        : { reason: declared.suspension.reason, until: declared.suspension.until ?? null },
    failure: failure === undefined ? null : failureJson(failure),
    holds: holdsOf(state),
    causes: causesIn(state.differing),
    differing: state.differing.map(changeJson),
    notes: state.notes,
    compared: state.compared,
    unmanaged_resources: state.unmanaged,
    drift_onsets: state.driftOnsets,
    inventory: inventory === undefined ? null : inventoryJson(inventory),
    scripts: scripts === undefined ? null : scriptsJson(scripts),
    last_run: state.lastRun === undefined ? null : runJson(state.lastRun),
    changes: state.changes.map(recordJson),
  };
}

/** `/api/v1/zones/:name/history`: the history of a zone, oldest first. */
export function historyOfZoneJson({ history }: Snapshot, name: string): JsonBody {
  return { entries: history.of(name).map(historyJson) };
}

/** `/api/v1/diagnostics`: the diagnostics of the files, and the held revision. */
export function diagnosticsJson({ fleet }: Snapshot): JsonBody {
  const { load } = fleet;
  return {
    diagnostics: load?.diagnostics ?? [],
    held: load?.held === undefined ? null : heldJson(load.held),
  };
}

function summaryJson(state: ZoneState): JsonBody {
  return {
    name: state.declared.name,
    mode: state.declared.mode,
    status: state.status,
    status_since: state.statusSince,
    drifted_since: state.driftedSince ?? null,
    pending_since: state.pendingSince ?? null,
    last_success_at: state.lastSuccess ?? null,
    last_attempt_at: state.lastRun?.at ?? null,
    consecutive_failures: state.consecutiveFailures,
    drift: driftIn(driftOf(state)),
    pending: countByKind(pendingOf(state)),
    cause_unknown: countByKind(unknownOf(state)),
    unmanaged: countByKind(state.unmanaged),
    hold_reasons: [...new Set(holdsOf(state).map(({ reason }) => reason))],
  };
}

function loadJson(load: LoadReport): JsonBody {
  const { result, source, revision, hash, held, diagnostics, at } = load;
  const heldBody = held === undefined ? null : heldJson(held);
  const count = diagnostics.length;
  const names = { revision, commit: load.commit ?? null, hash };
  return { result, source, ...names, held: heldBody, diagnostics: count, at };
}

function heldJson({ revision, commit, hash, hold, zones }: HeldRevision): JsonBody {
  return {
    revision,
    commit: commit ?? null,
    hash,
    reason: hold.reason,
    message: hold.message,
    zones,
  };
}

function recordJson(record: ChangeRecord): JsonBody {
  const { changes } = record;
  return { ...record, causes: causesIn(changes), changes: changes.map(changeJson) };
}

function runJson({ durationMs, ...run }: LastRun): JsonBody {
  return { ...run, duration_ms: durationMs };
}

/** Counts over the inventories of all zones; `null` if inventories are off. */
function fleetInventoryJson(zones: readonly ZoneState[]): JsonBody | null {
  if (!isInventoryOn(zones)) return null;
  const { zones: counts, malicious, outside } = fleetInventory(zones);
  return {
    malicious_items: malicious ?? null,
    scripts_outside_policies: outside ?? null,
    zones: counts,
  };
}

function inventoryJson({ readAt, facts, failure, failingSince, found }: InventoryState): JsonBody {
  return {
    read_at: readAt ?? null,
    failure: failure === undefined ? null : failureJson(failure),
    failing_since: failingSince ?? null,
    malicious_found: found,
    facts: facts === undefined ? null : factsJson(facts),
  };
}

function factsJson({ kinds, notPermitted, outside, ...facts }: InventoryFacts): JsonBody {
  const failures = [...notPermitted].map(([kind, why]) => [kind, failureJson(why)] as const);
  return {
    kinds: Object.fromEntries(kinds),
    not_permitted: Object.fromEntries(failures),
    malicious: facts.malicious.map(itemJson),
    newest: facts.newest.map(itemJson),
    outside_policies:
      outside === undefined ? null : { ...outside, newest: outside.newest.map(itemJson) },
    impact: facts.impact,
  };
}

function itemJson({ kind, id, name, page, firstSeenAt, malicious }: ItemBrief): JsonBody {
  const first_seen_at = firstSeenAt ?? null;
  return { kind, id, name, page, first_seen_at, malicious_reasons: malicious };
}

/** The body of a response of `/api/v1`: names in snake case, timestamps in ISO 8601, missing values `null`. */
export type JsonBody = Readonly<Record<string, unknown>>;
