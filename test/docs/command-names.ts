import type { Command } from "commander";

import { wholeProgram } from "../support/command-line.ts";

const program = await wholeProgram();

/** What the command line does not know of a call, `rulesets list ZONE --account` for example: a command, or options. */
export function unknownIn(words: readonly string[]): readonly string[] {
  const [command, unknown] = commandIn(program, words);
  if (unknown !== undefined) return [unknown];
  const known = optionsOf(command);
  const options = words.flatMap((word) => /^--?[a-z][a-z-]*/.exec(word)?.[0] ?? []);
  return options.filter((option) => !known.has(option));
}

/** Whether any command has an option. */
export function isOption(name: string): boolean {
  return everyCommandBelow(program).some((command) => optionsOf(command).has(name));
}

/** The command that words call; the word that is no command, where there is one. */
function commandIn(parent: Command, words: readonly string[]): readonly [Command, string?] {
  const [name, ...rest] = words;
  if (parent.commands.length === 0 || name === undefined || name.startsWith("-")) return [parent];
  const command = parent.commands.find((each) => each.name() === name);
  if (command !== undefined) return commandIn(command, rest);
  // `history [zone]` has a command below it, and arguments of its own.
  return parent.registeredArguments.length > 0 ? [parent] : [parent, name];
}

function optionsOf(command: Command): ReadonlySet<string> {
  const own = command.options.flatMap(({ long, short }) => [long ?? "", short ?? ""]);
  return new Set([...own, "-h", "--help"]);
}

function everyCommandBelow(parent: Command): readonly Command[] {
  return [parent, ...parent.commands.flatMap((command) => everyCommandBelow(command))];
}
