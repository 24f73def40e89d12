import { type RunHistory, startHistory } from "../../daemon/run-history.ts";
import type { Host } from "../../host/host.ts";
import { Fleet } from "../../state/fleet.ts";
import type { HistoryEntry } from "../../state/history.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { readHistory } from "../../telemetry/history/history-lines.ts";
import type { Logger } from "../../telemetry/log/log.ts";

/** What a command records of its writes. Dispose it at the end. */
export interface CommandHistory extends AsyncDisposable {
  readonly recordBeforeWrite: RunHistory["recordBeforeWrite"];
  /** Records a run that has ended; one that sent no write has nothing to record. */
  readonly record: (report: ZoneReport) => void;
}

interface HistoryPlace {
  /** The daemon's history file. */
  readonly path: string | undefined;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/**
 * The histories of commands: a directory beside the daemon's history file, which the daemon alone writes. Each command has
 * a file of its own there, so that any number of them can write at once.
 */
function directoryOf(path: string): string {
  return `${path}.commands`;
}

/** The moment of the command, so that names are in order, and the command's own id. */
const fileName = /^(\d{8}T\d{6})Z-[\w-]+\.jsonl$/;

/** Begins the history of a command that writes, and removes those that are older than the history is kept. */
export async function startCommandHistory(
  { path, maxAgeMs, maxBytes }: HistoryPlace,
  logger: Logger,
  host: Host,
): Promise<CommandHistory> {
  const fleet = new Fleet();
  const now = host.clock.now();
  const directory = path === undefined ? undefined : directoryOf(path);
  if (directory !== undefined) {
    await removeOlder(directory, Number(now) - maxAgeMs, host).catch((error: unknown) => {
      logger.warn({ directory, error: String(error) }, "old histories cannot be removed");
    });
  }
  const file = directory && `${directory}/${stampOf(now)}-${host.uniqueId()}.jsonl`;
  const history = await startHistory({ path: file, maxAgeMs, maxBytes }, logger, host, (zone) =>
    fleet.zone(zone),
  );
  return {
    recordBeforeWrite: history.recordBeforeWrite,
    record: (report) => {
      if (report.result !== "applied") return;
      const declared = { name: report.zone, mode: "enforce", suspension: undefined } as const;
      fleet.declare([{ ...declared, hold: undefined }], report.startedAt);
      const before = fleet.zone(report.zone);
      fleet.recordZone(report);
      const after = fleet.zone(report.zone);
      if (before && after) history.subscriber.zone({ before, report, after });
    },
    [Symbol.asyncDispose]: () => history[Symbol.asyncDispose](),
  };
}

/** `20260301T080000Z` */
function stampOf(moment: Date): string {
  return moment
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "");
}

async function removeOlder(directory: string, oldest: number, host: Host): Promise<void> {
  const limit = stampOf(new Date(oldest));
  const files = host.stateDirectory(directory);
  for (const name of await namesIn(directory, host)) {
    if (name < limit) await files.remove(name);
  }
}

/** Names of the histories of commands, oldest first; none where there is no directory. */
async function namesIn(directory: string, { files }: Host): Promise<readonly string[]> {
  try {
    return (await files.list(directory)).filter((name) => fileName.test(name)).toSorted();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** A history file that was read: its entries, oldest first, and the numbers of its damaged lines. */
export interface ReadHistory {
  readonly file: string;
  readonly entries: readonly HistoryEntry[];
  readonly damaged: readonly number[];
}

/** The daemon's history and those of the commands beside it. */
export async function readHistories(path: string, host: Host): Promise<readonly ReadHistory[]> {
  const directory = directoryOf(path);
  const commands = await namesIn(directory, host);
  const histories: ReadHistory[] = [];
  for (const file of [path, ...commands.map((name) => `${directory}/${name}`)]) {
    histories.push({ file, ...(await readHistory(host.historyStore(file).read(0))) });
  }
  return histories;
}
