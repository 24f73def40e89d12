import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

/** Runs a program and gives what it printed; what it printed to stderr is in the error's message. */
export const run: (file: string, args: readonly string[]) => Promise<{ readonly stdout: string }> =
  promisify(execFile);

/** Why the tests that need promtool are skipped here; `undefined` where it is. */
export const noPromtool: string | undefined = isThere("promtool", ["--version"])
  ? undefined
  : "promtool is not here: apt-get install --no-install-recommends prometheus";

/** Why the tests that need kubectl are skipped here; `undefined` where it is. */
export const noKubectl: string | undefined = isThere("kubectl", ["version", "--client"])
  ? undefined
  : "kubectl is not here: apt-get install --no-install-recommends kubernetes-client";

/** Why the tests that need components of kustomize are skipped here; `undefined` where kubectl knows them. */
export const noComponents: string | undefined = noKubectl ?? oldKubectl();

/** The kustomize within kubectl is of 2019 up to version 1.20; from 1.21 on it knows components. */
function oldKubectl(): string | undefined {
  const { stdout } = spawnSync("kubectl", ["version", "--client", "--output=json"], {
    encoding: "utf8",
  });
  const minor = Number(/"minor":\s*"(\d+)/.exec(stdout)?.[1] ?? 0);
  return minor >= 21
    ? undefined
    : "this kubectl is older than 1.21 and knows no components: the overlays were not rendered";
}

function isThere(file: string, args: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: "ignore" }).status === 0;
}
