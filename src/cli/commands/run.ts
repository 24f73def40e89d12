import path from "node:path";

import { briefRetry } from "../../api/request/retry.ts";
import { keep } from "../../daemon/daemon.ts";
import { startHistory } from "../../daemon/keep-history.ts";
import { startNotifying } from "../../daemon/notifying.ts";
import { observerOf } from "../../daemon/reporter.ts";
import { connect } from "../../host/connect.ts";
import { hasColor, type Machine } from "../../host/host.ts";
import { configOrProblems } from "../../host/load.ts";
import { startStopping } from "../../host/stopping.ts";
import { version } from "../../host/version.ts";
import { Fleet } from "../../state/fleet.ts";
import { createLogger } from "../../telemetry/log/log.ts";
import { createMetrics } from "../../telemetry/metrics/metrics.ts";
import { Live } from "../../web/event-stream.ts";
import { exitCodes, type ExitCode } from "../output/exit-codes.ts";
import { reachService } from "./emulator.ts";

/** What `run` is told. */
export interface RunFlags {
  readonly config: string;
}

/** `zonewarden run`: keeps every zone as declared until a signal ends it. */
export async function run(flags: RunFlags, machine: Machine): Promise<ExitCode> {
  // First of all: as the first process of a container, one that does not listen cannot be ended.
  using stopping = startStopping(machine, exitCodes.failed);
  const config = await configOrProblems(flags.config, machine, AbortSignal.timeout(10_000));
  if (config === undefined) return exitCodes.invalid;
  await using reached = await reachService(config, machine, false);
  if (reached === undefined) return exitCodes.invalid;

  const metrics = createMetrics({
    version,
    // The image knows of which commit it was made (deploy/Dockerfile).
    revision: machine.env["ZONEWARDEN_REVISION"] ?? "",
    nodeVersion: machine.nodeVersion,
  });
  const observer = observerOf(metrics);
  await using service = connect(config, reached.baseUrl, machine, observer, briefRetry);
  const logger = createLogger({
    level: config.log.level,
    format: config.log.format ?? (machine.stdout.isTTY ? "pretty" : "json"),
    color: hasColor(machine, machine.stdout),
    destination: machine.stdout,
    clock: machine.clock,
    scrub: (line) => service.credentials.reduce((text, credential) => credential.scrub(text), line),
  });
  const configFile = path.resolve(machine.directory, flags.config);
  const emulator = reached.emulator?.url;
  await using history = await startHistory(config.history, logger, machine);
  const pages = new Live(machine.clock);
  await using notifier = startNotifying(config.notifications, metrics, logger, machine);
  const followers = [history.follower, pages, notifier];
  const parts = { config, configFile, service, metrics, logger, fleet: new Fleet(), emulator };
  await keep({ ...parts, history: history.view, followers, pages }, machine, stopping);
  return exitCodes.done;
}
