import type { Argument, Command, Option } from "commander";

import type { Host } from "../../host/host.ts";
import { diagnosticCodes } from "../../zone/diagnostic-codes.ts";
import { topics } from "../help/topics.ts";

/** A word that can stand where the cursor is; the description may be "". */
interface Candidate {
  readonly value: string;
  readonly description: string;
}

/**
 * Prints what can stand in the place of the last word: a line each, with a tab and a description behind it. Prints nothing
 * where a file name can stand, or nothing is known.
 *
 * @param program with the arguments and options of the commands that `words` name.
 * @param words after the name of the program; the last one is being typed, and may be "".
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  host: Host,
): Promise<void> {
  const position = positionAt(program, words.slice(0, -1));
  const typed = typedWord(words.at(-1) ?? "");
  const found = await candidatesAt(position, typed, words, host);
  for (const { value, description } of found) {
    if (!value.startsWith(typed) || isUnprintable(value)) continue;
    host.stdout.write(`${description === "" ? value : `${value}\t${description}`}\n`);
  }
}

/** Bash makes `=` a word of its own. A backslash is how a shell writes what it would expand. */
function typedWord(word: string): string {
  return word === "=" ? "" : word.replaceAll(/\\(.)/g, "$1");
}

/** A candidate is one line, and what a terminal shows is what is inserted. */
function isUnprintable(value: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value);
}

/** What the words before the cursor mean. */
interface Position {
  readonly command: Command;
  /** Arguments of the command before the cursor. */
  readonly operands: number;
  /** An option whose value is expected. */
  readonly option: Option | undefined;
  /** After `--` there are no options. */
  readonly hasOptions: boolean;
  /** After `help`: the name of a command, or a topic. */
  readonly isHelp: boolean;
}

function positionAt(program: Command, before: readonly string[]): Position {
  let position: Position = {
    command: program,
    operands: 0,
    option: undefined,
    hasOptions: true,
    isHelp: false,
  };
  for (const word of before) position = after(position, word);
  return position;
}

function after(position: Position, word: string): Position {
  const { command, operands, option, hasOptions } = position;
  if (option !== undefined && word === "=") return position;
  const isOption = hasOptions && word.startsWith("-");
  if (option !== undefined && !isOption) {
    return { ...position, option: option.variadic ? option : undefined };
  }
  if (word === "--") return { ...position, option: undefined, hasOptions: false };
  if (isOption) return { ...position, option: optionWithValue(command, word) };
  if (word === "help" && command.commands.length > 0) return { ...position, isHelp: true };
  const below = command.commands.find((each) => each.name() === word);
  if (below !== undefined) return { ...position, command: below, operands: 0 };
  return { ...position, operands: operands + 1 };
}

function optionWithValue(command: Command, word: string): Option | undefined {
  const named = optionNamed(command, word);
  return named?.required === true || named?.optional === true ? named : undefined;
}

function optionNamed({ options }: Command, word: string): Option | undefined {
  return options.find(({ long, short }) => word === long || word === short);
}

async function candidatesAt(
  { command, operands, option, hasOptions, isHelp }: Position,
  typed: string,
  words: readonly string[],
  host: Host,
): Promise<readonly Candidate[]> {
  const inOne = /^(?<name>--[\w-]+)=/.exec(typed)?.groups?.["name"];
  const joined = inOne === undefined ? undefined : optionNamed(command, inOne);
  if (joined !== undefined) {
    const values = await valuesOf(joined, words, host);
    return values.map((each) => ({ ...each, value: `${joined.long ?? ""}=${each.value}` }));
  }
  if (hasOptions && typed.startsWith("-")) return optionsOf(isHelp ? helpOf(command) : command);
  if (option !== undefined) return valuesOf(option, words, host);
  const argument = command.registeredArguments[operands] ?? variadicOf(command);
  const values = argument === undefined ? [] : await valuesOf(argument, words, host);
  return operands === 0 ? [...namesAt(command, isHelp), ...values] : values;
}

/** The command that the word `help` calls. */
function helpOf(command: Command): Command {
  return command.commands.find((each) => each.name() === "help") ?? command;
}

/** The commands below a command; after `help` the topics too. */
function namesAt(command: Command, isHelp: boolean): readonly Candidate[] {
  const isTopic = isHelp && command.parent === null;
  return [...commandsOf(command), ...(isTopic ? plain(Object.keys(topics)) : [])];
}

function variadicOf({ registeredArguments }: Command): Argument | undefined {
  const last = registeredArguments.at(-1);
  return last?.variadic === true ? last : undefined;
}

function commandsOf(command: Command): readonly Candidate[] {
  if (command.commands.length === 0) return [];
  const commands = command.createHelp().visibleCommands(command);
  return commands.map((each) => ({ value: each.name(), description: each.description() }));
}

function optionsOf(command: Command): readonly Candidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options.flatMap(({ long, description }) =>
    long === undefined ? [] : [{ value: long, description }],
  );
}

/** The values of an option or argument: its choices, or what its name stands for. */
async function valuesOf(
  place: Argument | Option,
  words: readonly string[],
  host: Host,
): Promise<readonly Candidate[]> {
  if (place.argChoices !== undefined) return plain(place.argChoices);
  const name = "flags" in place ? (/[<[](\w+)/.exec(place.flags)?.[1] ?? "") : place.name();
  if (name === "code" || name === "codes") {
    return Object.entries(diagnosticCodes).map(([value, { meaning }]) => ({
      value,
      description: meaning,
    }));
  }
  if (name !== "zone" && name !== "zones") return [];
  // Loaded here: other words need none of the code that reads files.
  const declaredNames = (await import("./declared-names.ts")).declaredNames;
  return plain(await declaredNames(words, host));
}

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, description: "" }));
}
