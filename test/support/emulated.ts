import { type Reader, createReader, writeSender } from "../../src/api/service.ts";
import { basePath } from "../../src/api/wire.ts";
import { type Writer, createWriter } from "../../src/api/write/send-write.ts";
import type { Dialect } from "../../src/emulator/http/api-endpoint.ts";
import type { Seed, SeedZone } from "../../src/emulator/seed/seed.ts";
import type { Emulator } from "../../src/emulator/start-emulator.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { Zone } from "../../src/zone/zone.ts";
import { control } from "./ask.ts";
import { loopbackEmulator } from "./loopback-emulator.ts";
import { type ServiceChoice, type TestService, connect, plantedToken } from "./service.ts";

/** Everything of a zone. */
export const everything = {
  settings: true,
  policies: true,
  rules: ["managed_rules"] as const,
  scoreRule: true,
};

/** Our client on an emulator, with short words for what tests do. */
export interface Emulated extends AsyncDisposable, Omit<TestService, typeof Symbol.asyncDispose> {
  readonly emulator: Emulator;
  readonly reader: Reader;
  readonly writer: Writer;
  /** The only zone, or the first. */
  readonly zone: Zone;
  /** The zone as it is now. */
  look(signal: AbortSignal): Promise<LiveZone>;
  /** Orders a fault for the requests to come. */
  fault(order: object): Promise<void>;
  /** Changes something as a person in the dashboard would. */
  edit(change: object): Promise<void>;
  /**
   * Sends a request of somebody else, with our token and a path below the zone; gives its `result`, `undefined`
   * where the service rejects it.
   */
  send(method: string, path: string, body?: object): Promise<unknown>;
  /** Method and path of the requests since the last call, oldest first. */
  journal(): readonly string[];
}

/** What a test may choose. */
export interface EmulatedChoice extends ServiceChoice {
  readonly dialect?: Dialect;
  readonly seed?: Partial<Seed>;
  /** The emulator's own clock; that of the client where nothing is said. */
  readonly emulatorClock?: { now(): Date };
  /** How the emulator waits on behalf of its latency fault: not at all, where nothing is said. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Starts an emulator with one zone (or those of the seed), connects to it, and lists. */
export async function emulated(
  zone: Omit<SeedZone, "name">,
  choice: EmulatedChoice = {},
): Promise<Emulated> {
  const seed = {
    tokens: [{ name: "everything", value: plantedToken, permissions: "all" }],
    rate_limit: false,
    zones: [{ name: "shop.example.com", ...zone }],
    ...choice.seed,
  } as const;
  const emulator = await loopbackEmulator(seed, {
    clock: choice.emulatorClock ?? choice.clock ?? { now: () => new Date("2026-11-20T12:00:00Z") },
    ...(choice.dialect && { dialect: choice.dialect }),
    ...(choice.sleep && { sleep: choice.sleep }),
  });
  const connected = connect(emulator.baseUrl, choice);
  const reader = createReader(connected.service);
  const signal = new AbortController().signal;
  const [first] = (await reader.listZones(signal)).zones;
  if (first === undefined) throw new Error("the emulator shows no zone");
  let seen = emulator.journal().length;
  return {
    ...connected,
    emulator,
    reader,
    writer: createWriter(writeSender(connected.service)),
    zone: first,
    look: (own) => reader.readZone(first, everything, "changed", own),
    fault: (order) => control(emulator, "/faults", order),
    edit: (change) => control(emulator, "/edit", { zone: first.name, ...change }),
    send: async (method, path, body) => {
      const response = await fetch(`${emulator.baseUrl}/zones/${first.id}${path}`, {
        method,
        headers: { authorization: `Bearer ${plantedToken}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const answer: unknown = text === "" ? {} : JSON.parse(text);
      return response.ok && isJsonObject(answer) ? answer["result"] : undefined;
    },
    journal: () => {
      const entries = emulator.journal().slice(seen);
      seen += entries.length;
      return entries.map(({ method, path }) =>
        `${method} ${path.replace(basePath, "")}`.replaceAll(/[0-9a-f]{32}/g, "…"),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await connected[Symbol.asyncDispose]();
      await emulator[Symbol.asyncDispose]();
    },
  };
}
