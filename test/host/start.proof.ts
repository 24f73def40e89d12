import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, it } from "vitest";

import { workplace } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { eventually, main } from "../support/processes.ts";

/** Replaces the program by a module that does some work and never ends loading. */
const neverLoaded = (work: string): string => `
import { registerHooks } from "node:module";
const source = ${JSON.stringify(work)} + '; process.stdout.write("loading"); await new Promise(() => {});' +
  'export const runProgram = undefined;';
registerHooks({
  load: (url, context, next) => /[/]cli[/]program[.][jt]s$/.test(url)
    ? { format: "module", source, shortCircuit: true }
    : next(url, context),
});`;

const namespace = ["unshare", "--pid", "--fork", "--kill-child"] as const;
const [unshare, ...flags] = namespace;
const canUnshare = spawnSync(unshare, [...flags, "true"]).status === 0;

/** The only child of a process. */
async function childOf(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return Number(children.trim());
}

/** Sends a signal while the program is loaded, and gives its exit code, or the signal that ended it. */
async function endAfter(
  signal: NodeJS.Signals,
  isFirst: boolean,
  work = "setInterval(() => {}, 60_000)",
): Promise<unknown> {
  const [file = "", ...args] = [
    ...(isFirst ? namespace : []),
    process.execPath,
    "--import",
    `data:text/javascript,${encodeURIComponent(neverLoaded(work))}`,
    main,
    "validate",
  ];
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  try {
    await once(child.stdout, "data");
    const pid = child.pid ?? 0;
    process.kill(isFirst ? await childOf(pid) : pid, signal);
    return await eventually("it ends", () => child.exitCode ?? child.signalCode ?? undefined, 10);
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
}

describe("a signal while the program is loaded", () => {
  it.for(["SIGTERM", "SIGINT"] as const)(
    "%s ends it at once, also while it opens a pipe that nobody writes",
    async (signal, { expect }) => {
      await using place = await workplace();
      const pipe = path.join(place.directory, "pipe");
      execFileSync("mkfifo", [pipe]);
      const opens = `process.getBuiltinModule("fs").open(${JSON.stringify(pipe)}, () => {})`;
      expect(await endAfter(signal, false, opens)).toBe(signal);
    },
  );

  it.for([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)(
    "%s ends it at once with %i as process 1, which the kernel does not end",
    async ([signal, code], { expect, skip }) => {
      skip(!canUnshare, "this user may not create a PID namespace (unshare --pid)");
      expect(await endAfter(signal, true)).toBe(code);
    },
  );
});

describe("a reader that closes the pipe", () => {
  it.for(["stdout", "stderr"] as const)(
    "of %s does not change the exit code of plan",
    async (stream, { expect }) => {
      await using example = await exampleWithEmulator();
      const child = spawn(process.execPath, [main, "plan"], {
        cwd: example.place.directory,
        env: { PATH: process.env["PATH"], ZONEWARDEN_API_TOKEN: "emulator-token" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child[stream].destroy();
      child[stream === "stdout" ? "stderr" : "stdout"].resume();
      await once(child, "exit");
      expect(child.exitCode).toBe(2);
    },
  );
});

describe("a disk that is full", () => {
  it.for([
    { args: ["fmt", "zones"], leaves: "zones: []\n" },
    { args: ["fmt", "--check", "zones"], leaves: "zones:   []\n" },
  ])("loses the output of $args, which does its work and fails", async (row, { expect }) => {
    await using place = await workplace();
    const files = ["zones/a.yaml", "zones/b.yaml"];
    for (const file of files) await place.write(file, "zones:   []\n");
    await using full = await open("/dev/full", "w");
    const ran = spawnSync(process.execPath, [main, ...row.args], {
      cwd: place.directory,
      encoding: "utf8",
      stdio: ["ignore", full.fd, "pipe"],
    });
    expect(ran.stderr).toMatch(/^zonewarden: the output is lost: ENOSPC: .*$/m);
    expect(ran.status).toBe(1);
    for (const file of files) expect(await place.read(file)).toBe(row.leaves);
  });
});

/** A Node of this machine that is too old. */
function oldNode(): string | undefined {
  const found = spawnSync("which", ["-a", "node"], { encoding: "utf8" });
  const nodes = found.status === 0 ? found.stdout.trim().split("\n") : [];
  return nodes.find((node) => {
    const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
    return status === 0 && /^v(?:18|20|22)\./.test(stdout);
  });
}

describe("a Node that is too old", () => {
  it("is named in one sentence before anything else is loaded", async ({ expect, skip }) => {
    const node = oldNode();
    if (node === undefined) return skip("this machine has no Node 18, 20 or 22");
    const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-start-"));
    try {
      // Alone: an import of another file would fail.
      const file = path.join(directory, "main.mjs");
      await writeFile(file, stripTypeScriptTypes(await readFile(main, "utf8")));
      const { status, stderr, stdout } = spawnSync(node, [file, "plan"], { encoding: "utf8" });
      expect(stderr).toMatch(
        /^zonewarden needs Node 24\.12 or newer, and this is Node \d+\.\d+\.\d+: install a newer one\n$/,
      );
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it("is the same as in package.json", async ({ expect }) => {
    const manifest = await readFile(path.resolve(main, "../../package.json"), "utf8");
    expect(manifest).toContain('"node": ">=24.12"');
  });
});
