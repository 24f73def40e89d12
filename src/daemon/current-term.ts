import type { AuditFeed } from "../audit/audit-feed.ts";
import type { HistoryView } from "../history/history.ts";
import type { Collector } from "../measure/collector.ts";
import type { MeasurementReader } from "../measure/measurement-store.ts";
import type { StateStore } from "../memory/state-store.ts";
import type { InventoryPoller } from "../reconcile/inventory/inventory-poller.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { Fleet } from "../state/fleet.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { StopSignals } from "../zone/signals.ts";
import type { RunHistory } from "./run-history.ts";

/**
 * What reconciles, and what it knows. A process that works alone has one term, as long as itself. In a cluster, a term
 * lasts as long as the process holds the Lease; the next one begins with what the state says, and reads everything anew.
 */
export interface Term extends AsyncDisposable {
  readonly beganAt: Date;
  readonly fleet: Fleet;
  readonly history: Pick<RunHistory, "view" | "isFailing">;
  readonly store: StateStore;
  readonly reconciler: Reconciler;
  readonly poller: InventoryPoller;
  readonly auditFeed: Pick<AuditFeed, "status" | "reconfigure">;
  readonly collector: Pick<Collector, "status" | "judged" | "reconfigure">;
  /** Reads measurements for pages. */
  readonly measurements: Pick<MeasurementReader, "read">;
  readonly logger: Logger;
  /** Works until `stop` aborts, and ends when the runs in progress have ended. */
  run(signals: StopSignals): Promise<void>;
}

/** The term of this moment. */
export class CurrentTerm {
  /** `undefined`: another process works. */
  term: Term | undefined;

  /** The zones of the term; without one, none. */
  get fleet(): Fleet {
    return this.term?.fleet ?? noFleet;
  }

  /** The history of the term; without one, none. */
  get history(): HistoryView {
    return this.term?.history.view ?? noHistory;
  }

  /** The reconciler of the term; without one, one that does nothing. */
  get reconciler(): ShownReconciler {
    return this.term?.reconciler ?? noReconciler;
  }
}

/** What is shown of a reconciler, and what can be asked of it. */
export type ShownReconciler = Pick<
  Reconciler,
  "running" | "waiting" | "waves" | "steps" | "waitOf" | "requestZone"
>;

class WaitingFleet extends Fleet {
  /** A process that waits for a leader can be ready: a rolling update that waited for more would never end. */
  override get hasActiveRevision(): boolean {
    return true;
  }
}

const noHistory: HistoryView = { of: () => [] };

const noFleet = new WaitingFleet();

const noReconciler: ShownReconciler = {
  running: new Map(),
  waiting: 0,
  waves: undefined,
  steps: undefined,
  waitOf: () => undefined,
  requestZone: () => undefined,
};
