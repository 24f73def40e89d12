import { join } from "node:path";

import type { Config } from "../desired/config/config.ts";
import type { HistoryStore } from "../history/file/history-store.ts";
import type { MeasurementStore } from "../measure/measurement-store.ts";
import type { AdoptedRule } from "../plan/ownership.ts";
import type { StoredHold } from "../reconcile/fleet/desired-fleet.ts";
import type { Moments, WeakenedBy } from "../reconcile/fleet/fleet-past.ts";
import type { Corrections } from "../reconcile/run/run-store.ts";
import type { ZoneSteps } from "../reconcile/steps/step-state.ts";
import type { RolloutHalt } from "../state/load-report.ts";
import type { ScriptWatch } from "../state/scripts/script-watch.ts";
import { errorText } from "../syntax/error-code.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { Database } from "./database.ts";
import { openDirectoryStore, readDirectoryStore } from "./directory/directory-store.ts";
import { heldHistoryFile } from "./directory/history-file.ts";
import { heldMeasurements, measurementFiles } from "./directory/measurement-files.ts";
import type { StateDirectory } from "./directory/state-directory.ts";
import { lockHolder, type LockPorts } from "./directory/state-lock.ts";
import type { KeptStore } from "./kept-store.ts";
import { fleetKeys, remembered, revisionKeys, zoneKeys } from "./state-keys.ts";
import { identityOf, type OpenResult, type StateStore, type StoreIdentity } from "./state-store.ts";
import { headIn } from "./stored-revision.ts";
import { storedWeakened } from "./stored-runs.ts";

/** What a store needs of the process. */
export interface StoreHost extends Omit<LockPorts, "onLost"> {
  readonly stateDirectory: (path: string) => StateDirectory;
  readonly historyStore: (file: string) => HistoryStore;
}

/** The history file in the directory of a store. */
export function historyFileIn(directory: string): string {
  return join(directory, "history.jsonl");
}

/** The measurements in the directory of a store. */
export function measurementsIn(
  directory: string,
  { stateDirectory }: Pick<StoreHost, "stateDirectory">,
): MeasurementStore {
  return measurementFiles(stateDirectory(join(directory, "measurements")));
}

/**
 * Opens the store in a directory for the daemon. Rejects if it cannot be opened now.
 *
 * @param stop ends the wait whether another process that seems to use it lives.
 * @throws {DirectoryLocked} if another process uses it.
 */
export async function openDirectory(
  directory: string,
  identity: StoreIdentity,
  host: StoreHost & { readonly exit: (code: number) => never },
  logger: Logger,
  stop?: AbortSignal,
): Promise<KeptStore> {
  const { clock, process, uniqueId } = host;
  const files = host.stateDirectory(directory);
  const holder = await lockHolder(files, host);
  if (holder !== undefined) {
    logger.warn({ path: directory, holder }, "the store is in use: waiting whether that lives");
  }
  const state = await openDirectoryStore(identity, {
    directory: files,
    clock,
    process,
    uniqueId,
    stop,
    ...writeReports(directory, logger),
    onLost: ({ message }) => {
      const facts = { path: directory, error: message };
      logger.fatal(facts, "the store was taken over: zonewarden ends at once");
      host.exit(1);
    },
  });
  logOpenedState(state.opened, directory, logger);
  return directoryStore(directory, state, host);
}

function directoryStore(
  directory: string,
  state: StateStore,
  host: Pick<StoreHost, "historyStore" | "stateDirectory">,
): KeptStore {
  return {
    state,
    history: heldHistoryFile(host.historyStore(historyFileIn(directory)), state),
    measurements: heldMeasurements(measurementsIn(directory, host), state),
    isRestored: lacksEntries(state.opened),
    // What is stored is no longer missing.
    settleLoss: () => undefined,
    [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
  };
}

/** Whether something that was stored is not known: it cannot be used, or comes from an earlier copy. */
function lacksEntries(opened: OpenResult): boolean {
  return opened.result === "lost" || (opened.result === "loaded" && opened.takenBack !== undefined);
}

/** Logs that the state cannot be written, and that it can again. */
export function writeReports(
  place: string,
  logger: Logger,
): { readonly onFailure: (error: Error) => void; readonly onRecovery: () => void } {
  return {
    onFailure: ({ message }) =>
      logger.error({ path: place, error: message }, "state cannot be written"),
    onRecovery: () => logger.info({ path: place }, "state is written again"),
  };
}

/** Logs what was found in a state when it was opened. */
export function logOpenedState(opened: OpenResult, place: string, logger: Logger): void {
  switch (opened.result) {
    case "empty":
      logger.info({ path: place }, "state is empty: this is the first start with it");
      return;
    case "loaded": {
      const { entries, takenBack } = opened;
      if (takenBack === undefined) {
        logger.info({ path: place, entries }, "state loaded");
        return;
      }
      logger.warn(
        { path: place, entries, file: takenBack },
        "there is no other usable state: a copy that was set aside before is used again; what came after it is not known, and releases in limits.accept are not used",
      );
      return;
    }
    case "lost": {
      const { reason, detail, keptAs } = opened;
      logger.error(
        { path: place, reason, detail, file: keptAs },
        "state cannot be used: it is kept beside the new one, and zonewarden starts without a memory; releases in limits.accept are not used",
      );
    }
  }
}

/** What was stored, for a command that only reads. */
export interface StoredView {
  /** For messages. */
  readonly place: string;
  readonly opened: OpenResult;
  readonly get: (key: string) => string | undefined;
}

/**
 * Reads what the daemon stored, without its lock or its Lease. Never writes. A store that cannot be used is `lost`.
 *
 * @param database of the configuration, if it names one.
 * @returns `undefined` if the configuration names no store.
 */
export async function readStore(
  config: Config,
  database: Database | undefined,
  host: Pick<StoreHost, "stateDirectory">,
): Promise<StoredView | undefined> {
  const { store } = config;
  if (store === undefined) return undefined;
  if (database !== undefined) return readDatabase(database, identityOf(config));
  if (!("path" in store)) return undefined;
  const { path: place } = store;
  const read = await readDirectoryStore(identityOf(config), host.stateDirectory(place));
  return { opened: read.opened, get: (key) => read.entries.get(key), place };
}

async function readDatabase(
  { tables, place }: Database,
  identity: StoreIdentity,
): Promise<StoredView> {
  try {
    await tables.check(identity);
    const entries = await tables.entries();
    const { size } = entries;
    const opened: OpenResult =
      size === 0 ? { result: "empty" } : { result: "loaded", entries: size };
    return { place, opened, get: (key) => entries.get(key) };
  } catch (error) {
    const detail = errorText(error);
    const opened = { result: "lost", reason: "unreadable", detail } as const;
    return { place, opened, get: () => undefined };
  }
}

/** What the daemon stored of zones, for a command. */
export interface StoredZones {
  /** Why the store was not read, so that nothing of it is known; `undefined`: it was, or there is none. */
  readonly unread: string | undefined;
  /** What was last applied to a zone; "" if that is not known. */
  readonly applied: (zone: ZoneName) => string;
  /** The rules of a zone that were adopted. */
  readonly adopted: (zone: ZoneName) => readonly AdoptedRule[];
  /** When each field of a zone was corrected. */
  readonly corrections: (zone: ZoneName) => Corrections;
  /** The last check of the scripts of a zone; `undefined`: none. */
  readonly scripts: (zone: ZoneName) => ScriptWatch | undefined;
  /** Where the objects of a zone stand on their steps; `noSteps`: nothing is stored of them. */
  readonly steps: (zone: ZoneName) => ZoneSteps;
  /** Why a revision of the files is not in force in a zone; `undefined`: it is, or that is not known. */
  readonly waits: (zone: ZoneName, revision: string) => "wave" | "fleet_change" | undefined;
  /** What a person made of the rollout of a revision, by the hash of that; `undefined`: it goes on. */
  readonly halt: (hash: string) => RolloutHalt | undefined;
  /** The revision that the daemon holds; `undefined`: none, or that is not known. */
  readonly held: StoredHold | undefined;
  /** When each zone was last weakened without a release. */
  readonly weakened: (by: WeakenedBy) => Moments<ZoneName>;
  /** The hashes of the plans whose release was used. */
  readonly usedReleases: readonly string[];
}

/** What a store says of zones; without one, nothing is known. */
export function storedZones(
  store: Pick<StoredView, "get"> | undefined,
  unread?: string,
): StoredZones {
  const known = store ?? { get: () => undefined };
  return {
    unread,
    applied: (zone) => remembered(known, zoneKeys.applied, zone),
    adopted: (zone) => remembered(known, zoneKeys.adopted, zone),
    corrections: (zone) => remembered(known, zoneKeys.corrections, zone),
    scripts: (zone) => remembered(known, zoneKeys.scripts, zone),
    steps: (zone) => remembered(known, zoneKeys.steps, zone),
    waits: (zone, revision) => {
      if (remembered(known, fleetKeys.rolloutZone, zone)?.waits !== undefined) return "wave";
      const active = headIn(known.get(revisionKeys.head));
      return active === undefined || active.revision === revision ? undefined : "fleet_change";
    },
    halt: (hash) => {
      const { revision, halt } = remembered(known, fleetKeys.halt) ?? {};
      // Another revision ends an abort, and no pause.
      return halt === "aborted" && revision !== hash ? undefined : halt;
    },
    held: remembered(known, fleetKeys.held),
    weakened: (by) => storedWeakened(known, by),
    usedReleases: remembered(known, fleetKeys.usedReleases),
  };
}

/** Why the store tells a command nothing; `undefined`: there is none, or it can be read. */
export function whyUnknown(store: StoredView | undefined): string | undefined {
  if (store === undefined || store.opened.result === "loaded") return undefined;
  const { place, opened } = store;
  return opened.result === "lost"
    ? `the store (${place}) cannot be used: ${opened.detail}`
    : `the store (${place}) is empty here: no daemon of this configuration has used it`;
}

/** What a command says if it knows nothing of the store, and why. */
export function notKnownText(why: string): string {
  return `${why}. Not known are: the causes of changes, the adopted rules, a held revision, used releases, and what was weakened within the last hour`;
}

/** What is in a directory, and who holds its lock. */
export interface InspectedDirectory {
  readonly opened: OpenResult;
  /** For messages; `undefined`: nobody, or the state cannot be used. */
  readonly holder: string | undefined;
}

/** Reads the state in a directory without its lock. Never writes. */
export async function inspectDirectory(
  path: string,
  config: Config,
  host: StoreHost,
): Promise<InspectedDirectory> {
  const directory = host.stateDirectory(path);
  const { opened } = await readDirectoryStore(identityOf(config), directory);
  const holder = opened.result === "lost" ? undefined : await lockHolder(directory, host);
  return { opened, holder };
}

/** The state for a command that writes it, or why there is none that it may write. */
export type CommandState =
  | { readonly store: StateStore }
  | { readonly store: undefined; readonly why: string };

/** Opens the state in a directory for a command that writes it. State that cannot be used is left as it is. */
export async function openCommandDirectory(
  directory: string,
  config: Config,
  host: StoreHost,
): Promise<CommandState> {
  const { clock, process, uniqueId } = host;
  const identity = identityOf(config);
  const files = host.stateDirectory(directory);
  const { opened } = await readDirectoryStore(identity, files);
  if (opened.result === "lost") {
    return { store: undefined, why: `the state in ${directory} cannot be used: ${opened.detail}` };
  }
  const reports = { onFailure: silent, onRecovery: silent, onLost: silent };
  try {
    const ports = { directory: files, clock, process, uniqueId, ...reports };
    return { store: await openDirectoryStore(identity, ports) };
  } catch (error) {
    return {
      store: undefined,
      why: `the state in ${directory} cannot be opened: ${errorText(error)}`,
    };
  }
}

function silent(): void {
  // A command says itself whether it could write.
}
