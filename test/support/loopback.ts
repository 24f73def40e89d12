import { once } from "node:events";
import type { Server } from "node:net";

/** Lets a server listen on a free port of the loopback address, and gives the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Closes a server, and resolves when no connection is left. */
export async function close(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
