import path from "node:path";

import type { Listen } from "../../desired/config/config.ts";
import type { Dialect } from "../../emulator/http/api-endpoint.ts";
import { operations } from "../../emulator/http/operations.ts";
import type { Seed } from "../../emulator/seed/seed.ts";
import { generateSeed, parseGeneration } from "../../emulator/seed/synthetic-seed.ts";
import type { Host } from "../../host/host.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { emulatorOn, seedOrProblems } from "./emulator.ts";

/** What `emulate` is told. */
export interface EmulateFlags {
  readonly listen: string;
  readonly seed?: string;
  readonly state?: string;
  readonly generate?: string;
  readonly dialect: Dialect;
  readonly operations?: boolean;
}

/** `zonewarden emulate`: serves the emulator until a signal ends it. */
export async function emulate(flags: EmulateFlags, host: Host): Promise<ExitCode> {
  if (flags.operations === true) return printOperations(host);
  const listen = listenOf(flags.listen);
  if (listen === undefined) {
    return complain("--listen: not host:port, as 127.0.0.1:8787 is", host);
  }
  if (flags.seed !== undefined && flags.generate !== undefined) {
    return complain("--seed and --generate: only one of them can say what to begin with", host);
  }
  const seed = await seedOf(flags, host);
  if (typeof seed === "string") return complain(seed, host);
  if (seed === undefined) return exitCodes.invalid;
  const statePath = flags.state && path.resolve(host.directory, flags.state);
  const settings = { listen, place: "--listen", statePath, dialect: flags.dialect };
  await using emulator = await emulatorOn(settings, seed, host);
  host.stderr.write(
    `The service is at ${emulator.baseUrl}, with the token of your choice among those of the seed (emulator-token).\nWhat it saw, and how to edit it as a person would: ${emulator.url}/_emulator/\nAll of it is synthetic. Ctrl-C ends it.\n`,
  );
  await endOf(host);
  return exitCodes.done;
}

function complain(message: string, host: Host): ExitCode {
  host.stderr.write(`emulate: ${message}\n`);
  return exitCodes.failed;
}

function printOperations(host: Host): ExitCode {
  const lines = operations.map(
    ({ method, path: route, summary }) => `${method.padEnd(6)} ${route}  ${summary}`,
  );
  host.stdout.write(`${lines.join("\n")}\n`);
  return exitCodes.done;
}

/** Reads `host:port`; a host in brackets is an IPv6 address. */
function listenOf(text: string): Listen | undefined {
  const groups = /^(?:\[(?<v6>[0-9a-f:]+)\]|(?<host>[^:[\]]+)):(?<port>\d{1,5})$/i.exec(
    text,
  )?.groups;
  const host = groups?.["v6"] ?? groups?.["host"];
  const port = Number(groups?.["port"]);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

/** The seed, a sentence on what is wrong with the flags, or `undefined` after the file's mistakes have been printed. */
async function seedOf(flags: EmulateFlags, host: Host): Promise<Seed | string | undefined> {
  if (flags.generate === undefined) return seedOrProblems(flags.seed, host);
  const generation = parseGeneration(flags.generate);
  return typeof generation === "string" ? `--generate: ${generation}` : generateSeed(generation);
}

/** Resolves at the first signal that ends a program. */
async function endOf(host: Host): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _interrupt = host.onSignal("SIGINT", resolve);
  using _terminate = host.onSignal("SIGTERM", resolve);
  await promise;
}
