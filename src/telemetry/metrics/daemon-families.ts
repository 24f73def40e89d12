import {
  auditEntryResults,
  type AuditFeedStatus,
  auditFeedStates,
} from "../../state/audit-status.ts";
import {
  type ClusterStatus,
  type CredentialStatus,
  type DaemonStatus,
  isWorking,
  type ShardStatus,
  type StateStatus,
} from "../../state/daemon-status.ts";
import type { FleetView } from "../../state/fleet.ts";
import { isLoaded, type LoadReport } from "../../state/load-report.ts";
import { type MetricDefinition, renderFamily, type Sample, seconds } from "./exposition.ts";
import { metricTable } from "./metric-table.ts";

/**
 * Renders the metrics of the process: Lease, files, schedule and credentials. A process that waits for the Lease knows
 * nothing of the rest: its zeros would be taken for those of the fleet.
 */
export function renderDaemon(fleet: FleetView, daemon: DaemonStatus): string {
  const lease = daemon.cluster === undefined ? "" : renderLeases(daemon.cluster);
  return isWorking(daemon) ? lease + renderWork(fleet, daemon) : lease;
}

function renderLeases({ lease: replicas, failure, shards }: ClusterStatus): string {
  const samples = (value: (shard: ShardStatus) => number): readonly Sample[] =>
    shards.map((shard) => ({ labels: { lease: shard.lease }, value: value(shard) }));
  const isShared = shards.every(({ lease }) => lease !== replicas);
  const own = { labels: { lease: replicas }, value: Number(failure !== undefined) };
  const failing = samples((shard) => Number(shard.failure !== undefined));
  return [
    renderFamily(
      metricTable.leader,
      samples(({ isHeld }) => Number(isHeld)),
    ),
    renderFamily(
      metricTable.leaseTransitions,
      samples(({ transitions }) => transitions),
    ),
    renderFamily(metricTable.leaseFailing, isShared ? [own, ...failing] : failing),
  ].join("");
}

function renderWork(fleet: FleetView, daemon: DaemonStatus): string {
  const { load } = fleet;
  const { schedule, credentials } = daemon;
  return [
    single(metricTable.workingSince, seconds(daemon.workingSince)),
    revisionInfo(metricTable.configInfo, load?.source, load),
    revisionInfo(metricTable.configHeld, load?.source, load?.held),
    single(metricTable.configHash, load === undefined ? 0 : hashNumber(load.hash)),
    single(metricTable.configLoaded, Number(load !== undefined && isLoaded(load))),
    single(metricTable.configLoadedAt, seconds(fleet.loadedAt)),
    single(metricTable.configZones, load?.zones ?? 0),
    ...renderState(daemon.state),
    single(metricTable.scheduleInterval, schedule.longestGapMs / 1000),
    single(metricTable.scheduleNext, seconds(schedule.nextAt)),
    single(metricTable.sweepSeconds, schedule.sweepMs / 1000),
    single(metricTable.oldestSuccessAt, oldestSuccess(fleet)),
    renderFamily(metricTable.inventoryInterval, inventoryInterval(daemon)),
    ...renderAudit(daemon.audit),
    ...renderCredentials(credentials),
  ].join("");
}

function renderState({ status, lost }: StateStatus): readonly string[] {
  if (status === "none") return [];
  return [
    single(metricTable.stateWritten, Number(status === "ok")),
    single(metricTable.stateLost, Number(lost !== undefined)),
  ];
}

function renderAudit(audit: AuditFeedStatus | undefined): readonly string[] {
  if (audit === undefined) return [];
  const { accounts, entries } = audit;
  return [
    renderFamily(
      metricTable.auditAccounts,
      auditFeedStates.map((state) => ({ labels: { state }, value: accounts[state] })),
    ),
    renderFamily(
      metricTable.auditEntries,
      auditEntryResults.map((result) => ({ labels: { result }, value: entries[result] })),
    ),
  ];
}

function single(definition: MetricDefinition, value: number): string {
  return renderFamily(definition, [{ labels: {}, value }]);
}

/** No series without a revision. */
function revisionInfo(
  definition: MetricDefinition,
  source = "",
  { revision, commit = "" }: Pick<LoadReport, "revision" | "commit"> = { revision: "" },
): string {
  const samples = revision === "" ? [] : [{ labels: { source, revision, commit }, value: 1 }];
  return renderFamily(definition, samples);
}

function inventoryInterval({ inventoryEveryMs }: DaemonStatus): readonly Sample[] {
  return inventoryEveryMs === undefined ? [] : [{ labels: {}, value: inventoryEveryMs / 1000 }];
}

function oldestSuccess({ zones }: FleetView): number {
  const moments = zones.map(({ lastSuccess }) => seconds(lastSuccess));
  return moments.reduce((a, b) => Math.min(a, b), moments[0] ?? 0);
}

/** A double holds 53 bits exactly; 48 are twelve hexadecimal digits. */
function hashNumber(hash: string): number {
  const bits = Number.parseInt(hash.slice(0, 12), 16);
  return Number.isNaN(bits) ? 0 : bits;
}

function renderCredentials(credentials: readonly CredentialStatus[]): readonly string[] {
  const family = (
    definition: MetricDefinition,
    value: (facts: CredentialStatus) => number,
  ): string =>
    renderFamily(
      definition,
      credentials.map((facts) => ({ labels: { credential: facts.name }, value: value(facts) })),
    );
  return [
    family(metricTable.budgetWait, ({ waitedMs }) => waitedMs / 1000),
    family(metricTable.rateLimit, ({ limit }) => limit),
    family(metricTable.rateRemaining, ({ remaining }) => remaining),
    family(metricTable.rateReset, ({ resetAt }) => seconds(resetAt)),
    family(metricTable.tokenValid, ({ valid }) => Number(valid)),
    family(metricTable.tokenExpiry, ({ expiresAt }) => seconds(expiresAt)),
  ];
}
