import type { Config } from "../desired/config/config.ts";
import { watchZoneFiles } from "../desired/load/watch-zone-files.ts";
import { UnstoredLines } from "../history/file/unstored-lines.ts";
import type { Host } from "../host/host.ts";
import type { Shutdown } from "../host/shutdown.ts";
import type { TermStore } from "../memory/database-store.ts";
import { DirectoryLocked } from "../memory/directory/state-lock.ts";
import { memoryOnly, type KeptStore } from "../memory/kept-store.ts";
import { openDirectory } from "../memory/open-store.ts";
import { identityOf } from "../memory/state-store.ts";
import { StoredRevision } from "../memory/stored-revision.ts";
import { eventSubscriber } from "../notify/event-subscriber.ts";
import type { Notification } from "../notify/notification.ts";
import type { SweepTrigger } from "../reconcile/queue/events.ts";
import { EventStream } from "../web/event-stream.ts";
import { every, isAborted, type StopSignals } from "../zone/signals.ts";
import { configReloader, RunningConfig } from "./config-reload.ts";
import { CurrentTerm, type Term } from "./current-term.ts";
import { startEndpoints } from "./endpoints.ts";
import { type TermWork, untilDone, workWhileLeading } from "./leadership.ts";
import { startNotifier } from "./notifications.ts";
import { startHistory, triesAgain } from "./run-history.ts";
import { sweepsOf, SweepSchedule } from "./sweep-schedule.ts";
import {
  beginTerm,
  type DaemonParts,
  type SharedStore,
  storeLoss,
  type TermContext,
  type TermMemory,
} from "./wiring.ts";

/** Files and tokens are also polled: file watchers miss changes on network file systems and swapped links. */
const pollMs = 30_000;

/** What a daemon has beside its loop. A port: a simulation has no server, no file watchers and no threads. */
export interface DaemonEdges extends Pick<TermContext, "storedRevision"> {
  readonly endpoints: typeof startEndpoints;
  readonly triggers: typeof startTriggers;
  readonly reloader: typeof configReloader;
}

const realEdges: DaemonEdges = {
  endpoints: startEndpoints,
  triggers: startTriggers,
  reloader: configReloader,
  storedRevision: (...args) => new StoredRevision(...args),
};

/**
 * Reconciles the declared zones until a signal stops it; in a cluster, whenever it holds the Lease. Rejects if the server
 * cannot listen.
 *
 * @returns `false`: lines of the history could not be stored, and are lost.
 */
export async function runDaemon(
  parts: DaemonParts,
  host: Host,
  shutdown: Shutdown,
  edges: DaemonEdges = realEdges,
): Promise<boolean> {
  const unstored = new UnstoredLines();
  await runUntilStopped(parts, host, shutdown, edges, unstored);
  parts.logger.info("zonewarden stopped");
  return unstored.all.length === 0;
}

async function runUntilStopped(
  parts: DaemonParts,
  host: Host,
  shutdown: Shutdown,
  { endpoints, triggers, reloader, storedRevision }: DaemonEdges,
  unstored: UnstoredLines,
): Promise<void> {
  const { config, configFile, service, metrics, logger, shared, events } = parts;
  const { stop } = shutdown.signals;
  stop.addEventListener("abort", () =>
    logger.info({ signal: shutdown.receivedSignal }, "stopping"),
  );

  const current = new CurrentTerm();
  const runningConfig = new RunningConfig(config);
  await using notifier = startNotifier(config, metrics, logger, host);
  const notify = (notification: Notification | undefined): void => notifier.notify(notification);
  using pages = new EventStream(host.clock);
  using schedule = new SweepSchedule(config.schedule, {
    ...sweepsOf(current, metrics),
    budgets: () => service.credentials.map(({ state }) => state),
    logger,
  });
  const subscribers = [pages, notifier, ...(events === undefined ? [] : [eventSubscriber(events)])];
  const context = {
    parts,
    host,
    runningConfig,
    schedule,
    subscribers,
    notify,
    storedRevision,
    unstored,
    signals: shutdown.signals,
  };
  await using kept = new AsyncDisposableStack();
  let store: KeptStore | undefined;
  /** Opens what a process that works alone remembers. */
  const open = async (): Promise<TermMemory> => {
    // What was found in it is told once, also if the history in it cannot be opened yet.
    store ??= kept.use(await openAlone(parts, host, stop));
    return openMemory(context, current, store);
  };
  const beginAlone = (memory: TermMemory): Term => {
    const term = kept.use(beginTerm(context, memory));
    current.term = term;
    return term;
  };
  // Another process with the same directory ends this one before it listens.
  const opened = shared === undefined ? await open().catch(unlessLocked) : undefined;
  const first = opened && beginAlone(opened);

  await using _endpoints = await endpoints(
    parts,
    { current, runningConfig, schedule, pages, shutdown },
    host,
  );
  const reload = reloader(configFile, { current, runningConfig, schedule, logger }, host, stop);
  await using _triggers = await triggers(parts, host, current, reload);
  const changed = (): void => pages.load();
  if (shared === undefined) {
    const beginLater = async (): Promise<Term | undefined> => {
      const memory = await openLater(open, parts, host, stop);
      if (memory === undefined) return undefined;
      // While this process waited, the configuration may have changed to one that writes less.
      await reload();
      const term = beginAlone(memory);
      changed();
      return term;
    };
    const term = first ?? (await beginLater());
    await term?.run(shutdown.signals);
  } else {
    await workWhileElected(context, current, shared, { reload, changed }, shutdown.signals);
  }
}

/** Opens the store of a process that works alone. */
async function openAlone(
  { config, logger }: DaemonParts,
  host: Host,
  stop: AbortSignal,
): Promise<KeptStore> {
  const directory = directoryOf(config);
  if (directory !== undefined) {
    return openDirectory(directory, identityOf(config), host, logger, stop);
  }
  logger.warn(
    "no store: after a restart, zonewarden does not know what it applied, and its history is lost; set store.path",
  );
  return memoryOnly();
}

/** A store that cannot be opened now is opened later; one that another process uses is not. */
function unlessLocked(error: unknown): undefined {
  if (error instanceof DirectoryLocked) throw error;
}

/**
 * Opens what a process that works alone remembers, in several attempts: a process that does not know what was active would
 * take a revision that is held for the first. `undefined`: a signal came first.
 */
async function openLater(
  open: () => Promise<TermMemory>,
  { config, logger }: DaemonParts,
  { clock }: Host,
  stop: AbortSignal,
): Promise<TermMemory | undefined> {
  const ports = { place: directoryOf(config), logger, clock };
  try {
    return await untilDone(open, ports, stop);
  } catch (error) {
    if (!isAborted(stop)) throw error;
    return undefined;
  }
}

function directoryOf({ store }: Config): string | undefined {
  return store !== undefined && "path" in store ? store.path : undefined;
}

/** Opens the history in a store. */
async function openMemory(
  context: TermContext,
  current: CurrentTerm,
  store: KeptStore,
): Promise<TermMemory> {
  const { parts, host, runningConfig, notify, unstored, signals } = context;
  await storeLoss(store, runningConfig.current);
  const history = await startHistory(
    runningConfig.current.history,
    store.history,
    { unstored, again: () => triesAgain(store.state, signals, host.clock) },
    parts.logger,
    host,
    (zone) => current.fleet.zone(zone),
    notify,
  );
  return { store, history };
}

/** What a change of the leader does to the rest of the process. */
interface LeaderHooks {
  readonly reload: () => Promise<void>;
  /** Called when a term begins or ends: open pages show who leads now. */
  readonly changed: () => void;
}

/** Begins a term whenever this process holds the Lease. */
async function workWhileElected(
  context: TermContext,
  current: CurrentTerm,
  shared: SharedStore,
  { reload, changed }: LeaderHooks,
  signals: StopSignals,
): Promise<void> {
  const { parts, host } = context;
  const { logger, events, config } = parts;
  const begin = async (store: TermStore): Promise<TermWork> => {
    // While this process waited, the configuration may have changed to one that writes less.
    await reload();
    const term = beginTerm(context, await openMemory(context, current, store));
    return {
      run: async ({ stop, abort }) => {
        if (stop.aborted) return;
        current.term = term;
        changed();
        await term.run({ stop, abort });
      },
      [Symbol.asyncDispose]: () => term[Symbol.asyncDispose](),
    };
  };
  const lost = (): void => {
    current.term = undefined;
    changed();
  };
  const ports = { ...shared, identity: identityOf(config), logger, clock: host.clock, events };
  await workWhileLeading({ ...ports, begin, lost }, signals);
}

/** Wakes the reconciler and reloads the configuration after file changes, on SIGHUP and at each poll. */
async function startTriggers(
  { config, configFile, service }: DaemonParts,
  host: Host,
  current: CurrentTerm,
  reload: () => Promise<void>,
): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const { debounceMs } = config.schedule;
  const requestSweep = (trigger: SweepTrigger): void => {
    current.term?.reconciler.requestSweep(trigger);
  };
  const filesChanged = (): void => {
    current.term?.reconciler.filesChanged();
  };
  const options = { debounceMs, clock: host.clock, files: host.files };
  started.use(await watchZoneFiles(config.desired.path, filesChanged, options));
  started.use(await watchZoneFiles(configFile, () => void reload(), options));
  started.use(
    host.onSignal("SIGHUP", () => {
      void reload();
      requestSweep("signal");
    }),
  );
  const poll = async (): Promise<void> => {
    filesChanged();
    void reload();
    // What failed with a token that the service refused may succeed with a new one, or once it is accepted again.
    const mayTry = await Promise.all(service.credentials.map((each) => each.mayTryAgain()));
    if (mayTry.includes(true)) requestSweep("retry");
  };
  started.use(every(pollMs, () => void poll(), host.clock));
  // What changed since the start, before the file was watched, may be the order to write nothing.
  await reload();
  return started.move();
}
