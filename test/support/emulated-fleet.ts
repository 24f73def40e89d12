import { AuditReader } from "../../src/api/audit-reader.ts";
import type { AuditFeedOptions } from "../../src/audit/account-log.ts";
import { AuditFeed } from "../../src/audit/audit-feed.ts";
import { DriftAuthors } from "../../src/audit/drift-authors.ts";
import { selectZones } from "../../src/desired/zones/select.ts";
import { Reconciler } from "../../src/reconcile/reconciler.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { DesiredState } from "../../src/zone/desired-state.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { SimulatedClock } from "./clock.ts";
import type { Emulated } from "./emulated.ts";
import { zoneNamed } from "./model.ts";
import { document, files } from "./revision-files.ts";
import { MemoryRunStore, noAuthors } from "./run-store.ts";
import { defaultOptions, oneCredential } from "./world.ts";

/**
 * The whole loop on an emulator over real sockets, on a clock that only the test moves. Disposing it throws where a
 * fault of the program was told.
 */
export interface EmulatedFleet extends AsyncDisposable {
  readonly reconciler: Reconciler;
  readonly reports: readonly ZoneReport[];
  readonly bugs: readonly unknown[];
  /** Changes what is declared of a zone, and says so. */
  declare(zone: string, content: ZoneContent): void;
  /** Lets time pass, from one wait to the next, until the answer is yes; asks after each report. */
  until(question: () => boolean): Promise<void>;
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until nothing is under way and nothing waits. */
  idle(): Promise<void>;
}

/** What a fleet needs to know beside its emulator. */
export interface EmulatedFleetOptions {
  readonly clock: SimulatedClock;
  readonly declared: ReadonlyMap<string, ZoneContent>;
  /** Follows the audit log. */
  readonly audit?: AuditFeedOptions;
  /** Requests that the emulator holds back on purpose: time goes on nevertheless. */
  readonly heldBack?: () => number;
  /** By default every list is read. */
  readonly rulesetVersions?: "trust" | "read";
}

/** Starts the loop; it has not been woken. */
export function startFleet(at: Emulated, options: EmulatedFleetOptions): EmulatedFleet {
  const { clock, heldBack = () => 0, rulesetVersions = "read" } = options;
  const declared = new Map(options.declared);
  const reports: ZoneReport[] = [];
  const bugs: unknown[] = [];
  const [stop, abort] = [new AbortController(), new AbortController()];
  let revision = 1;
  let waiting: { readonly question: () => boolean; readonly answer: () => void }[] = [];
  const ask = (): void => {
    const answered = waiting.filter(({ question }) => question());
    waiting = waiting.filter((each) => !answered.includes(each));
    for (const { answer } of answered) answer();
  };
  const authors = new DriftAuthors(
    clock,
    {
      isOwn: (entry) => feed.isOwn(entry),
      isCompleteSince: (accountId, moment) => feed.isCompleteSince(accountId, moment),
    },
    () => "full",
    noAuthors,
  );
  const source = new AuditReader(at.service);
  const feed: AuditFeed = new AuditFeed(options.audit, {
    source,
    clock,
    note: (zone, entries) => authors.note(zone, entries),
    wake: (zone) => reconciler.wakeZone(zone),
    changed: () => undefined,
    malformed: () => undefined,
    isEarlierRay: () => false,
    usedElsewhere: () => undefined,
    usedForOthers: () => undefined,
    possiblyOwn: () => undefined,
    bug: (error) => bugs.push(error),
  });
  const reconciler: Reconciler = new Reconciler(
    {
      ...defaultOptions,
      limits: { ...defaultOptions.limits, ...unlimited },
      contention: { ...defaultOptions.contention, rounds: 100 },
      // A zone's first change is written without waiting for the plans of all others.
      fleetLimits: {
        ...defaultOptions.fleetLimits,
        maxFleetShare: 1,
        maxWeakened: { zones: 0, share: 1 },
      },
      concurrency: 8,
      rulesetVersions,
    },
    {
      desired: {
        restore: () => Promise.resolve(undefined),
        load: () => Promise.resolve(stateOf(declared, `r${revision}`)),
        select: selectZones,
      },
      credentials: oneCredential,
      listZones: (signal) => at.reader.listZones(signal),
      reader: at.reader,
      writer: at.writer,
      clock,
      store: new MemoryRunStore(),
      random: () => 0.5,
      runId: () => `run-${reports.length}`,
      schedule: { nextRun: () => undefined },
      overlapped: () => undefined,
      report: (report) => {
        reports.push(report);
        setImmediate(ask);
      },
      authors: options.audit && authors,
      loaded: ({ fleet }) => feed.declare([...fleet.zones.values()].map((each) => each.desired)),
      unlisted: () => undefined,
      bug: (error) => bugs.push(error),
    },
  );
  const isQuiet = (): boolean => at.session.credential.state.inFlight === heldBack();
  const running = Promise.all([
    reconciler.runUntil({ stop: stop.signal, abort: abort.signal }),
    feed.runUntil(stop.signal),
  ]);
  const until = async (question: () => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ question, answer: resolve });
    await clock.run(promise, isQuiet);
  };
  return {
    reconciler,
    reports,
    bugs,
    declare: (zone, content) => {
      declared.set(zone, content);
      revision += 1;
      reconciler.filesChanged();
    },
    until,
    pass: (ms) => clock.run(clock.sleep(ms, stop.signal), isQuiet),
    idle: () => until(() => reconciler.waiting === 0 && reconciler.running.size === 0),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await clock.run(running, isQuiet);
      if (bugs.length > 0) throw new AggregateError(bugs, "faults of the program");
    },
  };
}

const unlimited = { maxDeleteShare: 1, maxUpdateShare: 1, minCompared: 1_000 };

function stateOf(declared: ReadonlyMap<string, ZoneContent>, revision: string): DesiredState {
  return files(
    revision,
    [...declared].map(([name, content]) =>
      document({ by: "name", name: zoneNamed(name).name }, content),
    ),
  );
}
