import { Command, InvalidArgumentError, Option } from "commander";

import type { Host } from "../host/host.ts";
import { type LabelSelector, labelSelector } from "../zone/label-selector.ts";
import type { ExitCode } from "./output/exit-codes.ts";

/** Adds arguments, options, examples and the work to a command that has its name and description. */
export type DefineCommand = (command: CliCommand, host: Host) => void;

/** The first argument of the calls that the scripts for shells make; the number of words and the words follow. */
export const completeCommand = "__complete";

/** The options of a command that calls the service. */
export interface SessionFlags {
  readonly config: string;
  readonly quiet?: boolean;
}

/** The options of a command that prints text for people or JSON. */
export interface PrintFlags extends SessionFlags {
  readonly format: "text" | "json";
}

type Given = Parameters<Parameters<Command["action"]>[0]>;

/** A command with the options that several commands have. */
export class CliCommand extends Command {
  readonly #end: (code: ExitCode) => void;

  /** @param end receives the exit code of the work. */
  constructor(name: string | undefined, end: (code: ExitCode) => void) {
    super(name);
    this.#end = end;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name, this.#end);
  }

  /** What the command does: `work` gets the arguments, then the options, and returns the exit code. */
  runs(work: (...given: Given) => ExitCode | Promise<ExitCode>): this {
    return this.action(async (...given: readonly unknown[]) => {
      this.#end(await work(...given));
    });
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

  /** Which zones the command is about, by their labels in the zone files. */
  selector(): this {
    return this.option(
      "-l, --selector <labels>",
      "only zones with these labels: team=payments,tier!=gold",
      labelSelectorIn,
    );
  }

  verbose(): this {
    return this.option("--verbose", "print each zone in full, however many there are");
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

function labelSelectorIn(text: string): LabelSelector {
  const selector = labelSelector(text);
  if (selector !== undefined) return selector;
  throw new InvalidArgumentError("Write labels like team=payments,tier!=gold,critical,!legacy.");
}
