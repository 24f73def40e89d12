import type { Config } from "../desired/config/config.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Fleet, Subscriber } from "../state/fleet.ts";
import type { HistoryView } from "../state/history.ts";
import type { createLogger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { EventStream } from "../web/event-stream.ts";

/** What the daemon is made of. */
export interface DaemonParts {
  /** As it was at the start. */
  readonly config: Config;
  /** Absolute path of the file that it came from. */
  readonly configFile: string;
  readonly service: ServiceClient;
  readonly metrics: Metrics;
  readonly logger: ReturnType<typeof createLogger>;
  readonly fleet: Fleet;
  readonly history: HistoryView;
  /** Who else hears of each run. */
  readonly subscribers: readonly Subscriber[];
  /** Pages that people have open. */
  readonly pages: EventStream;
  /** Address of the embedded emulator, where there is one. */
  readonly emulator: string | undefined;
}
