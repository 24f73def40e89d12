import type { DaemonStatus } from "../state/daemon-status.ts";
import type { FleetView } from "../state/fleet.ts";
import type { HistoryView } from "../state/history.ts";

/** All that a page or an answer is made of, at one moment. */
export interface Snapshot {
  readonly fleet: FleetView;
  readonly history: HistoryView;
  readonly daemon: DaemonStatus;
  readonly now: Date;
  /** Whether people can ask for a look now. */
  readonly canAsk: boolean;
}
