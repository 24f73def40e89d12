import { type Command, Option } from "commander";

import type { ExitCode } from "./exit-codes.ts";
import type { Machine } from "./machine.ts";

/** Adds a command to the command line. */
export type Add = (program: Command, machine: Machine, end: (code: ExitCode) => void) => void;

/** Where the configuration is. */
export function configOption(): Option {
  return new Option("-c, --config <file>", "how the program runs")
    .default("zonewarden.yaml")
    .env("ZONEWARDEN_CONFIG");
}

/** In which of several formats the result is printed, the first by default. */
export function formatOption(...formats: readonly string[]): Option {
  return new Option("-f, --format <format>", "how to print the result")
    .choices(formats)
    .default(formats[0]);
}

/** Examples, as they stand at the end of `--help`. */
export function example(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
