import { once } from "node:events";

import { createAdaptorServer } from "@hono/node-server";

import { basePath } from "../api/wire.ts";
import { hostWithPort } from "../syntax/host-port.ts";
import type { TrueHour } from "./analytics/true-hour.ts";
import { EmulatedService, type HostPorts, type JournalEntry } from "./emulated-service.ts";
import { emulatorRouter } from "./http/router.ts";
import type { Seed } from "./seed/seed.ts";
import { seededState } from "./seed/seeded-state.ts";
import { stateFileAt } from "./seed/state-file.ts";
import type { State } from "./state.ts";

/** What an emulator needs to run; port 0 takes any free port. */
export interface EmulatorOptions extends HostPorts {
  readonly listen: { readonly host: string; readonly port: number };
  /**
   * Names under which it answers, besides loopback names, IP addresses and the host of `listen`.
   */
  readonly hosts?: readonly string[];
  readonly seed: Seed;
  /** File in which the state outlives the process; `undefined`: none. */
  readonly statePath: string | undefined;
}

export interface Emulator extends AsyncDisposable {
  /** Origin, without a trailing slash. */
  readonly url: string;
  /** Origin and base path of the service. */
  readonly baseUrl: string;
  /** Requests to the service, oldest first; the newest 10,000 are kept. */
  journal(): readonly JournalEntry[];
  /**
   * The exact counts of the hour that a time is in, up to now; throws if there is no zone of the
   * name.
   */
  trueHour(zone: string, at: Date): TrueHour;
}

/** Starts the emulator inside this process; throws on a seed that `loadSeed` would reject. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { listen, hosts = [], seed, statePath, ...ports } = options;
  const stateFile = statePath === undefined ? undefined : stateFileAt(statePath);
  const seededAt = (now: Date): State => validState(seed, now);
  const state = (await stateFile?.load()) ?? seededAt(ports.clock.now());
  const service = new EmulatedService({ ...ports, stateFile, seededAt }, state);

  const server = createAdaptorServer({
    fetch: emulatorRouter(service, [listen.host, ...hosts]).fetch,
  });
  server.listen(listen.port, listen.host);
  await once(server, "listening");
  const url = originOf(server.address(), listen.host);
  return {
    url,
    baseUrl: `${url}${basePath}`,
    journal: () => service.journal.entries(),
    trueHour: (name, at) => {
      const zone = service.store.zoneNamed(name);
      if (zone === undefined) throw new Error(`the emulator has no zone ${name}`);
      return service.trueHour(zone, at.getTime());
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
      await service.save();
    },
  };
}

function validState(seed: Seed, now: Date): State {
  const { state, issues } = seededState(seed, now);
  const [first] = issues;
  if (first === undefined) return state;
  throw new Error(`seed: ${first.path.join(".")}: ${first.message}`);
}

function originOf(address: unknown, host: string): string {
  if (typeof address !== "object" || address === null || !("port" in address)) {
    throw new Error("the emulator does not listen on a port");
  }
  return `http://${hostWithPort(host, String(address.port))}`;
}
