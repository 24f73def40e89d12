import type { Cluster } from "../cluster/cluster.ts";
import type { ElectionObserver } from "../cluster/elector.ts";
import type { EventRecorder } from "../cluster/event-recorder.ts";
import { type HeldLease, LeaseLost } from "../cluster/held-lease.ts";
import type { StateStore } from "../memory/state-store.ts";
import { logOpenedState } from "../memory/stored-state.ts";
import { GateClosed } from "../reconcile/run/write-gate.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Clock } from "../zone/ports.ts";
import { isAborted, joinSignals, type StopSignals } from "../zone/signals.ts";

/** What work under a Lease needs. */
export interface LeadershipPorts {
  readonly cluster: Cluster;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly events: EventRecorder | undefined;
  /** Works with the state of the cluster until the signals stop it. */
  readonly work: (store: StateStore, signals: StopSignals) => Promise<void>;
  /** The Lease is lost: what the work shows is no longer this process's to show. */
  readonly lost: () => void;
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
  const { cluster, logger } = ports;
  const { lease, identity } = cluster;
  const observer = logElection(logger, lease);
  logger.info({ lease, identity }, "waiting for leadership");
  while (!isAborted(stop)) {
    try {
      await using held = await cluster.acquire(observer, stop);
      await lead(held, ports, { stop, abort });
    } catch (error) {
      if (!isAborted(stop)) throw error;
    }
  }
}

/** Works until a signal stops it or the Lease is lost. */
async function lead(
  held: HeldLease,
  { cluster, logger, clock, events, work, lost }: LeadershipPorts,
  { stop, abort }: StopSignals,
): Promise<void> {
  const { lease, identity } = cluster;
  const { signal } = held;
  logger.info({ lease, identity }, "leadership acquired");
  events?.record({ reason: "LeaderElected", type: "Normal", note: `${identity} leads` });
  const ended = new AbortController();
  const end = (): void => {
    if (ended.signal.aborted) return;
    lost();
    const reason = lossOf(signal);
    logger.warn({ lease, identity, reason }, "leadership lost");
    const note = `${identity} stopped leading: ${reason}`;
    events?.record({ reason: "LeadershipLost", type: "Warning", note });
    ended.abort(new GateClosed("lease_lost"));
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  using joined = joinSignals(stop, ended.signal);
  const store = await openState(cluster, logger, clock, joined.signal);
  if (store === undefined) return;
  try {
    await work(store, { stop: joined.signal, abort });
  } catch (error) {
    // Whoever loses a Lease waits for it again.
    if (error !== joined.signal.reason) throw error;
  }
}

function lossOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return reason instanceof LeaseLost ? reason.reason : "";
}

/** Between two attempts to read the state. */
const retryMs = 5_000;

/**
 * Opens the state, as often as it takes: a process that does not know what was active would take a revision that is held
 * for the first. `undefined` if a signal stops it.
 */
async function openState(
  cluster: Cluster,
  logger: Logger,
  clock: Clock,
  stop: AbortSignal,
): Promise<StateStore | undefined> {
  const place = `ConfigMap ${cluster.stateName}`;
  let isFailing = false;
  while (!isAborted(stop)) {
    try {
      const store = await cluster.openState({
        onFailure: (error) => {
          // Who has lost the Lease must not write the state: its successor knows what matters.
          if (!cluster.fence.isHeld()) return;
          logger.error({ path: place, error: error.message }, "state cannot be written");
        },
        onRecovery: () => logger.info({ path: place }, "state is written again"),
      });
      logOpenedState(store.opened, { path: place, kept: "it is overwritten" }, logger);
      return store;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!isFailing) {
        logger.error(
          { path: place, error: message },
          "state cannot be read: nothing is reconciled before it is",
        );
      }
      isFailing = true;
      await clock.sleep(retryMs, stop).catch(() => undefined);
    }
  }
  return undefined;
}

/** Logs what happens to a Lease. */
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
        "another installation uses this Lease: give each its own name (cluster.lease)",
      );
    },
  };
}
