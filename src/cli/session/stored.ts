import path from "node:path";

import type { Config } from "../../desired/config/config.ts";
import type { HistoryFile } from "../../history/verify/verify-history.ts";
import { databaseOf } from "../../host/configured-database.ts";
import type { Host } from "../../host/host.ts";
import type { MeasurementReader } from "../../measure/measurement-store.ts";
import { measurementTable } from "../../memory/database-store.ts";
import { type Database, DatabaseError } from "../../memory/database.ts";
import {
  historyFileIn,
  measurementsIn,
  notKnownText,
  readStore,
  type StoredZones,
  storedZones,
  whyUnknown,
} from "../../memory/open-store.ts";
import { identityOf } from "../../memory/state-store.ts";
import { type ExitCode, fail } from "../output/exit-codes.ts";

/** What ends a command that writes zones, if nothing is known of the store: an adopted rule would be created once more. */
export const unreadText =
  "nothing is written: which rules are adopted, and which releases were used, must be known first; make the store readable, and run the command again";

/**
 * What the store says of zones. If it cannot be read, stderr says what is not known. Never writes.
 *
 * @param changedSince a Git revision: a pull request is checked where no database can be reached, so none is tried.
 */
export async function readStoredZones(
  config: Config,
  host: Host,
  changedSince?: string,
): Promise<StoredZones> {
  if (changedSince !== undefined && config.store !== undefined && "postgres" in config.store) {
    const unread = "--changed-since reads no database";
    host.stderr.write(`${notKnownText(unread)}\n`);
    return storedZones(undefined, unread);
  }
  await using database = databaseOf(config, host);
  const stored = await readStore(config, database, host);
  const why = whyUnknown(stored);
  if (why !== undefined) host.stderr.write(`${notKnownText(why)}\n`);
  return storedZones(stored, stored?.opened.result === "lost" ? why : undefined);
}

/** A history in a file, whose path is relative to the directory of the process. */
export function historyIn(file: string, host: Host): HistoryFile {
  return { file, pieces: () => host.historyStore(path.resolve(host.directory, file)).read() };
}

/** The history in the directory of a store. A pipe in its place is refused: to open it could wait for ever. */
export function historyOf(directory: string, host: Host): HistoryFile {
  const file = historyFileIn(directory);
  const store = host.historyStore(file);
  return {
    file,
    pieces: async function* pieces() {
      await store.size();
      yield* store.read();
    },
  };
}

/** Says on stderr whose the store in a directory is, if it is that of another installation. */
async function tellForeign(config: Config, host: Host): Promise<void> {
  const found = await readStore(config, undefined, host);
  if (found?.opened.result !== "lost" || found.opened.reason !== "foreign") return;
  const { place, opened } = found;
  host.stderr.write(`${place} is not of this configuration: ${opened.detail}\n`);
}

/** Reads the measurements in the store of a configuration. If there is no store, or it cannot be read, stderr says so. */
export async function withMeasurements(
  config: Config,
  configFile: string,
  host: Host,
  read: (reader: MeasurementReader) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { store } = config;
  if (store === undefined) {
    return fail(`${configFile} sets no store: measurements are kept in it`, host);
  }
  if ("path" in store) {
    await tellForeign(config, host);
    return read(measurementsIn(store.path, host));
  }
  return withTables(config, host, ({ tables }) => read(measurementTable(tables)));
}

/**
 * Passes the measurements in the store of a configuration on, or why they cannot be read.
 *
 * @param changedSince as of {@link readStoredZones}.
 */
export async function withStoredMeasurements<T>(
  config: Config,
  changedSince: string | undefined,
  host: Host,
  read: (reader: MeasurementReader | string) => Promise<T>,
): Promise<T> {
  const { store } = config;
  if (store === undefined) return read("there is no store");
  if ("path" in store) {
    return read(measurementsIn(store.path, host));
  }
  if (changedSince !== undefined) return read("--changed-since reads no database");
  await using database = databaseOf(config, host);
  if (database === undefined) return read("there is no database");
  try {
    await database.tables.check(identityOf(config));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return read(error.message);
  }
  return await read(measurementTable(database.tables));
}

/** Reads the history in the store of a configuration. If there is no store, or it cannot be read, stderr says so. */
export async function withHistory(
  config: Config,
  configFile: string,
  host: Host,
  read: (history: HistoryFile) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { store } = config;
  if (store === undefined) {
    const why = "the daemon keeps the history in memory, and shows it on its status page";
    return fail(`${configFile} sets no store: ${why}`, host);
  }
  if ("path" in store) {
    await tellForeign(config, host);
    return read(historyOf(store.path, host));
  }
  return withTables(config, host, ({ place, tables }) =>
    read({ file: place, pieces: () => tables.historyLines() }),
  );
}

async function withTables(
  config: Config,
  host: Host,
  read: (database: Database) => Promise<ExitCode>,
): Promise<ExitCode> {
  await using database = databaseOf(config, host);
  if (database === undefined) return fail("there is no database", host);
  try {
    await database.tables.check(identityOf(config));
    return await read(database);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return fail(error.message, host);
  }
}
