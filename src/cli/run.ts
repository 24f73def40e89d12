import path from "node:path";

import { briefRetry } from "../api/retry.ts";
import { Fleet } from "../report/fleet.ts";
import { createLogger } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { Live } from "../web/live.ts";
import { connect } from "./connect.ts";
import { keep } from "./daemon.ts";
import { reachService } from "./emulator.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { startHistory } from "./keep-history.ts";
import { configOrProblems } from "./load.ts";
import { hasColor, type Machine } from "./machine.ts";
import { startNotifying } from "./notifying.ts";
import { startStopping } from "./stopping.ts";
import { observerOf } from "./teller.ts";
import { version } from "./version.ts";

/** What `run` is told. */
export interface RunFlags {
  readonly config: string;
}

/** `zonewarden run`: keeps every zone as declared until a signal ends it. */
export async function run(flags: RunFlags, machine: Machine): Promise<ExitCode> {
  // First of all: as the first process of a container, one that does not listen cannot be ended.
  using stopping = startStopping(machine);
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
