import type { HistoryConfig } from "../desired/config/config.ts";
import type { Host } from "../host/host.ts";
import type { Subscriber } from "../state/fleet.ts";
import type { HistoryEntry, HistoryView } from "../state/history.ts";
import { openHistoryFile } from "../telemetry/history/history-file.ts";
import type { createLogger } from "../telemetry/log/log.ts";
import { RecentHistory } from "./recent-history.ts";

/** The history as pages see it, and who writes it. */
export interface KeptHistory extends AsyncDisposable {
  readonly view: HistoryView;
  readonly subscriber: Subscriber;
}

/** Characters of JSON: some ten thousand runs. */
const inMemory = 16 * 1024 * 1024;

/**
 * Keeps history in memory, and in the configured file. Where that cannot be opened the zones are kept all the same:
 * the log says what is the matter, and history ends with the process.
 */
export async function startHistory(
  config: HistoryConfig,
  logger: ReturnType<typeof createLogger>,
  host: Host,
): Promise<KeptHistory> {
  const recent = new RecentHistory(inMemory);
  const file = await openFile(config, recent, logger, host);
  const keep = (entry: HistoryEntry | undefined): void => {
    if (entry !== undefined) file?.append(entry);
  };
  return {
    view: recent,
    subscriber: {
      zone: (step) => keep(recent.record(step)),
      load: () => undefined,
      gone: (before, load) => keep(recent.recordDeparture(before, load)),
    },
    [Symbol.asyncDispose]: async () => {
      await file?.[Symbol.asyncDispose]();
    },
  };
}

/** What is written to: one entry after the other. */
interface Appendable extends AsyncDisposable {
  append(entry: HistoryEntry): void;
}

async function openFile(
  { path, maxAgeMs, maxBytes }: HistoryConfig,
  recent: RecentHistory,
  logger: ReturnType<typeof createLogger>,
  { clock, historyStore }: Host,
): Promise<Appendable | undefined> {
  if (path === undefined) return undefined;
  const onFailure = (error: unknown): void => {
    logger.error({ path, error: String(error) }, "history cannot be written");
  };
  const onRecovery = (): void => logger.info({ path }, "history is written again");
  const ports = { store: historyStore(path), clock, onFailure, onRecovery };
  try {
    const opened = await openHistoryFile({ maxAgeMs, maxBytes }, ports, (entry) =>
      recent.restore(entry),
    );
    if (opened.torn > 0) {
      logger.warn({ path, bytes: opened.torn }, "torn last line cut off the history");
    }
    return opened.file;
  } catch (error) {
    logger.error({ path, error: String(error) }, "history cannot be opened");
    return undefined;
  }
}
