import type { AuditFeed } from "../reconcile/audit/audit-feed.ts";
import type { InventoryPoller } from "../reconcile/inventory/inventory-poller.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import type { StopSignals } from "../reconcile/signals.ts";
import { Fleet, type FleetView } from "../state/fleet.ts";
import type { StateStore } from "../store/state-store.ts";

/**
 * What reconciles, and what it knows. A process that works alone has one term, as long as itself. In a cluster, a term
 * lasts as long as the process holds the Lease; the next one begins with what the state says, and reads everything anew.
 */
export interface Term extends AsyncDisposable {
  readonly beganAt: Date;
  readonly fleet: Fleet;
  readonly store: StateStore;
  readonly reconciler: Reconciler;
  readonly poller: InventoryPoller;
  readonly auditFeed: Pick<AuditFeed, "status" | "reconfigure">;
  /** Works until `stop` aborts, and ends when the runs in progress have ended. */
  run(signals: StopSignals): Promise<void>;
}

/** The term of this moment; `undefined`: another process works, or none. */
export type CurrentTerm = () => Term | undefined;

/** Shows the fleet of the current term. Without a term, there are no zones: another process shows them. */
export function currentFleet(current: CurrentTerm): FleetView {
  const standby = new Fleet();
  const fleet = (): Fleet => current()?.fleet ?? standby;
  return {
    get zones() {
      return fleet().zones;
    },
    zone: (name) => fleet().zone(name),
    get load() {
      return fleet().load;
    },
    get loadedAt() {
      return fleet().loadedAt;
    },
    // A process that waits for the Lease is ready: a rolling update that waited for more would never end.
    get hasActiveRevision() {
      return current() === undefined || fleet().hasActiveRevision;
    },
    get recent() {
      return fleet().recent;
    },
    removedSince: (since) => fleet().removedSince(since),
  };
}
