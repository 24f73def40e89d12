import { readFile } from "node:fs/promises";

import { Argument, type Command } from "commander";

import type { Host } from "../../host/host.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { manualPage } from "./manual-page.ts";
import { plainText, sectionOf } from "./section.ts";
import { type Topic, topics } from "./topics.ts";

export const defineHelp: DefineCommand = (command, host) => {
  const names = Object.keys(topics);
  command
    .addArgument(new Argument("[topic...]", `a command, or one of ${names.join(", ")}`))
    .option("--man", "print the manual page (roff)", false)
    .examples(
      "zonewarden help",
      "zonewarden help exit-codes",
      "zonewarden help plan",
      "zonewarden help --man | man -l -",
    )
    .runs((words: readonly string[], { man }: { readonly man: boolean }) => {
      const program = command.parent ?? command;
      if (!man && words.length > 0) return explain(words, program, host);
      host.stdout.write(man ? manualPage(program) : `${program.helpInformation()}${listText}`);
      return exitCodes.done;
    });
};

const listText = `
Topics, for zonewarden help TOPIC:
  ${Object.keys(topics).join(", ")}
`;

async function explain(words: readonly string[], program: Command, host: Host): Promise<ExitCode> {
  const topic = Object.entries(topics).find(([name]) => name === words.join("-"))?.[1];
  if (topic !== undefined) return printTopic(topic, host);
  const command = words.reduce<Command | undefined>(
    (found, word) => found?.commands.find((each) => each.name() === word),
    program,
  );
  if (command !== undefined) {
    command.outputHelp();
    return exitCodes.done;
  }
  const name = words.join(" ");
  const known = [...Object.keys(topics), ...program.commands.map((each) => each.name())];
  const hint = didYouMean(name, known) || "zonewarden help lists commands and topics";
  return fail(`help: there is no command and no topic ${name}; ${hint}`, host);
}

async function printTopic({ file, heading }: Topic, host: Host): Promise<ExitCode> {
  const text = await readFile(new URL(`../../../docs/${file}`, import.meta.url), "utf8");
  const section = sectionOf(text, heading);
  if (section === undefined) throw new Error(`docs/${file} has no section ${heading}`);
  host.stdout.write(plainText(section));
  return exitCodes.done;
}
