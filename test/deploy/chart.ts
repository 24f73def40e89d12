import { spawnSync } from "node:child_process";
import path from "node:path";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { objectsInYaml } from "./manifests.ts";
import { deploy } from "./paths.ts";
import { run } from "./tools.ts";

/** The chart's directory. */
export const chart: string = path.join(deploy, "chart");

/** What there is of helm here. */
export interface Helm {
  /** Why it is not here; `undefined` where it is. */
  readonly missing: string | undefined;
  /** Runs it; the program fails where helm does, with what helm said. */
  readonly run: (...args: readonly string[]) => Promise<string>;
}

/** Finds helm; builds it once, from the Go module proxy. */
export function findHelm(): Helm {
  const build = path.resolve(import.meta.dirname, "../helm/build.sh");
  const { status, stdout, stderr } = spawnSync(build, { encoding: "utf8" });
  return {
    missing: status === 0 ? undefined : stderr.trim().split("\n").at(-1),
    run: async (...args) => (await run(stdout.trim(), args)).stdout,
  };
}

/** Renders the chart with values, as JSON of each: `{ "ha.enabled": true }`. */
export async function renderChart(
  helm: Helm,
  values: Readonly<Record<string, unknown>>,
  ...options: readonly string[]
): Promise<readonly JsonObject[]> {
  const set = Object.entries(values).flatMap(([name, value]) => [
    "--set-json",
    `${name}=${JSON.stringify(value)}`,
  ]);
  return objectsInYaml(
    await helm.run("template", "zonewarden", chart, "--namespace=zonewarden", ...options, ...set),
  );
}

/**
 * An object in a form in which two that mean the same are equal: documents within ConfigMaps are read, named lists are in
 * order (variables of an environment are not: one may use those above it), and the name of a generated ConfigMap has no hash.
 */
export function comparable(object: JsonObject): unknown {
  const text = JSON.stringify(object).replaceAll(
    /"zonewarden-git-sync-[0-9a-z]{10}"/g,
    '"zonewarden-git-sync"',
  );
  return plainOf(JSON.parse(text));
}

function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf).toSorted(byName);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, plainEntryOf(key, each)]),
  );
}

function plainEntryOf(key: string, value: unknown): unknown {
  if (key === "env") return value;
  const isDocument = typeof value === "string" && /\.(?:ya?ml|json)$/.test(key);
  return isDocument ? objectsInYaml(value) : plainOf(value);
}

/** Volumes, mounts, containers and ports: Kubernetes tells them apart by name. All others keep their place. */
function byName(a: unknown, b: unknown): number {
  const [one, other] = [a, b].map((each) =>
    isJsonObject(each) && typeof each["name"] === "string" ? each["name"] : "",
  );
  return (one ?? "").localeCompare(other ?? "");
}
