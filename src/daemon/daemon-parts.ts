import type { Config } from "../desired/config/config.ts";
import type { Connected } from "../host/connect.ts";
import type { Fleet } from "../state/fleet.ts";
import type { HistoryView } from "../state/history.ts";
import type { Follower } from "../state/subscriber.ts";
import type { createLogger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Live } from "../web/event-stream.ts";

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
