import type { Budget } from "../../src/api/budget/budget.ts";
import type { DriftAuthors } from "../../src/audit/drift-authors.ts";
import type { ReportedLoad } from "../../src/reconcile/fleet/active-revision.ts";
import {
  revisionsInForce,
  type RoundPhase,
  type StoredRollout,
} from "../../src/reconcile/fleet/desired-fleet.ts";
import type { SweepTrigger } from "../../src/reconcile/queue/events.ts";
import type { CredentialPorts } from "../../src/reconcile/queue/zone-queue.ts";
import { Reconciler, type ReconcilerOptions } from "../../src/reconcile/reconciler.ts";
import type { RunStore } from "../../src/reconcile/run/run-store.ts";
import { windowsOf } from "../../src/reconcile/schedule/windows.ts";
import type { StepsPorts } from "../../src/reconcile/steps/steps.ts";
import type { Failure, ZoneReport } from "../../src/state/run-report.ts";
import type { DesiredState } from "../../src/zone/desired-state.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import type { LivePolicy, LiveZone } from "../../src/zone/live-zone.ts";
import type { RequestPriority, Written } from "../../src/zone/ports.ts";
import { ServiceError, type ServiceErrorCode } from "../../src/zone/service-error.ts";
import { partOf, type Write } from "../../src/zone/write.ts";
import type { ZoneListing, Zone } from "../../src/zone/zone.ts";
import { Bugs } from "./bugs.ts";
import { SimulatedClock } from "./clock.ts";
import { bare, declared, desiredZone, owner, policy, readAllAt, usualLimits } from "./model.ts";
import { named } from "./reports.ts";
import { document, files, numbered } from "./revision-files.ts";
import { MemoryRunStore } from "./run-store.ts";
import { selectByName } from "./select-by-name.ts";
import { afterWrite } from "./service-model.ts";

/** An error as the service's client throws it. */
export class ServiceFault extends ServiceError {
  constructor(code: ServiceErrorCode, transient: boolean, retryAfterMs = 0) {
    super(code, `${code} of the world`, { transient, retryAfterMs, ray: "ray" });
  }
}

/** A declaration that costs two writes in a zone where nothing is: a setting and a policy. */
export const protectedContent: ZoneContent = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([policy("checkout")]),
}).content;

/** The protected content of an edited file: its policy blocks. */
export const edited: ZoneContent = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([policy("checkout", { action: "allow" })]),
}).content;

/** The protected content switched off, with its only policy removed. */
export const weakened: ZoneContent = desiredZone({
  settings: [{ name: "enabled", value: false }],
  policies: declared([]),
}).content;

/** `z0.example` …, from one number until before another. */
export function many(until: number, from = 0): readonly string[] {
  return Array.from({ length: until - from }, (_, nth) => `z${from + nth}.example`);
}

/** The options of a reconciler unless a test sets others. */
export const defaultOptions: ReconcilerOptions = {
  mode: "enforce",
  owner,
  adopt: false,
  limits: usualLimits,
  impact: { maliciousBelow: 50, freshMs: 604_800_000 },
  contention: { rounds: 3, windowMs: 3_600_000 },
  fleetLimits: { maxFleetShare: 0.3, minFleet: 10, accept: [] },
  concurrency: 2,
  onChange: true,
  rulesetVersions: "read",
  windows: windowsOf([]),
};

/** The only credential, which serves every zone. */
export const oneCredential: CredentialPorts = { names: ["main"], of: () => "main" };

/**
 * Zones, files and a reconciler on a simulated clock. Disposing it stops the loop, and throws where the reconciler reported
 * an internal error that the test did not take.
 */
export class World implements AsyncDisposable {
  readonly clock = new SimulatedClock();
  readonly reports: ZoneReport[] = [];
  readonly bugs = new Bugs();
  readonly loads: ReportedLoad[] = [];
  readonly unlisted: Failure[] = [];
  /** Credentials that cannot list at the moment, and the zones that only they see. */
  unlistable: { readonly zones: readonly string[]; readonly failed: ZoneListing["failed"] } = {
    zones: [],
    failed: [],
  };
  /** How often the files were loaded, and the zones listed. */
  loadCount = 0;
  listings = 0;
  /** Scheduled sweeps that were due during another. */
  overlaps = 0;
  /** When the next scheduled sweep begins. */
  nextSweep: Date | undefined;
  /** `read shop.example` and `write shop.example create-policy`, as they began. */
  readonly requests: string[] = [];
  /** The priorities of reads, as `shop.example changed`. */
  readonly priorities: string[] = [];
  /** Zones whose answers were parsed, in order. */
  readonly parsed: string[] = [];
  readonly files = new Map<string, ZoneContent>();
  readonly live = new Map<string, LiveZone>();
  /** What browsers reported of every zone. */
  scripts: readonly Script[] = [];
  /** The errors of reads and writes of a zone. */
  readonly faults = new Map<string, () => Error | undefined>();
  /** Is called with each zone that is written, as it is before and after that. */
  written = (_before: LiveZone, _after: LiveZone): void => undefined;
  /** How long a load takes. */
  loadMs = 0;
  /** What happens before it is known what the process before this one stored. */
  restoring = (_signal: AbortSignal): Promise<void> => Promise.resolve();
  /** How long each request takes. */
  latencyMs = 0;
  /** How long each request for one of these zones takes. */
  readonly slow = new Map<string, number>();
  /** How long a write waits before it is sent. */
  waitMs = 0;
  /** The request budget. */
  budget: Budget | undefined;
  listFault: Error | undefined;
  revision = "r1";
  /** The revision that the process before this one stored. */
  stored: DesiredState | undefined;
  /** How far its first round was. */
  storedRound: RoundPhase = "closed";
  /** How many zones that one let pass without a release. */
  storedPassed = 0;
  /** Which zones waited for a wave then, and the revisions before that were in force in them. */
  storedRollout: StoredRollout | undefined;
  earlier: readonly DesiredState[] = [];
  /** What is wrong in the files, or with them. */
  diagnostics: readonly Diagnostic[] = [];
  /** Whether any of the files is usable. */
  usable = true;
  readonly stop = new AbortController();
  readonly abort = new AbortController();
  readonly options: ReconcilerOptions;
  readonly credentials: CredentialPorts;
  readonly store: RunStore;
  readonly reconciler: Reconciler;
  #run = 0;
  #ended: Promise<void> = Promise.resolve();

  constructor(
    zones: readonly string[],
    options: Partial<ReconcilerOptions> = {},
    credentials: CredentialPorts = oneCredential,
    store: RunStore = new MemoryRunStore(),
    authors?: DriftAuthors,
    steps?: (clock: SimulatedClock) => StepsPorts,
  ) {
    this.store = store;
    for (const [index, name] of zones.entries()) {
      this.files.set(name, protectedContent);
      this.live.set(name, bare(numbered(name, index)));
    }
    this.options = { ...defaultOptions, ...options };
    this.credentials = credentials;
    this.reconciler = this.#createReconciler(authors, steps?.(this.clock));
  }

  /** Lets the process before this one have applied the files as they are: the first write waits for no judgement. */
  remember(): void {
    this.stored = this.#read();
    this.loadCount -= 1;
  }

  /** Begins with the live zones and the files of another process, and with what that one stored. */
  takeOver(before: World, rollout: StoredRollout | undefined): void {
    for (const [name, live] of before.live) this.live.set(name, live);
    this.files.clear();
    for (const [name, content] of before.files) this.files.set(name, content);
    this.revision = before.revision;
    for (const [zone, fault] of before.faults) this.faults.set(zone, fault);
    this.remember();
    this.storedRollout = rollout;
    const hashes = revisionsInForce(rollout);
    const states = [...before.earlier, ...before.loads.map(({ state }) => state)];
    this.earlier = states.filter(({ hash }) => hashes.has(hash));
    // A revision that is held was not stored.
    const active = before.loads.at(-1)?.active.hash;
    this.stored = states.findLast(({ hash }) => hash === active) ?? before.stored;
  }

  /** Starts the loop and the first sweep. */
  start(): void {
    const { stop, abort } = this;
    this.#ended = this.reconciler.runUntil({ stop: stop.signal, abort: abort.signal });
    this.reconciler.requestSweep("startup");
  }

  /** Starts, and lets everything happen that needs no time. */
  async begin(): Promise<void> {
    this.start();
    await this.clock.advance(0);
  }

  /** Lets the files change, and some time pass: their revision is new, or the same if only what they contain was set. */
  async reload(revision = this.revision, ms = 0): Promise<void> {
    this.revision = revision;
    this.reconciler.filesChanged();
    await this.clock.advance(ms);
  }

  /** Somebody changes a zone in the dashboard. */
  edit(
    name: string,
    change: (live: LiveZone & { readonly policies: readonly LivePolicy[] }) => Partial<LiveZone>,
  ): void {
    const live = this.live.get(name);
    if (live?.policies === undefined) throw new Error(`there is no ${name}`);
    this.live.set(name, { ...live, ...change({ ...live, policies: live.policies }) });
  }

  /** A person accepts revisions. */
  accept(...accept: readonly string[]): void {
    const { options } = this;
    const fleetLimits = { ...options.fleetLimits, accept };
    this.reconciler.reconfigure({ ...options, fleetLimits });
  }

  /** Requests a sweep, and lets some time pass. */
  async sweep(trigger: SweepTrigger = "schedule", ms = 0): Promise<void> {
    this.reconciler.requestSweep(trigger);
    await this.clock.advance(ms);
  }

  /** Resolves when the loop has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    this.abort.abort();
    await this.#ended;
    this.bugs.expectNone();
  }

  /** Results of the reports since the last call, as `shop.example applied`. */
  takeResults(): readonly string[] {
    return this.reports.splice(0).map(({ zone, result }) => `${zone} ${result}`);
  }

  #createReconciler(authors: DriftAuthors | undefined, steps: StepsPorts | undefined): Reconciler {
    return new Reconciler(this.options, {
      desired: {
        load: (signal) => this.#load(signal),
        restore: async (signal) => {
          const { stored: state, storedRound: phase, storedPassed: passed } = this;
          await this.restoring(signal);
          return (
            state && {
              state: restoredState(state),
              round: { phase, passed, judgesKnown: false },
              rollout: this.storedRollout,
              earlier: new Map(this.earlier.map((each) => [each.hash, restoredState(each)])),
            }
          );
        },
        select: selectByName,
      },
      credentials: this.credentials,
      listZones: (signal) => this.#list(signal),
      reader: {
        readAnswers: async (zone, _wanted, priority, signal) => {
          this.priorities.push(`${zone.name} ${priority}`);
          const [readAt, live] = await this.#inTurn(priority, signal, async () => {
            const sentAt = readAllAt(this.clock.monotonicMs());
            return [sentAt, await this.#readZone(zone, signal)] as const;
          });
          const understand = (): LiveZone => {
            this.parsed.push(zone.name);
            return live;
          };
          const digest = JSON.stringify({ ...live, zone: undefined });
          return { readAt, digest, live: understand };
        },
        readScripts: () => Promise.resolve(this.scripts),
      },
      writer: {
        write: async (live, write, signal, stop) => {
          if (this.waitMs > 0) await this.clock.sleep(this.waitMs, stop);
          return this.#inTurn("write", stop, () => this.#write(live, write, signal));
        },
      },
      clock: this.clock,
      random: () => 1,
      store: this.store,
      authors,
      steps,
      runId: () => `run-${(this.#run += 1)}`,
      report: (report) => this.reports.push(report),
      loaded: (loaded) => this.loads.push(loaded),
      schedule: { nextRun: () => this.nextSweep },
      overlapped: () => (this.overlaps += 1),
      unlisted: (failure) => this.unlisted.push(failure),
      bug: (error, zone) => this.bugs.tell(error, zone),
    });
  }

  async #load(signal: AbortSignal): Promise<DesiredState> {
    if (this.loadMs > 0) await this.clock.sleep(this.loadMs, signal);
    return this.#read();
  }

  #read(): DesiredState {
    this.loadCount += 1;
    const documents = [...this.files].map(([name, content]) =>
      document({ by: "name", name: named(name) }, content),
    );
    const { diagnostics, usable, revision } = this;
    return files(revision, documents, { diagnostics, usable });
  }

  async #list(signal: AbortSignal): Promise<ZoneListing> {
    this.listings += 1;
    await this.clock.sleep(this.latencyMs, signal);
    if (this.listFault !== undefined) throw this.listFault;
    const zones = [...this.live.values()].map(({ zone }) => zone);
    return {
      zones: zones.filter(({ name }) => !this.unlistable.zones.includes(name)),
      failed: this.unlistable.failed,
    };
  }

  async #inTurn<T>(
    priority: RequestPriority,
    stop: AbortSignal,
    send: () => Promise<T>,
  ): Promise<T> {
    const permit = await this.budget?.acquire(priority, stop);
    try {
      return await send();
    } finally {
      permit?.end("answered", undefined);
    }
  }

  async #readZone(zone: Zone, signal: AbortSignal): Promise<LiveZone> {
    await this.#request(zone, `read ${zone.name}`, signal);
    const live = this.live.get(zone.name);
    if (live === undefined) throw new Error(`there is no ${zone.name}`);
    return live;
  }

  async #write(known: LiveZone, write: Write, signal: AbortSignal): Promise<Written> {
    const { zone } = known;
    const readAt = this.clock.monotonicMs();
    await this.#request(zone, `write ${zone.name} ${write.call}`, signal);
    const before = this.live.get(zone.name) ?? known;
    const live = afterWrite(before, write);
    this.written(before, live);
    this.live.set(zone.name, live);
    const shows = partOf(write) === "policies" ? "object" : "part";
    return { live, readAt, shows, ray: "ray", interleaved: false };
  }

  async #request(zone: Zone, name: string, signal: AbortSignal): Promise<void> {
    this.requests.push(name);
    await this.clock.sleep(this.slow.get(zone.name) ?? this.latencyMs, signal);
    const fault = this.faults.get(zone.name)?.();
    if (fault !== undefined) throw fault;
  }
}

/** A revision as the store gives it. */
function restoredState(state: DesiredState): DesiredState {
  const documents = state.documents.map((each) => ({ ...each, isRestored: true }));
  return { ...state, documents };
}
