import type { Clock } from "../zone/ports.ts";
import { type AccessPorts, findAccess } from "./kube-access.ts";
import { createKubeClient, type KubeClient } from "./kube-client.ts";
import { leaseStore, type LeaseStore } from "./lease.ts";

/** The cluster in which the process runs, or the one of a kubeconfig. */
export interface Kubernetes extends AsyncDisposable {
  /** The Lease of a name in the namespace of the process. */
  lease(name: string): LeaseStore;
  readonly kube: KubeClient;
  /** The pod of this process; `undefined` if the environment does not say which one that is. */
  readonly pod: Pod | undefined;
}

/** A pod in the namespace of the process. */
export interface Pod {
  readonly name: string;
  readonly uid: string;
}

/** What tells a process its pod: the manifests set it from the fields of the pod. */
const podVariables = { name: "ZONEWARDEN_POD_NAME", uid: "ZONEWARDEN_POD_UID" } as const;

/** Whether the environment names a pod and its cluster. */
export function isInPod(env: AccessPorts["env"]): boolean {
  const names = [podVariables.name, podVariables.uid, "KUBERNETES_SERVICE_HOST"];
  return names.every((name) => (env[name] ?? "") !== "");
}

/**
 * Finds the cluster; sends nothing yet.
 *
 * @throws {NoClusterAccess} if there is no access to one.
 */
export async function joinKubernetes(
  kubeconfig: string | undefined,
  ports: AccessPorts & { readonly clock: Clock },
): Promise<Kubernetes> {
  const { clock, env } = ports;
  const kube = createKubeClient(await findAccess(kubeconfig, ports), clock);
  const [name = "", uid = ""] = [env[podVariables.name], env[podVariables.uid]];
  return {
    lease: (lease) => leaseStore(lease, kube),
    kube,
    pod: name === "" || uid === "" ? undefined : { name, uid },
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}
