import path from "node:path";

import type { Config } from "../../desired/config/config.ts";
import { type ChainHead, NewLines, sealOf } from "../../history/chain/history-chain.ts";
import { type HistoryLine, linesOf } from "../../history/file/history-lines.ts";
import type { HistoryBatch } from "../../history/file/history-store.ts";
import { type HistoryFile, verifyHistory } from "../../history/verify/verify-history.ts";
import { databaseOf } from "../../host/configured-database.ts";
import type { Host } from "../../host/host.ts";
import type { MeasurementReader, MeasurementStore } from "../../measure/measurement-store.ts";
import type { KeyChange, StateEntries } from "../../memory/batched-store.ts";
import { measurementTable, measurementWriter } from "../../memory/database-store.ts";
import { type Database, unfinishedCopy } from "../../memory/database.ts";
import { fillDirectory, readDirectoryStore } from "../../memory/directory/directory-store.ts";
import { DirectoryLocked, lockDirectory, lockHolder } from "../../memory/directory/state-lock.ts";
import { historyFileIn, measurementsIn } from "../../memory/open-store.ts";
import { identityOf, type StoreIdentity } from "../../memory/state-store.ts";
import { plural } from "../../render/format.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { leadDatabase } from "../session/lead-database.ts";

interface CopyRequest {
  readonly from: string;
  readonly to: string;
  /** The history file of `from`, if it is not in its directory. */
  readonly history: string | undefined;
}

/** The database of the configuration, on the command line. */
const databaseName = "postgres";

/** Lines, and entries, that are written at once. */
const batchSize = 500;

/** Why nothing was copied. */
class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

/** What is copied. Its lines can be read more than once. */
interface Source {
  readonly place: string;
  readonly entries: StateEntries;
  readonly lines: () => AsyncIterable<Uint8Array>;
  readonly measurements: MeasurementReader;
}

/** What is copied into a store. */
interface Content extends Pick<Source, "entries" | "measurements"> {
  readonly batches: () => AsyncIterable<NewLines>;
}

/** An empty store that is to be filled. Nobody else may write it. */
interface Target {
  readonly place: string;
  /** Writes all of it, or leaves what nobody takes for a store. */
  readonly write: (content: Content) => Promise<void>;
}

/** Copies state, history and measurements into an empty store, as the only process that uses either. */
export async function copyStore(
  { from, to, history }: CopyRequest,
  config: Config,
  host: Host,
  stop: AbortSignal,
): Promise<ExitCode> {
  await using resources = new AsyncDisposableStack();
  try {
    const [fromPath, toPath] = [from, to].map((each) =>
      each === databaseName ? each : path.resolve(host.directory, each),
    );
    if (fromPath === toPath) throw new CopyRefused("both are the same store");
    const historyFile = history && path.resolve(host.directory, history);
    const source = await openSource(fromPath ?? "", historyFile, { config, host, stop, resources });
    const before = await checkedHead({ file: source.place, pieces: source.lines });
    const target = await openTarget(toPath ?? "", { config, host, stop, resources });
    return await copy(source, before, target, host);
  } catch (error) {
    if (!(error instanceof CopyRefused || error instanceof DirectoryLocked)) throw error;
    return fail(`store copy: nothing was copied: ${error.message}`, host);
  }
}

async function copy(
  { entries, lines, measurements, place }: Source,
  before: CheckedHead,
  target: Target,
  host: Host,
): Promise<ExitCode> {
  const days = (await measurements.days()).length;
  await target.write({ entries, measurements, batches: () => batchesOf(lines()) });
  const head = before.hash === "" ? "" : ` (head ${before.hash})`;
  const measured = days === 0 ? "" : ` and ${plural(days, "day")} of measurements`;
  host.stdout.write(
    `copied ${plural(entries.size, "entry")} and ${plural(before.lines, "line")} of history${head}${measured} from ${place} to ${target.place}\n`,
  );
  host.stderr.write(`${place} is left as it is: do not start a daemon with it any more\n`);
  return exitCodes.done;
}

/** What is known of an intact history. */
interface CheckedHead {
  readonly lines: number;
  readonly hash: string;
}

/** @throws {CopyRefused} if a line was changed, is missing or is damaged. */
async function checkedHead(history: HistoryFile): Promise<CheckedHead> {
  const check = await verifyHistory([history]);
  const [found] = check.files;
  const lines = found?.lines ?? 0;
  if (lines > 0 && check.flaws.length > 0) {
    throw new CopyRefused(
      `the history in ${history.file} is not as it was written: \`zonewarden history verify\` says where; restore it from a backup, or move it away and keep it for \`zonewarden evidence --history\``,
    );
  }
  return { lines, hash: found?.seals.at(-1)?.hash ?? "" };
}

/** The lines as they were written, some at a time. */
async function* batchesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<NewLines> {
  // The target is empty.
  let last: ChainHead = { chain: "", n: 0, hash: "" };
  let batch = new NewLines(last, undefined);
  for await (const { bytes, text } of linesOf(pieces)) {
    const { n, hash } = sealOf(bytes) ?? last;
    last = { chain: "", n, hash };
    batch.addWritten({ text: `${text}\n`, head: last });
    if (batch.lines.length === batchSize) {
      yield batch;
      batch = new NewLines(last, undefined);
    }
  }
  if (batch.lines.length > 0) yield batch;
}

interface CopyPorts {
  readonly config: Config;
  readonly host: Host;
  readonly stop: AbortSignal;
  /** What is held until the copy has ended. */
  readonly resources: AsyncDisposableStack;
}

async function openSource(
  place: string,
  history: string | undefined,
  ports: CopyPorts,
): Promise<Source> {
  const { config, host } = ports;
  if (place === databaseName) {
    if (history !== undefined) throw new CopyRefused("--history is about a directory");
    const { place: name, tables } = await leadTables(ports);
    const found = {
      place: name,
      lines: () => tables.historyLines(),
      measurements: measurementTable(tables),
    };
    await requireContent({ ...found, entries: await tables.entries() });
    // A leader that was paused writes nothing more.
    const { entries } = await tables.begin(identityOf(config), 0);
    return { ...found, entries };
  }
  await requireContent(await directorySource(place, history, config, host));
  await lock(place, ports);
  return directorySource(place, history, config, host);
}

/** A term and a lock are written into a source: not into what is no store. */
async function requireContent({ place, entries, lines, measurements }: Source): Promise<void> {
  const days = (await measurements.days()).length;
  if (entries.size + days > 0) return;
  for await (const { length } of lines()) if (length > 0) return;
  throw new CopyRefused(`there is nothing to copy in ${place}`);
}

async function directorySource(
  place: string,
  history: string | undefined,
  config: Config,
  host: Host,
): Promise<Source> {
  const directory = host.stateDirectory(place);
  if ((await directory.names()).length === 0) {
    throw new CopyRefused(`${place} is empty, or is not there`);
  }
  const { opened, entries } = await readDirectoryStore(identityOf(config), directory);
  if (opened.result === "lost") {
    throw new CopyRefused(`the state in ${place} cannot be used: ${opened.detail}`);
  }
  const file = host.historyStore(history ?? historyFileIn(place));
  if (history !== undefined && (await file.size()) === 0) {
    throw new CopyRefused(`${history} is empty, or is not there`);
  }
  const measurements = measurementsIn(place, host);
  return { place, entries, lines: () => file.read(), measurements };
}

async function openTarget(place: string, ports: CopyPorts): Promise<Target> {
  const { config, host } = ports;
  const identity = identityOf(config);
  if (place === databaseName) return openTargetTables(identity, ports);
  await lock(place, ports);
  const directory = host.stateDirectory(place);
  const { opened } = await readDirectoryStore(identity, directory);
  const file = host.historyStore(historyFileIn(place));
  const own = measurementsIn(place, host);
  const used = (await file.size()) + (await own.days()).length;
  if (opened.result !== "empty" || used > 0) throw notEmpty(place);
  return {
    place,
    write: ({ entries, measurements, batches }) =>
      fillDirectory(directory, identity, entries, async () => {
        for await (const lines of batches()) await file.add({ lines });
        await compare(place, file.read(), batches());
        await copyMeasurements(place, measurements, own);
      }),
  };
}

function notEmpty(place: string): CopyRefused {
  return new CopyRefused(`${place} is not empty: name an empty store`);
}

async function openTargetTables(identity: StoreIdentity, ports: CopyPorts): Promise<Target> {
  await createMissingTables(ports);
  const { tables, place } = await leadTables(ports);
  const table = measurementTable(tables);
  const days = (await table.days()).length;
  const hasContent = (await tables.entries()).size + (await tables.historyBytes()) + days > 0;
  if (hasContent) throw notEmpty(place);
  return {
    place,
    write: async ({ entries, measurements, batches }) => {
      // From here on, nobody takes the tables for a store.
      const opened = await tables.begin(unfinishedCopy, 0);
      if (opened.entries.size + opened.head.n > 0) {
        await tables.begin(identity, opened.term);
        throw notEmpty(place);
      }
      const { term } = opened;
      let { head } = opened;
      const store = async (
        changes: readonly KeyChange[],
        history: HistoryBatch | undefined,
      ): Promise<void> => {
        const result = await tables.store({ term, changes, head, history });
        if (result !== "stored") throw unfinished(place, "another process wrote into it");
        head = history?.lines.head ?? head;
      };
      for await (const lines of batches()) await store([], { lines });
      const all = [...entries];
      for (let start = 0; start < all.length; start += batchSize) {
        await store(all.slice(start, start + batchSize), undefined);
      }
      await compare(place, tables.historyLines(), batches());
      const storeRecords = measurementWriter(async (batch) => {
        const result = await tables.storeMeasurements({ term, ...batch });
        if (result !== "stored") throw unfinished(place, "another process wrote into it");
      });
      await copyMeasurements(place, measurements, { ...table, write: storeRecords });
      await tables.begin(identity, term);
    },
  };
}

function unfinished(place: string, why: string): Error {
  return new Error(`store copy: ${place} is not whole and must not be used: ${why}`);
}

/** Copies the records of all days; rejects if what was written is not what was read. */
async function copyMeasurements(
  place: string,
  source: MeasurementReader,
  target: Pick<MeasurementStore, "readAll" | "write">,
): Promise<void> {
  for (const day of await source.days()) {
    const records = new Map(await Array.fromAsync(source.readAll(day)));
    await target.write(day, records);
    for await (const [zone, text] of target.readAll(day)) {
      if (records.get(zone) === text) records.delete(zone);
    }
    if (records.size > 0) throw unfinished(place, "what was written is not what was read");
  }
}

/** Rejects if what was written is not what was read. */
async function compare(
  place: string,
  pieces: AsyncIterable<Uint8Array>,
  batches: AsyncIterable<NewLines>,
): Promise<void> {
  const written: AsyncIterator<HistoryLine, undefined> = linesOf(pieces);
  for await (const { lines } of batches) {
    for (const { text } of lines) {
      const next = await written.next();
      if (next.done === true || `${next.value.text}\n` !== text) {
        throw unfinished(place, "what was written is not what was read");
      }
    }
  }
}

/** The tables of the configuration, led by this process until the copy has ended. */
async function leadTables({ config, host, stop, resources }: CopyPorts): Promise<Database> {
  const led = await leadDatabase(config, host, stop, "lease");
  if ("why" in led) throw new CopyRefused(led.why);
  resources.use(led);
  return led.database;
}

/** Creates the tables as the daemon does. A role that may not create them is told so when they are used. */
async function createMissingTables({ config, host }: CopyPorts): Promise<void> {
  await using database = databaseOf(config, host);
  await database?.tables.createMissing().catch(() => false);
}

/** The lock of a directory, until the copy has ended. */
async function lock(place: string, { host, resources }: CopyPorts): Promise<void> {
  const { clock, process, uniqueId, stderr } = host;
  const directory = host.stateDirectory(place);
  const holder = await lockHolder(directory, host);
  if (holder !== undefined) {
    stderr.write(`${place} is in use by ${holder}: waiting to see whether it still runs\n`);
  }
  const onLost = (error: DirectoryLocked): void => {
    stderr.write(`store copy: ${error.message}\n`);
    host.exit(exitCodes.failed);
  };
  resources.use(await lockDirectory(directory, { clock, process, uniqueId, onLost }));
}
