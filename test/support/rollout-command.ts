import { runProgram } from "../../src/cli/program.ts";
import { hostIn, type Ran } from "./command-line.ts";
import type { Example } from "./example.ts";

/** Runs `zonewarden rollout` as a person who is logged in beside the daemon. */
export async function rolloutOf({ place }: Example, ...args: readonly string[]): Promise<Ran> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const host = hostIn(place.directory, {
    env: { USER: "mia" },
    stdout: { isTTY: false, write: (text) => stdout.push(text) },
    stderr: { isTTY: false, write: (text) => stderr.push(text) },
  });
  const code = await runProgram(["rollout", ...args], host);
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}
