import type { Command } from "commander";

import { version } from "../../host/version.ts";
import { exitCodeHelp } from "../output/exit-codes.ts";
import { environmentVariables } from "./topics.ts";

/** The manual page of the program for `man`, from its commands, exit codes and variables. The same version gives the same text. */
export function manualPage(program: Command): string {
  return [
    `.TH ZONEWARDEN 1 "" ${quoted(`zonewarden ${version}`)} "User Commands"`,
    section("NAME"),
    `zonewarden \\- ${text("keeps the protection of web zones as declared in YAML")}`,
    section("SYNOPSIS"),
    `.B zonewarden\n.I command\n${text("[arguments] [options]")}`,
    section("DESCRIPTION"),
    text(program.description().replaceAll("\n", " ")),
    section("COMMANDS"),
    ...leavesOf(program).map(commandText),
    section("EXIT STATUS"),
    ...exitCodeItems().map(([code = "", meaning = ""]) => item(text(code), meaning)),
    section("ENVIRONMENT"),
    ...Object.entries(environmentVariables).map(([name, meaning]) =>
      item(bold(name), meaning.replaceAll("`", "")),
    ),
    section("FILES"),
    item(bold("zonewarden.yaml"), "the configuration"),
    section("SEE ALSO"),
    text("zonewarden help lists topics: zonewarden help configuration, for example."),
    "",
  ].join("\n");
}

/** The commands that do something, with the words that call them. */
function leavesOf(command: Command, before = ""): readonly (readonly [string, Command])[] {
  return command.commands.flatMap((each) => {
    const name = `${before}${each.name()}`;
    return each.commands.length === 0 || each.registeredArguments.length > 0
      ? [[name, each] as const, ...leavesOf(each, `${name} `)]
      : leavesOf(each, `${name} `);
  });
}

function commandText([name, command]: readonly [string, Command]): string {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== "--help");
  return [
    `.SS ${quoted(`${name} ${command.usage()}`)}`,
    text(command.description()),
    ...command.registeredArguments.map((each) =>
      item(italic(each.name()), help.argumentDescription(each)),
    ),
    ...options.map((each) => item(bold(each.flags), help.optionDescription(each))),
  ].join("\n");
}

/** The codes with their meanings, of which the later lines are indented. */
function exitCodeItems(): readonly (readonly string[])[] {
  const joined = exitCodeHelp.replaceAll(/\n {5}/g, " ");
  return [...joined.matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(([, ...parts]) => parts);
}

function section(name: string): string {
  return `.SH ${name}`;
}

function item(label: string, meaning: string): string {
  return `.TP\n${label}\n${text(meaning)}`;
}

function bold(words: string): string {
  return `\\fB${escaped(words)}\\fR`;
}

function italic(words: string): string {
  return `\\fI${escaped(words)}\\fR`;
}

function quoted(words: string): string {
  return `"${escaped(words).replaceAll('"', "\\(dq")}"`;
}

/** A line of text: one that begins with a dot or a quote would be a request of roff. */
function text(words: string): string {
  return escaped(words).replace(/^(?=[.'])/, "\\&");
}

function escaped(words: string): string {
  return words.replaceAll("\\", "\\e").replaceAll("-", "\\-");
}
