import { historyJson, tokenUseJson } from "../history/history-json.ts";
import type { StoredEntry, StoredFleet, StoredZone } from "../history/stored-fleet.ts";
import { seriesJson } from "../measure/measured-json.ts";
import type { ZoneSeries } from "../measure/measured-series.ts";
import { causesIn } from "../plan/cause/cause.ts";
import { changeJson, failureJson } from "../render/plan-json.ts";
import { unownedLines } from "../render/plan-text.ts";
import { scriptsJson } from "../render/scripts/scripts-json.ts";
import { stepWaitText } from "../render/step-text.ts";
import type { AuditFeedStatus } from "../state/audit-status.ts";
import type { CollectorStatus } from "../state/collector-status.ts";
import type { ClusterStatus, CredentialStatus } from "../state/daemon-status.ts";
import { countByKind, driftIn } from "../state/drift.ts";
import { removedShownMs } from "../state/fleet.ts";
import type { InventoryFacts, InventoryState, ItemBrief } from "../state/inventory.ts";
import type { HeldRevision, LoadReport, RolloutStatus, WaveStatus } from "../state/load-report.ts";
import type { GateStatus } from "../state/rollout-gate.ts";
import {
  type ObjectSteps,
  stepsLeft,
  stepStateOf,
  type ZoneStepsStatus,
} from "../state/steps-status.ts";
import {
  type ChangeRecord,
  driftOf,
  holdsOf,
  pendingOf,
  unknownOf,
  type ZoneState,
} from "../state/zone-state.ts";
import { type JsonObject, jsonOf, textOrNull } from "../syntax/json.ts";
import { selectByCause } from "./pages/fleet-causes.ts";
import {
  countByStatus,
  fleetInventory,
  isInventoryOn,
  select,
  selectStored,
  type ZoneFilter,
} from "./pages/selection.ts";
import type { Snapshot } from "./snapshot.ts";

/** Zones in one answer. */
const pageSize = 200;

/** Format of the answers of `/api/v1`; see `schemas/status.schema.json`. */
export const statusFormat = "zonewarden-status/2";

/** `/api/v1/fleet`: the process and the counts of its zones. */
export function fleetJson({ fleet, daemon, now }: Snapshot): JsonObject {
  const { version, mode, startedAt, queue, state, cluster, audit, measurements } = daemon;
  const { expressions: cron, timezone, nextAt, longestGapMs } = daemon.schedule;
  const longestGapSeconds = longestGapMs / 1000;
  const { load } = fleet;
  return {
    ...jsonOf({ format: statusFormat, version, mode, startedAt, queue, state }),
    ...jsonOf({ schedule: { cron, timezone, nextAt, longestGapSeconds } }),
    desired: load === undefined ? null : loadJson(load),
    zones: fleet.zones.length,
    by_status: countByStatus(fleet.zones),
    inventory: fleetInventoryJson(fleet.zones),
    cluster: cluster === undefined ? null : clusterJson(cluster),
    audit: audit === undefined ? null : auditJson(audit),
    measurements: measurements === undefined ? null : collectorJson(measurements),
    credentials: daemon.credentials.map(credentialJson),
    recent: fleet.recent.map(recordJson),
    removed: fleet.removedSince(new Date(Number(now) - removedShownMs)).map(jsonOf),
  };
}

function credentialJson(credential: CredentialStatus): JsonObject {
  const { name, valid, expiresAt, limit, remaining, resetAt } = credential;
  return jsonOf({ name, valid, expiresAt, requests: { limit, remaining, resetAt } });
}

function auditJson({ usedElsewhere, reason, ...audit }: AuditFeedStatus): JsonObject {
  const { state, since, accounts, entries } = audit;
  const token_uses = usedElsewhere.map((use) => ({ ...tokenUseJson(use), drift: use.isDrift }));
  return {
    ...jsonOf({ state, since, accounts, entries, reason: textOrNull(reason) }),
    token_uses,
  };
}

function collectorJson({ state, reason }: CollectorStatus): JsonObject {
  return jsonOf({ state, reason: textOrNull(reason) });
}

function clusterJson(cluster: ClusterStatus): JsonObject {
  const { lease, identity, isHeld: leader, holder, page, transitions, failure, works } = cluster;
  return jsonOf({
    lease,
    identity,
    leader,
    holder: textOrNull(holder),
    page: textOrNull(page),
    transitions,
    failure,
    reconciles: works,
  });
}

/** `/api/v1/zones`: a page of zones, filtered as on the status page. */
export function zonesJson({ fleet, now }: Snapshot, selection: ZoneFilter): JsonObject {
  // The causes of all zones are found only for a selection by one of them.
  const { counts, matching, page, pages, zones } =
    selection.cause === ""
      ? select(fleet.zones, selection, undefined, pageSize)
      : selectByCause(fleet.zones, selection, now, pageSize);
  return { matching, page, pages, by_status: counts, zones: zones.map(summaryJson) };
}

/** `/api/v1/fleet` of a process that does not work: what the store says. What it does not know is left out. */
export function storedFleetJson({ readAt, zones }: StoredFleet, { daemon }: Snapshot): JsonObject {
  const { version, mode, startedAt, cluster } = daemon;
  const isRead = typeof zones !== "string";
  return {
    ...jsonOf({ format: statusFormat, version, mode, startedAt, source: "store", readAt }),
    failure: isRead ? null : zones,
    zones: isRead ? zones.length : null,
    by_status: isRead ? countByStatus(zones) : null,
    cluster: cluster === undefined ? null : clusterJson(cluster),
  };
}

/** `/api/v1/zones` of a process that does not work. */
export function storedZonesJson(
  readAt: Date,
  stored: readonly StoredZone[],
  selection: ZoneFilter,
): JsonObject {
  const { counts, matching, page, pages, zones } = selectStored(stored, selection, pageSize);
  const source = jsonOf({ source: "store", readAt });
  const shown = zones.map(storedZoneJson);
  return { ...source, matching, page, pages, by_status: counts, zones: shown };
}

function storedZoneJson({ name, status, labels, entry }: StoredZone): JsonObject {
  const { driftedSince } = entry ?? {};
  const facts = jsonOf({ name, status, driftedSince, lastEntry: entry && storedEntryOf(entry) });
  return { ...facts, labels };
}

function storedEntryOf(entry: StoredEntry): object {
  const { at, run, trigger, revision, result, causes, changes, holds, failure } = entry;
  const holdReasons = [...new Set(holds.map(({ reason }) => reason))];
  return { at, run, trigger, revision, result, causes, changes, holdReasons, failure };
}

/** `/api/v1/zones/:name`: the state of a zone. */
export function zoneJson(state: ZoneState, { stepsOf }: Pick<Snapshot, "stepsOf">): JsonObject {
  const steps = stepsOf(state.declared.name);
  const { zone, declared, failure, unowned, compared, driftOnsets, inventory, scripts } = state;
  const notes = [...state.notes, ...unownedLines(unowned)];
  const { suspension } = declared;
  const { id, tier } = zone ?? {};
  return {
    ...summaryJson(state),
    ...jsonOf({ id, plan: tier, notes, compared, driftOnsets, lastRun: state.lastRun }),
    account: zone === undefined ? null : { id: zone.accountId, name: zone.accountName },
    suspension: suspension === undefined ? null : jsonOf(suspension),
    failure: failure === undefined ? null : failureJson(failure),
    holds: holdsOf(state).map(({ reason, message, hash }) => jsonOf({ reason, message, hash })),
    causes: causesIn(state.differing),
    differing: state.differing.map(changeJson),
    unmanaged_resources: state.unmanaged.map(jsonOf),
    inventory: inventory === undefined ? null : inventoryJson(inventory),
    scripts: scripts === undefined ? null : scriptsJson(scripts),
    steps: steps === undefined ? null : stepsJson(steps),
    changes: state.changes.map(recordJson),
  };
}

function stepsJson({ objects, pausedBy }: ZoneStepsStatus): JsonObject {
  return { ...jsonOf({ pausedBy }), objects: objects.map(objectStepsJson) };
}

function objectStepsJson(object: ObjectSteps): JsonObject {
  const { key, promotion, step, since, counted, wait } = object;
  const { field, steps, afterMs, watchMs } = promotion;
  const time = wait?.reason === "measuring" || wait?.reason === "watched" ? wait : undefined;
  return {
    ...jsonOf({ key, state: stepStateOf(object), field, steps, step, since, counted }),
    ...jsonOf({ afterSeconds: afterMs / 1_000, watchSeconds: watchMs / 1_000 }),
    passed_seconds: time === undefined ? null : time.ms / 1_000,
    waits_for: wait === undefined ? null : { reason: wait.reason, message: stepWaitText(wait) },
  };
}

/** `/api/v1/zones/:name/history`: the history of a zone, oldest first. */
export function historyOfZoneJson({ history }: Snapshot, name: string): JsonObject {
  return { entries: history.of(name).map(historyJson) };
}

/** `/api/v1/zones/:name/measurements`: each hour of a zone, and how the measurements go. */
export function measurementsJson(series: ZoneSeries, collector: CollectorStatus): JsonObject {
  return { ...seriesJson(series), collector: collectorJson(collector) };
}

/** `/api/v1/rollout`: where each zone of each wave is, and what is not at its last step. */
export function rolloutOfJson(
  { fleet: { load, zones }, stepsOf }: Snapshot,
  waves: readonly WaveStatus[] | undefined,
): JsonObject {
  const { revision, commit, rollout } = load ?? {};
  const steps = [...zones].flatMap(({ declared: { name } }): readonly JsonObject[] => {
    const { objects = [], pausedBy } = stepsOf(name) ?? {};
    const left = stepsLeft(objects);
    if (left.length === 0 && pausedBy === undefined) return [];
    return [{ zone: name, ...stepsJson({ objects: left, pausedBy }) }];
  });
  const isUnderWay = rollout !== undefined && waves !== undefined;
  return {
    ...jsonOf({ revision, commit }),
    rollout: isUnderWay ? { ...rolloutJson(rollout), by_wave: waves.map(jsonOf) } : null,
    steps,
  };
}

/** `/api/v1/diagnostics`: the diagnostics of the files, and the held revision. */
export function diagnosticsJson({ fleet }: Snapshot): JsonObject {
  const { load } = fleet;
  return {
    diagnostics: (load?.diagnostics ?? []).map(jsonOf),
    held: load?.held === undefined ? null : heldJson(load.held),
  };
}

function summaryJson(state: ZoneState): JsonObject {
  const { declared, status, statusSince, driftedSince, pendingSince } = state;
  const { lastSuccess: lastSuccessAt, lastRun, consecutiveFailures } = state;
  const { name, mode, labels } = declared;
  return {
    ...jsonOf({ name, mode, status, statusSince, driftedSince, pendingSince }),
    ...jsonOf({ lastSuccessAt, lastAttemptAt: lastRun?.at, consecutiveFailures }),
    labels: { ...labels },
    drift: driftIn(driftOf(state)),
    pending: countByKind(pendingOf(state)),
    cause_unknown: countByKind(unknownOf(state)),
    unmanaged: countByKind(state.unmanaged),
    hold_reasons: [...new Set(holdsOf(state).map(({ reason }) => reason))],
  };
}

function loadJson(load: LoadReport): JsonObject {
  const { result, source, revision, commit, hash, held, rollout, diagnostics, at } = load;
  return {
    ...jsonOf({ result, source, revision, commit, hash, diagnostics: diagnostics.length, at }),
    held: held === undefined ? null : heldJson(held),
    rollout: rollout === undefined ? null : rolloutJson(rollout),
  };
}

/** Zones that are listed by name. */
const mostUnsettled = 20;

function rolloutJson(rollout: RolloutStatus): JsonObject {
  const { state, wave, waves, unsettled, nextAt, waiting, replaced, gate } = rollout;
  return {
    ...jsonOf({ state, wave, waves, nextAt, unsettled: unsettled.length, replaced }),
    unsettled_zones: unsettled.slice(0, mostUnsettled),
    waiting: Array.from({ length: waves }, (_, nth) => waiting.get(nth + 1) ?? 0),
    gate: gate === undefined ? null : gateJson(gate),
  };
}

function gateJson({ over, unknown, zones }: GateStatus): JsonObject {
  return { over, unknown, zones: zones.map(jsonOf) };
}

function heldJson({ revision, commit, hash, hold, zones }: HeldRevision): JsonObject {
  const { reason, message } = hold;
  return jsonOf({ revision, commit, hash, reason, message, zones });
}

function recordJson(record: ChangeRecord): JsonObject {
  const { run, zone, at, trigger, revision, changes, writes } = record;
  return {
    ...jsonOf({ run, zone, at, trigger, revision, causes: causesIn(changes), writes }),
    changes: changes.map(changeJson),
  };
}

/** Counts over the inventories of all zones; `null` if inventories are off. */
function fleetInventoryJson(zones: readonly ZoneState[]): JsonObject | null {
  if (!isInventoryOn(zones)) return null;
  const { zones: counts, malicious, outside } = fleetInventory(zones);
  return jsonOf({ maliciousItems: malicious, scriptsOutsidePolicies: outside, zones: counts });
}

function inventoryJson(inventory: InventoryState): JsonObject {
  const { readAt, facts, failure, failingSince, found: maliciousFound } = inventory;
  return {
    ...jsonOf({ readAt, failingSince, maliciousFound }),
    failure: failure === undefined ? null : failureJson(failure),
    facts: facts === undefined ? null : factsJson(facts),
  };
}

function factsJson({ kinds, notPermitted, outside, ...facts }: InventoryFacts): JsonObject {
  const failures = [...notPermitted].map(([kind, why]) => [kind, failureJson(why)] as const);
  return {
    kinds: Object.fromEntries([...kinds].map(([kind, summary]) => [kind, { ...summary }])),
    not_permitted: Object.fromEntries(failures),
    malicious: facts.malicious.map(itemJson),
    newest: facts.newest.map(itemJson),
    outside_policies:
      outside === undefined ? null : { ...outside, newest: outside.newest.map(itemJson) },
    impact: facts.impact,
  };
}

function itemJson({ kind, id, name, page, firstSeenAt, malicious }: ItemBrief): JsonObject {
  return jsonOf({ kind, id, name, page, firstSeenAt, maliciousReasons: malicious });
}
