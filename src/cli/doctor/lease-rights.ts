import { answerError, type KubeClient } from "../../cluster/kube-client.ts";
import { leaseStore } from "../../cluster/lease.ts";
import { coerceObject, type JsonObject } from "../../syntax/json.ts";

/**
 * The first right to a Lease that a leader lacks; `undefined`: none. The right to create it is needed where there is none.
 * Writes nothing.
 */
export async function missingRight(
  name: string,
  kube: KubeClient,
  timeoutMs: number,
): Promise<"create" | "update" | undefined> {
  const lease = await leaseStore(name, kube).read(timeoutMs);
  if (lease === undefined && !(await may({ verb: "create" }, kube, timeoutMs))) return "create";
  return (await may({ verb: "update", name }, kube, timeoutMs)) ? undefined : "update";
}

/** Whether the API server would allow it. */
async function may(what: JsonObject, kube: KubeClient, timeoutMs: number): Promise<boolean> {
  const resource = { group: "coordination.k8s.io", resource: "leases", namespace: kube.namespace };
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { ...resource, ...what } },
  };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const answer = await kube.request({ method: "POST", path, body }, timeoutMs);
  if (answer.status !== 201) throw answerError("the rights cannot be asked for", answer);
  return coerceObject(coerceObject(answer.body)["status"])["allowed"] === true;
}
