import { Election } from "../../cluster/election.ts";
import type { LeaseClock } from "../../cluster/held-lease.ts";
import { NoClusterAccess } from "../../cluster/kube-access.ts";
import { isInPod, joinKubernetes, type Kubernetes } from "../../cluster/kubernetes.ts";
import type { LeaseStore } from "../../cluster/lease.ts";
import type { SharedStore } from "../../daemon/wiring.ts";
import type { Config } from "../../desired/config/config.ts";
import { databaseOf } from "../../host/configured-database.ts";
import type { Host } from "../../host/host.ts";
import type { Database } from "../../memory/database.ts";
import { identityOf } from "../../memory/state-store.ts";

/** A file of a kubeconfig, or a token or certificate. */
const maxFileBytes = 1024 * 1024;

/** How long a Lease in the database lasts without a renewal. */
const rowDurationMs = 15_000;

/**
 * The cluster of the configuration, or that of the pod in which the process runs; `undefined`: neither.
 *
 * @throws if the configuration names a cluster to which there is no access.
 */
export async function kubernetesOf(
  { cluster }: Config,
  host: Host,
): Promise<Kubernetes | undefined> {
  const { env, clock, namedFiles } = host;
  if (cluster === undefined && !isInPod(env)) return undefined;
  try {
    return await joinKubernetes(cluster?.kubeconfig, {
      env,
      clock,
      readText: async (file) => new TextDecoder().decode(await namedFiles.read(file, maxFileBytes)),
    });
  } catch (error) {
    // A pod without a token of its account wants no Events.
    if (cluster === undefined && error instanceof NoClusterAccess) return undefined;
    throw error;
  }
}

/**
 * The database of a configuration, and the election among its processes: by a Lease of Kubernetes, or by a row of the
 * database. `undefined`: the configuration names no database.
 */
export function sharedStoreOf(
  config: Config,
  kubernetes: Kubernetes | undefined,
  host: Host,
): (SharedStore & { readonly database: Database } & AsyncDisposable) | undefined {
  const database = databaseOf(config, host);
  if (database === undefined) return undefined;
  const { cluster } = config;
  const { env, random, hostName, uniqueId } = host;
  const leases = leasesOf(config, kubernetes, database);
  const options = {
    ...identityOf(config),
    lease: cluster?.lease ?? database.place,
    leaseDurationMs: leaseDurationOf(config),
    identity: `${hostName}_${uniqueId()}`,
    page: env["ZONEWARDEN_PAGE_URL"] ?? "",
  };
  const election = new Election(options, { leases, clock: leaseClock(host), random });
  return { database, election, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** Where the Lease of a configuration is. */
export function leasesOf(
  { cluster }: Config,
  kubernetes: Kubernetes | undefined,
  database: Database,
): LeaseStore {
  return cluster === undefined || kubernetes === undefined
    ? database.leases
    : kubernetes.lease(cluster.lease);
}

/** How long the Lease of a configuration lasts without a renewal. */
export function leaseDurationOf({ cluster }: Config): number {
  return cluster?.leaseDurationMs ?? rowDurationMs;
}

function leaseClock({ clock, sinceBootMs }: Host): LeaseClock {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    sinceBootMs,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    alarm: (ms, ring) => clock.alarm(ms, ring),
  };
}
