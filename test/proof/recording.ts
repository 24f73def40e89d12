import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { control } from "../support/ask.ts";
import { startEmulatorProcess } from "../support/emulator-process.ts";
import { git } from "../support/example-repository.ts";
import { copyZones, exampleSeed } from "../support/example.ts";
import { type Running, eventually, main, startProgram } from "../support/processes.ts";

/** What the recording shows one after another: what a person reads or types, or what the program printed, with its colours. */
export interface Shot {
  readonly kind: "comment" | "command" | "output";
  readonly text: string;
}

const shop = "zones/shop.yaml";
const env = { ZONEWARDEN_API_TOKEN: "emulator-token", FORCE_COLOR: "1" };

/**
 * Runs the program on the example, beside an emulator: a pull request is planned and merged, the daemon applies it, and corrects an edit in
 * the dashboard. What is not shown is as in the quick start.
 */
export async function record(): Promise<readonly Shot[]> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-recording-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const emulator = stack.use(await startEmulatorProcess(directory, exampleSeed()));
  const files = path.join(directory, "files");
  await copyZones(files);
  await writeFile(
    path.join(files, "zonewarden.yaml"),
    `mode: enforce
api: { base_url: "${emulator.baseUrl}" }
server: { listen: "127.0.0.1:0" }
audit: { enabled: true, every: 15s }
store: { path: ${path.join(directory, "state")} }
`,
  );
  const start = (...args: readonly string[]): Running =>
    startProgram(process.execPath, [main, ...args], { cwd: files, env });
  const run = async (...args: readonly string[]): Promise<string> => {
    await using running = start(...args);
    await running.exited;
    return running.output();
  };

  git(files, "init", "--initial-branch=main");
  git(files, "add", ".");
  git(files, "commit", "--message=Declare the zones");
  await run("apply", "--yes");

  git(files, "switch", "--create=request");
  const declared = await readFile(path.join(files, shop), "utf8");
  const changed = declared
    .replace("pay.example.net]", "pay.example.net, reviews.example.org]")
    .replace("action: block", "action: block\n          paranoia_level: 3");
  await writeFile(path.join(files, shop), changed);
  const plan = await run("plan", "--changed-since", "main");
  git(files, "commit", "--all", "--message=Stricter rules, and reviews in the checkout");
  git(files, "switch", "main");
  git(files, "merge", "request");

  await using daemon = start("run");
  const logged = (text: string): Promise<true> =>
    eventually(text, () => daemon.output().includes(text) || undefined, 60);
  await logged("audit log followed");
  await eventually("the merge is applied", async () => {
    const planned = await run("plan");
    return planned.includes("No changes") || undefined;
  });
  const edit = {
    zone: "shop.example.com",
    rule: "zonewarden:owasp",
    set: { paranoia_level: 1 },
    actor: "alice@example.com",
  };
  await control(emulator, "/edit", edit);
  await logged("alice@example.com");
  const history = await run("history", edit.zone);
  const last = history.trimEnd().split("\n").slice(-6);
  return [
    {
      kind: "comment",
      text: "A pull request: stricter rules, and one more script in the checkout.",
    },
    { kind: "command", text: "zonewarden plan --changed-since main" },
    { kind: "output", text: plan.trimEnd() },
    {
      kind: "comment",
      text: "Merged, and applied by the daemon. Then Alice lowers the level in the dashboard.",
    },
    { kind: "command", text: "zonewarden history shop.example.com | tail -n 6" },
    { kind: "output", text: last.join("\n") },
  ];
}
