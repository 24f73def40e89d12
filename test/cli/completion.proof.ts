import { execFile, execFileSync } from "node:child_process";
import { chmod, readdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { describe, it } from "vitest";

import { type Workplace, wholeProgram, workplace } from "../support/command-line.ts";
import { main } from "../support/processes.ts";

const run = promisify(execFile);

/** Whether a shell is installed. Completion in a shell that is not cannot be tried. */
function has(shell: string): boolean {
  try {
    execFileSync(shell, ["-c", "exit 0"]);
    return true;
  } catch {
    return false;
  }
}

/** A directory with a configuration, two zones, and a program `zonewarden` that runs `script`. */
async function withProgram(
  script = `exec '${process.execPath}' '${main}' "$@"`,
): Promise<Workplace> {
  const place = await workplace();
  await place.write("zonewarden.yaml", "mode: observe\n");
  await place.write("other.yaml", "mode: observe\ndesired: { path: others }\n");
  await place.write(
    "zones/a.yaml",
    "zones: [{ name: shop.example.com }, { name: blog.example.com }]",
  );
  await place.write("others/a.yaml", "zones: [{ name: other.example }, { match: { name: 'x*' } }]");
  await place.write("bin/zonewarden", `#!/bin/sh\n${script}\n`);
  await chmod(path.join(place.directory, "bin/zonewarden"), 0o755);
  return place;
}

/** What a shell prints that loads the script of `completion` from a file and then does `steps`. */
async function inShell(place: Workplace, shell: string, steps: string): Promise<readonly string[]> {
  const { directory } = place;
  const { stdout: script } = await place.run("completion", shell);
  await place.write("completion", script);
  const { stdout } = await run(shell, ["-c", steps], {
    cwd: directory,
    env: { ...process.env, PATH: `${path.join(directory, "bin")}:${process.env["PATH"] ?? ""}` },
  });
  return stdout.split("\n").filter((line) => line !== "");
}

function wordsIn(stdout: string): readonly string[] {
  return stdout.split("\n").flatMap((line) => line.split("\t")[0] || []);
}

const names = ["shop.example.com", "blog.example.com"];

describe("the candidates for a word", () => {
  it.for([
    { typed: ["va"], yields: ["validate"] },
    { typed: ["plan", "--fo"], yields: ["--format"] },
    { typed: ["plan", "--format", "m"], yields: ["markdown"] },
    { typed: ["plan", "--format", "=", "m"], yields: ["markdown"] },
    { typed: ["plan", "--format", "="], yields: ["text", "json", "markdown"] },
    { typed: ["plan", "--format=m"], yields: ["--format=markdown"] },
    { typed: ["plan", ""], yields: names },
    { typed: ["plan", "--format", "json", "sh"], yields: ["shop.example.com"] },
    { typed: ["plan", "shop.example.com", "bl"], yields: ["blog.example.com"] },
    { typed: ["plan", "--", ""], yields: names },
    { typed: ["plan", "--", "--fo"], yields: [] },
    { typed: ["plan", "--config", ""], yields: [] },
    { typed: ["plan", "--config", "other.yaml", ""], yields: ["other.example"] },
    { typed: ["plan", "-c", "missing.yaml", ""], yields: [] },
    { typed: ["history", "shop.example.com", ""], yields: [] },
    { typed: ["validate", "--show", "b"], yields: ["blog.example.com"] },
    { typed: ["validate", "--code", "ALLOW_OVERLAP", "ALLOW_O"], yields: ["ALLOW_OVERLAP"] },
    { typed: ["validate", "--strict", "--sev"], yields: ["--severity"] },
    { typed: ["explain", "ALLOW_OV"], yields: ["ALLOW_OVERLAP"] },
    { typed: ["help", "hist"], yields: ["history"] },
    { typed: ["help", "exit"], yields: ["exit-codes"] },
    { typed: ["help", "rulesets", "pr"], yields: ["prune"] },
    { typed: ["inventory", "co"], yields: ["connections", "cookies"] },
    { typed: ["completion", ""], yields: ["bash", "zsh", "fish", "powershell"] },
    { typed: ["nonsense", "--"], yields: ["--version", "--help"] },
  ])("$typed", async ({ typed, yields }, { expect }) => {
    await using place = await withProgram();
    const ran = await place.run("__complete", `${typed.length}`, ...typed);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
    expect(wordsIn(ran.stdout)).toEqual(yields);
    const isEmptyLast = typed.at(-1) === "";
    const dropped = await place.run("__complete", `${typed.length}`, ...typed.slice(0, -1));
    if (isEmptyLast) expect(dropped.stdout).toBe(ran.stdout);
  });

  it("are every command and every option of the program", async ({ expect }) => {
    await using place = await withProgram();
    const { commands } = await wholeProgram();
    const offered = await place.run("__complete", "1", "");
    expect(wordsIn(offered.stdout)).toEqual(commands.map((each) => each.name()));
    for (const command of commands.filter((each) => each.commands.length === 0)) {
      const { stdout } = await place.run("__complete", "2", command.name(), "--");
      const options = command.options.flatMap(({ long }) => long ?? []);
      expect(wordsIn(stdout)).toEqual([...options, "--help"]);
    }
  });

  it("are none where a zone file is broken, or the configuration", async ({ expect }) => {
    await using place = await withProgram();
    await place.write("zones/a.yaml", "zones: [");
    const typed = ["__complete", "2", "plan", ""];
    expect(await place.run(...typed)).toEqual({ code: 0, stdout: "", stderr: "" });
    await place.write("zonewarden.yaml", "mode: [");
    expect(await place.run(...typed)).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("the script for bash", () => {
  const complete = "source ./completion; _zonewarden; printf '%s\\n' \"${COMPREPLY[@]}\"";

  it.for([
    { words: "zonewarden pla", at: 1, yields: ["plan"] },
    { words: "zonewarden plan --fo", at: 2, yields: ["--format"] },
    { words: "zonewarden plan --format = j", at: 4, yields: ["json"] },
    { words: "zonewarden plan ''", at: 2, yields: names },
    { words: "zonewarden plan sh --impact", at: 2, yields: ["shop.example.com"] },
  ])("completes $words", async ({ words, at, yields }, { expect }) => {
    await using place = await withProgram();
    const steps = `COMP_WORDS=(${words}); COMP_CWORD=${at}; ${complete}`;
    expect(await inShell(place, "bash", steps)).toEqual(yields);
  });

  it("is registered for the program, with file names as the fallback", async ({ expect }) => {
    await using place = await withProgram();
    const lines = await inShell(place, "bash", "source ./completion; complete -p zonewarden");
    expect(lines).toEqual(["complete -o default -F _zonewarden zonewarden"]);
  });

  it("inserts what the shell would expand or run as data", async ({ expect }) => {
    const hostile = [
      "$(touch run)",
      "`touch run`",
      "; touch run",
      "*",
      "a b",
      "it's",
      '"x',
      "~",
      "\\",
    ];
    const lines = hostile.map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(" ");
    await using place = await withProgram(`printf '%s\\n' ${lines}`);
    const steps = `COMP_WORDS=(zonewarden plan ''); COMP_CWORD=2; ${complete}
      for each in "\${COMPREPLY[@]}"; do eval "typed=($each)"; printf 'typed %s\\n' "\${typed[@]}"; done`;
    const printed = await inShell(place, "bash", steps);
    expect(printed.filter((line) => line.startsWith("typed "))).toEqual(
      hostile.map((each) => `typed ${each}`),
    );
    expect(await readdir(place.directory)).not.toContain("run");
  });
});

describe("the scripts for other shells", () => {
  const candidates = `printf 'plan\\tprint it\\n$(touch run)\\n'`;

  // Why skipped: the shell is not installed on this machine.
  it.skipIf(!has("zsh"))("zsh adds the candidates as data", async ({ expect }) => {
    await using place = await withProgram(candidates);
    const steps = `compdef() { :; }; compadd() { shift; print -rl -- "$@"; }; source ./completion
      words=(zonewarden ''); CURRENT=2; _zonewarden`;
    expect(await inShell(place, "zsh", steps)).toEqual(["plan", "$(touch run)"]);
    expect(await readdir(place.directory)).not.toContain("run");
  });

  // Why skipped: the shell is not installed on this machine.
  it.skipIf(!has("fish"))("fish lists the candidates", async ({ expect }) => {
    await using place = await withProgram(candidates);
    const printed = await inShell(place, "fish", "source ./completion; complete -C 'zonewarden p'");
    expect(printed).toEqual(["plan\tprint it"]);
    expect(await readdir(place.directory)).not.toContain("run");
  });

  it.for(["zsh", "fish", "powershell"])("%s asks the program", async (shell, { expect }) => {
    await using place = await workplace();
    const { code, stdout } = await place.run("completion", shell);
    expect(code).toBe(0);
    expect(stdout).toMatch(/zonewarden __complete \S+/);
  });

  it("are refused for an unknown shell, with the names of the known ones", async ({ expect }) => {
    await using place = await workplace();
    const { code, stderr } = await place.run("completion", "tcsh");
    expect(code).toBe(1);
    expect(stderr).toMatch(/bash, zsh, fish, powershell/);
  });
});
