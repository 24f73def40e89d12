import { cpSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { loadSeed } from "../../src/emulator/seed/load-seed.ts";
import type { Seed } from "../../src/emulator/seed/seed.ts";
import type { Emulator } from "../../src/emulator/start-emulator.ts";
import type { Host } from "../../src/host/host.ts";
import { readDirectoryStore } from "../../src/memory/directory/directory-store.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import { control as controlOf } from "./ask.ts";
import { type Workplace, workplace } from "./command-line.ts";
import { loopbackEmulator } from "./loopback-emulator.ts";

const example = path.resolve(import.meta.dirname, "../../config.example");

/** The example as people get it, beside an emulator with the example's seed. */
export interface Example extends AsyncDisposable {
  readonly place: Workplace;
  readonly emulator: Emulator;
}

/** How a test differs from the example. */
export interface ExampleOptions {
  /** Lines of `zonewarden.yaml` beside `api` and `desired`. */
  readonly config?: string;
  /** Keys of its `server` beside `listen`. */
  readonly server?: string;
  readonly dialect?: "published" | "specification";
  /** What the emulator holds instead of the example. */
  readonly seed?: Seed;
  /** How the emulator waits where it is told to be slow; not at all without it. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** What differs of the machine that commands run on. The emulator has its clock too. */
  readonly ports?: Partial<Host>;
}

/** Copies the example's zones, starts its emulator on any port and points the configuration at it. */
export async function exampleWithEmulator(options: ExampleOptions = {}): Promise<Example> {
  const emulator = await loopbackEmulator(options.seed ?? (shared ??= exampleSeed()), {
    ...(options.dialect && { dialect: options.dialect }),
    ...(options.sleep && { sleep: options.sleep }),
    ...(options.ports?.clock && { clock: options.ports.clock }),
  });
  const place = await workplace({ ZONEWARDEN_API_TOKEN: "emulator-token" }, options.ports);
  await copyZones(place.directory);
  await place.write(
    "zonewarden.yaml",
    `mode: enforce
api: { base_url: "${emulator.baseUrl}" }
server: { listen: "127.0.0.1:0"${options.server === undefined ? "" : `, ${options.server}`} }
log: { level: info, format: json }
${options.config ?? ""}
`,
  );
  return {
    place,
    emulator,
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]();
      await emulator[Symbol.asyncDispose]();
    },
  };
}

/** Copies the example's zones into a directory, without steps: most tests measure nothing. */
export async function copyZones(directory: string): Promise<void> {
  cpSync(path.join(example, "zones"), path.join(directory, "zones"), { recursive: true });
  const sites = path.join(directory, "zones/sites.yaml");
  const text = await readFile(sites, "utf8");
  await writeFile(
    sites,
    text.replace(/action: allow\n *#.*\n *promote:\n(?: {14}.*\n)+/, "action: log\n"),
  );
}

/** No emulator changes it. */
let shared: Seed | undefined;

/** The seed of the example, whose text can be changed before it is read. */
export function exampleSeed(change = (text: string): string => text): Seed {
  const text = readFileSync(path.join(example, "emulator.yaml"), "utf8");
  const loaded = loadSeed(change(text), "emulator.yaml");
  if ("seed" in loaded) return loaded.seed;
  throw new Error(`the example's seed is broken: ${JSON.stringify(loaded.diagnostics)}`);
}

/** Tells an emulator's control interface something: `edit` as a person would, order `faults`. */
export function control(
  { emulator }: Pick<Example, "emulator">,
  what: "edit" | "faults" | "clock" | "script" | "managed" | "traffic",
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  return controlOf(emulator, `/${what}`, body);
}

/** How many queries of measurements the emulator was asked. */
export function queriesOf({ emulator }: Example): number {
  return emulator.journal().filter((each) => each.path.endsWith("/graphql")).length;
}

/** What is in the state directory of an example. */
export async function stateOf({ place, emulator }: Example): Promise<ReadonlyMap<string, string>> {
  const identity = { owner: "zonewarden", service: emulator.baseUrl };
  const directory = nodeStateDirectory(path.join(place.directory, "state"));
  return (await readDirectoryStore(identity, directory)).entries;
}

/** Methods of the requests that an emulator saw and that write. */
export function writesSeenBy(emulator: Emulator): readonly string[] {
  return emulator
    .journal()
    .filter(({ method }) => method !== "GET")
    .map(({ method, path: where, status }) => `${method} ${where} ${status}`);
}
