import type { Loaded } from "../reconcile/fleet/active-revision.ts";
import type { ReconcilerPorts } from "../reconcile/reconciler.ts";
import type { Fleet, Subscriber } from "../state/fleet.ts";
import { isError, isLoaded, type HeldRevision, type LoadReport } from "../state/load-report.ts";
import type { DeclaredZone } from "../state/zone-state.ts";
import {
  logInternalError,
  logLoad,
  logRulesetVersion,
  logDiagnostics,
  logZone,
} from "../telemetry/log/log-reports.ts";
import type { createLogger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import type { RequestObserver } from "../zone/service-request.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import { changedOnly } from "./news-filter.ts";

type Logger = ReturnType<typeof createLogger>;

/** Who hears of what the daemon does. */
export interface Reporter {
  readonly fleet: Fleet;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Hear of everything after these three. */
  readonly subscribers: readonly Subscriber[];
  /** Directory of the files, as the configuration says it. */
  readonly source: string;
  readonly now: () => Date;
  /** Name of the credential with which a zone is written. */
  readonly credentialOf: (zone: Zone) => string;
  /** What is wrong in the configuration at this moment; it counts as a problem of the files. */
  readonly configProblems: () => readonly Diagnostic[];
}

/** What the reconciler tells, and to whom: every report goes to the fleet, the metrics and the log, in this order. */
export function reporterOf(
  audience: Reporter,
): Pick<ReconcilerPorts, "report" | "loaded" | "unlisted" | "bug"> {
  const { fleet, metrics, logger, subscribers, source, now, credentialOf } = audience;
  const isNews = changedOnly();
  const isNewVersion = changedOnly();
  return {
    report: (report) => {
      const before = fleet.zone(report.zone);
      fleet.recordZone(report);
      metrics.recordZone(report);
      logZone(logger, report, "plan" in report ? credentialOf(report.plan.zone) : "");
      const after = fleet.zone(report.zone);
      if (before === undefined || after === undefined) return;
      logRulesetVersion(logger, before, after);
      for (const subscriber of subscribers) subscriber.zone({ before, report, after });
    },
    loaded: (loaded) => {
      const { state, diagnostics } = loaded;
      const at = now();
      const held = heldIn(loaded);
      const zones = zonesOf(loaded, held);
      const all = [...audience.configProblems(), ...diagnostics];
      // A configuration with errors keeps its last good version, as any other file.
      const result = isLoaded(loaded) && all.some(isError) ? "partial" : loaded.result;
      const { revision, hash } = loaded.active;
      const load: LoadReport = {
        result,
        source,
        revision,
        hash,
        held,
        diagnostics: all,
        zones: zones.length,
        at,
      };
      const gone = fleet.declare(zones, at);
      fleet.recordLoad(load);
      // Errors stay for hours: each revision with errors counts once, not at each poll.
      if (isNewVersion([result, state.hash]) || result === "unchanged") metrics.recordLoad(load);
      for (const subscriber of subscribers) for (const zone of gone) subscriber.gone(zone, load);
      if (!isNews([result, state.hash, all, held?.hold])) return;
      if (result !== "unchanged") logDiagnostics(logger, diagnostics);
      logLoad(logger, load);
      for (const subscriber of subscribers) subscriber.load(load);
    },
    unlisted: ({ code, message, ray }, retryMs) => {
      logger.error({ code, error: message, ray, retry_ms: retryMs }, "zones cannot be listed");
    },
    bug: (error, zone) => {
      logInternalError(logger, error, zone);
    },
  };
}

function heldIn({ state, hold }: Loaded): HeldRevision | undefined {
  if (hold === undefined) return undefined;
  const { reason, message, touched } = hold;
  const { revision, hash } = state;
  return { revision, hash, hold: { reason, message }, zones: touched.size };
}

/** The zones in force; those that a held revision touches know of it. */
function zonesOf(
  { fleet: { zones, missing }, hold }: Loaded,
  held: HeldRevision | undefined,
): readonly DeclaredZone[] {
  const seen = [...zones.values()].map(({ desired: { zone, content } }) => ({
    name: zone.name,
    mode: content.mode,
    suspension: content.suspension,
    hold: hold?.touched.has(zone.name) === true ? held?.hold : undefined,
  }));
  return [...seen, ...[...missing.keys()].map(unseenZone)];
}

function unseenZone(name: ZoneName): DeclaredZone {
  return { name, mode: "enforce", suspension: undefined, hold: undefined };
}

/** Counts what is sent to the service. */
export function observerOf(metrics: Metrics): RequestObserver {
  return {
    request: (fact) => metrics.recordRequest(fact),
    retry: ({ code }) => {
      metrics.recordRetry(code);
    },
  };
}
