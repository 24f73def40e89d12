import type { Config } from "../../desired/config/config.ts";
import { hostWithPort } from "../../syntax/host-port.ts";
import { coerceObject, coerceText, parseJson } from "../../syntax/json.ts";

/** An answer that takes longer does not come; what is posted is answered when it is stored. */
const timeoutMs = { read: 5_000, post: 15_000 } as const;

/** What the daemon of a configuration answers, or why there is no answer of a daemon. */
export type DaemonAnswer = { readonly url: string } & (
  | { readonly response: Response; readonly why: "" }
  | { readonly response: undefined; readonly why: string }
);

/** What is posted to a daemon, with its token. */
export interface DaemonPost {
  readonly token: string;
  /** JSON. */
  readonly body: string;
}

/** Asks the daemon of the configuration for a path of its server. */
export function askDaemon(path: string, config: Config): Promise<DaemonAnswer> {
  return askAt(daemonAddress(config), path);
}

/** As {@link askDaemon}. If that daemon waits for the Lease, the page of the leader is asked. */
export async function askLeader(
  path: string,
  config: Config,
  post?: DaemonPost,
): Promise<DaemonAnswer> {
  const address = daemonAddress(config);
  const asked = await askAt(address, path, post);
  if (asked.response === undefined || asked.response.ok) return asked;
  const { response } = await askAt(address, "/api/v1/fleet");
  const { cluster } = coerceObject(parseJson((await response?.text()) ?? ""));
  const { leader, page } = coerceObject(cluster);
  const leaderAt = leader === false ? coerceText(page).replace(/\/$/, "") : "";
  return leaderAt === "" ? asked : askAt(leaderAt, path, post);
}

/** @param address without a slash at the end. */
async function askAt(address: string, path: string, post?: DaemonPost): Promise<DaemonAnswer> {
  const url = `${address}${path}`;
  const signal = AbortSignal.timeout(timeoutMs[post === undefined ? "read" : "post"]);
  try {
    const response = await fetch(url, { ...(post && postRequest(post)), signal });
    const text = await response.text();
    const { status, headers } = response;
    const server = headers.get("server");
    if (server === "zonewarden") {
      return { url, response: new Response(text || null, { status }), why: "" };
    }
    const other = server ?? headers.get("content-type") ?? `status ${status}`;
    const remedy = "stop it, or choose another port in server.listen";
    return refused(url, `is answered by another program (${other}): ${remedy}`);
  } catch {
    return refused(url, "does not answer: is zonewarden run not running here?");
  }
}

function refused(url: string, why: string): DaemonAnswer {
  return { url, response: undefined, why: `${url} ${why}` };
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
