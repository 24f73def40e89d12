import type { Config } from "../../desired/config/config.ts";
import { hostWithPort } from "../../syntax/host-port.ts";

/** An answer that takes longer does not come. */
const timeoutMs = 5_000;

/** What the daemon of a configuration answers; `undefined`: it does not. */
export interface DaemonAnswer {
  readonly url: string;
  readonly response: Response | undefined;
}

/** Asks the daemon of the configuration for a path of its server. */
export async function askDaemon(path: string, config: Config): Promise<DaemonAnswer> {
  const { href: url } = new URL(path, daemonAddress(config));
  try {
    return { url, response: await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }) };
  } catch {
    return { url, response: undefined };
  }
}

/** A server that listens on all addresses answers on the loopback address. */
export function daemonAddress({ server: { listen } }: Config): string {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[listen.host] ?? listen.host;
  return `http://${hostWithPort(host, listen.port)}`;
}
