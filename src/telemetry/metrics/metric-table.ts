import { datasetStates } from "../../measure/judged-fleet.ts";
import { datasets } from "../../measure/measurement.ts";
import { shareStates } from "../../measure/usual-share.ts";
import { authorContexts } from "../../plan/cause/author.ts";
import { verbs } from "../../plan/change.ts";
import { holdReasons } from "../../plan/guard/hold.ts";
import { auditEntryResults, auditFeedStates } from "../../state/audit-status.ts";
import { collectorStates } from "../../state/collector-status.ts";
import { missedRunReasons } from "../../state/daemon-status.ts";
import { impacts } from "../../state/drift.ts";
import { loadResults } from "../../state/load-report.ts";
import { changeResults, runResults, triggers } from "../../state/run-report.ts";
import { findingKinds } from "../../state/scripts/script-watch.ts";
import { stepStates } from "../../state/steps-status.ts";
import { zoneStatuses } from "../../state/zone-state.ts";
import { itemKinds, itemStatuses, resourceKinds } from "../../zone/inventory-item.ts";
import { kinds, listedKinds } from "../../zone/resource.ts";
import { methods } from "../../zone/service-request.ts";
import { codes, endpoints, other, retryReasons } from "./api-labels.ts";

/** The values of a label, or a description of what bounds them. */
export type LabelValues = readonly string[] | string;

/** The value of each label of one series. */
export type Labels = Readonly<Record<string, string>>;

/** A metric as it is exported and documented. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** One line: HELP in the exposition, "meaning" in docs/metrics.md. */
  readonly help: string;
}

/** A histogram with the upper bounds of its buckets. */
export interface HistogramDefinition extends MetricDefinition {
  readonly buckets: readonly number[];
}

/** A metric that only grows. */
function counter(name: string, help: string, labels: MetricDefinition["labels"]): MetricDefinition {
  return { name, type: "counter", labels, help };
}

/** A metric that grows and shrinks. */
function gauge(
  name: string,
  help: string,
  labels: MetricDefinition["labels"] = {},
): MetricDefinition {
  return { name, type: "gauge", labels, help };
}

/** A metric of durations in seconds. */
function histogram(
  name: string,
  help: string,
  labels: MetricDefinition["labels"],
  buckets: readonly number[],
): HistogramDefinition {
  return { name, type: "histogram", labels, help, buckets };
}

export const notificationResults = ["done", "error"] as const;

export type NotificationResult = (typeof notificationResults)[number];

const zone = "declared zones";
const credential = "configured credentials";
const endpoint = [...Object.keys(endpoints), other];
const method = [...methods, other];

/** Every metric of zonewarden. The exposition, docs/metrics.md and the tests are made from this table. */
export const metricTable = {
  buildInfo: gauge(
    "zonewarden_build_info",
    "Version and revision of the program and of Node.js; always 1.",
    { version: "one", revision: "one", node_version: "one" },
  ),
  workingSince: gauge(
    "zonewarden_reconciling_since_timestamp_seconds",
    "Since when this process reconciles: its start, or when it took the Lease.",
  ),
  filesInfo: gauge(
    "zonewarden_files_info",
    "Active revision of the zone files, and its commit; always 1.",
    { source: "one", revision: "one", commit: "one" },
  ),
  filesHeld: gauge(
    "zonewarden_files_held_info",
    "Held revision of the zone files; always 1, no series while none is held.",
    { source: "one", revision: "one", commit: "one" },
  ),
  rolloutZones: gauge(
    "zonewarden_rollout_zones",
    "Zones that wait for their wave, or delay the next one.",
    { wave: "waves", state: ["waiting", "unsettled", "gate_over", "gate_unknown"] },
  ),
  steps: gauge(
    "zonewarden_steps",
    "Policies and rules with steps by state; no series where none has steps.",
    { state: stepStates },
  ),
  filesHash: gauge(
    "zonewarden_files_hash",
    "First 48 bits of the hash of the active revision, as a number, to compare replicas.",
  ),
  filesLoaded: gauge(
    "zonewarden_files_last_reload_successful",
    "Whether the last load of the zone files was applied or unchanged; 0: partial, held or rejected.",
  ),
  filesLoadedAt: gauge(
    "zonewarden_files_last_reload_success_timestamp_seconds",
    "Timestamp of the last load that was applied or unchanged; 0 before the first.",
  ),
  filesReloads: counter(
    "zonewarden_files_reloads_total",
    "Loads of the zone files; a revision that is partial, held or rejected counts once, not at each poll.",
    { result: loadResults },
  ),
  filesZones: gauge("zonewarden_files_zones", "Number of declared zones."),
  stateWritten: gauge(
    "zonewarden_state_last_write_successful",
    "Whether the last writes of state and history succeeded; no series without a store.",
  ),
  stateLost: gauge(
    "zonewarden_state_lost",
    "Whether the state could not be used at the start of the process; no series without a store.",
  ),
  auditAccounts: gauge(
    "zonewarden_audit_accounts",
    "Accounts with declared zones by the state of their audit log; no series while another process works.",
    { state: auditFeedStates },
  ),
  auditEntries: counter(
    "zonewarden_audit_entries_total",
    "Entries of audit logs by what came of them; no series while another process works.",
    { result: auditEntryResults },
  ),
  leader: gauge(
    "zonewarden_leader",
    "Whether this process leads; no series unless the store is a database.",
    { lease: "one" },
  ),
  leaseTransitions: gauge(
    "zonewarden_lease_transitions",
    "How often the holder of the Lease, or of the row in the database, changed.",
    { lease: "one" },
  ),
  leaseFailing: gauge(
    "zonewarden_lease_failing",
    "Whether the last request about this Lease or row failed: no permission, or no answer.",
    { lease: "one" },
  ),
  scheduleInterval: gauge(
    "zonewarden_schedule_interval_seconds",
    "Longest gap between two scheduled sweeps.",
  ),
  scheduleNext: gauge(
    "zonewarden_schedule_next_run_timestamp_seconds",
    "Timestamp of the next scheduled sweep; 0 if none is scheduled.",
  ),
  sweepSeconds: gauge(
    "zonewarden_sweep_predicted_seconds",
    "Predicted duration of a sweep within the request budget.",
  ),
  oldestSuccessAt: gauge(
    "zonewarden_oldest_zone_success_timestamp_seconds",
    "Oldest last-success timestamp of all zones; 0 while a zone has had no success.",
  ),
  scheduleMissed: counter(
    "zonewarden_schedule_missed_runs_total",
    "Sweeps that started late, one for all missed; overlap: the previous sweep was running, paused: the process was.",
    { reason: missedRunReasons },
  ),
  reconciles: counter("zonewarden_reconcile_total", "Runs by trigger and result.", {
    trigger: triggers,
    result: runResults,
  }),
  reconcileSeconds: histogram(
    "zonewarden_reconcile_duration_seconds",
    "Duration of runs by phase.",
    { phase: ["fetch", "plan", "apply", "total"] },
    // A run may wait for the request budget, a request does not.
    [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  ),
  zoneSuccessAt: gauge(
    "zonewarden_zone_last_success_timestamp_seconds",
    "Timestamp of the last complete and successful run; 0 before the first.",
    { zone },
  ),
  zoneAttemptAt: gauge(
    "zonewarden_zone_last_attempt_timestamp_seconds",
    "Timestamp of the end of the last run, successful or not; 0 before the first.",
    { zone },
  ),
  zoneFailures: gauge(
    "zonewarden_zone_consecutive_failures",
    "Failed runs since the last success.",
    { zone },
  ),
  zoneStatus: gauge(
    "zonewarden_zone_status",
    "Status of the zone; always 1, no series for the others.",
    {
      zone,
      status: zoneStatuses,
    },
  ),
  drift: gauge(
    "zonewarden_drift_resources",
    "Drifted resources by what the drift does to the protection.",
    { zone, kind: kinds, impact: impacts },
  ),
  pending: gauge("zonewarden_pending_changes", "Declared changes that are not applied yet.", {
    zone,
    kind: kinds,
  }),
  causeUnknown: gauge(
    "zonewarden_cause_unknown_changes",
    "Changes whose cause is unknown: what was last applied is not known.",
    { zone, kind: kinds },
  ),
  pendingSince: gauge(
    "zonewarden_zone_pending_since_timestamp_seconds",
    "Since when the zone has pending changes, or changes of unknown cause; no series if it has none.",
    { zone },
  ),
  unmanaged: gauge(
    "zonewarden_unmanaged_resources",
    "Live resources that are neither declared nor created by zonewarden.",
    { zone, kind: kinds },
  ),
  driftOnsets: counter("zonewarden_drift_detected_total", "Runs that detected new drift.", {
    zone,
  }),
  driftAuthors: counter(
    "zonewarden_drift_authors_total",
    "Drifted resources that were found, by the way in which the audit log says they were changed; unknown: it names nobody, or is not followed.",
    { context: [...authorContexts, "unknown"] },
  ),
  owaspVersion: gauge(
    "zonewarden_owasp_ruleset_version",
    "Version of the OWASP ruleset in the last plan; no series if the zone does not tune it.",
    { zone },
  ),
  changes: counter(
    "zonewarden_changes_total",
    "Changes that were applied, by result; unknown: the answer was lost.",
    { kind: kinds, verb: verbs, result: changeResults },
  ),
  held: gauge(
    "zonewarden_zone_held",
    "Why the plan is held (docs/safety.md); always 1, no series for other reasons.",
    { zone, reason: holdReasons },
  ),
  inventoryInterval: gauge(
    "zonewarden_inventory_interval_seconds",
    "Time between two reads of a zone's inventory; no inventory series while inventories are off.",
  ),
  inventoryReadAt: gauge(
    "zonewarden_inventory_last_success_timestamp_seconds",
    "Timestamp of the last successful read of the inventory; 0 before the first.",
    { zone },
  ),
  inventoryFailing: gauge(
    "zonewarden_inventory_failing",
    "Whether the last read of the inventory failed.",
    { zone },
  ),
  inventoryNotPermitted: gauge(
    "zonewarden_inventory_not_permitted",
    "The token or the contract does not permit reading this kind; always 1, no series for the others.",
    { zone, kind: itemKinds },
  ),
  inventoryItems: gauge(
    "zonewarden_inventory_items",
    "Items in the inventory; cookies have no status. No series before the first read.",
    { zone, kind: itemKinds, status: itemStatuses },
  ),
  inventoryNew: gauge(
    "zonewarden_inventory_new_items",
    "Items first seen within the day before the read.",
    { zone, kind: itemKinds },
  ),
  inventoryMalicious: gauge(
    "zonewarden_inventory_malicious_items",
    "Malicious items: reported, or with an integrity score below impact.malicious_below; at most the newest 200 of a zone.",
    { zone, kind: resourceKinds, status: itemStatuses },
  ),
  inventoryFound: counter(
    "zonewarden_inventory_malicious_found_total",
    "Malicious items that the previous read did not show; after a start, those first seen within the last day.",
    { zone, kind: resourceKinds },
  ),
  inventoryOutside: gauge(
    "zonewarden_inventory_scripts_outside_policies",
    "Scripts in use that no enforced policy allows; no series if the zone enforces none.",
    { zone },
  ),
  scriptsOnPages: gauge(
    "zonewarden_scripts_on_pages",
    "Scripts in use on the pages whose scripts the zone declares; no script series if it declares none.",
    { zone, authorised: ["true", "false"] },
  ),
  scriptsCheckedAt: gauge(
    "zonewarden_scripts_last_check_success_timestamp_seconds",
    "Timestamp of the last check of declared scripts with an inventory that could be read; 0 before the first.",
    { zone },
  ),
  scriptFindings: gauge(
    "zonewarden_script_findings",
    "Findings on declared scripts that nobody has acknowledged.",
    { zone, kind: findingKinds },
  ),
  scriptsAcknowledged: gauge(
    "zonewarden_script_findings_acknowledged",
    "Findings on declared scripts that a file acknowledges.",
    { zone },
  ),
  measurements: gauge(
    "zonewarden_measurements_state",
    "State of the measurements; always 1, no series for the others. No measurement series while they are off.",
    { state: collectorStates.filter((state) => state !== "off") },
  ),
  measuredHour: gauge(
    "zonewarden_measured_hour_timestamp_seconds",
    "Timestamp of the start of the hour that the metrics below tell of, the last complete one; none of them before the first.",
  ),
  measuredZones: gauge(
    "zonewarden_measured_zones",
    "Zones by what is known of a dataset in this hour; sampled: an estimate.",
    { dataset: datasets, state: datasetStates },
  ),
  measuredRequests: gauge(
    "zonewarden_measured_requests",
    "Requests of the zone in this hour; no series if they were not measured.",
    { zone },
  ),
  measuredEvents: gauge(
    "zonewarden_measured_events",
    "Events of rules and violations of policies in this hour, of a custom ruleset those of its rules; no series if none of the kind was measured.",
    { zone, kind: listedKinds },
  ),
  measuredResources: gauge(
    "zonewarden_measured_resources",
    "Policies and rules by where their share of the requests is in this hour (docs/measurements.md).",
    { zone, state: shareStates },
  ),
  requests: counter(
    "zonewarden_api_requests_total",
    "Requests to the service, by status code or error.",
    { endpoint, method, code: codes },
  ),
  requestSeconds: histogram(
    "zonewarden_api_request_duration_seconds",
    "Duration of requests to the service.",
    { endpoint, method },
    [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ),
  retries: counter("zonewarden_api_retries_total", "Requests that were sent again, by reason.", {
    reason: retryReasons,
  }),
  budgetWait: counter(
    "zonewarden_api_budget_wait_seconds_total",
    "Time that requests waited for zonewarden's own request budget.",
    { credential },
  ),
  rateLimit: gauge(
    "zonewarden_api_ratelimit_limit",
    "Requests that the service allows in a rate-limit window.",
    { credential },
  ),
  rateRemaining: gauge(
    "zonewarden_api_ratelimit_remaining",
    "Requests left in the current rate-limit window.",
    { credential },
  ),
  rateReset: gauge(
    "zonewarden_api_ratelimit_reset_timestamp_seconds",
    "Timestamp of the start of the next rate-limit window; 0 before the first answer.",
    { credential },
  ),
  tokenValid: gauge(
    "zonewarden_api_token_valid",
    "Whether the token is valid: 0 once the service rejected it.",
    { credential },
  ),
  tokenExpiry: gauge(
    "zonewarden_api_token_expiry_timestamp_seconds",
    "Timestamp at which the token expires; 0 if it does not.",
    { credential },
  ),
  notifications: counter(
    "zonewarden_notifications_total",
    "Notifications by sink and result; no series if no sink is configured.",
    { sink: "configured sinks", result: notificationResults },
  ),
} satisfies Readonly<Record<string, MetricDefinition>>;

/** All combinations of label values; none if a label is open. */
export function seriesOf(labels: MetricDefinition["labels"]): readonly Labels[] {
  let found: readonly Labels[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === "string") return [];
    found = found.flatMap((known) => values.map((value) => ({ ...known, [label]: value })));
  }
  return found;
}

/** A timestamp in seconds; 0 for none. */
export function seconds(at: Date | undefined): number {
  return at === undefined ? 0 : at.getTime() / 1000;
}
