import { verbs } from "../../plan/change.ts";
import { holdReasons } from "../../plan/guard/hold.ts";
import { missedRunReasons } from "../../state/daemon-status.ts";
import { impacts } from "../../state/drift.ts";
import { loadResults } from "../../state/load-report.ts";
import { changeResults, runResults, triggers } from "../../state/run-report.ts";
import { zoneStatuses } from "../../state/zone-state.ts";
import { kinds } from "../../zone/resource.ts";
import { methods } from "../../zone/service-request.ts";
import { codes, endpoints, other, retryReasons } from "./api-labels.ts";
import type { LabelValues, MetricDefinition } from "./exposition.ts";
import { inventoryMetrics } from "./inventory-metrics.ts";

const zone = "declared zones";
const credential = "configured credentials";
const endpoint = [...Object.keys(endpoints), other];
const method = [...methods, other];

/** Every metric of ours: HELP and TYPE, the table in docs/metrics.md and the tests all stand on this. */
export const metricTable = {
  buildInfo: {
    name: "zonewarden_build_info",
    type: "gauge",
    labels: { version: "one", revision: "one", node_version: "one" },
    help: "What runs; always 1.",
  },
  configInfo: {
    name: "zonewarden_config_info",
    type: "gauge",
    labels: { source: "one", revision: "one" },
    help: "Git commit or content hash of the desired state now in force; always 1.",
  },
  configHeld: {
    name: "zonewarden_config_held_info",
    type: "gauge",
    labels: { source: "one", revision: "one" },
    help: "Git commit or content hash of a desired state that a guard holds; always 1, no series where none is held.",
  },
  configHash: {
    name: "zonewarden_config_hash",
    type: "gauge",
    labels: {},
    help: "48 bits of the hash of the content in force as a number, to compare replicas.",
  },
  configLoaded: {
    name: "zonewarden_config_last_reload_successful",
    type: "gauge",
    labels: {},
    help: "Whether the last load of the files was applied or unchanged; 0: partial, held or rejected.",
  },
  configLoadedAt: {
    name: "zonewarden_config_last_reload_success_timestamp_seconds",
    type: "gauge",
    labels: {},
    help: "When a load of the files was last applied or unchanged; 0 until then.",
  },
  configReloads: {
    name: "zonewarden_config_reloads_total",
    type: "counter",
    labels: { result: loadResults },
    help: "Loads of the files by result; a revision that is partial, held or rejected counts once, not at each poll.",
  },
  configZones: {
    name: "zonewarden_config_zones",
    type: "gauge",
    labels: {},
    help: "Zones declared.",
  },
  scheduleInterval: {
    name: "zonewarden_schedule_interval_seconds",
    type: "gauge",
    labels: {},
    help: "Longest gap between two sweeps of the schedule.",
  },
  scheduleNext: {
    name: "zonewarden_schedule_next_run_timestamp_seconds",
    type: "gauge",
    labels: {},
    help: "When the next sweep begins; 0 where none is planned.",
  },
  sweepSeconds: {
    name: "zonewarden_sweep_predicted_seconds",
    type: "gauge",
    labels: {},
    help: "How long a sweep of all declared zones takes within the request budget.",
  },
  oldestSuccessAt: {
    name: "zonewarden_oldest_zone_success_timestamp_seconds",
    type: "gauge",
    labels: {},
    help: "The last success of the zone for which that is longest ago; 0 while one never had any.",
  },
  scheduleMissed: {
    name: "zonewarden_schedule_missed_runs_total",
    type: "counter",
    labels: { reason: missedRunReasons },
    help: "Sweeps that begin later than the schedule says, one for all missed; overlap: the one before was under way, paused: the process was, not_leader: not in this version.",
  },
  reconciles: {
    name: "zonewarden_reconcile_total",
    type: "counter",
    labels: { trigger: triggers, result: runResults },
    help: "Runs, one for each look at a zone.",
  },
  reconcileSeconds: {
    name: "zonewarden_reconcile_duration_seconds",
    type: "histogram",
    labels: { phase: ["fetch", "plan", "apply", "total"] },
    help: "Duration of the runs of zones by phase.",
  },
  zoneSuccessAt: {
    name: "zonewarden_zone_last_success_timestamp_seconds",
    type: "gauge",
    labels: { zone },
    help: "When a run of the zone last looked at everything and failed in nothing; 0 until the first.",
  },
  zoneAttemptAt: {
    name: "zonewarden_zone_last_attempt_timestamp_seconds",
    type: "gauge",
    labels: { zone },
    help: "When a run of the zone last ended, however it ended; 0 until the first.",
  },
  zoneFailures: {
    name: "zonewarden_zone_consecutive_failures",
    type: "gauge",
    labels: { zone },
    help: "Failed runs of the zone since its last success.",
  },
  zoneStatus: {
    name: "zonewarden_zone_status",
    type: "gauge",
    labels: { zone, status: zoneStatuses },
    help: "State of the zone: exactly one of its series is 1.",
  },
  drift: {
    name: "zonewarden_drift_resources",
    type: "gauge",
    labels: { zone, kind: kinds, impact: impacts },
    help: "Managed things whose live state left the applied one, by what that does to protection.",
  },
  pending: {
    name: "zonewarden_pending_changes",
    type: "gauge",
    labels: { zone, kind: kinds },
    help: "Changes that are declared and not yet carried out.",
  },
  unmanaged: {
    name: "zonewarden_unmanaged_resources",
    type: "gauge",
    labels: { zone, kind: kinds },
    help: "Live things that are not declared and are left alone.",
  },
  driftOnsets: {
    name: "zonewarden_drift_detected_total",
    type: "counter",
    labels: { zone, kind: kinds },
    help: "Onsets of drift; at most one for each run and kind.",
  },
  owaspVersion: {
    name: "zonewarden_owasp_ruleset_version",
    type: "gauge",
    labels: { zone },
    help: "Version of the OWASP ruleset by which the zone's tuning was planned last; no series where none is tuned.",
  },
  changes: {
    name: "zonewarden_changes_total",
    type: "counter",
    labels: {
      kind: kinds,
      verb: verbs,
      result: changeResults,
    },
    help: "Changes that were to be carried out, by what became of them; unknown: the answer was lost.",
  },
  held: {
    name: "zonewarden_zone_held",
    type: "gauge",
    labels: { zone, reason: holdReasons },
    help: "Whether the zone's plan is held, by reason: 1 where it is; fleet_change: a held revision changes or drops the zone.",
  },
  ...inventoryMetrics,
  requests: {
    name: "zonewarden_api_requests_total",
    type: "counter",
    labels: { endpoint, method, code: codes },
    help: "Requests to the service by status, or by what went wrong where there was no usable answer.",
  },
  requestSeconds: {
    name: "zonewarden_api_request_duration_seconds",
    type: "histogram",
    labels: { endpoint, method },
    help: "Duration of requests to the service.",
  },
  retries: {
    name: "zonewarden_api_retries_total",
    type: "counter",
    labels: { reason: retryReasons },
    help: "Requests that were sent again.",
  },
  throttled: {
    name: "zonewarden_api_budget_wait_seconds_total",
    type: "counter",
    labels: { credential },
    help: "Time spent waiting for the budget of our own.",
  },
  rateLimit: {
    name: "zonewarden_api_ratelimit_limit",
    type: "gauge",
    labels: { credential },
    help: "Requests that the service grants in a window.",
  },
  rateRemaining: {
    name: "zonewarden_api_ratelimit_remaining",
    type: "gauge",
    labels: { credential },
    help: "Requests left in the window.",
  },
  rateReset: {
    name: "zonewarden_api_ratelimit_reset_timestamp_seconds",
    type: "gauge",
    labels: { credential },
    help: "When the window begins anew; 0 before the first answer.",
  },
  tokenValid: {
    name: "zonewarden_api_token_valid",
    type: "gauge",
    labels: { credential },
    help: "0 once the service refused the token.",
  },
  tokenExpiry: {
    name: "zonewarden_api_token_expiry_timestamp_seconds",
    type: "gauge",
    labels: { credential },
    help: "When the token expires; 0 where it does not.",
  },
  leading: {
    name: "leader_election_master_status",
    type: "gauge",
    labels: { name: "leases" },
    help: "Whether this process holds the Lease. Not in this version, which has no leader election: no series.",
  },
  leaseTransitions: {
    name: "zonewarden_lease_transitions",
    type: "gauge",
    labels: { name: "leases" },
    help: "The Lease's own counter of changes of its holder. Not in this version: no series.",
  },
  notifications: {
    name: "zonewarden_notifications_total",
    type: "counter",
    labels: { sink: "configured sinks", result: ["done", "error"] },
    help: "Notifications sent; no series where no sink is configured.",
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The table of all metrics as Markdown, for docs/metrics.md. */
export function renderMetricTable(): string {
  const rows = Object.values<MetricDefinition>(metricTable).map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${Object.entries(labels).map(labelCell).join("; ")} | ${help} |`,
  );
  return [
    "| metric | type | labels | meaning |",
    "| --- | --- | --- | --- |",
    ...rows,
    "| `process_*`, `nodejs_*` | | | The process: CPU, memory, descriptors, event loop, garbage collection. |",
    "",
  ].join("\n");
}

/** Lists longer than this are told by their number. */
const listed = 10;

function labelCell([label, values]: readonly [string, LabelValues]): string {
  if (typeof values === "string") return values === "one" ? label : `${label}: ${values}`;
  if (values.length > listed) return `${label}: ${values.length} values`;
  return `${label}: ${values.join(", ")}`;
}
