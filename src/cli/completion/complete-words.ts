import type { Argument, Command, Option } from "commander";

import type { Host } from "../../host/host.ts";
import { printable } from "../../render/format.ts";
import { diagnosticCodes } from "../../zone/diagnostic-codes.ts";
import { topics } from "../help/topics.ts";

/** A word that can stand where the cursor is; the description may be "". */
interface Candidate {
  readonly value: string;
  readonly description: string;
}

interface Line {
  /** With the arguments and options of the commands that `words` name. */
  readonly program: Command;
  /** After the name of the program; the last one is being typed, and may be "". */
  readonly words: readonly string[];
  readonly host: Host;
}

/**
 * Prints what can stand in the place of the last word: a line each, with a tab and a description behind it. Prints nothing
 * where a file name can stand, or nothing is known.
 */
export async function completeWords(line: Line): Promise<void> {
  const word = line.words.at(-1) ?? "";
  // Bash makes `=` a word of its own. A backslash is how a shell writes what it would expand.
  const typed = word === "=" ? "" : word.replaceAll(/\\(.)/g, "$1");
  for (const { value, description } of await candidatesAt(typed, line)) {
    // A candidate is one line, and what a terminal shows is what is inserted.
    if (!value.startsWith(typed) || value !== printable(value)) continue;
    line.host.stdout.write(`${description === "" ? value : `${value}\t${description}`}\n`);
  }
}

interface Position {
  readonly command: Command;
  /** Arguments of the command before the cursor. */
  readonly operands: number;
  /** An option whose value is expected. */
  readonly option: Option | undefined;
  /** After `--` there are no options. */
  readonly hasOptions: boolean;
}

function positionAfter(words: readonly string[], program: Command): Position {
  const start: Position = { command: program, operands: 0, option: undefined, hasOptions: true };
  return words.reduce((position, word) => {
    const { command, operands, option, hasOptions } = position;
    if (option !== undefined && word === "=") return position;
    if (hasOptions && word === "--") return { ...position, option: undefined, hasOptions: false };
    if (hasOptions && word.startsWith("-")) {
      return { ...position, option: optionWithValue(command, word) };
    }
    if (option !== undefined) return { ...position, option: option.variadic ? option : undefined };
    const below = command.commands.find((each) => each.name() === word);
    if (below !== undefined) return { ...position, command: below, operands: 0 };
    return { ...position, operands: operands + 1 };
  }, start);
}

function optionWithValue(command: Command, word: string): Option | undefined {
  const named = optionNamed(command, word);
  return named?.required === true || named?.optional === true ? named : undefined;
}

function optionNamed({ options }: Command, word: string): Option | undefined {
  return options.find(({ long, short }) => word === long || word === short);
}

async function candidatesAt(typed: string, line: Line): Promise<readonly Candidate[]> {
  const position = positionAfter(line.words.slice(0, -1), line.program);
  const { command, operands, option, hasOptions } = position;
  const joined = optionNamed(command, /^--[\w-]+(?==)/.exec(typed)?.[0] ?? "");
  if (joined !== undefined) {
    const values = await valuesOf(joined, line);
    return values.map((each) => ({ ...each, value: `${joined.long ?? ""}=${each.value}` }));
  }
  if (hasOptions && typed.startsWith("-")) {
    const options = command.createHelp().visibleOptions(command);
    return options.map(({ long, description }) => ({ value: long ?? "", description }));
  }
  if (option !== undefined) return valuesOf(option, line);
  const { registeredArguments: places } = command;
  const place = places[operands] ?? places.findLast(({ variadic }) => variadic);
  const values = place === undefined ? [] : await valuesOf(place, line);
  return operands === 0 ? [...commandsOf(command), ...values] : values;
}

function commandsOf({ commands }: Command): readonly Candidate[] {
  return commands.map((each) => ({ value: each.name(), description: each.description() }));
}

/** The values of an option or argument: its choices, or what its name stands for. */
async function valuesOf(place: Argument | Option, line: Line): Promise<readonly Candidate[]> {
  if (place.argChoices !== undefined) return plain(place.argChoices);
  const name = "flags" in place ? (/[<[](\w+)/.exec(place.flags)?.[1] ?? "") : place.name();
  switch (name) {
    case "code":
    case "codes":
      return Object.entries(diagnosticCodes).map(([value, { meaning: description }]) => ({
        value,
        description,
      }));
    case "topic": {
      const { command } = positionAfter(line.words.slice(1, -1), line.program);
      const isFirst = command === line.program;
      return [...commandsOf(command), ...(isFirst ? plain(Object.keys(topics)) : [])];
    }
    case "zone":
    case "zones":
      return plain(await declaredNames(line));
    default:
      return [];
  }
}

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, description: "" }));
}

/** Ends a completion that would wait for ever, such as for a pipe; a busy machine takes seconds for thousands of zones. */
const maxLoadMs = 20_000;

/** The names of zones in the files of the configuration that the line names; none if the files cannot be read in time. */
async function declaredNames({ words, host }: Line): Promise<readonly string[]> {
  // Loaded here: other words need none of the code that reads files.
  const readConfig = (await import("../../host/load.ts")).readConfig;
  const loadZoneFiles = (await import("../../host/load.ts")).loadZoneFiles;
  const namesOf = (await import("../../reconcile/fleet/desired-fleet.ts")).namesOf;
  const signal = AbortSignal.timeout(maxLoadMs);
  const at = words.findIndex((word) => word === "--config" || word === "-c");
  const named = at < 0 ? undefined : words[words[at + 1] === "=" ? at + 2 : at + 1];
  const file = named ?? host.env["ZONEWARDEN_CONFIG"] ?? "zonewarden.yaml";
  try {
    const { config } = await readConfig(file, host, signal);
    if (config === undefined) return [];
    const state = await loadZoneFiles(config.desired.path, config.lint, host, signal);
    return [...new Set(namesOf(state.documents))];
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}
