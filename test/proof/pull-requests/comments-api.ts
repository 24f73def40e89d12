import { createServer } from "node:http";

import { isJsonObject } from "../../../src/syntax/json.ts";
import { close, listenOnLoopback } from "../../support/loopback.ts";

/** A comment of a pull request. */
export interface StoredComment {
  readonly id: number;
  readonly login: string;
  body: string;
}

/** The API of GitHub for comments, as far as the action uses it, on loopback. */
export class CommentsApi implements AsyncDisposable {
  /** The comments of the one pull request, oldest first. */
  readonly comments: StoredComment[] = [];
  /** Method and path of each request. */
  readonly requests: string[] = [];
  /** The status with which it refuses writes. */
  refusesWrites: number | undefined;
  readonly #server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      this.requests.push(`${method} ${url}`);
      const isKnown = headers.authorization === "Bearer token-of-github";
      const [status, value] = isKnown
        ? this.#answer(method, new URL(url, "http://a"), body)
        : [401];
      response.writeHead(status, { "content-type": "application/json" });
      response.end(value === undefined ? "" : JSON.stringify(value));
    });
  });
  #lastId = 100;
  #port = 0;

  /** Starts it for the pull request 7 of acme/zones. Whoever has the token of GitHub writes as `github-actions[bot]`. */
  static async start(): Promise<CommentsApi> {
    const api = new CommentsApi();
    api.#port = await listenOnLoopback(api.#server);
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await close(this.#server);
  }

  #answer(method: string, { pathname, searchParams }: URL, body: string): Answer {
    if (this.refusesWrites !== undefined && method !== "GET") return [this.refusesWrites, {}];
    if (pathname === "/repos/acme/zones/issues/7/comments") {
      return method === "POST" ? this.#create(body) : [200, this.#page(searchParams)];
    }
    const id = Number(/^\/repos\/acme\/zones\/issues\/comments\/(\d+)$/.exec(pathname)?.[1]);
    const index = this.comments.findIndex((each) => each.id === id);
    const found = this.comments[index];
    if (found === undefined) return [404, {}];
    if (method === "DELETE") {
      this.comments.splice(index, 1);
      return [204];
    }
    found.body = bodyIn(body);
    return [200, { id }];
  }

  #create(text: string): Answer {
    const body = bodyIn(text);
    if (body.length > 65_536) return [422, { message: "Body is too long" }];
    const id = (this.#lastId += 1);
    this.comments.push({ id, login: "github-actions[bot]", body });
    return [201, { id }];
  }

  #page(query: URLSearchParams): unknown {
    const size = Number(query.get("per_page") ?? 30);
    const start = (Number(query.get("page") ?? 1) - 1) * size;
    const page = this.comments.slice(start, start + size);
    return page.map(({ id, login, body }) => ({ id, user: { login }, body }));
  }
}

type Answer = readonly [status: number, value?: unknown];

function bodyIn(text: string): string {
  const value: unknown = JSON.parse(text);
  if (isJsonObject(value) && typeof value["body"] === "string") return value["body"];
  throw new Error("a comment without a body");
}
