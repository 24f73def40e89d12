import { Counter, Gauge, Registry } from "prom-client";

import type { JudgedFleet } from "../../measure/judged-fleet.ts";
import { datasets } from "../../measure/measurement.ts";
import {
  auditEntryResults,
  type AuditFeedStatus,
  auditFeedStates,
} from "../../state/audit-status.ts";
import type { CollectorState } from "../../state/collector-status.ts";
import {
  type ClusterStatus,
  type CredentialStatus,
  type DaemonStatus,
  isWorking,
} from "../../state/daemon-status.ts";
import type { Fleet } from "../../state/fleet.ts";
import { isLoaded, type LoadReport, type RolloutStatus } from "../../state/load-report.ts";
import { type Labels, type MetricDefinition, metricTable, seconds } from "./metric-table.ts";

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

type Add = (definition: MetricDefinition, series: number | readonly Sample[]) => void;

/**
 * Renders the metrics of the process: Lease, files, schedule and credentials. A process that waits
 * for the Lease knows nothing of the rest: its zeros would be taken for those of the fleet.
 */
export function renderDaemon(
  fleet: Fleet,
  daemon: DaemonStatus,
  judged: JudgedFleet | undefined,
): Promise<string> {
  // A new one each time: it has no series of what is no longer there.
  const registry = new Registry();
  const add: Add = ({ name, help, type, labels }, series) => {
    const Metric = type === "counter" ? Counter : Gauge;
    const labelNames = Object.keys(labels);
    const metric = new Metric({ name, help, labelNames, registers: [registry] });
    const samples = typeof series === "number" ? [{ labels: {}, value: series }] : series;
    // The library starts a metric without labels at zero.
    metric.remove({});
    for (const sample of samples) metric.inc(sample.labels, sample.value);
  };
  if (daemon.cluster !== undefined) addLease(add, daemon.cluster);
  if (isWorking(daemon)) addWork(add, fleet, daemon);
  const { state = "off" } = daemon.measurements ?? {};
  if (state !== "off") addMeasured(add, state, judged);
  return registry.metrics();
}

function addLease(add: Add, { lease, isHeld, transitions, failure }: ClusterStatus): void {
  const labels = { lease };
  add(metricTable.leader, [{ labels, value: Number(isHeld) }]);
  add(metricTable.leaseTransitions, [{ labels, value: transitions }]);
  add(metricTable.leaseFailing, [{ labels, value: Number(failure !== undefined) }]);
}

function addWork(add: Add, fleet: Fleet, daemon: DaemonStatus): void {
  const { load } = fleet;
  const { schedule, state, inventoryEveryMs } = daemon;
  add(metricTable.workingSince, seconds(daemon.workingSince));
  add(metricTable.filesInfo, revisionInfo(load?.source, load));
  add(metricTable.filesHeld, revisionInfo(load?.source, load?.held));
  add(metricTable.rolloutZones, rolloutSeries(load?.rollout));
  add(metricTable.steps, stepSeries(daemon));
  add(metricTable.filesHash, load === undefined ? 0 : hashNumber(load.hash));
  add(metricTable.filesLoaded, Number(load !== undefined && isLoaded(load)));
  add(metricTable.filesLoadedAt, seconds(fleet.loadedAt));
  add(metricTable.filesZones, load?.zones ?? 0);
  if (state.status !== "none") {
    add(metricTable.stateWritten, Number(state.status === "ok"));
    add(metricTable.stateLost, Number(state.lost !== undefined));
  }
  add(metricTable.scheduleInterval, schedule.longestGapMs / 1000);
  add(metricTable.scheduleNext, seconds(schedule.nextAt));
  add(metricTable.sweepSeconds, schedule.sweepMs / 1000);
  add(metricTable.oldestSuccessAt, oldestSuccess(fleet));
  add(metricTable.inventoryInterval, inventoryEveryMs === undefined ? [] : inventoryEveryMs / 1000);
  if (daemon.audit !== undefined) addAudit(add, daemon.audit);
  addCredentials(add, daemon.credentials);
}

function addAudit(add: Add, { accounts, entries }: AuditFeedStatus): void {
  add(
    metricTable.auditAccounts,
    auditFeedStates.map((state) => ({ labels: { state }, value: accounts[state] })),
  );
  add(
    metricTable.auditEntries,
    auditEntryResults.map((result) => ({ labels: { result }, value: entries[result] })),
  );
}

function addMeasured(add: Add, state: CollectorState, judged: JudgedFleet | undefined): void {
  add(metricTable.measurements, [{ labels: { state }, value: 1 }]);
  add(metricTable.measuredHour, judged === undefined ? [] : seconds(judged.at));
  add(
    metricTable.measuredZones,
    datasets.flatMap((dataset) =>
      [...(judged?.datasets[dataset] ?? [])].map(([known, value]) => {
        return { labels: { dataset, state: known }, value };
      }),
    ),
  );
}

/** No series without a revision. */
function revisionInfo(
  source = "",
  { revision, commit = "" }: Pick<LoadReport, "revision" | "commit"> = { revision: "" },
): readonly Sample[] {
  return revision === "" ? [] : [{ labels: { source, revision, commit }, value: 1 }];
}

function rolloutSeries(rollout: RolloutStatus | undefined): readonly Sample[] {
  if (rollout === undefined) return [];
  const { wave: begun, waves, unsettled, waiting, gate } = rollout;
  return Array.from({ length: waves }, (_, nth) => nth + 1).flatMap((each) => {
    const wave = `${each}`;
    return [
      { labels: { wave, state: "waiting" }, value: waiting.get(each) ?? 0 },
      ...(
        [
          ["unsettled", unsettled.length],
          ["gate_over", gate?.over ?? 0],
          ["gate_unknown", gate?.unknown ?? 0],
        ] as const
      ).map(([state, zones]) => {
        return { labels: { wave, state }, value: each === begun ? zones : 0 };
      }),
    ];
  });
}

function stepSeries({ steps = new Map() }: DaemonStatus): readonly Sample[] {
  return [...steps].map(([state, value]) => ({ labels: { state }, value }));
}

function oldestSuccess({ zones }: Fleet): number {
  const moments = zones.map(({ lastSuccess }) => seconds(lastSuccess));
  return moments.reduce((a, b) => Math.min(a, b), moments[0] ?? 0);
}

/** A double holds 53 bits exactly; 48 are twelve hexadecimal digits. */
function hashNumber(hash: string): number {
  const bits = Number.parseInt(hash.slice(0, 12), 16);
  return Number.isNaN(bits) ? 0 : bits;
}

function addCredentials(add: Add, credentials: readonly CredentialStatus[]): void {
  const addEach = (
    definition: MetricDefinition,
    value: (facts: CredentialStatus) => number,
  ): void => {
    const samples = credentials.map((facts) => {
      return { labels: { credential: facts.name }, value: value(facts) };
    });
    add(definition, samples);
  };
  addEach(metricTable.budgetWait, ({ waitedMs }) => waitedMs / 1000);
  addEach(metricTable.rateLimit, ({ limit }) => limit);
  addEach(metricTable.rateRemaining, ({ remaining }) => remaining);
  addEach(metricTable.rateReset, ({ resetAt }) => seconds(resetAt));
  addEach(metricTable.tokenValid, ({ valid }) => Number(valid));
  addEach(metricTable.tokenExpiry, ({ expiresAt }) => seconds(expiresAt));
}
