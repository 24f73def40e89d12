import type { Election, ElectionObserver } from "../cluster/election.ts";
import {
  lastSeen,
  type LastTerm,
  openDatabaseStore,
  TermOver,
  type TermStore,
} from "../memory/database-store.ts";
import type { LeaderDatabase } from "../memory/database.ts";
import { DirectoryLocked } from "../memory/directory/state-lock.ts";
import { logOpenedState, writeReports } from "../memory/open-store.ts";
import type { StoreIdentity } from "../memory/state-store.ts";
import type { EventRecorder } from "../notify/event-recorder.ts";
import { GateClosed } from "../reconcile/run/write-gate.ts";
import { errorText } from "../syntax/error-code.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Clock } from "../zone/ports.ts";
import { isAborted, joinSignals, type StopSignals } from "../zone/signals.ts";

/** What work under a Lease needs. */
export interface LeadershipPorts {
  readonly election: Election;
  readonly database: LeaderDatabase;
  readonly identity: StoreIdentity;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, "record"> | undefined;
  /** Begins the work with the store of a term. Rejects if the store cannot be read now. */
  readonly begin: (store: TermStore) => Promise<TermWork>;
  /** The Lease is lost: what the work shows is no longer this process's to show. */
  readonly lost: () => void;
}

/** The work of a term. */
export interface TermWork extends AsyncDisposable {
  /** Works until the signals stop it. */
  run(signals: StopSignals): Promise<void>;
}

/**
 * Works whenever this process holds the Lease, until a signal stops it.
 *
 * If the Lease is lost, what is not sent is cancelled, what is sent is finished, and then this process waits for the
 * Lease again. On a signal, the work ends before the Lease is given back: the next holder must not begin earlier.
 */
export async function workWhileLeading(
  ports: LeadershipPorts,
  { stop, abort }: StopSignals,
): Promise<void> {
  const { election, logger, clock } = ports;
  const { lease, identity } = election;
  let last: LastTerm | undefined;
  let isFollowing = false;
  const follow = async (): Promise<void> => {
    if (isFollowing) return;
    isFollowing = true;
    // What is wrong with the database is said when it is used.
    const now = await ports.database.tables.reached().catch(() => undefined);
    if (now !== undefined) last = lastSeen(last, now);
    isFollowing = false;
  };
  const observer = { ...logElection(logger, lease), waits: () => void follow() };
  logger.info({ lease, identity }, "waiting for leadership");
  let pauseMs = 0;
  while (!isAborted(stop)) {
    try {
      if (pauseMs > 0) await clock.sleep(pauseMs, stop);
      // A process that cannot use these tables, or is not meant to, must not keep the Lease from those that can.
      const storeId = await untilOwn(ports, stop);
      const began = clock.monotonicMs();
      const led = await lead(storeId, observer, () => last, ports, { stop, abort });
      last = led.last ?? last;
      const isShort = clock.monotonicMs() - began < shortMs;
      pauseMs = led.hasGivenUp ? givenUpMs : isShort ? betweenTermsMs : 0;
    } catch (error) {
      if (!isAborted(stop)) throw error;
    }
  }
}

/** What became of a time with the Lease. */
interface Led {
  /** The term, if it began. */
  readonly last: LastTerm | undefined;
  /** Whether the Lease was given back since the store could not be opened. */
  readonly hasGivenUp: boolean;
}

/** Waits for the Lease, and works until a signal stops it, the Lease is lost, or the database refuses the term. */
async function lead(
  storeId: string,
  observer: ElectionObserver,
  known: () => LastTerm | undefined,
  ports: LeadershipPorts,
  { stop, abort }: StopSignals,
): Promise<Led> {
  const { election, logger, events, begin, lost } = ports;
  const { lease, identity } = election;
  await using held = await election.acquire(storeId, observer, stop);
  const { signal } = held;
  logger.info({ lease, identity }, "leadership acquired");
  events?.record({ reason: "LeaderElected", type: "Normal", note: `${identity} leads` });
  const ended = new AbortController();
  const end = (reason: string): void => {
    if (ended.signal.aborted) return;
    lost();
    logger.warn({ lease, identity, reason }, "leadership lost");
    const note = `${identity} stopped leading: ${reason}`;
    events?.record({ reason: "LeadershipLost", type: "Warning", note });
    ended.abort(new GateClosed("lease_lost"));
  };
  signal.addEventListener("abort", () => end(errorText(signal.reason)));
  if (signal.aborted) end(errorText(signal.reason));
  using joined = joinSignals(stop, ended.signal);
  let hasGivenUp = false;
  const giveUp = (): void => {
    hasGivenUp = true;
    end("the store cannot be opened");
  };
  let store: TermStore | undefined;
  try {
    await using opened = await openStore(known(), ports, end, giveUp, joined.signal);
    store = opened;
    const places = { place: ports.database.place, ...ports };
    await using work = await untilDone(() => begin(opened), places, joined.signal, giveUp);
    await work.run({ stop: joined.signal, abort });
  } catch (error) {
    // Whoever loses a Lease waits for it again.
    if (error !== joined.signal.reason) throw error;
  }
  return { last: store?.last, hasGivenUp };
}

/** What ends each term at once must not make a busy loop: after a short one, this process waits. */
const shortMs = 10_000;
const betweenTermsMs = 3_000;

/** Between two attempts to open the store. */
const retryMs = 5_000;

/** How long a process with the Lease tries to open the store: another one may be able to. */
const tryMs = 60_000;

/** How long it then leaves the Lease to others: each of them asks for it sooner, also with the longest Lease. */
const givenUpMs = 60_000;

/**
 * Begins a term in the database, in several attempts: a process that does not know what was active would take a revision
 * that is held for the first. Rejects when `stop` aborts.
 */
async function openStore(
  last: LastTerm | undefined,
  ports: LeadershipPorts,
  end: (reason: string) => void,
  giveUp: () => void,
  stop: AbortSignal,
): Promise<TermStore> {
  const { database, identity, logger, clock } = ports;
  const { place, tables } = database;
  const reports = writeReports(place, logger);
  const open = async (): Promise<TermStore> => {
    await tables.check(identity);
    return openDatabaseStore(place, tables, identity, last, {
      clock,
      onRecovery: reports.onRecovery,
      // That a term is over is said once, when it ends.
      onFailure: (error) => {
        if (!(error instanceof TermOver)) reports.onFailure(error);
      },
      onLost: end,
    });
  };
  const store = await untilDone(open, { place, ...ports }, stop, giveUp);
  if (store.isRestored) logRestored(logger, place);
  else logOpenedState(store.state.opened, place, logger);
  return store;
}

/** Waits until this installation and program can use the tables; gives their id. Creates them if there are none. */
function untilOwn(ports: LeadershipPorts, stop: AbortSignal): Promise<string> {
  const { database, identity, logger } = ports;
  const { place, tables } = database;
  const check = async (): Promise<string> => {
    // If they cannot be created, the check says what to do.
    const isCreated = await tables.createMissing().catch(() => false);
    if (isCreated) logger.info({ path: place }, "tables created");
    await tables.check(identity, "lead");
    return tables.storeId();
  };
  return untilDone(check, { place, ...ports }, stop);
}

/** What attempts to open a store need. */
export interface AttemptPorts extends Pick<LeadershipPorts, "logger" | "clock"> {
  /** For messages. */
  readonly place: string | undefined;
}

/**
 * Tries until it succeeds, and says each reason once why it does not. Rejects when `stop` aborts.
 *
 * @param giveUp aborts `stop`: is called after {@link tryMs}. Left out: there is no such limit.
 * @throws {DirectoryLocked} if another process uses the store.
 */
export async function untilDone<T>(
  attempt: () => Promise<T>,
  { place, logger, clock }: AttemptPorts,
  stop: AbortSignal,
  giveUp?: () => void,
): Promise<T> {
  const began = clock.monotonicMs();
  let said: string | undefined;
  for (;;) {
    stop.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof DirectoryLocked) throw error;
      const message = errorText(error);
      if (message !== said) {
        const facts = { path: place, error: message };
        logger.error(facts, "the store cannot be opened: nothing is reconciled before it is");
      }
      said = message;
      if (giveUp !== undefined && clock.monotonicMs() - began >= tryMs) giveUp();
      else await clock.sleep(retryMs, stop);
    }
  }
}

function logRestored(logger: Logger, place: string): void {
  logger.error(
    { path: place },
    "the database has lost what was stored there: it, or one of its tables, was restored or emptied, or it failed over to a copy that lagged behind; releases in limits.accept are not used: to release a plan that is held, remove its hash, wait until the configuration is applied, and add it again",
  );
}

function logElection(logger: Logger, lease: string): ElectionObserver {
  return {
    failed: ({ message }) => {
      logger.error({ lease, error: message }, "the Lease cannot be used");
    },
    recovered: () => logger.info({ lease }, "the Lease can be used again"),
    leads: (holder) => logger.info({ lease, holder }, "another process leads"),
    foreign: ({ holder, installation }) => {
      logger.error(
        { lease, holder, installation },
        "another installation uses this Lease: give each its own name (cluster.lease), or without a cluster its own schema (store.postgres.schema)",
      );
    },
  };
}
