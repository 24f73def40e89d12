import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { exampleWithEmulator } from "../support/example.ts";
import { main } from "../support/processes.ts";

const hasScript = spawnSync("script", ["--version"]).status === 0;

/** Runs `zonewarden init` on a terminal, types each answer when its question is there, and gives all that was shown. */
async function onTerminal(
  directory: string,
  args: readonly string[],
  answers: readonly (readonly [question: string, typed: string])[],
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const call = [process.execPath, main, "init", ...args].map((each) => `'${each}'`).join(" ");
  const child: ChildProcess = spawn(
    "script",
    ["--quiet", "--return", "--command", call, "/dev/null"],
    {
      cwd: directory,
      env: { PATH: process.env["PATH"], TERM: "xterm", SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const left = [...answers];
  let shown = "";
  let seen = 0;
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    const [question = "", typed = ""] = left[0] ?? [];
    const at = left.length === 0 ? -1 : shown.indexOf(question, seen);
    if (at < 0) return;
    seen = at + question.length;
    left.shift();
    child.stdin?.write(typed);
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, shown };
}

// Skipped where util-linux is not installed: nothing else gives a child a terminal.
describe.skipIf(!hasScript)("init on a real terminal", () => {
  it("asks on it, and plans what it wrote", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.remove("zones");
    await place.remove("zonewarden.yaml");
    const { code, shown } = await onTerminal(
      place.directory,
      ["--emulator", new URL(emulator.url).host],
      [
        ["[zones]: ", "\r"],
        ["[*]: ", "shop.*\r"],
        ["profiles? [y]: ", "n\r"],
        ["GitHub? [y]: ", "n\r"],
        ["nobody: ", "\r"],
      ],
    );
    expect(shown).toContain("No changes. 1 of 1 zone in sync.");
    expect(code).toBe(0);
    expect(await place.read("zones/shop.example.com.yaml")).toContain("name: shop.example.com");
  });

  const endings = [
    { key: "Ctrl-C", typed: "\u{3}" },
    { key: "Ctrl-D", typed: "\u{4}" },
  ];

  it.for(endings)("stops at $key, and has written nothing", async ({ typed }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.remove("zones");
    await place.remove("zonewarden.yaml");
    const args = ["--emulator", new URL(emulator.url).host];
    const { code, shown } = await onTerminal(place.directory, args, [["[zones]: ", typed]]);
    expect(shown).toContain("init: stopped; nothing was written");
    expect(code).toBe(1);
    expect(existsSync(path.join(place.directory, "zonewarden.yaml"))).toBe(false);
  });
});
