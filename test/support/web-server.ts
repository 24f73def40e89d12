import type { Fleet } from "../../src/state/fleet.ts";
import { EventStream } from "../../src/web/event-stream.ts";
import { type ServerOptions, startServer, type WebServer } from "../../src/web/server.ts";
import { SimulatedClock } from "./clock.ts";
import { answersOf } from "./fleets.ts";
import { at, daemon } from "./reports.ts";
import { noHistory } from "./scenes.ts";
import { freshMetrics } from "./scrapes.ts";

/** Serves a fleet on any port; `more` is what differs. */
export function serveFleet(fleet: Fleet, more: Partial<ServerOptions> = {}): Promise<WebServer> {
  const metrics = freshMetrics();
  return startServer({
    listen: { host: "127.0.0.1", port: 0 },
    hosts: ["status.example.com"],
    fleet: () => fleet,
    history: noHistory,
    events: new EventStream(new SimulatedClock()),
    reconcile: undefined,
    waves: () => undefined,
    rollout: undefined,
    storedFleet: () => Promise.resolve(undefined),
    seriesOf: () => Promise.resolve(undefined),
    facts: () => daemon(),
    stepsOf: () => undefined,
    answersOf,
    metrics: {
      contentType: metrics.contentType,
      render: () => metrics.render(fleet, daemon()),
    },
    health: { live: [{ name: "loop", failure: () => undefined }], ready: [] },
    clock: { now: () => at(10) },
    onError: (error) => {
      throw error;
    },
    ...more,
  });
}
