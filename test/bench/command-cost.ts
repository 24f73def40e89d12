import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Seed } from "../../src/emulator/seed/seed.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { listIn, textIn } from "../support/emulator.ts";
import { plantedToken } from "../support/service.ts";
import { deployOwasp } from "../support/writes.ts";
import { writeZoneFiles } from "./bench-directory.ts";
import type { SkippedBench } from "./run.ts";

/** The program as it is released: run from its sources, it would also strip their types. */
export const built = path.resolve(import.meta.dirname, "../../dist/main.js");

/** Why a bench of the built program cannot run; `undefined` if it can. */
export function notBuilt(name: string): SkippedBench | undefined {
  if (existsSync(built)) return undefined;
  return { name, skipped: "it measures the built program: run `npm run build` first" };
}

/** Milliseconds of a process: by the clock, and of processors. */
export interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

/** Writes what processors a process has used when it ends. */
const meter = `data:text/javascript,import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(process.env.METER, JSON.stringify(process.cpuUsage())));`;

/** What a Node process with these arguments costs. Rejects unless it ends with 0. */
export async function costOf(args: readonly string[], directory: string): Promise<Cost> {
  const file = path.join(directory, "meter.json");
  const begin = performance.now();
  const child = spawn(process.execPath, ["--import", meter, ...args], {
    cwd: directory,
    env: { HOME: directory, METER: file, ZONEWARDEN_API_TOKEN: plantedToken },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let printed = "";
  child.stderr.on("data", (piece: Buffer) => {
    printed += piece.toString();
  });
  await once(child, "exit");
  const wall = performance.now() - begin;
  if (child.exitCode !== 0) {
    throw new Error(`${args.join(" ")} ended with ${String(child.exitCode)}: ${printed}`);
  }
  const used: unknown = JSON.parse(await readFile(file, "utf8"));
  const { user, system } = isJsonObject(used) ? used : {};
  return { wall, cpu: (Number(user) + Number(system)) / 1_000 };
}

/** The arguments of a Node process, and the directory in which it runs. */
export interface Command {
  readonly directory: string;
  readonly args: readonly string[];
}

/**
 * The least cost of each of several commands in so many rounds: what others do on the machine only adds to it. The
 * commands take turns, so that a machine that gets slower or faster does so for all.
 */
export async function leastCosts<Name extends string>(
  rounds: number,
  commands: Readonly<Record<Name, Command>>,
): Promise<(name: Name) => Cost> {
  const least = new Map<string, Cost>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { directory, args }] of Object.entries<Command>(commands)) {
      const { wall, cpu } = await costOf(args, directory);
      const before = least.get(name) ?? unknownCost;
      least.set(name, { wall: Math.min(before.wall, wall), cpu: Math.min(before.cpu, cpu) });
    }
  }
  return (name) => least.get(name) ?? unknownCost;
}

const unknownCost: Cost = { wall: Infinity, cpu: Infinity };

/** What was asked of an emulator process so far, as whole URLs. */
export async function urlsAsked(url: string): Promise<readonly string[]> {
  const answer: unknown = await (await fetch(`${url}/_emulator/journal`)).json();
  const entries = listIn(isJsonObject(answer) ? answer["entries"] : undefined);
  return entries.map((entry) => `${url}${textIn(entry, "path")}`);
}

/** The floor of a command: a program that sends GETs one after the other with bare undici, and parses their answers. */
export function bareRequests(urls: readonly string[]): string {
  return `import { Pool, request } from ${JSON.stringify(import.meta.resolve("undici"))};
const headers = { authorization: "Bearer ${plantedToken}", accept: "application/json" };
const urls = ${JSON.stringify(urls)};
const dispatcher = new Pool(new URL(urls[0]).origin, { allowH2: false });
for (const url of urls) {
  const { statusCode, body } = await request(url, { dispatcher, headers });
  JSON.parse(await body.text());
  if (statusCode !== 200) throw new Error(url);
}
await dispatcher.close();
`;
}

const policies = [0, 1, 2, 3, 4];

/** A service with zones that have five policies and the OWASP ruleset, as the peers were measured. */
export function comparedSeed(names: readonly string[]): Seed {
  return {
    tokens: [{ name: "main", value: plantedToken, permissions: "all" }],
    rate_limit: false,
    zones: names.map((name) => ({
      name,
      settings: { enabled: true },
      policies: policies.map((index) => ({
        description: `Scripts of part ${index} [zonewarden:part-${index}]`,
        action: "log",
        expression: expressionOf(name, index),
        enabled: true,
        value: "default-src 'self'; script-src 'self' cdn.example.com js.example.com",
      })),
      entrypoint: [deployOwasp],
    })),
  };
}

function expressionOf(name: string, index: number): string {
  return `http.host eq "${name}" and starts_with(http.request.uri.path, "/part-${index}")`;
}

const profile = `profiles:
  baseline:
    page_shield:
      settings: { enabled: true }
    managed_rules:
      rules:
        - { key: owasp, deploy: owasp, description: OWASP }
`;

/** Writes the configuration and the zone files that declare what {@link comparedSeed} has. */
export async function writeCompared(
  directory: string,
  names: readonly string[],
  baseUrl: string,
): Promise<void> {
  const zones = path.join(directory, "zones");
  await writeZoneFiles(zones, names, (some) => `zones:\n${some.map(entryOf).join("")}`);
  await writeFile(path.join(zones, "profiles.yaml"), profile);
  const config = `mode: observe
api: { base_url: "${baseUrl}" }
budget: { requests: 1000000 }
`;
  await writeFile(path.join(directory, "zonewarden.yaml"), config);
}

function entryOf(name: string): string {
  const items = policies.map(
    (index) => `          - key: part-${index}
            description: Scripts of part ${index}
            action: log
            expression: ${expressionOf(name, index)}
            enabled: true
            value:
              default-src: ["'self'"]
              script-src: ["'self'", cdn.example.com, js.example.com]
`,
  );
  return `  - name: ${name}
    profiles: [baseline]
    page_shield:
      policies:
        items:
${items.join("")}`;
}
