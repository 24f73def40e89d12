import { minuteMs } from "../syntax/time-units.ts";
/** Wrong tokens that a client may send in a minute. */
const maxWrong = 10;
/** Clients to remember; the one that was wrong first is forgotten. */
const maxClients = 10_000;

/** Counts wrong tokens for each client, so that one client cannot lock out another. */
export class WrongTokenLimit {
  readonly #clock: { now(): Date };
  readonly #wrong = new Map<string, readonly number[]>();

  constructor(clock: { now(): Date }) {
    this.#clock = clock;
  }

  /** Whether the client has sent too many wrong tokens. */
  isReached(address: string): boolean {
    return this.#recent(clientOf(address)).length >= maxWrong;
  }

  recordWrong(address: string): void {
    const client = clientOf(address);
    const recent = [...this.#recent(client), Number(this.#clock.now())];
    this.#wrong.delete(client);
    this.#wrong.set(client, recent);
    const [oldest] = this.#wrong.keys();
    if (oldest !== undefined && this.#wrong.size > maxClients) this.#wrong.delete(oldest);
  }

  #recent(client: string): readonly number[] {
    const since = Number(this.#clock.now()) - minuteMs;
    return this.#wrong.get(client)?.filter((at) => at > since) ?? [];
  }
}

/** The address of a client. A client with IPv6 has all addresses of a /64 network, so that counts as one. */
function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address;
  // What follows the network does not matter: not its number of groups, nor the name of an interface.
  const [head = "", tail = ""] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
