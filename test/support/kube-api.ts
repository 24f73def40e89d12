import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";

import { coerceObject, coerceText, type Json, type JsonObject } from "../../src/syntax/json.ts";
import { close, listenOnLoopback } from "./loopback.ts";

/** What happens to requests that a test chose, instead of what they ask for. */
export type KubeFault =
  /** An answer of this status, of an API server that refuses. */
  | { readonly status: number; readonly message?: string }
  /** This body, whatever was asked. */
  | { readonly body: string; readonly status?: number }
  /** No answer. */
  | "hang"
  /** The request is carried out, and its answer does not arrive. */
  | "lose-answer";

/** A request as the API server saw it. */
export interface KubeRequestSeen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly status: number;
}

/** An API server of a test: objects with versions, over a real socket. */
export interface KubeApi extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly KubeRequestSeen[];
  /** How many connections there were, and are. */
  readonly connections: { readonly opened: number; readonly open: number };
  /** The objects, by their paths. */
  readonly objects: Map<string, JsonObject>;
  /** What a review of the rights of the client says no to. */
  readonly denied: Set<string>;
  /** Decides what happens to a request; `undefined`: what it asks for. */
  fault: (method: string, path: string, authorization: string) => KubeFault | undefined;
  /** Is told of each object that is stored. */
  stored: (path: string, object: JsonObject) => void;
  /** Changes an object as another client does: it gets a new version. */
  edit(path: string, change: (object: JsonObject) => JsonObject): void;
  /** A kubeconfig that names the server, for the namespace `zonewarden`. */
  readonly kubeconfig: string;
}

const reviewPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

export const leasePath = "/apis/coordination.k8s.io/v1/namespaces/zonewarden/leases/zonewarden";

/** A Lease that its last holder gave back: the next one need not wait. */
export function freeLease(): JsonObject {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: "zonewarden",
      namespace: "zonewarden",
      annotations: { "zonewarden/released-by": "the last one" },
    },
    spec: { holderIdentity: "" },
  };
}

/** Starts an API server without objects. Its kinds are whatever is stored in it. */
export async function startKubeApi(): Promise<KubeApi> {
  const store = new Objects((path, object) => api.stored(path, object));
  const seen: KubeRequestSeen[] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "", headers } = request;
    const body = await bodyOf(request);
    const { authorization = "" } = headers;
    const fault = api.fault(method, path, authorization);
    const note = (status: number): void => {
      seen.push({ method, path, authorization, status });
    };
    if (fault === "hang") return note(0);
    if (fault !== undefined && fault !== "lose-answer") {
      const { status = 200 } = fault;
      note(status);
      const text =
        "body" in fault ? fault.body : JSON.stringify(statusObject(status, fault.message));
      response.writeHead(status).end(text);
      return;
    }
    const { status, object } = isTaken(method, headers["content-type"])
      ? path === reviewPath
        ? { status: 201, object: reviewed(coerceObject(body), api.denied) }
        : store.handle(method, path, coerceObject(body))
      : refuse(415, `the body of the request was in an unknown format: ${headers["content-type"]}`);
    note(status);
    if (fault === "lose-answer") {
      request.socket.destroy();
      return;
    }
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(object));
  };
  const connections = { opened: 0, open: 0 };
  server.on("connection", (socket) => {
    connections.opened += 1;
    connections.open += 1;
    socket.once("close", () => (connections.open -= 1));
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const api: KubeApi = {
    url,
    seen,
    connections,
    objects: store.objects,
    denied: new Set(),
    fault: () => undefined,
    stored: () => undefined,
    edit: (path, change) => store.edit(path, change),
    kubeconfig: kubeconfigOf(url),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await close(server);
    },
  };
  return api;
}

function kubeconfigOf(url: string): string {
  return `apiVersion: v1
kind: Config
clusters: [{ name: test, cluster: { server: "${url}" } }]
users: [{ name: user, user: { token: kube-token } }]
contexts: [{ name: test, context: { cluster: test, user: user, namespace: zonewarden } }]
current-context: test
`;
}

/** A review of a right to the Lease, with its answer. */
function reviewed(review: JsonObject, denied: ReadonlySet<string>): JsonObject {
  const asked = coerceObject(coerceObject(review["spec"])["resourceAttributes"]);
  const { verb, name = "", ...resource } = asked;
  const lease = { group: "coordination.k8s.io", namespace: "zonewarden", resource: "leases" };
  // A right to create is never one to an object of a name.
  const isLease =
    isDeepStrictEqual(resource, lease) && name === (verb === "create" ? "" : "zonewarden");
  return { ...review, status: { allowed: isLease && !denied.has(coerceText(verb)) } };
}

/** Whether the API server takes a body of this type. */
function isTaken(method: string, type: string | undefined): boolean {
  return method === "GET" || type === "application/json";
}

/** Objects by path, each with a version that every write changes. */
class Objects {
  readonly objects = new Map<string, JsonObject>();
  #version = 100;
  readonly #stored: KubeApi["stored"];

  constructor(stored: KubeApi["stored"]) {
    this.#stored = stored;
  }

  handle(
    method: string,
    path: string,
    body: JsonObject,
  ): { readonly status: number; readonly object: Json } {
    const name = coerceText(coerceObject(body["metadata"])["name"]);
    if (method === "GET") {
      const object = this.objects.get(path);
      return object === undefined ? refuse(404, `${path} not found`) : { status: 200, object };
    }
    if (method === "POST") {
      const own = `${path}/${name}`;
      if (this.objects.has(own)) return refuse(409, `${name} already exists`);
      return { status: 201, object: this.#store(own, body) };
    }
    const known = this.objects.get(path);
    if (known === undefined) return refuse(404, `${path} not found`);
    const [given, held] = [versionOf(body), versionOf(known)];
    if (given === "") return refuse(422, "metadata.resourceVersion: must be specified");
    if (given !== held) return refuse(409, "the object has been modified");
    return { status: 200, object: this.#store(path, body) };
  }

  edit(path: string, change: (object: JsonObject) => JsonObject): void {
    this.#store(path, change(this.objects.get(path) ?? {}));
  }

  #store(path: string, body: JsonObject): JsonObject {
    this.#version += 1;
    const known = coerceObject(this.objects.get(path)?.["metadata"]);
    const uid = known["uid"] ?? `uid-${this.#version}`;
    const version = { uid, resourceVersion: `${this.#version}` };
    const metadata = { ...coerceObject(body["metadata"]), ...version };
    const object = { ...body, metadata };
    this.objects.set(path, object);
    this.#stored(path, object);
    return object;
  }
}

function versionOf(object: JsonObject): string {
  return coerceText(coerceObject(object["metadata"])["resourceVersion"]);
}

function refuse(
  status: number,
  message: string,
): { readonly status: number; readonly object: Json } {
  return { status, object: statusObject(status, message) };
}

function statusObject(status: number, message = "refused"): JsonObject {
  return { kind: "Status", apiVersion: "v1", status: "Failure", message, code: status };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) {
    if (piece instanceof Uint8Array) pieces.push(Buffer.from(piece));
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch {
    return undefined;
  }
}
