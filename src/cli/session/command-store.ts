import type { Config } from "../../desired/config/config.ts";
import { databaseOf } from "../../host/configured-database.ts";
import type { Host } from "../../host/host.ts";
import { readSecret } from "../../host/secrets.ts";
import { openDatabaseStore } from "../../memory/database-store.ts";
import { DatabaseError } from "../../memory/database.ts";
import {
  inspectDirectory,
  openCommandDirectory,
  readStore,
  type StoredZones,
  storedZones,
} from "../../memory/open-store.ts";
import { identityOf, type StateStore } from "../../memory/state-store.ts";
import { putMessage, type StoreMessage, storeMessageJson } from "../../memory/store-message.ts";
import { errorText } from "../../syntax/error-code.ts";
import { coerceObject, coerceText, parseJson } from "../../syntax/json.ts";
import { askDaemon, daemonAddress, postRequest } from "./ask-daemon.ts";
import { leadDatabase } from "./lead-database.ts";

/** What a command stores, and where: in the store itself, or through the daemon that uses it. */
export interface CommandStore extends AsyncDisposable {
  /** What was stored when it was opened. */
  readonly stored: StoredZones;
  /** Resolves with why it is not stored; `undefined`: it is. */
  store(message: StoreMessage): Promise<string | undefined>;
}

/** Why a command can store nothing. */
export interface NoCommandStore extends AsyncDisposable {
  readonly why: string;
}

/**
 * Opens the store for a command that writes it. If a daemon uses the store, the daemon is asked: with its token, at the
 * page of the leader, or at `server.listen`.
 */
export async function openCommandStore(
  config: Config,
  host: Host,
  stop: AbortSignal,
): Promise<CommandStore | NoCommandStore> {
  const { store } = config;
  if (store === undefined) return noStore("there is no store: set store.path");
  return "path" in store
    ? await openForDirectory(store.path, config, host, stop)
    : await openForDatabase(config, host, stop);
}

function noStore(why: string): NoCommandStore {
  return { why, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Another command holds the lock for a moment only, a daemon as long as it runs. */
const lockWait = { ms: 500, times: 4 } as const;

async function openForDirectory(
  path: string,
  config: Config,
  host: Host,
  stop: AbortSignal,
): Promise<CommandStore | NoCommandStore> {
  let { holder } = await inspectDirectory(path, config, host);
  for (let waited = 0; holder !== undefined && waited < lockWait.times; waited += 1) {
    const { response } = await askDaemon("/livez", config);
    const why = `the store is in use by ${holder}`;
    if (response?.ok === true) return throughDaemon(why, "", config, host, stop);
    await host.clock.sleep(lockWait.ms, stop);
    ({ holder } = await inspectDirectory(path, config, host));
  }
  if (holder !== undefined) return noStore(`the store is in use by ${holder}`);
  const opened = await openCommandDirectory(path, config, host);
  if (opened.store === undefined) return noStore(opened.why);
  const { store } = opened;
  return own(store, host, async () => store[Symbol.asyncDispose]());
}

function own(store: StateStore, { clock }: Host, dispose: () => Promise<void>): CommandStore {
  return {
    stored: storedZones(store),
    store: async (message) => {
      putMessage(message, store, clock);
      return (await store.flush()) ? undefined : "the store cannot be written";
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** As the leader, for the time of the command. A leader that does not answer may be gone: its Lease is waited for. */
async function openForDatabase(
  config: Config,
  host: Host,
  stop: AbortSignal,
): Promise<CommandStore | NoCommandStore> {
  await using resources = new AsyncDisposableStack();
  let led = await leadDatabase(config, host, stop, "none");
  if ("why" in led && led.isLedByOther && !(await doesAnswer(pageOf(led.page, config), stop))) {
    host.stderr.write(`${led.why} and does not answer: waiting to see whether it still runs\n`);
    led = await leadDatabase(config, host, stop, "lease");
  }
  if ("why" in led) {
    return led.isLedByOther
      ? throughDaemon(led.why, led.page, config, host, stop)
      : noStore(led.why);
  }
  resources.use(led);
  const { place, tables } = led.database;
  // A command says itself whether it could write.
  const ports = {
    clock: host.clock,
    onFailure: () => undefined,
    onRecovery: () => undefined,
    onLost: () => undefined,
  };
  try {
    const store = await openDatabaseStore(place, tables, identityOf(config), undefined, ports);
    resources.use(store);
    const held = resources.move();
    return own(store.state, host, () => held.disposeAsync());
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return noStore(error.message);
  }
}

/** Whether there is any answer: what it says is found out by asking to store. */
async function doesAnswer(page: string, stop: AbortSignal): Promise<boolean> {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
    await (await fetch(`${page}/livez`, { signal })).body?.cancel();
    return true;
  } catch {
    stop.throwIfAborted();
    return false;
  }
}

/** @param page of the leader; "": the daemon is at `server.listen`. */
function pageOf(page: string, config: Config): string {
  return (page === "" ? daemonAddress(config) : page).replace(/\/$/, "");
}

async function throughDaemon(
  why: string,
  page: string,
  config: Config,
  host: Host,
  stop: AbortSignal,
): Promise<CommandStore | NoCommandStore> {
  const source = config.server.reconcileToken;
  if (source === undefined) {
    return noStore(
      `${why}: for commands to store beside a daemon, set server.reconcile_token_file or server.reconcile_token_env`,
    );
  }
  let token: string;
  try {
    token = await readSecret(source, host);
  } catch (error) {
    return noStore(`${why}, and the token of the daemon is missing: ${errorText(error)}`);
  }
  await using database = databaseOf(config, host);
  const stored = storedZones(await readStore(config, database, host));
  const url = new URL(`${pageOf(page, config)}/api/v1/store`);
  return {
    stored,
    store: (message) => send(message, { url, token, why, host, stop }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

interface Sending {
  readonly url: URL;
  readonly token: string;
  readonly why: string;
  readonly host: Host;
  readonly stop: AbortSignal;
}

/** While a zone is run, the daemon stores nothing about it. */
const busyWait = { ms: 1_000, times: 30 } as const;
const timeoutMs = 15_000;

/** Resolves with why the daemon did not store a message; `undefined`: it did. */
async function send(
  message: StoreMessage,
  { url, token, why, host, stop }: Sending,
): Promise<string | undefined> {
  const request = postRequest({ token, body: JSON.stringify(storeMessageJson(message)) });
  try {
    for (let asked = 1; ; asked += 1) {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
      const response = await fetch(url, { ...request, signal });
      if (response.ok) return undefined;
      const answer = coerceText(coerceObject(parseJson(await response.text()))["error"]);
      if (response.status !== busyStatus || asked === busyWait.times) {
        return `${why}, and ${url.origin} answers: ${saidIn(response.status, answer)}`;
      }
      await host.clock.sleep(busyWait.ms, stop);
    }
  } catch (error) {
    stop.throwIfAborted();
    return `${why}, and ${url.origin} does not answer: ${errorText(error)}`;
  }
}

const busyStatus = 409;

function saidIn(status: number, answer: string): string {
  if (status === 404 && answer === "not found") {
    return "it has no token: set server.reconcile_token_file there too, and restart it";
  }
  return answer === "" ? `status ${status}` : answer;
}
