import type { KubeAnswer, KubeCall, KubeClient } from "../../src/cluster/kube-client.ts";

/** An API server that answers each call so. */
export function kubeOf(answer: (call: KubeCall) => KubeAnswer): KubeClient {
  const request = (call: KubeCall): Promise<KubeAnswer> => Promise.resolve(answer(call));
  return { namespace: "edge", request, [Symbol.asyncDispose]: () => Promise.resolve() };
}
