import { createConnection, createServer, type Socket } from "node:net";
import path from "node:path";

import { close, listenOnLoopback } from "./loopback.ts";
import type { PostgresServer } from "./postgres.ts";

/** What a process sent to a database in one round trip. */
export interface RoundTrip {
  /** The statements. */
  readonly text: string;
  /** Bytes of the answer so far. */
  answered: number;
}

/** Notes what goes over the connections to a database. */
export interface PostgresTap extends AsyncDisposable {
  /** The URL of the database through the tap. */
  readonly url: string;
  readonly roundTrips: readonly RoundTrip[];
  /** Is told of each round trip before the server sees it. */
  sent: (trip: RoundTrip) => void;
}

/** Puts a tap on a database of a server. */
export async function tapOn(server: PostgresServer, database: string): Promise<PostgresTap> {
  const roundTrips: RoundTrip[] = [];
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const upstream = createConnection(path.join(server.directory, ".s.PGSQL.5432"));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => other.destroy());
    }
    let last: RoundTrip | undefined;
    const messages = new QueryMessages((text) => {
      last = { text, answered: 0 };
      roundTrips.push(last);
      tap.sent(last);
    });
    client.on("data", (bytes) => {
      messages.add(bytes);
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (last !== undefined) last.answered += bytes.length;
      client.write(bytes);
    });
  });
  const port = await listenOnLoopback(listener);
  const tap: PostgresTap = {
    url: `postgres://postgres@127.0.0.1:${port}/${database}`,
    roundTrips,
    sent: () => undefined,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await close(listener);
    },
  };
  return tap;
}

/** Finds the texts of simple queries in what a client sends. The first message of a connection has no type. */
class QueryMessages {
  readonly #found: (text: string) => void;
  #bytes: Buffer = Buffer.alloc(0);
  #hasBegun = false;

  constructor(found: (text: string) => void) {
    this.#found = found;
  }

  add(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const from = this.#hasBegun ? 1 : 0;
      if (this.#bytes.length < from + 4) return;
      const end = from + this.#bytes.readInt32BE(from);
      if (this.#bytes.length < end) return;
      const isQuery = this.#hasBegun && this.#bytes[0] === "Q".charCodeAt(0);
      if (isQuery) this.#found(this.#bytes.toString("utf8", from + 4, end - 1));
      this.#hasBegun = true;
      this.#bytes = this.#bytes.subarray(end);
    }
  }
}
