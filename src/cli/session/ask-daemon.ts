import type { Config } from "../../desired/config/config.ts";
import { hostWithPort } from "../../syntax/host-port.ts";

/** An answer that takes longer does not come; what is posted is answered when it is stored. */
const timeoutMs = { read: 5_000, post: 15_000 } as const;

/** What the daemon of a configuration answers; `undefined`: it does not. */
export interface DaemonAnswer {
  readonly url: string;
  readonly response: Response | undefined;
}

/** What is posted to a daemon, with its token. */
export interface DaemonPost {
  readonly token: string;
  /** JSON. */
  readonly body: string;
}

/** Asks the daemon of the configuration for a path of its server, or posts to it. */
export async function askDaemon(
  path: string,
  config: Config,
  post?: DaemonPost,
): Promise<DaemonAnswer> {
  const { href: url } = new URL(path, daemonAddress(config));
  const signal = AbortSignal.timeout(timeoutMs[post === undefined ? "read" : "post"]);
  try {
    const response = await fetch(url, { ...(post && postRequest(post)), signal });
    const text = await response.text();
    const { status, headers } = response;
    // A page is of another program, which listens in the place of the daemon.
    const isPage = headers.get("content-type")?.startsWith("text/html") === true;
    const whole = new Response(text === "" ? null : text, { status });
    return { url, response: isPage ? undefined : whole };
  } catch {
    return { url, response: undefined };
  }
}

/** A POST of JSON. The token is for its address only. */
export function postRequest({ token, body }: DaemonPost): RequestInit {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return { method: "POST", headers, body, redirect: "error" };
}

/** A server that listens on all addresses answers on the loopback address. */
export function daemonAddress({ server: { listen } }: Config): string {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[listen.host] ?? listen.host;
  return `http://${hostWithPort(host, listen.port)}`;
}
