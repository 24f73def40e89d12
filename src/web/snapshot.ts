import type { DaemonStatus } from "../state/daemon-status.ts";
import type { FleetView } from "../state/fleet.ts";
import type { HistoryView } from "../state/history.ts";

/** What a page or a JSON response is made from. */
export interface Snapshot {
  readonly fleet: FleetView;
  readonly history: HistoryView;
  readonly daemon: DaemonStatus;
  readonly now: Date;
  /** Whether reconciles can be requested. */
  readonly canReconcile: boolean;
}
