import { createHash, timingSafeEqual } from "node:crypto";

import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";

import { errorText } from "../syntax/error-code.ts";
import { WrongTokenLimit } from "./wrong-token-limit.ts";

/** What a request with a token needs of the process. */
export interface TokenPorts {
  /** The token that permits requests; rejects if it cannot be read. */
  token(): Promise<string>;
  /** Whether this process reconciles. */
  works(): boolean;
}

/** Whether a request may be done; `error` says why the server has no token. */
export interface GateAnswer {
  readonly result: "accepted" | "too_many" | "no_token" | "wrong_token" | "standby";
  readonly error?: string;
}

/** Status and text of the answers to requests that the gate does not let pass. */
export const gateAnswers = {
  too_many: { status: 429, text: "too many wrong tokens: wait a minute" },
  no_token: { status: 503, text: "the token of the server cannot be read: see the log" },
  foreign_site: {
    status: 403,
    text: "the form of another site is rejected: send the token as Authorization: Bearer",
  },
  standby: {
    status: 503,
    text: "this process waits for the Lease or for its store: send the request to the holder of the Lease, or see the log",
  },
} as const;

/** Lets requests with the right token pass, and few with wrong ones be tried. */
export class TokenGate {
  readonly #ports: TokenPorts;
  readonly #limit: WrongTokenLimit;

  constructor(ports: TokenPorts, clock: { now(): Date }) {
    this.#ports = ports;
    this.#limit = new WrongTokenLimit(clock);
  }

  async check(c: Context, token: string): Promise<GateAnswer> {
    const from = addressOf(c);
    if (this.#limit.isReached(from)) return { result: "too_many" };
    const right = await this.#readToken();
    if (typeof right !== "string") return { result: "no_token", ...right };
    // Asked again, without an `await` until it is counted: requests of the client may have overtaken this one.
    if (this.#limit.isReached(from)) return { result: "too_many" };
    if (!isEqual(token, right)) {
      this.#limit.recordWrong(from);
      return { result: "wrong_token" };
    }
    return { result: this.#ports.works() ? "accepted" : "standby" };
  }

  /** The expected token, or why there is none. */
  async #readToken(): Promise<string | { readonly error: string }> {
    try {
      const right = await this.#ports.token();
      return right === "" ? { error: "the token is empty" } : right;
    } catch (error) {
      return { error: errorText(error) };
    }
  }
}

/** Compares in constant time, independent of the length of the expected token. */
function isEqual(given: string, right: string): boolean {
  return timingSafeEqual(digest(given), digest(right));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The token that a request bears; "": none. */
export function bearerOf(c: Context): string {
  const [, token = ""] = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  return token;
}

/** Remote address of the socket. */
export function addressOf(c: Context): string {
  return getConnInfo(c).remote.address ?? "";
}

/** Reads the body of a request; it may come in chunks, without a length. */
export async function readBody(
  { headers, body }: Request,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | "too_large" | "unreadable"> {
  if (Number(headers.get("content-length")) > maxBytes) return "too_large";
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    const stream: AsyncIterable<Uint8Array> | null = body;
    for await (const piece of stream ?? []) {
      length += piece.length;
      if (length > maxBytes) return "too_large";
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } catch {
    return "unreadable";
  }
}
