import type { HistoryView } from "../../src/history/history.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { ZoneSeries } from "../../src/measure/measured-series.ts";
import type { Fleet } from "../../src/state/fleet.ts";
import type { ZoneStepsStatus } from "../../src/state/steps-status.ts";
import { EventStream } from "../../src/web/event-stream.ts";
import type { ReconcileEndpoint } from "../../src/web/reconcile-request.ts";
import type { WebServer } from "../../src/web/server.ts";
import { shop } from "../support/fleets.ts";
import { at, daemon } from "../support/reports.ts";
import { freshMetrics } from "../support/scrapes.ts";
import { serveFleet } from "../support/web-server.ts";

/** What is to be served. */
export interface Served {
  readonly fleet: Fleet;
  readonly history: HistoryView;
  readonly now: Date;
  /** Counts of the shop, which the other zones have not. */
  readonly series?: ZoneSeries;
  /** Where objects of the shop stand on their steps. */
  readonly steps?: ZoneStepsStatus;
}

/** Serves a fleet as the daemon would. */
export async function servePages(
  { fleet, history, now, series, steps }: Served,
  events: EventStream = new EventStream(systemClock),
  reconcile?: ReconcileEndpoint,
): Promise<WebServer> {
  const metrics = freshMetrics();
  const facts = daemon({
    schedule: {
      expressions: ["*/15 * * * *"],
      timezone: "Etc/UTC",
      nextAt: new Date(Number(now) + 5 * 60_000),
      longestGapMs: 900_000,
      sweepMs: 40_000,
    },
    startedAt: at(0),
    measurements: series && { state: "lagging", reason: "the service answered 429" },
  });
  return serveFleet(fleet, {
    history,
    stepsOf: (zone) => (zone === shop ? steps : undefined),
    events,
    reconcile,
    seriesOf: (zone) => Promise.resolve(zone === series?.zone ? series : undefined),
    facts: () => facts,
    metrics: { contentType: metrics.contentType, render: () => metrics.render(fleet, facts) },
    clock: { now: () => now },
  });
}
