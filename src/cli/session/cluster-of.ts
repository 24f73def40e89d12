import { type Cluster, joinCluster } from "../../cluster/cluster.ts";
import type { Config } from "../../desired/config/config.ts";
import type { Host } from "../../host/host.ts";

/** A file of a kubeconfig, or a token or certificate. */
const maxFileBytes = 1024 * 1024;

/** The cluster in which the daemon stands for a Lease; `undefined` if the configuration names none. */
export async function clusterOf(
  { cluster, desired }: Config,
  service: string,
  host: Host,
): Promise<Cluster | undefined> {
  if (cluster === undefined) return undefined;
  const { env, clock, random, sinceBootMs, hostName, uniqueId, namedFiles } = host;
  const options = {
    ...cluster,
    owner: desired.owner,
    service,
    identity: `${hostName}_${uniqueId()}`,
    page: env["ZONEWARDEN_PAGE_URL"] ?? "",
  };
  return joinCluster(options, {
    env,
    random,
    readText: async (file) => new TextDecoder().decode(await namedFiles.read(file, maxFileBytes)),
    clock: {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      sinceBootMs,
      sleep: (ms, signal) => clock.sleep(ms, signal),
      alarm: (ms, ring) => clock.alarm(ms, ring),
    },
  });
}
