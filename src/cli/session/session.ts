import type { Config } from "../../desired/config/config.ts";
import { connect, type ServiceClient } from "../../host/connect.ts";
import { type Host, quietHost } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { handleShutdown } from "../../host/shutdown.ts";
import { isAborted, type StopSignals } from "../../zone/signals.ts";
import type { SessionFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail, failFor } from "../output/exit-codes.ts";
import { WaitLines } from "../output/progress.ts";
import { reachService } from "./embedded-emulator.ts";

/** What a command that calls the service works with. */
export interface Session {
  readonly config: Config;
  readonly service: ServiceClient;
  readonly baseUrl: string;
  readonly host: Host;
  /** `signals.stop`: aborts at the first signal. */
  readonly stop: AbortSignal;
  readonly signals: StopSignals;
}

/** Runs `work` until it ends, or a signal stops it. */
export async function withSignals(
  host: Host,
  work: (signals: StopSignals) => Promise<ExitCode>,
): Promise<ExitCode> {
  using shutdown = handleShutdown(host, exitCodes.failed);
  const { signals } = shutdown;
  try {
    return await work(signals);
  } catch (error) {
    if (!isAborted(signals.stop)) throw error;
    return fail("stopped by a signal before the end", host);
  }
}

/**
 * Loads the configuration, connects to the service and runs `work`. A broken configuration ends the command before any
 * request; a failure of the service is printed as one line and has its own exit code.
 */
export async function withSession(
  flags: SessionFlags,
  given: Host,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const host = quietHost(given, flags);
  return withSignals(host, async (signals) => {
    const config = await loadConfigOrPrint(flags.config, host, signals.stop);
    return config === undefined ? exitCodes.invalid : inSession(config, host, signals, work);
  });
}

/** The same with a configuration that is loaded. */
export async function inSession(
  config: Config,
  host: Host,
  signals: StopSignals,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { stop } = signals;
  await using reached = await reachService(config, host);
  if (reached === undefined) return exitCodes.invalid;
  const { baseUrl } = reached;
  const waits = new WaitLines(host);
  await using service = connect(config, baseUrl, host, waits);
  using _watch = waits.watch(service.credentials);
  try {
    return await work({ config, service, baseUrl, host, stop, signals });
  } catch (error) {
    stop.throwIfAborted();
    return failFor(error, host);
  }
}

/** The `bug` port of a command: an internal error ends it. */
export function rethrow(error: unknown): never {
  throw error;
}

/** Works on `width` items at a time and returns the results in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await work(item));
  };
  await Promise.all(Array.from({ length: width }, worker));
  return [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result);
}
