import { InvalidArgumentError, Option, type Command } from "commander";

import type { Host } from "../host/host.ts";
import { isHash } from "../plan/guard/release.ts";
import type { ExitCode } from "./output/exit-codes.ts";

/**
 * Adds arguments, options, examples and the action to a command that has its name and description.
 *
 * @param end receives the exit code of the command.
 */
export type DefineCommand = (command: Command, host: Host, end: (code: ExitCode) => void) => void;

/** `--config`. */
export function configOption(): Option {
  return new Option("-c, --config <file>", "the configuration file")
    .default("zonewarden.yaml")
    .env("ZONEWARDEN_CONFIG");
}

/** `--format`; the first format is the default. */
export function formatOption(...formats: readonly string[]): Option {
  return new Option("-f, --format <format>", "how to print the result")
    .choices(formats)
    .default(formats[0]);
}

/** `--accept`, once for each hash: an argument after the hash is a zone. */
export function acceptOption(): Option {
  return new Option(
    "--accept <hash>",
    "apply a plan although a guard holds it, by the hash that plan prints; can be repeated",
  ).argParser((hash: string, before: readonly string[] | undefined) => {
    if (isHash(hash)) return [...(before ?? []), hash];
    throw new InvalidArgumentError(
      "A hash has 12 hexadecimal digits, as plan prints them; name zones before --accept or after its hash.",
    );
  });
}

/** Examples below the help of a command. */
export function example(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
