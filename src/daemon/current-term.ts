import type { AuditFeed } from "../reconcile/audit/audit-feed.ts";
import type { InventoryPoller } from "../reconcile/inventory/inventory-poller.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import type { StopSignals } from "../reconcile/signals.ts";
import type { Fleet } from "../state/fleet.ts";
import type { StateStore } from "../store/state-store.ts";
import type { Logger } from "../telemetry/log/log.ts";

/**
 * What reconciles, and what it knows. A process that works alone has one term, as long as itself. In a cluster, a term
 * lasts as long as the process holds a Lease; the next one begins with what the state says, and reads everything anew.
 */
export interface Term extends AsyncDisposable {
  /** The credential whose zones it reconciles; `undefined`: it reconciles all. */
  readonly credential: string | undefined;
  readonly beganAt: Date;
  readonly fleet: Fleet;
  readonly store: StateStore;
  readonly reconciler: Reconciler;
  readonly poller: InventoryPoller;
  readonly auditFeed: Pick<AuditFeed, "status" | "reconfigure">;
  readonly logger: Logger;
  /** Works until `stop` aborts, and ends when the runs in progress have ended. */
  run(signals: StopSignals): Promise<void>;
}

/** The terms of this moment, at most one for each shard; none: other processes work. */
export class CurrentTerms {
  #terms: readonly Term[] = [];

  get all(): readonly Term[] {
    return this.#terms;
  }

  add(term: Term): void {
    this.#terms = [...this.#terms, term];
  }

  remove(credential: string | undefined): void {
    this.#terms = this.#terms.filter((term) => term.credential !== credential);
  }
}
