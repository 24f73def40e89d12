import type { HistoryView } from "../../src/history/history.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Fleet } from "../../src/state/fleet.ts";
import { EventStream } from "../../src/web/event-stream.ts";
import type { ReconcileEndpoint } from "../../src/web/reconcile-request.ts";
import { startServer, type WebServer } from "../../src/web/server.ts";
import { answersOf } from "../support/fleets.ts";
import { at, daemon } from "../support/reports.ts";
import { freshMetrics } from "../support/scrapes.ts";

/** What is to be served. */
export interface Served {
  readonly fleet: Fleet;
  readonly history: HistoryView;
  readonly now: Date;
}

/** Serves a fleet as the daemon would. */
export async function servePages(
  { fleet, history, now }: Served,
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
  });
  return startServer({
    listen: { host: "127.0.0.1", port: 0 },
    hosts: [],
    fleet,
    history,
    events,
    reconcile,
    facts: () => facts,
    answersOf,
    metrics: { contentType: metrics.contentType, render: () => metrics.render(fleet, facts) },
    health: { live: [], ready: [] },
    clock: { now: () => now },
    onError: (error) => {
      throw error;
    },
  });
}
