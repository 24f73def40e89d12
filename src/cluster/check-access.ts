import { answerError, type KubeClient } from "./kube-client.ts";

const timeoutMs = 10_000;

/**
 * Reads the Lease and the head of the state, and gives one sentence for each that cannot be read. An object that does
 * not exist is none: the first holder makes it. Writes nothing.
 */
export async function checkAccess(
  kube: KubeClient,
  lease: string,
  state: string,
): Promise<readonly string[]> {
  const namespace = encodeURIComponent(kube.namespace);
  const objects = [
    {
      what: `Lease ${lease} cannot be read`,
      path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${lease}`,
    },
    {
      what: `ConfigMap ${state} cannot be read`,
      path: `/api/v1/namespaces/${namespace}/configmaps/${state}`,
    },
  ];
  const failures: string[] = [];
  for (const { what, path } of objects) {
    try {
      const answer = await kube.request({ method: "GET", path }, timeoutMs);
      if (answer.status !== 200 && answer.status !== 404) throw answerError(what, answer);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      failures.push(error.message);
    }
  }
  return failures;
}
