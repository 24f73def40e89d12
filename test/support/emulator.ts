import type { TestContext } from "vitest";

import { loadSeed } from "../../src/emulator/seed/load-seed.ts";
import type { Seed } from "../../src/emulator/seed/seed.ts";
import { syntheticSeed } from "../../src/emulator/seed/synthetic-seed.ts";
import type { Emulator, EmulatorOptions } from "../../src/emulator/start-emulator.ts";
import { type Json, type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { type Exchange, contradictionsOf } from "./api-contract.ts";
import { loopbackEmulator } from "./loopback-emulator.ts";

/** A moment at which tests begin. */
export const testStart: Date = new Date("2026-11-20T12:00:00Z");

/** An answer of the emulator. */
export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; empty where there was none. */
  readonly body: JsonObject;
}

/** An emulator with short words for what tests do with it; each exchange is held to the published schema. */
export interface TestEmulator extends AsyncDisposable {
  readonly emulator: Emulator;
  /** Everything that went over the wire through {@link call} and {@link fetch}. */
  readonly exchanges: readonly Exchange[];
  /** For the official client. */
  readonly fetch: typeof globalThis.fetch;
  call(method: string, path: string, body?: unknown, token?: string): Promise<Got>;
  /** A request that the published schema does not foresee, held to nothing. */
  stray(method: string, path: string, body?: unknown): Promise<Got>;
  /** A request to the control, which is not part of the service. */
  control(method: string, path: string, body?: unknown): Promise<Got>;
  /** Id of a zone, asked for by its name. */
  zoneId(name: string): Promise<string>;
}

/** Starts an emulator on a clock that stands still, for the length of a test. */
export async function testEmulator(
  { expect }: Pick<TestContext, "expect">,
  options: Partial<EmulatorOptions> = {},
): Promise<TestEmulator> {
  const emulator = await loopbackEmulator(syntheticSeed(), {
    clock: { now: () => testStart },
    ...options,
  });
  const exchanges: Exchange[] = [];
  const holdsToSchema = options.dialect !== "specification";

  const fetchChecked: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    const text = await response.clone().text();
    const exchange: Exchange = {
      method: init?.method ?? "GET",
      path: `${url.pathname}${url.search}`.replace("/client/v4", ""),
      sent: typeof init?.body === "string" ? parsed(init.body) : undefined,
      status: response.status,
      received: parsed(text),
    };
    exchanges.push(exchange);
    const isTable = response.headers.get("content-type")?.startsWith("text/csv") === true;
    if (holdsToSchema && !isTable) expect(contradictionsOf(exchange)).toEqual([]);
    return response;
  };

  const through =
    (send: typeof globalThis.fetch): TestEmulator["call"] =>
    async (method, path, body, token = "emulator-token") => {
      const headers = { authorization: `Bearer ${token}` };
      const url = `${emulator.baseUrl}${path}`;
      return gotFrom(await send(url, { method, headers, ...bodyFrom(body) }));
    };
  const call = through(fetchChecked);
  return {
    emulator,
    exchanges,
    fetch: fetchChecked,
    call,
    stray: through(fetch),
    control: async (method, path, body) =>
      gotFrom(
        await fetch(`${emulator.url}/_emulator${path}`, {
          method,
          ...(body === undefined ? {} : { headers: { "content-type": "application/json" } }),
          ...bodyFrom(body),
        }),
      ),
    zoneId: async (name) => {
      const { body } = await call("GET", `/zones?name=${name}`);
      const [zone] = listIn(body["result"]);
      return textIn(zone, "id");
    },
    [Symbol.asyncDispose]: () => emulator[Symbol.asyncDispose](),
  };
}

/** Reads a seed that is known to be good. */
export function goodSeed(yaml: string): Seed {
  const loaded = loadSeed(yaml, "seed.yaml");
  if ("seed" in loaded) return loaded.seed;
  throw new Error(loaded.diagnostics.map(({ line, message }) => `${line}: ${message}`).join("\n"));
}

/** The `result` of an answer. */
export function resultOf({ body }: Got): JsonObject {
  return objectIn(body["result"]);
}

/** The `result` of a list's answer. */
export function listOf({ body }: Got): readonly JsonObject[] {
  return listIn(body["result"]);
}

/** Code of the first error of an answer. */
export function codeOf({ body }: Got): Json | undefined {
  return listIn(body["errors"])[0]?.["code"];
}

/** First error of an answer. */
export function errorOf({ body }: Got): JsonObject {
  return objectIn(listIn(body["errors"])[0]);
}

/** An object where one must be. */
export function objectIn(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error(`expected an object, got ${JSON.stringify(value)}`);
}

/** A list of objects where one must be. */
export function listIn(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.map(objectIn);
  throw new Error(`expected a list, got ${JSON.stringify(value)}`);
}

/** A text where one must be. */
export function textIn(object: JsonObject | undefined, name: string): string {
  const value = object?.[name];
  if (typeof value === "string") return value;
  throw new Error(`expected ${name} to be a text, got ${JSON.stringify(object)}`);
}

async function gotFrom(response: Response): Promise<Got> {
  const text = await response.text();
  const body = parsed(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJsonObject(body) ? body : {},
  };
}

function bodyFrom(body: unknown): RequestInit {
  if (body === undefined) return {};
  return { body: typeof body === "string" ? body : JSON.stringify(body) };
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
