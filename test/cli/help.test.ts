import type { Command } from "commander";
import { describe, it } from "vitest";

import { wholeProgram, workplace } from "../support/command-line.ts";

/** A command and those below it, each with its names: `inventory scripts`. */
function commandsIn(command: Command, before: readonly string[] = []): readonly Found[] {
  return command.commands.flatMap((each) => {
    const names = [...before, each.name()];
    return [{ names, words: names.join(" "), command: each }, ...commandsIn(each, names)];
  });
}

interface Found {
  readonly names: readonly string[];
  readonly words: string;
  readonly command: Command;
}

const commands = commandsIn(await wholeProgram());

describe("the help", () => {
  it.for(commands)("of $words has an example", async ({ names, words }, { expect }) => {
    await using place = await workplace();
    const { code, stdout } = await place.run(...names, "--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`\n  \\$ (?:.* )?zonewarden ${words}`));
  });

  it.for(commands)("of $words describes each argument and option", ({ command }, { expect }) => {
    const undescribed = [...command.registeredArguments, ...command.options].filter(
      ({ description }) => description === "",
    );
    expect(undescribed).toEqual([]);
  });

  it("has no example that continues only after a plan without changes", async ({ expect }) => {
    await using place = await workplace();
    const { stdout } = await place.run("plan", "--help");
    expect(stdout).not.toMatch(/zonewarden plan[^\n]*&&/);
  });

  it.for(commands.filter(({ command }) => command.commands.length === 0))(
    "of $words has no example with an unknown option",
    async ({ names, words, command }, { expect }) => {
      await using place = await workplace();
      const { stdout } = await place.run(...names, "--help");
      const calls = stdout
        .split("\n")
        .filter((line) => line.startsWith("  $ "))
        .flatMap((line) => line.split(/&&|\||>/))
        .filter((call) => call.includes(`zonewarden ${words} `));
      const known = command.options.map(({ long }) => long);
      const named = calls.flatMap((call) => call.match(/--[a-z-]+/g) ?? []);
      expect(named.filter((option) => !known.includes(option))).toEqual([]);
    },
  );
});
