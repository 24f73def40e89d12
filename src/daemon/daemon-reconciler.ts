import type { Config } from "../desired/config/config.ts";
import { DesiredFiles } from "../desired/load/zone-file-loader.ts";
import { selectZones } from "../desired/zones/select.ts";
import type { Host } from "../host/host.ts";
import type { Loaded } from "../reconcile/fleet/active-revision.ts";
import type { ReconcilerOptions } from "../reconcile/reconciler.ts";
import { Reconciler } from "../reconcile/reconciler.ts";
import { windowsOf } from "../reconcile/schedule/windows.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import type { Zone } from "../zone/zone.ts";
import type { DaemonParts } from "./daemon-parts.ts";
import { reporterOf } from "./reporter.ts";

/** What the reconciler asks of the rest of the daemon. */
export interface ReconcilerContext {
  readonly nextSweep: () => Date | undefined;
  /** What is wrong in the configuration now. */
  readonly configProblems: () => readonly Diagnostic[];
  /** The files were read, or the zones listed. */
  readonly loaded: (loaded: Loaded) => void;
}

/** How a reconciler goes by a configuration. */
export function optionsOf({
  mode,
  desired,
  limits,
  impact,
  windows,
  schedule,
  api,
}: Config): ReconcilerOptions {
  return {
    mode,
    owner: desired.owner,
    limits,
    impact,
    contention: { rounds: limits.contendedRounds, windowMs: limits.contendedWindowMs },
    fleetLimits: limits,
    onChange: schedule.onChange,
    windows: windowsOf(windows),
    concurrency: api.concurrency,
  };
}

/** Connects the reconciler with files, service and everyone who hears of what it does. */
export function createReconciler(
  parts: DaemonParts,
  host: Host,
  { nextSweep, configProblems, loaded }: ReconcilerContext,
): Reconciler {
  const { config, service, metrics, logger, fleet, subscribers } = parts;
  const { clock, random, uniqueId, files } = host;
  const { path } = config.desired;
  const desired = new DesiredFiles({ path, files, clock });
  const teller = reporterOf({
    fleet,
    metrics,
    logger,
    subscribers,
    source: path,
    now: () => clock.now(),
    credentialOf: (zone) => service.credentialOf(zone),
    configProblems,
  });
  const verify = verifier(parts);
  return new Reconciler(optionsOf(config), {
    ...teller,
    desired: { load: (signal) => desired.load(signal), select: selectZones },
    credentials: {
      names: service.credentials.map(({ name }) => name),
      of: (zone) => service.credentialOf(zone),
    },
    listZones: async (signal) => {
      const listing = await service.reader.listZones(signal);
      void verify(listing.zones, signal);
      return listing;
    },
    reader: service.reader,
    writer: service.writer,
    clock,
    random,
    runId: uniqueId,
    nextSweep,
    overlapped: () => {
      metrics.recordMissedRun("overlap");
      logger.info("a sweep is due while the one before is under way: it begins after that one");
    },
    loaded: (all) => {
      teller.loaded(all);
      loaded(all);
    },
  });
}

/** Asks the service about the end of the tokens, now and then. What comes of it stands with the credentials. */
function verifier({
  service,
  logger,
}: DaemonParts): (zones: readonly Zone[], signal: AbortSignal) => Promise<void> {
  let isUnderWay = false;
  return async (zones, signal) => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await service.reader.verifyTokens(zones, signal);
    } catch (error) {
      if (!signal.aborted) logger.debug({ err: error }, "tokens cannot be verified now");
    } finally {
      isUnderWay = false;
    }
  };
}
