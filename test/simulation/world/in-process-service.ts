import { basePath } from "../../../src/api/wire.ts";
import type { FaultEffects } from "../../../src/emulator/control/faults.ts";
import { EmulatedService } from "../../../src/emulator/emulated-service.ts";
import { tokenIn } from "../../../src/emulator/http/access.ts";
import { handleRequest } from "../../../src/emulator/http/handle-request.ts";
import { endpointsAt, type Route } from "../../../src/emulator/http/operations.ts";
import type { State, EmulatedZone } from "../../../src/emulator/state.ts";

/** A request as the service gets it. */
export interface ServiceRequest {
  readonly method: string;
  /** With base path and query. */
  readonly target: string;
  readonly authorization: string;
  readonly body: string;
}

/** An answer, and the zone before and after where the request stored something. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly stored: { readonly before: EmulatedZone; readonly after: EmulatedZone } | undefined;
}

/** The whole service without a socket: the emulator's state and endpoints behind a function. */
export class InProcessService {
  readonly #service: EmulatedService;
  #rays = 0;

  /** @param state is shared by all simulations: nothing changes it. */
  constructor(state: State, clock: { now(): Date }) {
    const ports = {
      dialect: "published",
      clock,
      random: () => 0.5,
      sleep: () => Promise.resolve(),
      stateFile: undefined,
      seededAt: () => state,
    } as const;
    this.#service = new EmulatedService(ports, state);
  }

  zones(): readonly EmulatedZone[] {
    return this.#service.store.zones();
  }

  zoneNamed(name: string): EmulatedZone {
    const zone = this.#service.store.zoneNamed(name);
    if (zone === undefined) throw new Error(`there is no zone ${name}`);
    return zone;
  }

  /** Handles a request at once. */
  handle(request: ServiceRequest, faults: FaultEffects = {}): ServiceAnswer {
    const { store } = this.#service;
    const [path = "", query = ""] = request.target.slice(basePath.length).split("?");
    const route = routeOf(request.method, path);
    const handled = handleRequest(
      this.#service,
      route.endpoint,
      {
        path,
        query: new URLSearchParams(query),
        authorization: request.authorization,
        token: tokenIn(store, request.authorization),
        body: request.body,
        param: (name) => route.params[name] ?? "",
      },
      faults,
    );
    const { reply, next } = handled;
    const before = next?.level === "zone" ? store.zone(next.id) : undefined;
    if (next !== undefined) store.replace(next);
    this.#rays += 1;
    return {
      status: reply.status,
      headers: { ...handled.headers, "cf-ray": `${this.#rays}-SIM` },
      text: reply.text ?? "",
      stored: next?.level === "zone" && before !== undefined ? { before, after: next } : undefined,
    };
  }
}

/** The same few paths are requested all the time. */
const routes = new Map<string, Route>();

function routeOf(method: string, path: string): Route {
  const key = `${method} ${path}`;
  const known = routes.get(key);
  if (known !== undefined) return known;
  const route = endpointsAt(path).find(({ endpoint }) => endpoint.method === method);
  if (route === undefined) throw new Error(`the service has no ${key}`);
  if (routes.size > 10_000) routes.clear();
  routes.set(key, route);
  return route;
}
