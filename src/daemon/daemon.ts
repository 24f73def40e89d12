import type { Shard } from "../cluster/shard.ts";
import { watchZoneFiles } from "../desired/load/watch-zone-files.ts";
import { every } from "../host/clock.ts";
import type { Host } from "../host/host.ts";
import type { Shutdown } from "../host/shutdown.ts";
import type { Notification } from "../notify/notification.ts";
import type { SweepTrigger } from "../reconcile/queue/events.ts";
import { sideBySide, type StopSignals } from "../reconcile/signals.ts";
import { JoinedFleet } from "../state/joined-fleet.ts";
import type { StateStore } from "../store/state-store.ts";
import { EventStream } from "../web/event-stream.ts";
import { startEvents } from "./cluster-events.ts";
import { configReloader, RunningConfig } from "./config-reload.ts";
import { CurrentTerms } from "./current-term.ts";
import { startEndpoints } from "./endpoints.ts";
import { logElection, workWhileLeading } from "./leadership.ts";
import { startNotifier } from "./notifications.ts";
import { startHistory } from "./run-history.ts";
import { SharedSources } from "./shared-sources.ts";
import { StoredRevision } from "./stored-revision.ts";
import { openState } from "./stored-state.ts";
import { SweepSchedule } from "./sweep-schedule.ts";
import { beginTerm, type DaemonParts, type TermContext } from "./wiring.ts";

/** Files and tokens are also polled: file watchers miss changes on network file systems and swapped links. */
const pollMs = 30_000;

/** What a daemon has beside its loop. A port: a simulation has no server, no file watchers and no threads. */
export interface DaemonEdges extends Pick<TermContext, "storedRevision"> {
  readonly endpoints: typeof startEndpoints;
  readonly triggers: typeof startTriggers;
}

const realEdges: DaemonEdges = {
  endpoints: startEndpoints,
  triggers: startTriggers,
  storedRevision: (...args) => new StoredRevision(...args),
};

/**
 * Reconciles the declared zones until a signal stops it; in a cluster, whenever it holds the Lease. Rejects if the server
 * cannot listen.
 */
export async function runDaemon(
  parts: DaemonParts,
  host: Host,
  shutdown: Shutdown,
  { endpoints, triggers, storedRevision }: DaemonEdges = realEdges,
): Promise<void> {
  const { config, configFile, service, metrics, logger, cluster } = parts;
  const { stop } = shutdown.signals;
  stop.addEventListener("abort", () =>
    logger.info({ signal: shutdown.receivedSignal }, "stopping"),
  );

  // Another process with the same directory ends this one before it listens.
  const store = cluster === undefined ? await openState(config, host, logger) : undefined;
  const terms = new CurrentTerms();
  const fleet = new JoinedFleet(() => terms.all.map((term) => term.fleet));
  const runningConfig = new RunningConfig(config);
  await using notifier = startNotifier(config.notifications, metrics, logger, host);
  const notify = (notification: Notification): void => notifier.notify(notification);
  await using history = await startHistory(
    config.history,
    logger,
    host,
    (zone) => fleet.zone(zone),
    notify,
  );
  using pages = new EventStream(host.clock);
  using schedule = new SweepSchedule(config.schedule, {
    due: () => requestSweep(terms, "schedule"),
    missed: () => {
      if (terms.all.length > 0) metrics.recordMissedRun("paused");
    },
    budgets: () => service.credentials.map(({ state }) => state),
    logger,
  });
  await using events = startEvents(cluster, logger, host);
  const subscribers = [pages, notifier, ...events.subscribers];
  const sources = new SharedSources(parts, host, stop);
  const own = { parts, host, runningConfig, schedule, history, events, subscribers, notify };
  const context = { ...own, storedRevision, sources, terms };
  await using alone = store === undefined ? undefined : beginTerm(context, store, undefined);
  if (alone !== undefined) terms.add(alone);

  const shown = { terms, fleet, runningConfig, schedule, history: history.view, pages, shutdown };
  await using _endpoints = await endpoints(parts, shown, host);
  const reload = configReloader(configFile, { terms, runningConfig, schedule, logger }, host, stop);
  await using _triggers = await triggers(parts, host, terms, reload);
  if (alone !== undefined) await alone.run(shutdown.signals);
  await workInCluster(context, reload, () => pages.load(), shutdown.signals);
  logger.info({ reason: stop.aborted ? "signal" : "end" }, "zonewarden stopped");
}

/**
 * Begins a term whenever this process holds the Lease of a shard; ends at once where there is no cluster.
 *
 * @param changed is called when a term begins or ends: open pages show who leads now.
 */
async function workInCluster(
  context: TermContext,
  reload: () => Promise<void>,
  changed: () => void,
  signals: StopSignals,
): Promise<void> {
  const { cluster, logger } = context.parts;
  if (cluster === undefined) return;
  const observer = logElection(logger, cluster.lease);
  await using _part = cluster.takePart(observer, signals.stop);
  const works = cluster.shards.map(
    (shard) => (joined: StopSignals) => workOn(shard, context, reload, changed, joined),
  );
  await sideBySide(works, signals);
}

async function workOn(
  shard: Shard,
  context: TermContext,
  reload: () => Promise<void>,
  changed: () => void,
  signals: StopSignals,
): Promise<void> {
  const { parts, host, events, terms } = context;
  const { credential } = shard;
  const work = async (store: StateStore, { stop, abort }: StopSignals): Promise<void> => {
    // While this process waited, the configuration may have changed to one that writes less.
    await reload();
    await using term = beginTerm(context, store, credential);
    if (stop.aborted) return;
    terms.add(term);
    changed();
    await term.run({ stop, abort });
  };
  const lost = (): void => {
    terms.remove(credential);
    changed();
  };
  const { clock } = host;
  const ports = { shard, logger: parts.logger, clock, events: events.recorder, work, lost };
  await workWhileLeading(ports, signals);
}

function requestSweep(terms: CurrentTerms, trigger: SweepTrigger): void {
  for (const { reconciler } of terms.all) reconciler.requestSweep(trigger);
}

/** Wakes the reconciler and reloads the configuration after file changes, on SIGHUP and at each poll. */
async function startTriggers(
  { config, configFile, service }: DaemonParts,
  host: Host,
  terms: CurrentTerms,
  reload: () => Promise<void>,
): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const { onChange, debounceMs } = config.schedule;
  const filesChanged = (): void => {
    for (const { reconciler } of terms.all) reconciler.filesChanged();
  };
  if (onChange) {
    const options = { debounceMs, clock: host.clock, files: host.files };
    started.use(await watchZoneFiles(config.desired.path, filesChanged, options));
    started.use(await watchZoneFiles(configFile, () => void reload(), options));
  }
  started.use(
    host.onSignal("SIGHUP", () => {
      void reload();
      requestSweep(terms, "signal");
    }),
  );
  const poll = async (): Promise<void> => {
    filesChanged();
    await reload();
    // What failed with a token that the service refused may succeed with a new one.
    const replaced = await Promise.all(service.credentials.map((each) => each.isReplaced()));
    if (replaced.includes(true)) requestSweep(terms, "retry");
  };
  started.use(every(pollMs, () => void poll(), host.clock));
  // What changed since the start, before the file was watched, may be the order to write nothing.
  await reload();
  return started.move();
}
