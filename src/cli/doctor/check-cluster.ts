import type { Config } from "../../desired/config/config.ts";
import type { Host } from "../../host/host.ts";
import { clusterOf } from "../session/cluster-of.ts";
import { fine, type CheckFinding, finding } from "./finding.ts";

/** Whether the process reaches the API server of its cluster and may read the Lease and the state. Writes nothing. */
export async function checkCluster(config: Config, host: Host): Promise<readonly CheckFinding[]> {
  if (config.cluster === undefined) return [];
  const { lease } = config.cluster;
  try {
    await using cluster = await clusterOf(config, config.api.baseUrl, host);
    const failures = (await cluster?.checkAccess()) ?? [];
    if (failures.length === 0) {
      return [fine("cluster", `the Lease ${lease} and the state can be read`)];
    }
    const remedy =
      "apply the Role and RoleBinding of deploy/kustomize/base/rbac.yaml, and check the network to the API server";
    return failures.map((message) => finding("cluster", "error", { message, remedy }));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const remedy = "run zonewarden in a pod of the cluster, or correct cluster.kubeconfig";
    return [finding("cluster", "error", { message, remedy })];
  }
}
