import { daemonRetry } from "../../../src/api/request/retry.ts";
import { reconcilerOptions } from "../../../src/daemon/config-reload.ts";
import type { Term } from "../../../src/daemon/current-term.ts";
import { type DaemonEdges, runDaemon } from "../../../src/daemon/daemon.ts";
import type { EndpointContext } from "../../../src/daemon/endpoints.ts";
import type { Config } from "../../../src/desired/config/config.ts";
import type { HistoryView } from "../../../src/history/history.ts";
import { connect } from "../../../src/host/connect.ts";
import type { Host } from "../../../src/host/host.ts";
import { handleShutdown } from "../../../src/host/shutdown.ts";
import { DirectoryLocked } from "../../../src/memory/directory/state-lock.ts";
import { StoredRevision } from "../../../src/memory/stored-revision.ts";
import type { ZoneReport } from "../../../src/state/run-report.ts";
import { createLogger } from "../../../src/telemetry/log/log.ts";
import { createMetrics, type Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { configFrom } from "../../support/config-from.ts";
import type { ProcessFiles } from "./process-files.ts";
import { baseUrl, simulatedHost, type Surroundings } from "./simulated-host.ts";
import type { WriteSettings } from "./simulated-settings.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import { type Sending, SimulatedTransport } from "./simulated-transport.ts";

/** Requests that a process may send within a minute. */
export const budget = { requests: 30, windowMs: 60_000 };

/** A revision, and a first round, that changes more of the zones is held until a person accepts it. */
export const maxFleetShare = 0.6;
export const minFleet = 2;

export const timeoutMs = 30_000;

const written = await configFrom(
  JSON.stringify({
    mode: "enforce",
    limits: {
      max_delete_share: 1,
      max_update_share: 1,
      max_fleet_share: maxFleetShare,
      min_fleet: minFleet,
      weakening: "allow",
      contended_rounds: 4,
      contended_window: "5m",
    },
    budget: { requests: budget.requests, window: "1m", reserve: 0 },
    store: { path: "state" },
  }),
);

const { store: inDatabase } = await configFrom(
  JSON.stringify({ mode: "enforce", store: { postgres: { url_file: "/database-url" } } }),
);

/** It has no cron expression: the simulation requests the sweeps. */
const config: Config = { ...written, schedule: { ...written.schedule, cron: [] } };

/** What the outside gives a process, and hears of it. */
export interface ProcessWorld extends Surroundings {
  readonly send: (process: SimulatedProcess, sending: Sending) => void;
  readonly report: (process: SimulatedProcess, report: ZoneReport) => void;
  readonly internalError: (line: string) => void;
}

/** All processes of this thread count into one registry: creating one takes longer than a run. */
const metrics: Metrics = createMetrics({ version: "0", revision: "0", nodeVersion: "0" });

const ignore = (): void => undefined;

/** One daemon: what `zonewarden run` keeps running, without its server and its file watchers. */
export class SimulatedProcess {
  readonly pid: number;
  readonly files: ProcessFiles;
  isAlive = true;
  /** Whether it ended without a word. */
  wasKilled = false;
  isStopping = false;
  readonly #world: ProcessWorld;
  readonly #host: Host;
  #context: EndpointContext | undefined;
  #settings: WriteSettings = {
    ...config,
    accept: [],
    weakening: "allow",
    rulesetVersions: "read",
  };
  #terminate = ignore;
  #ended: Promise<"ended" | "locked"> = Promise.resolve("ended");

  constructor(world: ProcessWorld, pid: number, files: ProcessFiles) {
    this.#world = world;
    this.pid = pid;
    this.files = files;
    this.#host = simulatedHost(world, this, (listener) => (this.#terminate = listener));
  }

  /** Its loop, fleet and state; `undefined` before it has started. */
  get term(): Term | undefined {
    return this.#context?.current.term;
  }

  get history(): HistoryView | undefined {
    return this.#context?.current.history;
  }

  /** Resolves when it has ended by itself; `locked` where another process uses its state. */
  get ended(): Promise<"ended" | "locked"> {
    return this.#ended;
  }

  /** A process that was stopped while it waited to start again does not start. */
  start(settings: WriteSettings): void {
    if (this.isStopping) {
      this.isAlive = false;
      return;
    }
    this.#settings = settings;
    this.#ended = this.#run();
  }

  /** Ends at once: nothing that it began goes on, and nobody hears of it. */
  kill(): void {
    this.isAlive = false;
    this.wasKilled = true;
    this.#world.time.drop(this);
  }

  /** SIGTERM. */
  stop(): void {
    this.isStopping = true;
    this.#terminate();
  }

  /** The hash that releases what the fleet guard holds; `undefined` where it holds nothing. */
  get heldHash(): string | undefined {
    const held = this.term?.fleet.load?.held;
    return / add (sha256-[0-9a-f]{64}) to limits\.accept/.exec(held?.hold.message ?? "")?.[1];
  }

  /** The hash of a plan that is held, and whether its release was used; `undefined` if none is. */
  get heldPlan(): { readonly hash: string; readonly isUsed: boolean } | undefined {
    // A release would override the freeze as well.
    const text = [...(this.term?.fleet.zones ?? [])]
      .filter(({ holds }) => holds.every(({ reason }) => reason !== "freeze"))
      .flatMap(({ holds }) => holds.map(({ message }) => message))
      .join("\n");
    const [, hash] = /release this plan once with --accept ([0-9a-f]{64})/.exec(text) ?? [];
    if (hash !== undefined) return { hash, isUsed: false };
    const [, used] = /take ([0-9a-f]{64}), which was used, out of/.exec(text) ?? [];
    return used === undefined ? undefined : { hash: used, isUsed: true };
  }

  filesChanged(): void {
    this.term?.reconciler.filesChanged();
  }

  requestSweep(trigger: "schedule" | "signal"): void {
    this.term?.reconciler.requestSweep(trigger);
  }

  /** A new configuration, as a changed zonewarden.yaml gives it. */
  reconfigure(settings: WriteSettings): void {
    if (settings === this.#settings) return;
    this.#settings = settings;
    void this.#reload();
    this.term?.reconciler.reconfigure(reconcilerOptions(configOf(settings)));
    this.requestSweep("signal");
  }

  async #run(): Promise<"ended" | "locked"> {
    const [world, host] = [this.#world, this.#host];
    const transport = new SimulatedTransport((sending) => world.send(this, sending));
    const own = this.#config;
    const shared = this.files.database?.sharedBy(this, own, host);
    const fence = shared?.election.fence;
    const service = connect(own, baseUrl, host, metrics, daemonRetry, fence, () => transport);
    const heard: Metrics = {
      ...metrics,
      recordZone: (report) => {
        metrics.recordZone(report);
        world.report(this, report);
      },
    };
    const parts = {
      config: own,
      configFile: "/zonewarden.yaml",
      service,
      metrics: heard,
      logger: createLogger(logOptions(world)),
      shared,
      events: undefined,
      emulator: undefined,
    };
    using shutdown = handleShutdown(host, 1);
    try {
      await runDaemon(parts, host, shutdown, this.#edges);
      return "ended";
    } catch (error) {
      if (error instanceof DirectoryLocked) return "locked";
      throw error;
    } finally {
      this.isAlive = false;
    }
  }

  get #config(): Config {
    const current = configOf(this.#settings);
    return this.files.database === undefined ? current : { ...current, store: inDatabase };
  }

  /** What reads the configuration again does before a term begins. */
  #reload(): Promise<void> {
    const nothingElse = { diagnostics: [], directory: "", sources: new Map() } as const;
    this.#context?.runningConfig.update({ config: this.#config, ...nothingElse });
    return Promise.resolve();
  }

  get #edges(): DaemonEdges {
    const nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };
    return {
      endpoints: (_, context) => {
        this.#context = context;
        return Promise.resolve(nothing);
      },
      triggers: () => {
        // As the real ones do: what changed since the start was not heard.
        this.term?.reconciler.reconfigure(reconcilerOptions(configOf(this.#settings)));
        return Promise.resolve(nothing);
      },
      reloader: () => () => this.#reload(),
      storedRevision: (...args) => new HeldRevision(this.#world.time, ...args),
    };
  }
}

/** Files are packed in a thread: time stands still meanwhile. */
class HeldRevision extends StoredRevision {
  readonly #time: SimulatedTime;

  constructor(time: SimulatedTime, ...args: ConstructorParameters<typeof StoredRevision>) {
    super(...args);
    this.#time = time;
  }

  override store(...args: Parameters<StoredRevision["store"]>): void {
    super.store(...args);
    this.#time.hold(this[Symbol.asyncDispose]());
  }
}

/** The configuration at a moment. */
export function configOf({
  mode,
  windows,
  accept,
  weakening,
  rulesetVersions,
  rollout,
}: WriteSettings): Config {
  const { limits, api } = config;
  return {
    ...config,
    mode,
    windows,
    rollout,
    limits: { ...limits, accept, weakening },
    api: { ...api, rulesetVersions },
  };
}

/** Internal errors are heard, and nothing else is. */
function logOptions({ internalError }: ProcessWorld): Parameters<typeof createLogger>[0] {
  const write = (line: string): void => {
    if (line.includes('"internal error"')) internalError(line);
  };
  return {
    level: "error",
    format: "json",
    color: false,
    destination: { write },
    clock: { now: () => new Date(0) },
    scrub: (line) => line,
  };
}
