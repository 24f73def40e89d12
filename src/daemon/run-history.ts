import type { HistoryConfig } from "../desired/config/config.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/version.ts";
import { historyJson } from "../render/history-json.ts";
import type { Subscriber, ZoneStep } from "../state/fleet.ts";
import {
  type HistoryEntry,
  historyEntryOf,
  type HistoryView,
  isNews,
  removalEntryOf,
  runningEntryOf,
  undeclaredEntryOf,
} from "../state/history.ts";
import type { LoadReport } from "../state/load-report.ts";
import type { Applied, ZoneReport } from "../state/run-report.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import type { ZoneState } from "../state/zone-state.ts";
import {
  type HistoryFilePorts,
  type OpenedHistory,
  openHistoryFile,
} from "../telemetry/history/history-file.ts";
import { damageText } from "../telemetry/history/history-lines.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Clock } from "../zone/ports.ts";
import { HistoryHeads, type HeadPorts, readSignKey } from "./history-heads.ts";

/** The history of all zones until it is disposed. */
export interface RunHistory extends AsyncDisposable {
  readonly view: HistoryView;
  readonly subscriber: Subscriber;
  /** Records a run before each of its writes. Resolves when that is on the disk, or cannot be written now. */
  readonly recordBeforeWrite: (report: Applied) => Promise<void>;
  /** Records a check of scripts in the file. */
  readonly recordScripts: (record: ScriptRecord) => void;
  /** Records a run of a zone that is no longer declared, if it sent writes. */
  readonly recordUndeclared: (report: ZoneReport) => void;
}

/** So long a write waits for the disk: a disk that hangs must not stop the protection of all zones. */
const longestRecordMs = 5_000;

/** Characters of JSON in memory: some ten thousand runs. */
const memoryLimit = 16 * 1024 * 1024;

type HistoryHost = Pick<Host, "clock" | "historyStore" | "uniqueId" | "namedFiles" | "directory">;

/**
 * Records runs in memory, and in the configured file. If that cannot be opened, the log says why, and only memory is used.
 *
 * @param notify sends the head of the file once a day.
 */
export async function startHistory(
  config: HistoryConfig,
  logger: Logger,
  host: HistoryHost,
  zoneOf: (name: string) => ZoneState | undefined,
  notify: HeadPorts["notify"],
): Promise<RunHistory> {
  const recent = new RecentHistory(memoryLimit);
  const signKey = await readSignKey(config, logger, host);
  const headPorts = { logger, notify, clock: host.clock, isSigned: signKey !== undefined };
  const heads = new HistoryHeads(config.path ?? "", headPorts);
  const own = { version, signKey, onDropped: heads.dropped };
  const file = await openFile(config, recent, logger, host, own);
  if (file !== undefined) heads.start(file);
  const append = (entry: HistoryEntry | undefined): void => {
    if (entry !== undefined) file?.append(entry);
  };
  /** Runs that have lines in the file and no entry of their end. */
  const running = new Set<string>();
  return {
    view: recent,
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
      if (file === undefined) return;
      const { run, zone } = report;
      const entry = runningEntryOf(report, zoneOf(zone));
      const results = entry.changes.map(({ result }) => result);
      const isFirst = !running.has(run);
      running.add(run);
      const written = file.appendAndWait(isFirst ? entry : { at: entry.at, zone, run, results });
      await settledWithin(longestRecordMs, written, host.clock);
    },
    recordScripts: (record) => file?.append(record),
    recordUndeclared: (report) => {
      if (running.delete(report.run)) append(recent.recordUndeclared(report));
    },
    [Symbol.asyncDispose]: async () => {
      await heads.stop(file);
      await file?.[Symbol.asyncDispose]();
      heads.stopped(file);
    },
  };
}

/** Resolves when the work has ended, or after a time. */
async function settledWithin(ms: number, work: Promise<void>, clock: Clock): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const stopAlarm = clock.alarm(ms, resolve);
  await Promise.race([work, late]);
  stopAlarm();
}

async function openFile(
  { path, maxAgeMs, maxBytes }: HistoryConfig,
  recent: RecentHistory,
  logger: Logger,
  { clock, historyStore, uniqueId }: HistoryHost,
  own: Pick<HistoryFilePorts, "version" | "signKey" | "onDropped">,
): Promise<OpenedHistory["file"] | undefined> {
  if (path === undefined) return undefined;
  const onFailure = (error: unknown): void =>
    logger.error({ path, error: String(error) }, "history file cannot be written");
  const onRecovery = (): void => logger.info({ path }, "history file is written again");
  const ports = { ...own, store: historyStore(path), clock, uniqueId, onFailure, onRecovery };
  try {
    const opened = await openHistoryFile({ maxAgeMs, maxBytes }, ports, (entry) =>
      recent.restore(entry),
    );
    if (opened.torn > 0) {
      logger.warn(
        { path, bytes: opened.torn },
        "incomplete last line removed from the history file",
      );
    }
    if (opened.damaged.length > 0) {
      const damage = damageText(opened.damaged);
      logger.warn({ path, lines: opened.damaged.length, damage }, "history file is damaged");
    }
    return opened.file;
  } catch (error) {
    logger.error({ path, error: String(error) }, "history file cannot be opened");
    return undefined;
  }
}

interface SizedEntry {
  readonly entry: HistoryEntry;
  /** Characters of JSON. */
  readonly size: number;
}

/** The latest entries of all zones together, up to a limit: the oldest are dropped first. */
export class RecentHistory implements HistoryView {
  readonly #limit: number;
  readonly #byZone = new Map<string, SizedEntry[]>();
  /** The last entry of each zone, even after it is dropped: a new entry must differ from it. */
  readonly #last = new Map<string, HistoryEntry>();
  /** Zones in the order of their entries. */
  #order: string[] = [];
  /** Dropped entries at the beginning of `#order`. */
  #dropped = 0;
  #size = 0;

  /** `limit`: characters of the entries as JSON. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  of(zone: string): readonly HistoryEntry[] {
    return (this.#byZone.get(zone) ?? []).map(({ entry }) => entry);
  }

  /**
   * Records a run and returns its entry; `undefined`: it has nothing new.
   *
   * @param isKept records it in any case.
   */
  record(step: ZoneStep, isKept = false): HistoryEntry | undefined {
    const entry = historyEntryOf(step);
    if (!isKept && !isNews(entry, this.#last.get(entry.zone))) return undefined;
    this.restore(entry);
    return entry;
  }

  /** Records that a zone is no longer declared and returns the entry; `undefined`: the zone has no history. */
  recordRemoval(before: ZoneState, load: LoadReport): HistoryEntry | undefined {
    const entry = removalEntryOf(before, load);
    if (!this.#last.has(entry.zone)) return undefined;
    this.restore(entry);
    return entry;
  }

  /** Records a run of a zone that was removed from the files while it ran. */
  recordUndeclared(report: ZoneReport): HistoryEntry {
    const entry = undeclaredEntryOf(report);
    this.restore(entry);
    return entry;
  }

  /** Adds an entry of the history file. */
  restore(entry: HistoryEntry): void {
    const size = JSON.stringify(historyJson(entry)).length;
    const entries = this.#byZone.get(entry.zone) ?? [];
    entries.push({ entry, size });
    this.#byZone.set(entry.zone, entries);
    this.#last.set(entry.zone, entry);
    this.#order.push(entry.zone);
    this.#size += size;
    while (this.#size > this.#limit) this.#dropOldest();
  }

  #dropOldest(): void {
    const zone = this.#order[this.#dropped] ?? "";
    const entries = this.#byZone.get(zone) ?? [];
    this.#size -= entries.shift()?.size ?? 0;
    if (entries.length === 0) this.#byZone.delete(zone);
    this.#dropped += 1;
    if (this.#dropped * 2 < this.#order.length) return;
    this.#order = this.#order.slice(this.#dropped);
    this.#dropped = 0;
  }
}
