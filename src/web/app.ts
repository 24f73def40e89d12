import { Hono } from "hono";
import { etag } from "hono/etag";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { streamSSE } from "hono/streaming";

import type { DaemonStatus } from "../state/daemon-status.ts";
import type { FleetView } from "../state/fleet.ts";
import type { HistoryView } from "../state/history.ts";
import type { EventStream } from "./event-stream.ts";
import { desiredStateCheck, healthAnswer, type HealthCheck } from "./health.ts";
import { fleetJson, historyOfZoneJson, problemsJson, zoneJson, zonesJson } from "./json-view.ts";
import { assets } from "./pages/assets.ts";
import { textOfHtml } from "./pages/html.ts";
import { renderProblemsPage } from "./pages/page-diagnostics.ts";
import { renderFleetPage } from "./pages/page-fleet.ts";
import { renderMissingPage } from "./pages/page-layout.ts";
import { renderZonePage } from "./pages/page-zone.ts";
import { selectionFrom } from "./pages/selection.ts";
import { addReconcile, type ReconcileEndpoint } from "./reconcile-request.ts";
import type { Snapshot } from "./snapshot.ts";

/** What the server shows and whom it asks; it changes nothing. */
export interface AppParts {
  readonly fleet: FleetView;
  readonly history: HistoryView;
  facts(): DaemonStatus;
  readonly metrics: {
    readonly contentType: string;
    render(): AsyncIterable<string>;
  };
  /** Checks beside those of the server itself: watchdog, workers, shutdown. */
  readonly health: {
    readonly live: readonly HealthCheck[];
    readonly ready: readonly HealthCheck[];
  };
  readonly clock: { now(): Date };
  readonly live: EventStream;
  /** `undefined`: nobody can ask for a look. */
  readonly asking: ReconcileEndpoint | undefined;
  /** Is told of a bug that a request ran into. */
  onError(error: unknown): void;
}

/** The routes, without a socket. */
export function createApp(parts: AppParts): Hono {
  const app = new Hono();
  const snapshot = (): Snapshot => ({
    fleet: parts.fleet,
    history: parts.history,
    daemon: parts.facts(),
    now: parts.clock.now(),
    canAsk: parts.asking !== undefined,
  });
  app.use(methodNotAllowed({ app }));
  app.use(secureHeaders(headers));
  addProbes(app, parts);
  addMetrics(app, parts);
  addEvents(app, parts);
  if (parts.asking !== undefined) addReconcile(app, parts.fleet, parts.clock, parts.asking);
  addAssets(app);
  app.use(etag({ weak: true }));
  addJson(app, snapshot);
  addPages(app, snapshot);
  app.notFound((c) =>
    c.req.path.startsWith("/api/")
      ? c.json({ error: "there is nothing here" }, 404)
      : c.html(textOfHtml(renderMissingPage(snapshot(), c.req.path)), 404),
  );
  app.onError((error, c) => {
    parts.onError(error);
    return c.text("internal error; the log says more\n", 500);
  });
  return app;
}

const none = ["'none'"];
const self = ["'self'"];

const headers: Parameters<typeof secureHeaders>[0] = {
  contentSecurityPolicy: {
    defaultSrc: none,
    styleSrc: self,
    scriptSrc: self,
    connectSrc: self,
    imgSrc: self,
    baseUri: none,
    formAction: self,
    frameAncestors: none,
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: none,
  },
  xFrameOptions: "DENY",
  // Plain HTTP behind whatever terminates TLS: that decides on HSTS.
  strictTransportSecurity: false,
};

function addProbes(app: Hono, { fleet, health }: AppParts): void {
  const ready = [desiredStateCheck(fleet), ...health.ready];
  const probes = { "/livez": health.live, "/healthz": health.live, "/readyz": ready };
  for (const [path, checks] of Object.entries(probes)) {
    app.get(path, (c) => {
      const { status, text } = healthAnswer(checks, c.req.query("verbose") !== undefined);
      return c.text(text, status, uncached);
    });
  }
}

const uncached = { "cache-control": "no-store" };

function addMetrics(app: Hono, { metrics }: AppParts): void {
  app.get("/metrics", (c) =>
    c.body(ReadableStream.from(encoded(metrics.render())), 200, {
      "content-type": metrics.contentType,
      ...uncached,
    }),
  );
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}

/** Says that there is something to see; the page looks for itself. */
function addEvents(app: Hono, { live }: AppParts): void {
  app.get("/events", (c) => {
    let tell: ((text: string) => void) | undefined;
    const listening = live.listen({
      changed: () => tell?.("event: changed\ndata:\n\n"),
      beat: () => tell?.(":\n\n"),
    });
    if (listening === undefined) return c.text("too many pages are open\n", 503, uncached);
    return streamSSE(c, async (stream) => {
      const left = Promise.withResolvers<void>();
      stream.onAbort(() => left.resolve());
      using _ = listening;
      let isBusy = false;
      // Who does not read misses words that all say the same.
      tell = (text) => {
        if (isBusy) return;
        isBusy = true;
        void stream.write(text).finally(() => {
          isBusy = false;
        });
      };
      tell("retry: 5000\n\n");
      await left.promise;
    });
  });
}

function addAssets(app: Hono): void {
  for (const { path, type, text } of assets) {
    app.get(path, (c) =>
      c.body(text, 200, {
        "content-type": type,
        "cache-control": "public, max-age=31536000, immutable",
      }),
    );
  }
}

function addJson(app: Hono, snapshot: () => Snapshot): void {
  app.get("/api/v1/fleet", (c) => c.json(fleetJson(snapshot()), 200, revalidated));
  app.get("/api/v1/zones", (c) =>
    c.json(zonesJson(snapshot(), selectionFrom(c.req.query())), 200, revalidated),
  );
  app.get("/api/v1/zones/:name/history", (c) => {
    const name = c.req.param("name");
    return snapshot().fleet.zone(name) === undefined
      ? c.json({ error: "no zone of that name is declared" }, 404)
      : c.json(historyOfZoneJson(snapshot(), name), 200, revalidated);
  });
  app.get("/api/v1/diagnostics", (c) => c.json(problemsJson(snapshot()), 200, revalidated));
  app.get("/api/v1/zones/:name", (c) => {
    const state = snapshot().fleet.zone(c.req.param("name"));
    return state === undefined
      ? c.json({ error: "no zone of that name is declared" }, 404)
      : c.json(zoneJson(state), 200, revalidated);
  });
}

const revalidated = { "cache-control": "no-cache" };

function addPages(app: Hono, snapshot: () => Snapshot): void {
  app.get("/", (c) =>
    c.html(textOfHtml(renderFleetPage(snapshot(), selectionFrom(c.req.query()))), 200, revalidated),
  );
  app.get("/diagnostics", (c) =>
    c.html(textOfHtml(renderProblemsPage(snapshot())), 200, revalidated),
  );
  app.get("/zones/:name", (c) => {
    const now = snapshot();
    const state = now.fleet.zone(c.req.param("name"));
    return state === undefined
      ? c.html(textOfHtml(renderMissingPage(now, c.req.path)), 404)
      : c.html(textOfHtml(renderZonePage(now, state)), 200, revalidated);
  });
}
