import type { Config } from "../../desired/config/config.ts";
import { reasonOf } from "../../desired/yaml/decode-text.ts";
import type { Host } from "../../host/host.ts";
import type { StateLoss } from "../../memory/state-store.ts";
import { inspectState } from "../../memory/stored-state.ts";
import { errorCode } from "../../syntax/error-code.ts";
import { clusterOf } from "../session/cluster-of.ts";
import { type CheckFinding, finding, fine } from "./finding.ts";

/** Whether the daemon could keep its state. Writes nothing. */
export async function checkState(config: Config, host: Host): Promise<readonly CheckFinding[]> {
  const { path } = config.state;
  if (config.cluster !== undefined) return [fine("state", "it is in ConfigMaps of the cluster")];
  if (path === undefined) return [noState(config)];
  const why = await whyUnwritable(path, "directory", host);
  if (why !== undefined) {
    const message = `state.path: zonewarden cannot write in ${path}: ${why}`;
    const remedy =
      "let the user that runs zonewarden write there, or set state.path to another directory";
    return [finding("state", "error", { message, remedy })];
  }
  const { opened, holder } = await inspectState(path, config, host);
  if (opened.result === "lost") {
    const message = `the state in ${path} cannot be used: ${opened.detail}`;
    return [finding("state", "error", { message, remedy: remedies[opened.reason] })];
  }
  if (holder !== undefined) {
    const message = `${path} is in use by ${holder}: a second zonewarden run would not start with it`;
    const remedy =
      "if that process is the daemon of this configuration, there is nothing to do; else give each daemon a directory of its own (state.path)";
    return [finding("state", "warning", { message, remedy })];
  }
  const found = opened.result === "empty" ? "empty: the daemon has not run yet" : "readable";
  return [fine("state", `${path}: writable, ${found}`)];
}

/** An observer has nothing to remember that it could write. */
function noState({ mode }: Config): CheckFinding {
  if (mode === "observe") return fine("state", "none: mode observe writes nothing");
  return finding("state", "warning", {
    message: "no state directory: after a restart, zonewarden does not know what it applied",
    remedy: "set state.path to a directory that survives restarts",
  });
}

const remedies: Readonly<Record<StateLoss, string>> = {
  damaged: "restore the file from a backup, or remove it: zonewarden then starts without a memory",
  foreign: "give this owner and service a directory of its own (state.path)",
  newer: "use the version of zonewarden that wrote it, or a newer one",
  unreadable: "let the user that runs zonewarden read the file state.jsonl in it",
};

/** Whether the history could be kept. Writes nothing. */
export async function checkHistory(config: Config, host: Host): Promise<readonly CheckFinding[]> {
  const { path } = config.history;
  if (path === undefined) {
    return [fine("history", "in memory only: zonewarden history needs history.path")];
  }
  const why = (await whyUnwritable(path, "file", host)) ?? (await whyNotOpened(path, host));
  if (why === undefined) return [fine("history", `${path}: writable`)];
  const message = `history.path: zonewarden cannot write ${path}: ${why}`;
  const remedy =
    "name a plain file (no link, no directory) in a directory where the user that runs zonewarden may write";
  return [finding("history", "error", { message, remedy })];
}

async function whyNotOpened(path: string, host: Host): Promise<string | undefined> {
  try {
    await host.historyStore(path).size();
    return undefined;
  } catch (error) {
    return errorCode(error) === "ELOOP" ? "it is a symbolic link" : reasonOf(error);
  }
}

async function whyUnwritable(
  path: string,
  kind: "file" | "directory",
  host: Host,
): Promise<string | undefined> {
  try {
    await host.namedFiles.checkWritable(path, kind);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === "") throw error;
    if (code === "ENOTDIR") return "it, or a part of its path, is not a directory";
    return code === "EROFS" ? "the file system is read-only" : reasonOf(error);
  }
}

/** Whether the process reaches the API server of its cluster and may read the Lease and the state. Writes nothing. */
export async function checkCluster(config: Config, host: Host): Promise<readonly CheckFinding[]> {
  if (config.cluster === undefined) return [];
  const { lease } = config.cluster;
  try {
    await using cluster = await clusterOf(config, config.api.baseUrl, host);
    const failures = (await cluster?.checkAccess()) ?? [];
    if (failures.length === 0) {
      return [fine("cluster", `the Lease ${lease} and the state can be read`)];
    }
    const remedy =
      "apply the Role and RoleBinding of deploy/kustomize/base/rbac.yaml, and check the network to the API server";
    return failures.map((message) => finding("cluster", "error", { message, remedy }));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const remedy = "run zonewarden in a pod of the cluster, or correct cluster.kubeconfig";
    return [finding("cluster", "error", { message, remedy })];
  }
}
