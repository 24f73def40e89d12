import { planAll } from "../../../src/cli/session/plan-all.ts";
import type { Config } from "../../../src/desired/config/config.ts";
import { connect } from "../../../src/host/connect.ts";
import { ServiceError } from "../../../src/zone/service-error.ts";
import { ProcessFiles } from "./process-files.ts";
import { baseUrl, simulatedHost, type Surroundings } from "./simulated-host.ts";
import { type Sending, SimulatedTransport } from "./simulated-transport.ts";

/** `zonewarden plan`, run by somebody while the daemons run. Resolves when it has ended, whatever its result. */
export async function planCommand(
  config: Config,
  surroundings: Surroundings,
  send: (sending: Sending) => void,
): Promise<void> {
  const host = simulatedHost(surroundings, { isAlive: true, pid: 0, files: new ProcessFiles() });
  const transport = new SimulatedTransport(send);
  const open = (): SimulatedTransport => transport;
  const service = connect(config, baseUrl, host, undefined, undefined, undefined, open);
  const stop = new AbortController();
  const signals = { stop: stop.signal, abort: stop.signal };
  try {
    const session = { config, service, baseUrl, host, stop: stop.signal, signals };
    await planAll({ config: "/zonewarden.yaml", format: "text", zones: [] }, session);
  } catch (error) {
    // What the service refuses ends the command.
    if (!(error instanceof ServiceError)) throw error;
  }
}
