import path from "node:path";

import { daemonRetry } from "../../api/request/retry.ts";
import { runDaemon } from "../../daemon/daemon.ts";
import { connect } from "../../host/connect.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { handleShutdown } from "../../host/shutdown.ts";
import { version } from "../../host/version.ts";
import { DirectoryLocked } from "../../memory/directory/state-lock.ts";
import { eventRecorder } from "../../notify/event-recorder.ts";
import { createMetrics } from "../../telemetry/metrics/metrics.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { reachService } from "../session/embedded-emulator.ts";
import { openLogger } from "../session/open-logger.ts";
import { kubernetesOf, sharedStoreOf } from "../session/shared-store.ts";

export const defineRun: DefineCommand = (command, host) => {
  command
    .configFile()
    .examples("zonewarden run --config /etc/zonewarden/zonewarden.yaml")
    .runs(({ config }: { readonly config: string }) => run(config, host));
};

async function run(file: string, host: Host): Promise<ExitCode> {
  // Comes first: the first process of a container gets only the signals that it listens to.
  using shutdown = handleShutdown(host, exitCodes.failed);
  const config = await loadConfigOrPrint(file, host, AbortSignal.timeout(10_000));
  if (config === undefined) return exitCodes.invalid;
  await using reached = await reachService(config, host);
  if (reached === undefined) return exitCodes.invalid;

  const build = {
    version,
    // The image sets the commit that it was built from (deploy/Dockerfile).
    revision: host.env["ZONEWARDEN_REVISION"] ?? "",
    nodeVersion: host.nodeVersion,
  };
  const metrics = createMetrics(build, config.metrics.zoneLabels);
  await using kubernetes = await kubernetesOf(config, host);
  await using shared = sharedStoreOf(config, kubernetes, host);
  const fence = shared?.election.fence;
  await using service = connect(config, reached.baseUrl, host, metrics, daemonRetry, fence);
  const logger = openLogger(host.stdout, config.log.level, { config, service, host });
  const configFile = path.resolve(host.directory, file);
  const emulator = reached.emulator?.url;
  await using events = eventRecorder(kubernetes, {
    ...host,
    failed: ({ message }) => logger.warn({ error: message }, "Events cannot be written"),
  });
  const parts = { config, configFile, service, metrics, logger, shared, events, emulator };
  try {
    return (await runDaemon(parts, host, shutdown)) ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    if (!(error instanceof DirectoryLocked)) throw error;
    return fail(error.message, host);
  }
}
