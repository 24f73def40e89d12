import path from "node:path";

import type { Listen } from "../../desired/config/config.ts";
import { emulatorAddress } from "../../desired/config/defaults.ts";
import type { Dialect } from "../../emulator/http/api-endpoint.ts";
import { operations } from "../../emulator/http/operations.ts";
import type { Seed } from "../../emulator/seed/seed.ts";
import { generateSeed, parseGeneration } from "../../emulator/seed/synthetic-seed.ts";
import type { Host } from "../../host/host.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { emulatorOn, loadSeedOrPrint } from "../session/embedded-emulator.ts";

export const defineEmulate: DefineCommand = (command, host) => {
  command
    .option("-l, --listen <address>", "host and port to listen on", emulatorAddress)
    .option("--hosts <names>", "host names under which clients reach it, separated by commas")
    .option("--seed <file>", "YAML file with the initial zones, policies, rulesets and tokens")
    .option("--state <file>", "file that keeps the state across restarts")
    .option(
      "--generate <what>",
      "generate the initial zones: zones=1000,policies=3,scripts=50,custom_rules=3,rate_limiting_rules=2,seed=1",
    )
    .choice(
      "--dialect <dialect>",
      "answer like the published schema or like the specification",
      ["published", "specification"],
      "published",
    )
    .option(
      "--lenient-expressions",
      "accept fields, functions and arguments in expressions that this version does not know",
    )
    .option("--operations", "print the supported operations and exit")
    .examples(
      "zonewarden emulate",
      "zonewarden emulate --seed config.example/emulator.yaml",
      "zonewarden emulate --generate zones=1000,policies=3 --state /tmp/emulator.json",
      "curl -H 'Authorization: Bearer emulator-token' http://127.0.0.1:8787/client/v4/zones",
    )
    .runs((options: EmulateFlags) => emulate(options, host));
};

interface EmulateFlags {
  readonly listen: string;
  readonly hosts?: string;
  readonly seed?: string;
  readonly state?: string;
  readonly generate?: string;
  readonly dialect: Dialect;
  readonly lenientExpressions?: boolean;
  readonly operations?: boolean;
}

async function emulate(flags: EmulateFlags, host: Host): Promise<ExitCode> {
  if (flags.operations === true) return printOperations(host);
  const listen = listenOf(flags.listen);
  if (listen === undefined) {
    return fail("emulate: --listen: write host:port, for example 127.0.0.1:8787", host);
  }
  if (flags.seed !== undefined && flags.generate !== undefined) {
    return fail("emulate: --seed and --generate exclude each other: remove one of them", host);
  }
  const seed = await seedOf(flags, host);
  if (typeof seed === "string") return fail(`emulate: ${seed}`, host);
  if (seed === undefined) return exitCodes.invalid;
  const statePath = flags.state && path.resolve(host.directory, flags.state);
  const hosts = flags.hosts?.split(",") ?? [];
  const { dialect, lenientExpressions = false } = flags;
  const settings = { listen, hosts, place: "--listen", statePath, dialect, lenientExpressions };
  await using emulator = await emulatorOn(settings, seed, host);
  host.stderr.write(
    `The emulator serves ${emulator.baseUrl}; use a token of the seed (by default emulator-token).\nRequests that it received, and how to edit its state: ${emulator.url}/_emulator/\nAll data is synthetic. Press Ctrl-C to stop.\n`,
  );
  await endOf(host);
  return exitCodes.done;
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

/** The seed, or what is wrong with the flags, or `undefined` if the file is broken; why has been printed. */
async function seedOf(flags: EmulateFlags, host: Host): Promise<Seed | string | undefined> {
  if (flags.generate === undefined) return loadSeedOrPrint(flags.seed, host);
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
