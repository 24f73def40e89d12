import path from "node:path";

import type { Listen } from "../../desired/config/config.ts";
import type { Dialect } from "../../emulator/http/dialect.ts";
import { operations } from "../../emulator/http/operations.ts";
import { generateSeed, parseGeneration } from "../../emulator/seed/generate.ts";
import type { Seed } from "../../emulator/seed/seed.ts";
import type { Machine } from "../../host/host.ts";
import { exitCodes, type ExitCode } from "../output/exit-codes.ts";
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
export async function emulate(flags: EmulateFlags, machine: Machine): Promise<ExitCode> {
  if (flags.operations === true) return printOperations(machine);
  const listen = listenOf(flags.listen);
  if (listen === undefined) {
    return complain("--listen: not host:port, as 127.0.0.1:8787 is", machine);
  }
  if (flags.seed !== undefined && flags.generate !== undefined) {
    return complain("--seed and --generate: only one of them can say what to begin with", machine);
  }
  const seed = await seedOf(flags, machine);
  if (typeof seed === "string") return complain(seed, machine);
  if (seed === undefined) return exitCodes.invalid;
  const statePath = flags.state && path.resolve(machine.directory, flags.state);
  const settings = { listen, place: "--listen", statePath, dialect: flags.dialect };
  await using emulator = await emulatorOn(settings, seed, machine);
  machine.stderr.write(
    `The service is at ${emulator.baseUrl}, with the token of your choice among those of the seed (emulator-token).\nWhat it saw, and how to edit it as a person would: ${emulator.url}/_emulator/\nAll of it is synthetic. Ctrl-C ends it.\n`,
  );
  await endOf(machine);
  return exitCodes.done;
}

function complain(message: string, machine: Machine): ExitCode {
  machine.stderr.write(`emulate: ${message}\n`);
  return exitCodes.failed;
}

function printOperations(machine: Machine): ExitCode {
  const lines = operations.map(
    ({ method, path: route, summary }) => `${method.padEnd(6)} ${route}  ${summary}`,
  );
  machine.stdout.write(`${lines.join("\n")}\n`);
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
async function seedOf(flags: EmulateFlags, machine: Machine): Promise<Seed | string | undefined> {
  if (flags.generate === undefined) return seedOrProblems(flags.seed, machine);
  const generation = parseGeneration(flags.generate);
  return typeof generation === "string" ? `--generate: ${generation}` : generateSeed(generation);
}

/** Resolves at the first signal that ends a program. */
async function endOf(machine: Machine): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _interrupt = machine.onSignal("SIGINT", resolve);
  using _terminate = machine.onSignal("SIGTERM", resolve);
  await promise;
}
