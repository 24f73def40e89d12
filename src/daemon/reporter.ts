import type { Observer } from "../api/request/observer.ts";
import type { Loaded } from "../reconcile/fleet/active-revision.ts";
import type { ReconcilerPorts } from "../reconcile/reconciler.ts";
import type { Fleet } from "../state/fleet.ts";
import type { HeldRevision, LoadReport } from "../state/load-report.ts";
import type { Follower } from "../state/subscriber.ts";
import type { DeclaredZone } from "../state/zone-state.ts";
import { logFault, logLoad, logMove, logZone } from "../telemetry/log/log-run.ts";
import type { createLogger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Problem } from "../zone/problem.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import { newsFilter } from "./news-filter.ts";

type Logger = ReturnType<typeof createLogger>;

/** Who hears of what the daemon does. */
export interface Audience {
  readonly fleet: Fleet;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Hear of everything after these three. */
  readonly followers: readonly Follower[];
  /** Directory of the files, as the configuration says it. */
  readonly source: string;
  readonly now: () => Date;
  /** Name of the credential with which a zone is written. */
  readonly credentialOf: (zone: Zone) => string;
  /** What is wrong in the configuration at this moment; it counts as a problem of the files. */
  readonly configProblems: () => readonly Problem[];
}

/** What the reconciler tells, and to whom: every report goes to the fleet, the metrics and the log, in this order. */
export function tellerOf(
  audience: Audience,
): Pick<ReconcilerPorts, "report" | "loaded" | "unlisted" | "bug"> {
  const { fleet, metrics, logger, followers, source, now, credentialOf } = audience;
  const isNews = newsFilter();
  const isNewVersion = newsFilter();
  return {
    report: (report) => {
      const before = fleet.zone(report.zone);
      fleet.recordZone(report);
      metrics.recordZone(report);
      logZone(logger, report, "plan" in report ? credentialOf(report.plan.zone) : "");
      const after = fleet.zone(report.zone);
      if (before === undefined || after === undefined) return;
      logMove(logger, before, after);
      for (const follower of followers) follower.zone({ before, report, after });
    },
    loaded: (loaded) => {
      const { result, state, problems } = loaded;
      const at = now();
      const held = heldIn(loaded);
      const zones = zonesOf(loaded, held);
      const all = [...audience.configProblems(), ...problems];
      const { revision, hash } = loaded.inForce;
      const load: LoadReport = {
        result,
        source,
        revision,
        hash,
        held,
        problems: all,
        zones: zones.length,
        at,
      };
      const gone = fleet.declare(zones, at);
      fleet.recordLoad(load);
      // What is broken stays so for hours: each version of it counts once, not at each look.
      if (isNewVersion([result, state.hash]) || result === "unchanged") metrics.recordLoad(load);
      for (const follower of followers) for (const zone of gone) follower.gone(zone, load);
      if (!isNews([result, state.hash, problems, held?.refusal])) return;
      logLoad(logger, { ...load, problems });
      for (const follower of followers) follower.load(load);
    },
    unlisted: ({ code, message, ray }, retryMs) => {
      logger.error({ code, error: message, ray, retry_ms: retryMs }, "zones cannot be listed");
    },
    bug: (error, zone) => {
      logFault(logger, error, zone);
    },
  };
}

function heldIn({ state, refusal }: Loaded): HeldRevision | undefined {
  if (refusal === undefined) return undefined;
  const { code, message, touched } = refusal;
  const { revision, hash } = state;
  return { revision, hash, refusal: { code, message }, zones: touched.size };
}

/** The zones in force; those that a held revision touches know of it. */
function zonesOf(
  { fleet: { zones, missing }, refusal }: Loaded,
  held: HeldRevision | undefined,
): readonly DeclaredZone[] {
  const seen = [...zones.values()].map(({ desired: { zone, content } }) => ({
    name: zone.name,
    mode: content.mode,
    suspension: content.suspension,
    held: refusal?.touched.has(zone.name) === true ? held?.refusal : undefined,
  }));
  return [...seen, ...[...missing.keys()].map(unseenZone)];
}

function unseenZone(name: ZoneName): DeclaredZone {
  return { name, mode: "enforce", suspension: undefined, held: undefined };
}

/** Counts what is sent to the service. */
export function observerOf(metrics: Metrics): Observer {
  return {
    request: (fact) => metrics.recordRequest(fact),
    retry: ({ code }) => {
      metrics.recordRetry(code);
    },
  };
}
