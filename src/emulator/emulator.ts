import { once } from "node:events";

import { createAdaptorServer } from "@hono/node-server";

import { basePath } from "../api/wire.ts";
import { emulatorApp } from "./http/app.ts";
import type { Dialect } from "./http/endpoint.ts";
import type { Seed } from "./seed/seed.ts";
import { seededState } from "./seed/seeded-state.ts";
import { stateFileAt } from "./seed/state-file.ts";
import { type JournalEntry, Service } from "./service.ts";
import type { State } from "./state.ts";

/** What an emulator needs to run; port 0 takes any free port. */
export interface EmulatorOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly seed: Seed;
  /** File in which the state outlives the process; `undefined`: nothing outlives it. */
  readonly statePath: string | undefined;
  readonly dialect: Dialect;
  readonly clock: { now(): Date };
  /** From 0 up to 1, for request ids. */
  readonly random: () => number;
  /** Waits on behalf of the latency fault; an abort ends the wait. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** A running emulator. */
export interface Emulator extends AsyncDisposable {
  /** Origin, without a slash at its end. */
  readonly url: string;
  /** Origin and base path of the service. */
  readonly baseUrl: string;
  /** The requests to the service seen so far, oldest first; the newest 10,000 are kept. */
  journal(): readonly JournalEntry[];
  /** Goes back to the seed and forgets faults, journal, quotas and a changed clock. */
  reset(): void;
}

/** Starts the whole service inside this process. A seed that `loadSeed` would refuse is an error here. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { listen, seed, statePath, dialect, clock, random, sleep } = options;
  const stateFile = statePath === undefined ? undefined : stateFileAt(statePath);
  const fresh = (now: Date): State => soundState(seed, now);
  const state = (await stateFile?.load()) ?? fresh(clock.now());
  const service = new Service({ dialect, clock, random, sleep, stateFile, fresh }, state);

  const server = createAdaptorServer({ fetch: emulatorApp(service).fetch });
  server.listen(listen.port, listen.host);
  await once(server, "listening");
  const url = originOf(server.address(), listen.host);
  return {
    url,
    baseUrl: `${url}${basePath}`,
    journal: () => service.journal.entries(),
    reset: () => {
      service.reset();
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
      await service.saved();
    },
  };
}

function soundState(seed: Seed, now: Date): State {
  const { state, mistakes } = seededState(seed, now);
  const [first] = mistakes;
  if (first === undefined) return state;
  throw new Error(`seed: ${first.path.join(".")}: ${first.message}`);
}

function originOf(address: unknown, host: string): string {
  if (typeof address !== "object" || address === null || !("port" in address)) {
    throw new Error("the emulator listens on no port");
  }
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${String(address.port)}`;
}
