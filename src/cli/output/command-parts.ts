import { InvalidArgumentError, Option, type Command } from "commander";

import type { Host } from "../../host/host.ts";
import { isHash } from "../../plan/guard/release.ts";
import type { ExitCode } from "./exit-codes.ts";

/** Adds a command to a program; `end` hears how the command ended. */
export type Add = (program: Command, host: Host, end: (code: ExitCode) => void) => void;

/** `--config`, which all commands have that speak with the service. */
export function configOption(): Option {
  return new Option("-c, --config <file>", "how the program runs")
    .default("zonewarden.yaml")
    .env("ZONEWARDEN_CONFIG");
}

/** `--format`; the first one is the usual one. */
export function formatOption(...formats: readonly string[]): Option {
  return new Option("-f, --format <format>", "how to print the result")
    .choices(formats)
    .default(formats[0]);
}

/** `--accept`, once for each hash: what follows a hash is a zone again. */
export function acceptOption(): Option {
  return new Option(
    "--accept <hash>",
    "release a plan that a guard holds, by the hash that plan prints; can be repeated",
  ).argParser((hash: string, before: readonly string[] | undefined) => {
    if (isHash(hash)) return [...(before ?? []), hash];
    throw new InvalidArgumentError(
      "A hash has 12 hexadecimal digits, as plan prints them; name zones before --accept or after its hash.",
    );
  });
}

/** Examples, as they stand below a command's help. */
export function example(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
