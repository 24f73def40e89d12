import type { Config } from "../desired/config/config.ts";
import type { AdoptedRule } from "../plan/ownership.ts";
import type { Moments, WeakenedBy } from "../reconcile/fleet/fleet-past.ts";
import type { ScriptWatch } from "../state/scripts/script-watch.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { ZoneName } from "../zone/zone.ts";
import { openDirectoryStore, readDirectoryStore } from "./directory/directory-store.ts";
import type { StateDirectory } from "./directory/state-directory.ts";
import { DirectoryLocked, lockHolder, type LockPorts } from "./directory/state-lock.ts";
import { MemoryStore } from "./memory-store.ts";
import { remembered, zoneKeys } from "./state-keys.ts";
import type { OpenResult, StateStore } from "./state-store.ts";
import { storedWeakened } from "./stored-runs.ts";

/** What the state needs of the process. */
export interface StateHost extends Omit<LockPorts, "onLost"> {
  readonly stateDirectory: (path: string) => StateDirectory;
}

/**
 * Opens the state of the daemon. If it cannot be opened, the daemon goes on without a memory, and says so.
 *
 * @throws {DirectoryLocked} where another process uses it.
 */
export async function openState(
  { state, desired, api }: Config,
  host: StateHost & { readonly exit: (code: number) => never },
  logger: Logger,
): Promise<StateStore> {
  const { path } = state;
  if (path === undefined) {
    logger.warn(
      "no state directory: after a restart, zonewarden does not know what it applied; set state.path",
    );
    return new MemoryStore();
  }
  const { clock, process, uniqueId } = host;
  const identity = { owner: desired.owner, service: api.baseUrl };
  try {
    const store = await openDirectoryStore(identity, {
      directory: host.stateDirectory(path),
      clock,
      process,
      uniqueId,
      onFailure: (error) => {
        logger.error({ path, error: error.message }, "state cannot be written");
      },
      onRecovery: () => {
        logger.info({ path }, "state is written again");
      },
      onLost: ({ message }) => {
        logger.fatal({ path, error: message }, "state was taken over: zonewarden ends at once");
        host.exit(1);
      },
    });
    logOpenedState(store.opened, { path, kept: "it is kept as state.jsonl.unusable" }, logger);
    return store;
  } catch (error) {
    if (error instanceof DirectoryLocked) throw error;
    const cause = error instanceof Error ? error : new Error(String(error));
    logger.error({ path, error: cause.message }, "state cannot be opened: nothing is remembered");
    return new MemoryStore({ status: "failing", since: clock.now(), error: cause });
  }
}

/** What the daemon stored of zones, for a command that runs beside it. */
export interface StoredZones {
  /** What was last applied to a zone; "" if that is not known. */
  readonly applied: (zone: ZoneName) => string;
  /** The rules of a zone that were adopted. */
  readonly adopted: (zone: ZoneName) => readonly AdoptedRule[];
  /** The last check of the scripts of a zone; `undefined`: none. */
  readonly scripts: (zone: ZoneName) => ScriptWatch | undefined;
  /** When each zone was last weakened without a release. */
  readonly weakened: (by: WeakenedBy) => Moments<ZoneName>;
}

/**
 * Reads what the daemon stored of zones, without the lock of the state. Never writes; prints why there is a state that
 * cannot be used.
 */
export async function readStoredZones(
  { state: { path }, desired, api }: Config,
  host: Pick<StateHost, "stateDirectory"> & {
    readonly stderr: { readonly write: (text: string) => unknown };
  },
): Promise<StoredZones> {
  if (path === undefined) {
    return {
      applied: () => "",
      adopted: () => [],
      scripts: () => undefined,
      weakened: () => new Map(),
    };
  }
  const identity = { owner: desired.owner, service: api.baseUrl };
  const { opened, get } = await readDirectoryStore(identity, host.stateDirectory(path));
  if (opened.result === "lost") {
    host.stderr.write(
      `the state in ${path} cannot be used (${opened.detail}): the causes of changes, the adopted rules and what was weakened within the last hour are unknown\n`,
    );
  }
  return {
    applied: (zone) => remembered({ get }, zoneKeys.applied, zone),
    adopted: (zone) => remembered({ get }, zoneKeys.adopted, zone),
    scripts: (zone) => remembered({ get }, zoneKeys.scripts, zone),
    weakened: (by) => storedWeakened({ get }, by),
  };
}

/** What is in a state directory, and who holds its lock. */
export interface InspectedState {
  readonly opened: OpenResult;
  /** For messages; `undefined`: nobody. */
  readonly holder: string | undefined;
}

/** Reads a state directory without its lock. Never writes. */
export async function inspectState(
  path: string,
  { desired, api }: Config,
  host: StateHost,
): Promise<InspectedState> {
  const directory = host.stateDirectory(path);
  const identity = { owner: desired.owner, service: api.baseUrl };
  const { opened } = await readDirectoryStore(identity, directory);
  return { opened, holder: await lockHolder(directory, host) };
}

/** The state for a command that writes it, or why there is none that it may write. */
export type CommandState =
  | { readonly store: StateStore }
  | { readonly store: undefined; readonly why: string };

/** Opens the state for a command that writes it. State that cannot be used is left as it is. */
export async function openCommandState(
  { state: { path }, desired, api }: Config,
  host: StateHost,
): Promise<CommandState> {
  if (path === undefined) return noState("there is no state directory: set state.path");
  const { clock, process, uniqueId } = host;
  const identity = { owner: desired.owner, service: api.baseUrl };
  const directory = host.stateDirectory(path);
  const { opened } = await readDirectoryStore(identity, directory);
  if (opened.result === "lost") {
    return noState(`the state in ${path} cannot be used: ${opened.detail}`);
  }
  const ports = {
    directory,
    clock,
    process,
    uniqueId,
    onFailure: untold,
    onRecovery: untold,
    onLost: untold,
  };
  try {
    return { store: await openDirectoryStore(identity, ports) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return noState(`the state in ${path} cannot be opened: ${error.message}`);
  }
}

function noState(why: string): CommandState {
  return { store: undefined, why };
}

/** The command itself tells whether what it stored was written. */
function untold(): void {}

/** Logs what was found in a state when it was opened. */
export function logOpenedState(
  opened: OpenResult,
  { path, kept }: { readonly path: string; readonly kept: string },
  logger: Logger,
): void {
  switch (opened.result) {
    case "empty":
      logger.info({ path }, "state is empty: this is the first start with it");
      return;
    case "loaded":
      logger.info({ path, entries: opened.entries }, "state loaded");
      return;
    case "lost": {
      const { reason, detail } = opened;
      const remedy = `${kept}, and zonewarden starts without a memory`;
      logger.error({ path, reason, detail }, `state cannot be used: ${remedy}`);
    }
  }
}
