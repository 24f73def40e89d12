import type { Config } from "../../desired/config/config.ts";
import { reasonOf } from "../../desired/yaml/decode-text.ts";
import { databaseOf } from "../../host/configured-database.ts";
import type { Host } from "../../host/host.ts";
import { type Database, noRight } from "../../memory/database.ts";
import {
  historyFileIn,
  inspectDirectory,
  type InspectedDirectory,
} from "../../memory/open-store.ts";
import { identityOf, type StateLoss } from "../../memory/state-store.ts";
import { errorCode, errorText } from "../../syntax/error-code.ts";
import { askDaemon } from "../session/ask-daemon.ts";
import { kubernetesOf } from "../session/shared-store.ts";
import { type CheckFinding, finding, fine } from "./finding.ts";
import { missingRight } from "./lease-rights.ts";

/** Whether the daemon could keep its state and its history. Writes nothing. */
export async function checkStore(config: Config, host: Host): Promise<readonly CheckFinding[]> {
  const { store } = config;
  if (store === undefined) return [noStore(config)];
  if (!("path" in store)) return [await checkDatabase(config, host)];
  const { path } = store;
  const why = await whyUnwritable(path, "directory", host);
  const inspected = await inspectDirectory(path, config, host);
  if (why !== undefined && inspected.opened.result === "loaded") {
    return [onlyReadable(path, why), await checkHistory(path, "read", host)];
  }
  return [await checkState(path, why, inspected, config), await checkHistory(path, "write", host)];
}

/** A person may check a store that only the daemon writes. */
function onlyReadable(place: string, why: string): CheckFinding {
  return finding("store", "warning", {
    message: `${place}: readable, and this user may not write it (${why}): zonewarden run does not work as this user`,
    remedy: "nothing, if this user only reads; let the user that runs zonewarden write it",
  });
}

/** An observer has nothing to remember that it could write. */
function noStore({ mode }: Config): CheckFinding {
  if (mode === "observe") return fine("store", "none: mode observe writes nothing");
  return finding("store", "warning", {
    message:
      "no store: after a restart, zonewarden does not know what it applied, and its history is lost",
    remedy: "set store.path to a directory that survives restarts",
  });
}

/** @param why the directory cannot be written. */
async function checkState(
  path: string,
  why: string | undefined,
  { opened, holder }: InspectedDirectory,
  config: Config,
): Promise<CheckFinding> {
  if (why !== undefined) {
    const message = `store.path: zonewarden cannot write in ${path}: ${why}`;
    const remedy =
      "let the user that runs zonewarden write there, or set store.path to another directory";
    return finding("store", "error", { message, remedy });
  }
  if (opened.result === "lost") {
    const message = `the state in ${path} cannot be used: ${opened.detail}`;
    return finding("store", "error", { message, remedy: remedies[opened.reason] });
  }
  if (holder !== undefined) {
    const { response } = await askDaemon("/livez", config);
    if (response?.ok === true) return fine("store", `${path}: in use by the daemon, ${holder}`);
    const message = `${path} is in use by ${holder}: a second zonewarden run would not start with it`;
    const remedy =
      "if that process is the daemon of this configuration, there is nothing to do; else give each daemon a directory of its own (store.path)";
    return finding("store", "warning", { message, remedy });
  }
  const found = opened.result === "empty" ? "empty: the daemon has not run yet" : "readable";
  return fine("store", `${path}: writable, ${found}`);
}

const remedies: Readonly<Record<StateLoss, string>> = {
  damaged: "restore the file from a backup, or remove it: zonewarden then starts without a memory",
  foreign: "give this owner and service a directory of its own (store.path)",
  newer: "use the version of zonewarden that wrote it, or a newer one",
  unreadable: "let the user that runs zonewarden read the file state.jsonl in it",
};

async function checkHistory(
  directory: string,
  use: "read" | "write",
  host: Host,
): Promise<CheckFinding> {
  const file = historyFileIn(directory);
  const unwritable = use === "read" ? undefined : await whyUnwritable(file, "file", host);
  const why = unwritable ?? (await whyNotOpened(file, host));
  if (why === undefined) {
    return fine("history", `${file}: ${use === "read" ? "readable" : "writable"}`);
  }
  const message = `zonewarden cannot ${use} ${file}: ${why}`;
  const remedy =
    "put a plain file (no link, no directory) there, or let the user that runs zonewarden write in the directory";
  return finding("history", "error", { message, remedy });
}

async function whyNotOpened(file: string, host: Host): Promise<string | undefined> {
  try {
    const history = host.historyStore(file);
    if ((await history.size()) === 0) return undefined;
    for await (const _first of history.read()) break;
    return undefined;
  } catch (error) {
    return errorCode(error) === "ELOOP" ? "it is a symbolic link" : reasonOf(error);
  }
}

async function checkDatabase(config: Config, host: Host): Promise<CheckFinding> {
  await using database = databaseOf(config, host);
  if (database === undefined) return fine("store", "none");
  try {
    await database.tables.check(identityOf(config), "lead");
    const { size } = await database.tables.entries();
    return fine("store", `${database.place}: writable, ${size} entries`);
  } catch (error) {
    const isDenied = errorCode(error) === noRight;
    return isDenied && (await isReadable(database, config))
      ? onlyReadable(database.place, "it has no right to")
      : finding("store", "error", databaseFault(errorText(error)));
  }
}

async function isReadable({ tables }: Database, config: Config): Promise<boolean> {
  try {
    await tables.check(identityOf(config));
    await tables.entries();
    return true;
  } catch {
    return false;
  }
}

/** What is wrong with the tables, or with the URL, ends with what the operator can do, after a colon. */
function databaseFault(text: string): { readonly message: string; readonly remedy: string } {
  const [, message = text, remedy] = /^(?!the database cannot be used)(.*): (.*)$/.exec(text) ?? [];
  return {
    message,
    remedy:
      remedy ?? "correct store.postgres, or the rights in the database: `zonewarden store grants`",
  };
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

/** Whether the process reaches the API server of its cluster and may use the Lease. Writes nothing. */
export async function checkCluster(config: Config, host: Host): Promise<readonly CheckFinding[]> {
  if (config.cluster === undefined) return [];
  const { lease } = config.cluster;
  try {
    await using kubernetes = await kubernetesOf(config, host);
    const verb = kubernetes && (await missingRight(lease, kubernetes.kube, leaseTimeoutMs));
    if (verb === undefined) return [fine("cluster", `the Lease ${lease} can be read and written`)];
    return [clusterFault(`zonewarden may not ${verb} the Lease ${lease}`)];
  } catch (error) {
    return [clusterFault(errorText(error))];
  }
}

function clusterFault(message: string): CheckFinding {
  const remedy =
    "run zonewarden in a pod of the cluster with the rights in deploy/kustomize/overlays/ha/rights.yaml, or correct cluster.kubeconfig";
  return finding("cluster", "error", { message, remedy });
}

const leaseTimeoutMs = 10_000;
