import { type IncomingMessage, type ServerResponse, createServer } from "node:http";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { close, listenOnLoopback } from "./loopback.ts";

/** A request as a server of a test saw it. */
export interface Seen {
  readonly method: string;
  /** Path with query, below the base path. */
  readonly path: string;
  readonly authorization: string;
  readonly body: unknown;
}

/** A server on loopback that answers as a test tells it to. */
export interface TestServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** What came in so far, in order. */
  readonly seen: readonly Seen[];
}

/** Answers one request. */
export type Answering = (seen: Seen, response: ServerResponse, nth: number) => void;

const basePath = "/client/v4";

/** Starts a server; `answering` gets each request with its number, counted from 1. */
export async function startServer(answering: Answering): Promise<TestServer> {
  const seen: Seen[] = [];
  const { origin, ...server } = await startOnLoopback((request, body, response) => {
    const { method = "", url = "", headers } = request;
    const path = url.replace(basePath, "");
    const one = { method, path, authorization: headers.authorization ?? "", body };
    seen.push(one);
    answering(one, response, seen.length);
  });
  return { ...server, baseUrl: `${origin}${basePath}`, seen };
}

/** A receiver of webhooks that remembers what it was sent. */
export interface JsonSink extends AsyncDisposable {
  readonly url: string;
  readonly objects: readonly JsonObject[];
}

/** Starts a sink, which accepts every JSON object. */
export async function startJsonSink(): Promise<JsonSink> {
  const objects: JsonObject[] = [];
  const { origin, ...server } = await startOnLoopback((_request, body, response) => {
    if (isJsonObject(body)) objects.push(body);
    response.writeHead(isJsonObject(body) ? 200 : 400).end();
  });
  return { ...server, url: `${origin}/`, objects };
}

async function startOnLoopback(
  answer: (request: IncomingMessage, body: unknown, response: ServerResponse) => void,
): Promise<AsyncDisposable & { readonly origin: string }> {
  const server = createServer((request, response) => {
    void readAll(request).then((body) => answer(request, body, response));
  });
  const port = await listenOnLoopback(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await close(server);
    },
  };
}

/** A success in the service's envelope. */
export function succeed(
  response: ServerResponse,
  result: unknown,
  headers: Readonly<Record<string, string>> = {},
  resultInfo?: unknown,
): void {
  const body = { result, success: true, errors: [], messages: [] };
  response.writeHead(200, { "content-type": "application/json", "cf-ray": "ray-1", ...headers });
  response.end(
    JSON.stringify(resultInfo === undefined ? body : { ...body, result_info: resultInfo }),
  );
}

/** A refusal in the service's envelope. */
export function refuse(
  response: ServerResponse,
  status: number,
  code = 1000,
  message = "no",
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = { result: null, success: false, errors: [{ code, message }], messages: [] };
  response.writeHead(status, { "content-type": "application/json", "cf-ray": "ray-1", ...headers });
  response.end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}
