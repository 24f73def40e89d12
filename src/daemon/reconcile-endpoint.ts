import type { Host } from "../host/host.ts";
import { readSecret } from "../host/secrets.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import type { ReconcileEndpoint } from "../web/reconcile-request.ts";
import type { DaemonParts } from "./daemon-parts.ts";

/** How people ask for a look now; `undefined` where no token for it is configured. */
export function reconcileEndpointOf(
  { config, logger }: DaemonParts,
  reconciler: Reconciler,
  host: Host,
): ReconcileEndpoint | undefined {
  const source = config.server.reconcileToken;
  if (source === undefined) return undefined;
  return {
    token: () => readSecret(source, host),
    wake: (zone) => {
      if (zone === "") reconciler.requestSweep("manual");
      else reconciler.requestZone(zone, "manual");
    },
    audit: ({ result, zone, from }) => {
      const facts = { audit: true, result, from, ...(zone === "" ? {} : { zone }) };
      logger[result === "accepted" ? "info" : "warn"](facts, "look asked for");
    },
  };
}
