import path from "node:path";

import type { Config, Listen } from "../../desired/config/config.ts";
import type { Dialect } from "../../emulator/http/api-endpoint.ts";
import { loadSeed } from "../../emulator/seed/load-seed.ts";
import type { Seed } from "../../emulator/seed/seed.ts";
import { syntheticSeed } from "../../emulator/seed/synthetic-seed.ts";
import { type Emulator, startEmulator } from "../../emulator/start-emulator.ts";
import type { Host } from "../../host/host.ts";
import { readText } from "../../host/read-text.ts";
import { listenError } from "../../web/listen-error.ts";

/** A seed that can be used, or `undefined` after its mistakes have been printed. */
export async function seedOrProblems(
  file: string | undefined,
  host: Host,
): Promise<Seed | undefined> {
  if (file === undefined) return syntheticSeed();
  const shown = path.relative(host.directory, path.resolve(host.directory, file)) || file;
  const { text, why } = await readText(file, host);
  if (text === undefined) {
    const remedy = "name a seed file that is there, or none for an example";
    host.stderr.write(`${shown}: cannot be read: ${why}; ${remedy}\n`);
    return undefined;
  }
  const loaded = loadSeed(text, shown);
  if ("seed" in loaded) return loaded.seed;
  for (const { file: name, line, column, message } of loaded.diagnostics) {
    host.stderr.write(`${name}:${line}:${column}: ${message}\n`);
  }
  return undefined;
}

/** Where an emulator listens and what it answers by. */
export interface EmulatorSettings {
  readonly listen: Listen;
  /** Where `listen` is set, for people. */
  readonly place: string;
  readonly statePath: string | undefined;
  readonly dialect: Dialect;
}

/** Starts an emulator on this machine's clock. Rejects with a message for people where it cannot listen. */
export async function emulatorOn(
  { place, ...settings }: EmulatorSettings,
  seed: Seed,
  host: Host,
): Promise<Emulator> {
  const { clock, random } = host;
  const sleep = (ms: number, signal: AbortSignal): Promise<void> => clock.sleep(ms, signal);
  try {
    return await startEmulator({ ...settings, seed, clock, random, sleep });
  } catch (error) {
    throw isOfListening(error) ? listenError(place, settings.listen, error) : error;
  }
}

/** The state file's errors have codes too. */
function isOfListening(error: unknown): boolean {
  return (
    error instanceof Error &&
    "syscall" in error &&
    (error.syscall === "listen" || error.syscall === "getaddrinfo")
  );
}

/** Where the service is, and the emulator that had to be started for it, if there was one. */
export interface Reached extends AsyncDisposable {
  readonly baseUrl: string;
  readonly emulator: Emulator | undefined;
}

/**
 * Gives the address of the configured service. Where that is the embedded emulator it is started; a single command
 * uses one that runs already, the daemon's for example. `undefined` after the seed's mistakes have been printed.
 */
export async function reachService(
  config: Config,
  host: Host,
  mayShare: boolean,
): Promise<Reached | undefined> {
  const embedded = config.api.emulator;
  if (embedded === undefined) {
    return { ...nothingToEnd, baseUrl: config.api.baseUrl, emulator: undefined };
  }
  const seed = await seedOrProblems(embedded.seed, host);
  if (seed === undefined) return undefined;
  try {
    const emulator = await emulatorOn(
      {
        listen: embedded.listen,
        place: "api.emulator.listen",
        statePath: undefined,
        dialect: "published",
      },
      seed,
      host,
    );
    return {
      baseUrl: emulator.baseUrl,
      emulator,
      [Symbol.asyncDispose]: () => emulator[Symbol.asyncDispose](),
    };
  } catch (error) {
    if (mayShare && isAddressInUse(error)) {
      return { ...nothingToEnd, baseUrl: config.api.baseUrl, emulator: undefined };
    }
    throw error;
  }
}

const nothingToEnd = { [Symbol.asyncDispose]: () => Promise.resolve() };

function isAddressInUse(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
}
