import { Agent } from "undici";

import { errorCode, errorText } from "../syntax/error-code.ts";
import { coerceObject, coerceText, parseJson } from "../syntax/json.ts";
import type { Clock } from "../zone/ports.ts";
import type { KubeAccess, KubeSecrets } from "./kube-access.ts";

/** An answer of the API server. */
export interface KubeAnswer {
  readonly status: number;
  /** The parsed JSON; `undefined` if the body is none. */
  readonly body: unknown;
}

/** A request to the API server. */
export interface KubeCall {
  readonly method: "GET" | "POST" | "PUT";
  /** Absolute path of the API. */
  readonly path: string;
  readonly body?: unknown;
}

/** Why the API server gave no usable answer. The message is for the log and has no secret. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** HTTP status; 0 without an answer. */
  readonly status: number;

  constructor(message: string, status: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** The API server of a cluster. */
export interface KubeClient extends AsyncDisposable {
  readonly namespace: string;
  /**
   * Sends a request and gives its answer, whatever the status. Rejects with a {@link KubeError} if there is none within
   * `timeoutMs`.
   */
  request(call: KubeCall, timeoutMs: number): Promise<KubeAnswer>;
}

/** The token and the authority are read again after this time, and after each 401. */
const secretsAgeMs = 60_000;

/** Far more than a Lease or an Event has. */
const maxAnswerBytes = 4_000_000;

/** Creates a client; sends nothing yet. */
export function createKubeClient(access: KubeAccess, clock: Clock): KubeClient {
  const connections = new Connections(access, clock);
  return {
    namespace: access.namespace,
    request: async (call, timeoutMs) => {
      const timeout = new AbortController();
      const { promise: late, reject } = Promise.withResolvers<never>();
      const cancel = clock.alarm(timeoutMs, () => {
        timeout.abort();
        reject(timeout.signal.reason);
      });
      try {
        // Reading the secrets follows no signal: a file on a network may never answer.
        const connection = await Promise.race([connections.current(), late]);
        const answer = await send(access.server, connection, call, timeout.signal);
        if (answer.status === 401) connections.expire();
        return answer;
      } catch (error) {
        if (timeout.signal.aborted) {
          throw new KubeError(`the API server did not answer within ${timeoutMs} ms`, 0, error);
        }
        // Messages have addresses and no secrets; several failed attempts together have a code alone.
        const why = errorText(error) || errorCode(error);
        throw new KubeError(`the API server cannot be reached: ${why}`, 0, error);
      } finally {
        cancel();
      }
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

interface Connection {
  readonly secrets: KubeSecrets;
  readonly agent: Agent;
  /** By the monotonic clock. */
  readonly readAtMs: number;
}

/** Keeps connections for as long as the secrets are the same. */
class Connections implements AsyncDisposable {
  readonly #access: KubeAccess;
  readonly #clock: Clock;
  #current: Connection | undefined;

  constructor(access: KubeAccess, clock: Clock) {
    this.#access = access;
    this.#clock = clock;
  }

  async current(): Promise<Connection> {
    const readAtMs = this.#clock.monotonicMs();
    const fresh = this.#current;
    if (fresh !== undefined && readAtMs - fresh.readAtMs < secretsAgeMs) return fresh;
    const secrets = await this.#access.secrets();
    const known = this.#current;
    const isSame = known !== undefined && hasSameTls(secrets, known.secrets);
    const agent = isSame ? known.agent : agentWith(secrets);
    this.#current = { secrets, agent, readAtMs };
    if (!isSame) void known?.agent.close();
    return this.#current;
  }

  /** Has the secrets read again by the next request. */
  expire(): void {
    if (this.#current !== undefined) this.#current = { ...this.#current, readAtMs: -Infinity };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.agent.destroy();
  }
}

function hasSameTls(one: KubeSecrets, other: KubeSecrets): boolean {
  return one.ca === other.ca && one.certificate === other.certificate && one.key === other.key;
}

function agentWith({ ca, certificate, key }: KubeSecrets): Agent {
  return new Agent({
    // HTTP/2 has one connection for all requests: where it hangs, the Lease is lost.
    allowH2: false,
    maxResponseSize: maxAnswerBytes,
    // "" is none for Node.js: the authorities of the system, and no certificate.
    connect: { ca, cert: certificate, key },
  });
}

async function send(
  server: string,
  { secrets, agent }: Connection,
  { method, path, body }: KubeCall,
  signal: AbortSignal,
): Promise<KubeAnswer> {
  const url = new URL(`${server}${path}`);
  const { statusCode, body: answer } = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: {
      accept: "application/json",
      "user-agent": "zonewarden",
      ...(secrets.token === "" ? {} : { authorization: `Bearer ${secrets.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: JSON.stringify(body),
    signal,
  });
  const text = await answer.text();
  return { status: statusCode, body: parseJson(text) };
}

/** What the API server says against a request, for the log: its `Status` object has a message. */
export function answerError(what: string, { status, body }: KubeAnswer): KubeError {
  const message = coerceText(coerceObject(body)["message"]);
  const why = message === "" ? "" : `: ${message.slice(0, 300)}`;
  return new KubeError(`${what}: the API server answered ${status}${why}`, status);
}
