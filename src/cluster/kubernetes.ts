import type { Clock } from "../zone/ports.ts";
import { EventRecorder } from "./event-recorder.ts";
import { type AccessPorts, findAccess } from "./kube-access.ts";
import { createKubeClient } from "./kube-client.ts";
import { leaseStore, type LeaseStore } from "./lease.ts";

/** The cluster in which the process runs, or the one of a kubeconfig. */
export interface Kubernetes extends AsyncDisposable {
  /** The Lease of a name in the namespace of the process. */
  lease(name: string): LeaseStore;
  /**
   * Writes Events about the pod of this process: `kubectl describe pod` shows them. `undefined` if the environment does not
   * say which pod that is.
   */
  startEvents(uniqueId: () => string, failed: (error: Error) => void): EventRecorder | undefined;
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
    startEvents: (uniqueId, failed) => {
      if (name === "" || uid === "") return undefined;
      const subject = { apiVersion: "v1", kind: "Pod", name, uid };
      return new EventRecorder({ kube, clock, uniqueId, instance: name, subject, failed });
    },
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}
