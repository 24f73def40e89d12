import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { codeBlocksOf, documents } from "../support/code-blocks.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { eventually, freePort, main } from "../support/processes.ts";

/** Blocks that start or end a process of zonewarden, in the order of each document. */
const blocks = documents.flatMap((file) =>
  codeBlocksOf(file).filter(
    ({ language, text }) =>
      language === "sh" && /^(?:zonewarden .*&|kill .*)$/m.test(text) && !text.includes("kubectl"),
  ),
);

/** How the quick start makes the command `zonewarden`. */
function definition(): string {
  const [block] = codeBlocksOf("docs/quick-start.md");
  const line = block?.text.split("\n").find((each) => each.includes('node "$program"'));
  if (line === undefined) throw new Error("the quick start defines no zonewarden");
  return line;
}

/** The ids of the processes of a session that run zonewarden. */
function programsOf(session: number): readonly number[] {
  return globSync("/proc/[0-9]*/stat").flatMap((file) => {
    const [id = "", ...rest] = textOf(file).split(/ \(.*\) /s);
    const isOfSession = rest.join("").split(" ")[3] === String(session);
    const call = textOf(path.join(path.dirname(file), "cmdline"));
    return isOfSession && call.includes(main) ? [Number(id)] : [];
  });
}

/** A file of a process; "" where it has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

describe("the blocks that start or end a process", () => {
  it("are these", ({ expect }) => {
    expect(blocks.map(({ place }) => place.replace(/:\d+$/, ""))).toEqual([
      "docs/evidence.md",
      "docs/quick-start.md",
      "docs/quick-start.md",
      "docs/real-account.md",
    ]);
  });

  it("leave none behind, typed into bash as printed", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { directory } = example.place;
    const port = await freePort();
    // Nobody waits: for the time in which a person reads on, the shell waits for what the process says. It reads the log
    // once a look: the log of the process before is still there for a moment.
    const waits = new Map([
      [
        "sleep 30",
        "until [ \"$(grep -o 'zonewarden st[a-z]*' run.log | tail -n 1)\" = 'zonewarden started' ]; do sleep 0.1; done",
      ],
      [
        "zonewarden emulate &",
        `zonewarden emulate --listen 127.0.0.1:${port} &\nuntil curl -so /dev/null http://127.0.0.1:${port}/_emulator/; do sleep 0.1; done`,
      ],
    ]);
    const lines = blocks.flatMap(({ text }) => text.split("\n"));
    expect([...waits.keys()].filter((line) => !lines.includes(line))).toEqual([]);
    const shell = spawn("bash", ["--noprofile", "--norc", "-i"], {
      cwd: directory,
      env: {
        PATH: `${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
        HOME: directory,
        ZONEWARDEN_API_TOKEN: "emulator-token",
      },
      stdio: ["pipe", "ignore", "ignore"],
      // A session of its own, whose processes can be told from others.
      detached: true,
    });
    const { pid = 0 } = shell;
    const ended = new Promise((resolve) => shell.on("exit", resolve));
    shell.stdin.end(
      [`program="${main}"`, definition(), ...lines.map((line) => waits.get(line) ?? line), ""].join(
        "\n",
      ),
    );
    await ended;
    const left = await eventually("all have ended", () => emptyIn(pid), 10).catch(() =>
      programsOf(pid),
    );
    for (const each of left) process.kill(each);
    expect(left).toEqual([]);
    expect(await example.place.read("run.log")).toContain("zonewarden stopped");
  });
});

function emptyIn(session: number): readonly number[] | undefined {
  const programs = programsOf(session);
  return programs.length === 0 ? programs : undefined;
}
