import type { HistoryConfig } from "../desired/config/config.ts";
import { HistoryHeads } from "../history/file/history-heads.ts";
import { damageText } from "../history/file/history-lines.ts";
import {
  type HistoryLogPorts,
  type OpenedHistory,
  openHistoryLog,
} from "../history/file/history-log.ts";
import type { HistoryStore } from "../history/file/history-store.ts";
import { type HistoryEntry, type HistoryView, runningEntryOf } from "../history/history.ts";
import { RecentHistory } from "../history/recent-history.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/version.ts";
import { TermOver } from "../memory/database-store.ts";
import type { StateStore } from "../memory/state-store.ts";
import type { Notification } from "../notify/notification.ts";
import type { Subscriber } from "../state/fleet.ts";
import type { RolloutRecord } from "../state/rollout-turn.ts";
import type { Applied, ZoneReport } from "../state/run-report.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import type { ZoneState } from "../state/zone-state.ts";
import { errorText } from "../syntax/error-code.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Clock } from "../zone/ports.ts";
import { settledWithin, type StopSignals } from "../zone/signals.ts";
import { headPortsOf, readSignKey } from "./history-ports.ts";

/** The history of all zones, until it is disposed. */
export interface RunHistory extends AsyncDisposable {
  readonly view: HistoryView;
  /** Whether what is recorded cannot be stored now, though there is a store. */
  readonly isFailing: boolean;
  readonly subscriber: Subscriber;
  /** Records a run before each of its writes. Resolves when that is on the disk, or cannot be written now. */
  readonly recordBeforeWrite: (report: Applied) => Promise<void>;
  /** Records a check of scripts in the store. */
  readonly recordScripts: (record: ScriptRecord) => void;
  /** Records what happened to a rollout in the store. */
  readonly recordRollout: (record: RolloutRecord) => void;
  /** Records a run of a zone that is no longer declared, if it sent writes. */
  readonly recordUndeclared: (report: ZoneReport) => void;
}

/** How long a write waits for the disk: a disk that hangs must not stop the protection of all zones. */
const longestRecordMs = 5_000;

/** Characters of JSON in memory: some ten thousand runs. */
const memoryLimit = 16 * 1024 * 1024;

/** What becomes of lines that a term cannot store. */
type LeftLines = Pick<HistoryLogPorts, "unstored" | "again">;

type HistoryHost = Pick<Host, "clock" | "uniqueId" | "namedFiles" | "directory">;

/**
 * Records runs in memory, and in the store. Rejects if that cannot be opened now.
 *
 * @param store `undefined`: only memory is used.
 * @param left what the last term of the process could not store; this one leaves there what it cannot store.
 * @param notify sends the head of the history once a day.
 */
export async function startHistory(
  config: HistoryConfig,
  store: HistoryStore | undefined,
  left: LeftLines,
  logger: Logger,
  host: HistoryHost,
  zoneOf: (name: string) => ZoneState | undefined,
  notify: (notification: Notification) => void,
): Promise<RunHistory> {
  const recent = new RecentHistory(memoryLimit);
  const stored = store && (await openStored(store, config, recent, left, logger, host, notify));
  const log = stored?.log;
  const append = (entry: HistoryEntry | undefined): void => {
    if (entry !== undefined) log?.append(entry);
  };
  /** Runs that have lines in the store and no entry of their end. */
  const running = new Set<string>();
  return {
    view: recent,
    get isFailing() {
      return log?.isFailing === true;
    },
    subscriber: {
      zone: (step) => {
        const isRunning = running.delete(step.report.run);
        append(recent.record(step, isRunning));
      },
      load: () => undefined,
      gone: (zones, load) => {
        for (const zone of zones) append(recent.recordRemoval(zone, load));
      },
    },
    recordBeforeWrite: async (report) => {
      if (log === undefined) return;
      const { run, zone } = report;
      const entry = runningEntryOf(report, zoneOf(zone));
      const results = entry.changes.map(({ result }) => result);
      const isFirst = !running.has(run);
      running.add(run);
      const written = log.appendAndWait(isFirst ? entry : { at: entry.at, zone, run, results });
      await settledWithin(longestRecordMs, written, host.clock);
    },
    recordScripts: (record) => log?.append(record),
    recordRollout: (record) => log?.append(record),
    recordUndeclared: (report) => {
      if (running.delete(report.run)) append(recent.recordUndeclared(report));
    },
    [Symbol.asyncDispose]: async () => stored?.[Symbol.asyncDispose](),
  };
}

/** Between two attempts to store the last lines of a process. */
const lastLinesMs = 1_000;

/**
 * Waits; gives whether what a term could not store at its end is tried again: as the process ends, and as long as a request
 * in flight may take. A process that goes on has its next term for that.
 */
export async function triesAgain(
  state: Pick<StateStore, "isHeld">,
  { stop, abort }: StopSignals,
  clock: Pick<Clock, "sleep">,
): Promise<boolean> {
  if (!stop.aborted || !(await state.isHeld())) return false;
  await clock.sleep(lastLinesMs, abort).catch(() => undefined);
  return !abort.aborted;
}

/** The history in a store. */
interface StoredHistory extends AsyncDisposable {
  readonly log: OpenedHistory["log"];
}

async function openStored(
  store: HistoryStore,
  config: HistoryConfig,
  recent: RecentHistory,
  left: LeftLines,
  logger: Logger,
  host: HistoryHost,
  notify: (notification: Notification) => void,
): Promise<StoredHistory> {
  const { place: path } = store;
  const signKey = await readSignKey(config, logger, host);
  const heads = new HistoryHeads({
    ...headPortsOf(path, logger, notify),
    clock: host.clock,
    isSigned: signKey !== undefined,
  });
  const own = { version, signKey, ...left, onDropped: heads.dropped };
  const log = await openLog(store, config, recent, logger, host, own);
  heads.start(log);
  return {
    log,
    [Symbol.asyncDispose]: async () => {
      await heads.stop(log);
      const lines = left.unstored.all.length;
      for (const { json: line } of left.unstored.all) {
        logger.error({ path, line }, "a line of the history is not stored");
      }
      if (lines > 0) {
        logger.error(
          { path, lines },
          "lines of the history are not stored: they are lost if the process ends before its next term",
        );
      }
    },
  };
}

async function openLog(
  store: HistoryStore,
  { maxAgeMs, maxBytes }: HistoryConfig,
  recent: RecentHistory,
  logger: Logger,
  { clock, uniqueId }: HistoryHost,
  own: LeftLines & Pick<HistoryLogPorts, "version" | "signKey" | "onDropped">,
): Promise<OpenedHistory["log"]> {
  const { place: path } = store;
  const onFailure = (error: unknown): void => {
    // That a term is over is said once, when it ends.
    if (error instanceof TermOver) return;
    logger.error({ path, error: errorText(error) }, "history cannot be written");
  };
  const onRecovery = (lost: number): void => {
    logger.info({ path }, "history is written again");
    if (lost > 0) {
      logger.error(
        { path, lines: lost },
        "history was not written for too long: its oldest lines that waited are lost",
      );
    }
  };
  const ports = { ...own, store, clock, uniqueId, onFailure, onRecovery };
  const opened = await openHistoryLog({ maxAgeMs, maxBytes }, ports, (entry) =>
    recent.restore(entry),
  );
  if (opened.torn > 0) {
    logger.warn({ path, bytes: opened.torn }, "incomplete last line removed from the history");
  }
  if (opened.damaged.length > 0) {
    const damage = damageText(opened.damaged);
    logger.warn({ path, lines: opened.damaged.length, damage }, "history is damaged");
  }
  return opened.log;
}
