import type { Config } from "../../desired/config/config.ts";
import { type HistoryFile, verifyHistory } from "../../history/verify/verify-history.ts";
import { databaseOf } from "../../host/configured-database.ts";
import type { Host } from "../../host/host.ts";
import { dayRecordOf } from "../../measure/day-record.ts";
import type { MeasurementReader } from "../../measure/measurement-store.ts";
import { damagedKeys } from "../../memory/damaged-keys.ts";
import { measurementTable } from "../../memory/database-store.ts";
import { brokenState, type Database, DatabaseError } from "../../memory/database.ts";
import { readDirectoryStore } from "../../memory/directory/directory-store.ts";
import { lockHolder } from "../../memory/directory/state-lock.ts";
import { measurementsIn } from "../../memory/open-store.ts";
import { zoneKeys } from "../../memory/state-keys.ts";
import { identityOf } from "../../memory/state-store.ts";
import { plural, printable } from "../../render/format.ts";
import { errorText } from "../../syntax/error-code.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { kubernetesOf, leasesOf } from "../session/shared-store.ts";
import { historyOf } from "../session/stored.ts";

interface Kept {
  /** What a person is shown: a line each. */
  readonly lines: readonly string[];
  /** Why the state cannot be used; `undefined`: it can. */
  readonly lost?: string;
  readonly entries: ReadonlyMap<string, string>;
  readonly history: HistoryFile;
  readonly measurements: MeasurementReader;
}

/** `store check`: prints what is in the store of a configuration, and whether it is whole. Writes nothing. */
export async function checkKept(config: Config, host: Host, stop: AbortSignal): Promise<ExitCode> {
  const { store } = config;
  if (store === undefined) return fail("there is no store: set store.path or store.postgres", host);
  if ("path" in store) {
    return print(await keptInDirectory(store.path, config, host), config, host, stop);
  }
  await using database = databaseOf(config, host);
  if (database === undefined) return fail("there is no database", host);
  return await print(await keptInDatabase(database, config, host, stop), config, host, stop);
}

async function keptInDirectory(directory: string, config: Config, host: Host): Promise<Kept> {
  const files = host.stateDirectory(directory);
  const { opened, entries } = await readDirectoryStore(identityOf(config), files);
  const holder = await lockHolder(files, host);
  return {
    lines: [
      `store: the directory ${directory}`,
      ...(opened.result === "loaded" ? [ownerText(config)] : []),
      `lock: ${holder === undefined ? "nobody holds it" : `held by ${holder}`}`,
    ],
    ...(opened.result === "lost" && {
      lost: `${directory}: the state cannot be used: ${opened.detail}`,
    }),
    entries,
    history: historyOf(directory, host),
    measurements: measurementsIn(directory, host),
  };
}

async function keptInDatabase(
  database: Database,
  config: Config,
  host: Host,
  stop: AbortSignal,
): Promise<Kept> {
  const { tables, place } = database;
  await tables.check(identityOf(config));
  const entries = await tables.entries().catch((error: unknown) => {
    if (error instanceof DatabaseError && error.message === brokenState) return undefined;
    throw error;
  });
  return {
    lines: [
      `store: ${place}, version ${tables.version} of the tables`,
      (await isUnclaimed(database)) ? "belongs to: nobody yet" : ownerText(config),
      `leader: ${await leaderText(database, config, host, stop)}`,
    ],
    ...(entries === undefined && { lost: `${place}: the state cannot be used: ${brokenState}` }),
    entries: entries ?? new Map(),
    history: { file: place, pieces: () => tables.historyLines() },
    measurements: measurementTable(tables),
  };
}

/** Whether no installation has used the tables yet: then they are nobody's as much as anybody's. */
async function isUnclaimed({ tables }: Database): Promise<boolean> {
  try {
    await tables.check({ owner: "", service: "" });
    return true;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return false;
  }
}

function ownerText(config: Config): string {
  const { owner, service } = identityOf(config);
  return `belongs to: ${owner} at ${service}`;
}

const leaseTimeoutMs = 10_000;

async function leaderText(
  database: Database,
  config: Config,
  host: Host,
  stop: AbortSignal,
): Promise<string> {
  stop.throwIfAborted();
  try {
    await using kubernetes = await kubernetesOf(config, host);
    const lease = await leasesOf(config, kubernetes, database).read(leaseTimeoutMs);
    return lease === undefined || lease.holder === "" ? "nobody" : printable(lease.holder);
  } catch (error) {
    return `not known: ${errorText(error)}`;
  }
}

const mostNamed = 10;

async function print(
  { lines, lost, entries, history, measurements }: Kept,
  { desired }: Config,
  host: Host,
  stop: AbortSignal,
): Promise<ExitCode> {
  const damaged = damagedKeys(entries, desired.path, host.files);
  const days = await measurements.days();
  const damagedDays = await Array.fromAsync(daysWithDamage(days, measurements, stop));
  const { files, flaws } = await verifyHistory([history]);
  const count = files[0]?.lines ?? 0;
  const head = files[0]?.seals.at(-1);
  const found = flaws.filter(({ code }) => code !== "empty" || entries.keys().some(hasLine));
  const text = [
    ...lines,
    `state: ${lost === undefined ? entriesText(entries.size, damaged) : "cannot be used"}`,
    `history: ${historyText(count, found.length, head)}`,
    ...(days.length === 0
      ? []
      : [`measurements: ${plural(days.length, "day")}, ${readableText(damagedDays)}`]),
  ];
  host.stdout.write(`${text.join("\n")}\n`);
  if (lost !== undefined) host.stderr.write(`${lost}\n`);
  if (damaged.length > 0) {
    host.stderr.write(
      "damaged entries count as not stored: restore the store from a backup, or let the daemon learn them anew\n",
    );
  }
  if (found.length > 0) {
    host.stderr.write(
      "the history is not as it was written: `zonewarden history verify` says where\n",
    );
  }
  if (damagedDays.length > 0) {
    host.stderr.write("damaged records of measurements count as hours that are not measured\n");
  }
  const isWhole = damaged.length + found.length + damagedDays.length === 0;
  return isWhole && lost === undefined ? exitCodes.done : exitCodes.partial;
}

/** Whether the history got a line when a key was stored. Of a zone that was always as declared, it has none. */
function hasLine(key: string): boolean {
  const { drift, pending, rays } = zoneKeys;
  return [drift, pending, rays].some((each) => key.startsWith(each.key));
}

function entriesText(entries: number, damaged: readonly string[]): string {
  return entries === 0 ? "empty" : `${plural(entries, "entry")}, ${readableText(damaged)}`;
}

function readableText(damaged: readonly string[]): string {
  if (damaged.length === 0) return "all readable";
  return `${damaged.length} damaged: ${damaged.slice(0, mostNamed).join(", ")}`;
}

async function* daysWithDamage(
  days: readonly string[],
  measurements: MeasurementReader,
  stop: AbortSignal,
): AsyncGenerator<string> {
  for (const day of days) {
    let isDamaged = false;
    for await (const [zone, text] of measurements.readAll(day)) {
      stop.throwIfAborted();
      isDamaged ||= dayRecordOf(zone, day, text) === undefined;
    }
    if (isDamaged) yield day;
  }
}

function historyText(
  lines: number,
  flaws: number,
  head: { readonly hash: string; readonly n: number } | undefined,
): string {
  if (lines + flaws === 0) return "none";
  const found = flaws === 0 ? "intact" : `not intact (${plural(flaws, "finding")})`;
  const state = `${plural(lines, "line")}, ${found}`;
  return head === undefined ? state : `${state}, head ${head.hash}, line ${head.n} of the chain`;
}
