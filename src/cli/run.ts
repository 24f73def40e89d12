import type { Config } from "../desired/config.ts";
import { DesiredFiles } from "../desired/desired-files.ts";
import { selectZones } from "../desired/select.ts";
import { watchDesired } from "../desired/watch.ts";
import { Reconciler } from "../reconcile/reconciler.ts";
import type { Schedule } from "../reconcile/schedule.ts";
import { cronMistake, startSchedule } from "../reconcile/schedule.ts";
import type { DaemonFacts } from "../report/daemon.ts";
import { Fleet } from "../report/fleet.ts";
import { createLogger } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { startWatchdog } from "../web/health.ts";
import { startServer } from "../web/server.ts";
import type { Connected } from "./connect.ts";
import { connect } from "./connect.ts";
import { reachService } from "./emulator.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { configOrProblems } from "./load.ts";
import { hasColor, type Machine } from "./machine.ts";
import { startStopping } from "./stopping.ts";
import { observerOf, tellerOf } from "./teller.ts";
import { version } from "./version.ts";

/** What `run` is told. */
export interface RunFlags {
  readonly config: string;
}

/** `zonewarden run`: keeps every zone as declared until a signal ends it. */
export async function run(flags: RunFlags, machine: Machine): Promise<ExitCode> {
  const config = await configOrProblems(flags.config, machine, AbortSignal.timeout(10_000));
  if (config === undefined || hasCronMistakes(config, machine)) return exitCodes.invalid;
  await using reached = await reachService(config, machine, false);
  if (reached === undefined) return exitCodes.invalid;
  const metrics = createMetrics({ version, revision: "", nodeVersion: process.versions.node });
  await using service = connect(config, reached.baseUrl, machine, observerOf(metrics));
  await keep(config, service, metrics, reached.emulator?.url, machine);
  return exitCodes.done;
}
