import { type Context, Hono } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { streamSSE } from "hono/streaming";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { HistoryView } from "../history/history.ts";
import type { StoredFleet } from "../history/stored-fleet.ts";
import { isCountable, unread, withEffects } from "../measure/measured-effects.ts";
import type { ZoneSeries } from "../measure/measured-series.ts";
import type { LinkAnswer } from "../plan/guard/may-write.ts";
import { type Html, textOfHtml } from "../render/html.ts";
import { answersJson } from "../render/write-answers.ts";
import type { DaemonStatus } from "../state/daemon-status.ts";
import type { Fleet } from "../state/fleet.ts";
import type { WaveStatus } from "../state/load-report.ts";
import type { ZoneStepsStatus } from "../state/steps-status.ts";
import type { ZoneState } from "../state/zone-state.ts";
import { momentIn } from "../syntax/duration.ts";
import { errorText } from "../syntax/error-code.ts";
import type { JsonObject } from "../syntax/json.ts";
import { isAllowedHost } from "../syntax/request-origin.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { EventStream } from "./event-stream.ts";
import { desiredStateCheck, healthAnswer, type HealthCheck } from "./health.ts";
import {
  diagnosticsJson,
  fleetJson,
  historyOfZoneJson,
  measurementsJson,
  rolloutOfJson,
  storedFleetJson,
  storedZonesJson,
  zoneJson,
  zonesJson,
} from "./json-view.ts";
import { assets } from "./pages/assets.ts";
import { renderDiagnosticsPage } from "./pages/page-diagnostics.ts";
import { renderFleetPage } from "./pages/page-fleet.ts";
import { renderNotFoundPage } from "./pages/page-layout.ts";
import { renderStoredPage } from "./pages/page-stored.ts";
import { renderZonePage } from "./pages/page-zone.ts";
import { selectionFrom } from "./pages/selection.ts";
import { addReconcile, type ReconcileEndpoint } from "./reconcile-request.ts";
import { addRolloutCommands, type RolloutEndpoint } from "./rollout-request.ts";
import { type Snapshot, writeAnswerOf } from "./snapshot.ts";
import { gateAnswers } from "./token-gate.ts";

/** What the server serves; it changes nothing. */
export interface AppParts {
  /** The zones of this moment. */
  readonly fleet: () => Fleet;
  readonly history: HistoryView;
  /** What the store says of the zones; `undefined` if this process works, or has no store that it shares. */
  readonly storedFleet: () => Promise<StoredFleet | undefined>;
  /** The counts of a zone since a moment; `undefined`: nothing is measured. Rejects if the store cannot be read. */
  readonly seriesOf: (zone: ZoneName, since: Date) => Promise<ZoneSeries | undefined>;
  facts(): DaemonStatus;
  /** Where the policies and rules of a zone stand; `undefined`: none has steps. */
  stepsOf(zone: ZoneName): ZoneStepsStatus | undefined;
  /** Whether a zone may be written now: what each link of the chain says. */
  answersOf(state: ZoneState): readonly LinkAnswer[];
  readonly metrics: {
    readonly contentType: string;
    render(): AsyncIterable<string>;
  };
  /** Checks in addition to the server's own: watchdog, workers, shutdown. */
  readonly health: {
    readonly live: readonly HealthCheck[];
    readonly ready: readonly HealthCheck[];
  };
  readonly clock: { now(): Date };
  /** Names under which the server answers, besides loopback names and IP addresses. */
  readonly hosts: readonly string[];
  readonly events: EventStream;
  /** `undefined`: reconciles cannot be requested. */
  readonly reconcile: ReconcileEndpoint | undefined;
  /** Where each zone of a rollout is; `undefined`: none is under way. */
  waves(): readonly WaveStatus[] | undefined;
  /** `undefined`: nobody can halt a rollout. */
  readonly rollout: RolloutEndpoint | undefined;
  /** Called with the internal error of a request. */
  onError(error: unknown): void;
}

/** The routes, without a socket. */
export function createApp(parts: AppParts): Hono {
  const app = new Hono();
  const snapshot = (): Snapshot => ({
    fleet: parts.fleet(),
    history: parts.history,
    daemon: parts.facts(),
    now: parts.clock.now(),
    canReconcile: parts.reconcile !== undefined,
    stepsOf: (zone) => parts.stepsOf(zone),
    answersOf: (state) => parts.answersOf(state),
  });
  app.use(secureHeaders(headers));
  app.use(async (c, next) => {
    await next();
    // Commands know by it that no other program has the port.
    c.header("server", "zonewarden");
  });
  // Not the stream of events, which it leaves alone: each event must arrive at once.
  app.use(compress());
  app.use((c, next) =>
    isAllowedHost(c.req.header("host") ?? "", parts.hosts)
      ? next()
      : Promise.resolve(c.text(unknownHost, 421, uncached)),
  );
  app.use(methodNotAllowed({ app }));
  addProbes(app, parts);
  addMetrics(app, parts);
  addEvents(app, parts);
  if (parts.reconcile !== undefined) addReconcile(app, parts, parts.reconcile);
  if (parts.rollout !== undefined) addRolloutCommands(app, parts, parts.rollout);
  addAssets(app);
  app.use(etag({ weak: true }));
  addJson(app, snapshot, parts);
  addMeasurements(app, snapshot, parts);
  addPages(app, snapshot, parts);
  app.notFound((c) =>
    c.req.path.startsWith("/api/")
      ? c.json({ error: "not found" }, 404)
      : c.html(textOfHtml(renderNotFoundPage(snapshot(), c.req.path)), 404),
  );
  app.onError((error, c) => {
    parts.onError(error);
    return c.text("internal error: see the log\n", 500);
  });
  return app;
}

const unknownHost =
  "the server does not know the host name of this request: add the name to server.hosts in zonewarden.yaml, or use an IP address\n";

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
  // Plain HTTP: the proxy that terminates TLS decides on HSTS.
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

/** Tells pages that something changed; they reload themselves. */
function addEvents(app: Hono, { events }: AppParts): void {
  app.get("/events", (c) => {
    let send: ((text: string) => void) | undefined;
    const listener = events.listen((text) => send?.(text));
    if (listener === undefined) return c.text("too many open pages\n", 503, uncached);
    return streamSSE(c, async (stream) => {
      const aborted = Promise.withResolvers<void>();
      stream.onAbort(() => aborted.resolve());
      using _ = listener;
      let isBusy = false;
      // A slow reader misses events; they all say the same.
      send = (text) => {
        if (isBusy) return;
        isBusy = true;
        void stream.write(text).finally(() => {
          isBusy = false;
        });
      };
      send("retry: 5000\n\n");
      await aborted.promise;
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

function addJson(
  app: Hono,
  snapshot: () => Snapshot,
  { storedFleet, seriesOf, waves }: Pick<AppParts, "storedFleet" | "seriesOf" | "waves">,
): void {
  app.get("/api/v1/fleet", async (c) => {
    const stored = await storedFleet();
    const body = stored === undefined ? fleetJson(snapshot()) : storedFleetJson(stored, snapshot());
    return c.json(body, 200, revalidated);
  });
  app.get("/api/v1/zones", async (c) => {
    const [stored, selection] = [await storedFleet(), selectionFrom(c.req.query())];
    if (stored === undefined) return c.json(zonesJson(snapshot(), selection), 200, revalidated);
    const { readAt, zones } = stored;
    if (typeof zones === "string") return c.json({ error: zones }, 503, uncached);
    return c.json(storedZonesJson(readAt, zones, selection), 200, revalidated);
  });
  app.get("/api/v1/rollout", (c) => {
    const at = snapshot();
    return at.daemon.workingSince !== undefined
      ? c.json(rolloutOfJson(at, waves()), 200, revalidated)
      : errorJson(c, gateAnswers.standby);
  });
  app.get("/api/v1/diagnostics", (c) => c.json(diagnosticsJson(snapshot()), 200, revalidated));
  const ofZone = (
    path: "" | "/history" | "/write",
    answerOf: (state: ZoneState) => JsonObject | Promise<JsonObject>,
  ): void => {
    app.get(`/api/v1/zones/:name${path}`, async (c) => {
      const state = snapshot().fleet.zone(c.req.param("name"));
      return state === undefined
        ? errorJson(c, unknownZone(snapshot()))
        : c.json(await answerOf(state), 200, revalidated);
    });
  };
  ofZone("", async (state) => {
    if (!state.differing.some(isCountable)) return zoneJson(state, snapshot());
    const series = await readOrWhy(seriesOf, state, shownSince(snapshot().now));
    return zoneJson(measuredState(state, series), snapshot());
  });
  ofZone("/history", ({ declared }) => historyOfZoneJson(snapshot(), declared.name));
  ofZone("/write", (state) => answersJson(writeAnswerOf(state, snapshot())));
}

interface ErrorAnswer {
  readonly status: ContentfulStatusCode;
  readonly text: string;
}

/** The answer for a zone that the process does not know. */
function unknownZone({ daemon }: Snapshot): ErrorAnswer {
  if (daemon.workingSince === undefined) return gateAnswers.standby;
  return { status: 404, text: "the zone is not declared" };
}

function errorJson(c: Context, { status, text }: ErrorAnswer): Response {
  return c.json({ error: text }, status, uncached);
}

/** Since when the counts of a zone are shown, unless another time is asked for: seven days. */
function shownSince(now: Date): Date {
  return new Date(now.getTime() - 7 * 86_400_000);
}

function addMeasurements(
  app: Hono,
  snapshot: () => Snapshot,
  { seriesOf }: Pick<AppParts, "seriesOf">,
): void {
  app.get("/api/v1/zones/:name/measurements", async (c) => {
    const at = snapshot();
    const { fleet, daemon, now } = at;
    const state = fleet.zone(c.req.param("name"));
    const asked = c.req.query("since");
    const since = asked === undefined ? shownSince(now) : momentIn(asked, now);
    if (state === undefined) return errorJson(c, unknownZone(at));
    if (since === undefined || since > now) {
      return c.json({ error: "since takes a moment (2026-03-01) or a time (24h, 7d)" }, 400);
    }
    const series = await readOrWhy(seriesOf, state, since);
    if (typeof series === "string") return c.json({ error: series }, 503, uncached);
    if (series === undefined || daemon.measurements === undefined) {
      return c.json({ error: "nothing is measured: the configuration sets no measurements" }, 404);
    }
    return c.json(measurementsJson(series, daemon.measurements), 200, revalidated);
  });
}

/** The counts of a zone; `undefined`: nothing is measured; a text says why they cannot be read. */
async function readOrWhy(
  seriesOf: AppParts["seriesOf"],
  { declared }: ZoneState,
  since: Date,
): Promise<ZoneSeries | string | undefined> {
  try {
    return await seriesOf(declared.name, since);
  } catch (error) {
    return errorText(error);
  }
}

/** The state of a zone with what was counted of the effects of its changes. */
function measuredState(state: ZoneState, series: ZoneSeries | string | undefined): ZoneState {
  if (series === undefined) return state;
  const counts = typeof series === "string" ? unread(series) : series;
  return { ...state, differing: withEffects(state.differing, counts) };
}

const revalidated = { "cache-control": "no-cache" };

function addPages(
  app: Hono,
  snapshot: () => Snapshot,
  { storedFleet, seriesOf }: Pick<AppParts, "storedFleet" | "seriesOf">,
): void {
  app.get("/", async (c) => {
    const [stored, selection] = [await storedFleet(), selectionFrom(c.req.query())];
    const content =
      stored === undefined
        ? renderFleetPage(snapshot(), selection)
        : renderStoredPage(stored, snapshot(), selection);
    return page(c, content);
  });
  app.get("/diagnostics", (c) => page(c, renderDiagnosticsPage(snapshot())));
  app.get("/zones/:name", async (c) => {
    const at = snapshot();
    const state = at.fleet.zone(c.req.param("name"));
    if (state === undefined) {
      return c.html(textOfHtml(renderNotFoundPage(at, c.req.path)), unknownZone(at).status);
    }
    const series = await readOrWhy(seriesOf, state, shownSince(at.now));
    return page(c, renderZonePage(at, measuredState(state, series), series));
  });
}

function page(c: Context, content: Html): Response | Promise<Response> {
  return c.html(textOfHtml(content), 200, revalidated);
}
