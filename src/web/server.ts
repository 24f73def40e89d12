import { once } from "node:events";

import { createAdaptorServer, type ServerType } from "@hono/node-server";

import { hostWithPort } from "../syntax/host-port.ts";
import { createApp, type AppParts } from "./app.ts";
import { ListenError } from "./listen-error.ts";

export interface ServerOptions extends AppParts {
  readonly listen: { readonly host: string; readonly port: number };
}

/** A server that runs until it is disposed. */
export interface WebServer extends AsyncDisposable {
  /** Without a trailing slash; with the actual port if 0 was configured. */
  readonly url: string;
}

/** Milliseconds. Probes and scrapes send their request at once. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;
const keepAliveTimeout = 65_000;

/** Serves health, metrics, the status page and its JSON. Rejects with a {@link ListenError} if it cannot listen. */
export async function startServer(options: ServerOptions): Promise<WebServer> {
  const { host, port } = options.listen;
  const app = createApp(options);
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: { headersTimeout, requestTimeout, keepAliveTimeout },
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new ListenError("server.listen", options.listen, cause);
  }
  return { url: urlOf(server, host), [Symbol.asyncDispose]: () => close(server) };
}

function urlOf(server: ServerType, host: string): string {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return `http://${hostWithPort(host, port)}`;
}

async function close(server: ServerType): Promise<void> {
  const closed = once(server, "close");
  server.close();
  if ("closeAllConnections" in server) server.closeAllConnections();
  await closed;
}
