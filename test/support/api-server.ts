import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { run } from "../deploy/tools.ts";

const up = path.resolve(import.meta.dirname, "../apiserver/up.sh");

/** A real API server with etcd, in a temporary folder. */
export interface ApiServer extends AsyncDisposable {
  /** The file of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Runs kubectl as an administrator; gives what it printed, warnings included. */
  kubectl(...args: readonly string[]): string;
  /** Sends a signal to its process: SIGSTOP for a server that does not answer, SIGCONT for one that does again. */
  signal(name: NodeJS.Signals): void;
}

/** Why no real API server runs here; `undefined` where it does. Builds it once, from the Go module proxy. */
export function noApiServer(): string | undefined {
  const { status, stderr } = spawnSync(up, ["--build"], { encoding: "utf8" });
  return status === 0 ? undefined : stderr.trim().split("\n").at(-1);
}

/** Starts the API server. */
export async function startApiServer(): Promise<ApiServer> {
  const { stdout } = await run(up, []);
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(stdout)?.[1] ?? "";
  const stop = /to stop: (\S+)/.exec(stdout)?.[1] ?? "";
  return {
    kubeconfig,
    kubectl: (...args) => {
      const env = { ...process.env, KUBECONFIG: kubeconfig };
      const { status, stdout: out, stderr } = spawnSync("kubectl", args, { encoding: "utf8", env });
      if (status !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
      return out + stderr;
    },
    signal: (name) => {
      const pid = readFileSync(path.join(path.dirname(stop), "kube-apiserver.pid"), "utf8");
      process.kill(Number(pid), name);
    },
    [Symbol.asyncDispose]: async () => {
      await run(stop, []);
    },
  };
}
