import path from "node:path";

import { parse } from "yaml";

import { hostWithPort } from "../syntax/host-port.ts";
import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../syntax/json.ts";

/** How to reach the API server of a cluster, and as whom. */
export interface KubeAccess {
  /** Without a trailing slash; a proxy in front of several servers adds a path. */
  readonly server: string;
  /** The namespace of the pod, or of the kubeconfig's context. */
  readonly namespace: string;
  /** Reads the secrets again: the token of a pod changes about hourly. Rejects if a file cannot be read. */
  readonly secrets: () => Promise<KubeSecrets>;
}

/** What a request proves its sender with, as PEM and plain text; "" if there is none. */
export interface KubeSecrets {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  readonly token: string;
}

/** What access needs from outside. */
export interface AccessPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readText: (file: string) => Promise<string>;
}

/** Why there is no access to a cluster: a mistake of the operator. */
export class NoClusterAccess extends Error {
  override readonly name = "NoClusterAccess";
}

/** Where Kubernetes mounts the identity of a pod. */
const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Finds the API server: that of the kubeconfig where one is named, else that of the cluster in which the process runs.
 *
 * @throws {NoClusterAccess} if there is neither, or if the kubeconfig needs what this client does not do.
 */
export async function findAccess(
  kubeconfig: string | undefined,
  ports: AccessPorts,
): Promise<KubeAccess> {
  return kubeconfig === undefined ? inCluster(ports) : fromKubeconfig(kubeconfig, ports);
}

async function inCluster({ env, readText }: AccessPorts): Promise<KubeAccess> {
  const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
  const port = env["KUBERNETES_SERVICE_PORT"] ?? "443";
  if (host === "") {
    throw new NoClusterAccess(
      "this process does not run in a Kubernetes cluster (KUBERNETES_SERVICE_HOST is not set): set cluster.kubeconfig, or remove cluster from the configuration",
    );
  }
  const read = async (name: string): Promise<string> => {
    try {
      return (await readText(path.posix.join(accountDirectory, name))).trim();
    } catch (cause) {
      const message = `the service account's ${name} cannot be read: set automountServiceAccountToken: true in the pod`;
      throw new NoClusterAccess(message, { cause });
    }
  };
  return {
    server: `https://${hostWithPort(host, port)}`,
    namespace: await read("namespace"),
    secrets: async () => {
      const [ca, token] = await Promise.all([read("ca.crt"), read("token")]);
      return { ca, certificate: "", key: "", token };
    },
  };
}

async function fromKubeconfig(file: string, { readText }: AccessPorts): Promise<KubeAccess> {
  const config = coerceObject(await parsedFile(file, readText));
  const current = coerceText(config["current-context"]);
  const context = named(config, "contexts", current, "context", file);
  const cluster = named(config, "clusters", coerceText(context["cluster"]), "cluster", file);
  const user = named(config, "users", coerceText(context["user"]), "user", file);
  const server = coerceText(cluster["server"]).replace(/\/+$/, "");
  if (!URL.canParse(server)) throw new NoClusterAccess(`${file}: the cluster has no server URL`);
  refuseKeys(file, "user", user, {
    keys: ["exec", "auth-provider", "username", "as", "as-uid", "as-groups", "as-user-extra"],
    remedy: "use a token or a client certificate",
  });
  refuseKeys(file, "cluster", cluster, {
    keys: ["proxy-url", "tls-server-name"],
    remedy: "give a server URL that is reached directly, with a host that its certificate names",
  });
  if (cluster["insecure-skip-tls-verify"] === true) {
    const message = `${file}: "insecure-skip-tls-verify" is not supported: give the certificate authority`;
    throw new NoClusterAccess(message);
  }
  const read = secretReader(path.dirname(file), readText);
  return {
    server,
    namespace: coerceText(context["namespace"]) || "default",
    secrets: async () => ({
      ca: await read(cluster, "certificate-authority"),
      certificate: await read(user, "client-certificate"),
      key: await read(user, "client-key"),
      // The file may be renewed, so it comes first, as in client-go.
      token: (await read(user, "tokenFile")) || coerceText(user["token"]),
    }),
  };
}

/** A key that would change who asks, or whom, is refused: without it, a request would do something else than is meant. */
function refuseKeys(
  file: string,
  kind: "user" | "cluster",
  entry: JsonObject,
  { keys, remedy }: { readonly keys: readonly string[]; readonly remedy: string },
): void {
  const key = keys.find((name) => name in entry);
  if (key === undefined) return;
  throw new NoClusterAccess(
    `${file}: the ${kind} has "${key}", which zonewarden does not support: ${remedy}`,
  );
}

async function parsedFile(file: string, readText: AccessPorts["readText"]): Promise<unknown> {
  try {
    return parse(await readText(file));
  } catch (cause) {
    throw new NoClusterAccess(`${file}: the kubeconfig cannot be read`, { cause });
  }
}

/** The entry of a list of the kubeconfig, as `{ name, KEY: entry }`. */
function named(
  config: JsonObject,
  list: string,
  name: string,
  key: string,
  file: string,
): JsonObject {
  const found = coerceObjects(config[list]).find((entry) => entry["name"] === name);
  if (found === undefined) {
    throw new NoClusterAccess(`${file}: there is no ${key} "${name}" under ${list}`);
  }
  return coerceObject(found[key]);
}

/** Reads what a kubeconfig holds itself, in base64, or names as a file. */
function secretReader(
  directory: string,
  readText: AccessPorts["readText"],
): (entry: JsonObject, key: string) => Promise<string> {
  return async (entry, key) => {
    const data = coerceText(entry[`${key}-data`]);
    if (data !== "") return Buffer.from(data, "base64").toString("utf8");
    const file = coerceText(entry[key]);
    return file === "" ? "" : (await readText(path.resolve(directory, file))).trim();
  };
}
