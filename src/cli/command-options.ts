import { Command, InvalidArgumentError, Option } from "commander";

import type { Host } from "../host/host.ts";
import type { ExitCode } from "./output/exit-codes.ts";

/**
 * Adds arguments, options, examples and the action to a command that has its name and description.
 *
 * @param end receives the exit code of the command.
 */
export type DefineCommand = (
  command: CliCommand,
  host: Host,
  end: (code: ExitCode) => void,
) => void;

/** The first argument of the calls that the scripts for shells make; the number of words and the words follow. */
export const completeCommand = "__complete";

/** The options of a command that prints text for people or JSON. */
export interface PrintFlags {
  readonly config: string;
  readonly format: "text" | "json";
}

/** A command with the options that several commands have. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** An option with one of several values, or with a list of them where `flags` end in `...`. */
  choice(flags: string, description: string, values: readonly string[], byDefault?: string): this {
    return this.addOption(new Option(flags, description).choices(values).default(byDefault));
  }

  configFile(): this {
    return this.addOption(
      new Option("-c, --config <file>", "the configuration file")
        .default("zonewarden.yaml")
        .env("ZONEWARDEN_CONFIG"),
    );
  }

  quiet(): this {
    return this.option(
      "-q, --quiet",
      "print results and errors only: no progress, notes and warnings",
    );
  }

  /** The first format is the default. */
  formats(...formats: readonly string[]): this {
    return this.choice("-f, --format <format>", "how to print the result", formats, formats[0]);
  }

  /** Examples below the help of the command. */
  examples(...lines: readonly string[]): this {
    const text = lines.map((line) => `  $ ${line}`).join("\n");
    return this.addHelpText("after", `\nExamples:\n${text}`);
  }
}

/** Reads `--profile`, whose form the schema of zone files requires. */
export function profileNameIn(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "A name has at most 64 lower-case letters, digits, `.`, `_` or `-`, and begins with a letter or digit.",
  );
}
