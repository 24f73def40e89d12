import type { Config } from "../desired/config.ts";
import type { Fleet } from "../report/fleet.ts";
import type { Follower } from "../report/follower.ts";
import type { HistoryView } from "../report/history.ts";
import type { createLogger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Live } from "../web/live.ts";
import type { Connected } from "./connect.ts";

/** What the daemon is made of. */
export interface DaemonParts {
  /** As it was at the start. */
  readonly config: Config;
  /** Absolute path of the file that it came from. */
  readonly configFile: string;
  readonly service: Connected;
  readonly metrics: Metrics;
  readonly logger: ReturnType<typeof createLogger>;
  readonly fleet: Fleet;
  readonly history: HistoryView;
  /** Who else hears of each run. */
  readonly followers: readonly Follower[];
  /** Pages that people have open. */
  readonly pages: Live;
  /** Address of the embedded emulator, where there is one. */
  readonly emulator: string | undefined;
}
