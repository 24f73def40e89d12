import { Option, type Command } from "commander";

import type { ExitCode } from "./exit-codes.ts";
import type { Machine } from "./machine.ts";

/** Adds a command to a program; `end` hears how the command ended. */
export type Add = (program: Command, machine: Machine, end: (code: ExitCode) => void) => void;

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

/** Examples, as they stand below a command's help. */
export function example(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
