import path from "node:path";

import type { Config } from "../../desired/config/config.ts";
import type { Seed } from "../../emulator/seed/seed.ts";
import type { Emulator, EmulatorOptions } from "../../emulator/start-emulator.ts";
import type { Host } from "../../host/host.ts";
import { readText } from "../../host/named-files.ts";
import { ListenError } from "../../web/listen-error.ts";

/** Loads a seed file; without one, the built-in seed. Prints why and returns `undefined` if the file is broken. */
export async function loadSeedOrPrint(
  file: string | undefined,
  host: Host,
): Promise<Seed | undefined> {
  // Loaded here, as the emulator below: most commands need none.
  if (file === undefined) {
    return (await import("../../emulator/seed/synthetic-seed.ts")).syntheticSeed();
  }
  const shown = path.relative(host.directory, path.resolve(host.directory, file)) || file;
  const { text, why } = await readText(file, host);
  if (text === undefined) {
    const remedy = "name an existing file, or none for the built-in seed";
    host.stderr.write(`${shown}: cannot be read: ${why}; ${remedy}\n`);
    return undefined;
  }
  const loadSeed = (await import("../../emulator/seed/load-seed.ts")).loadSeed;
  const loaded = loadSeed(text, shown);
  if ("seed" in loaded) return loaded.seed;
  for (const { file: name, line, column, message } of loaded.diagnostics) {
    host.stderr.write(`${name}:${line}:${column}: ${message}\n`);
  }
  return undefined;
}

export interface EmulatorSettings extends Pick<
  EmulatorOptions,
  "listen" | "hosts" | "statePath" | "dialect" | "lenientExpressions"
> {
  /** The flag or key that sets `listen`, for messages. */
  readonly place: string;
}

/** Starts an emulator on the host's clock. Rejects with an error for the operator if it cannot listen. */
export async function emulatorOn(
  { place, ...settings }: EmulatorSettings,
  seed: Seed,
  host: Host,
): Promise<Emulator> {
  const { clock, random } = host;
  const sleep = (ms: number, signal: AbortSignal): Promise<void> => clock.sleep(ms, signal);
  const startEmulator = (await import("../../emulator/start-emulator.ts")).startEmulator;
  try {
    return await startEmulator({ ...settings, seed, clock, random, sleep });
  } catch (error) {
    throw isListenError(error) ? new ListenError(place, settings.listen, error) : error;
  }
}

/** Errors of the state file have a code too, but another system call. */
function isListenError(error: unknown): boolean {
  return (
    error instanceof Error &&
    "syscall" in error &&
    (error.syscall === "listen" || error.syscall === "getaddrinfo")
  );
}

/** The address of the service, and the emulator where one was started for it. */
export interface Reached extends AsyncDisposable {
  readonly baseUrl: string;
  readonly emulator: Emulator | undefined;
}

/** A program that does not answer by then is no emulator. */
const answerMs = 2_000;

/** Whether an emulator listens at a base address of the service. */
export async function isEmulator(baseUrl: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerMs);
    const response = await fetch(new URL("/_emulator/", baseUrl), { signal, redirect: "error" });
    return (await response.text()).includes("/_emulator/journal");
  } catch {
    return false;
  }
}

/**
 * Returns the address of the configured service. Where that is the embedded emulator, it is started, unless one listens
 * there already. `undefined` if the seed is broken; why has been printed.
 */
export async function reachService(
  { api, server: { hosts } }: Config,
  host: Host,
): Promise<Reached | undefined> {
  const unshared = {
    baseUrl: api.baseUrl,
    emulator: undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  if (api.emulator === undefined) return unshared;
  const { listen, seed: file } = api.emulator;
  const seed = await loadSeedOrPrint(file, host);
  if (seed === undefined) return undefined;
  const settings = { listen, hosts, statePath: undefined, dialect: "published" } as const;
  try {
    const emulator = await emulatorOn({ ...settings, place: "api.emulator.listen" }, seed, host);
    const end = (): PromiseLike<void> => emulator[Symbol.asyncDispose]();
    return { baseUrl: emulator.baseUrl, emulator, [Symbol.asyncDispose]: end };
  } catch (error) {
    const isInUse = error instanceof ListenError && error.code === "EADDRINUSE";
    if (isInUse && (await isEmulator(api.baseUrl))) return unshared;
    throw error;
  }
}
