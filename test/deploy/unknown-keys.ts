import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import type { JsonObject } from "../../src/syntax/json.ts";
import { root } from "./paths.ts";
import { textAt } from "./rules.ts";
import { run } from "./tools.ts";

const types: Readonly<Record<string, readonly [module: string, type: string]>> = {
  "v1/Namespace": ["core/v1", "Namespace"],
  "v1/ServiceAccount": ["core/v1", "ServiceAccount"],
  "v1/ConfigMap": ["core/v1", "ConfigMap"],
  "v1/Service": ["core/v1", "Service"],
  "v1/Pod": ["core/v1", "Pod"],
  "apps/v1/StatefulSet": ["apps/v1", "StatefulSet"],
  "apps/v1/Deployment": ["apps/v1", "Deployment"],
  "batch/v1/Job": ["batch/v1", "Job"],
  "batch/v1/CronJob": ["batch/v1", "CronJob"],
  "rbac.authorization.k8s.io/v1/Role": ["rbac/v1", "Role"],
  "rbac.authorization.k8s.io/v1/RoleBinding": ["rbac/v1", "RoleBinding"],
  "policy/v1/PodDisruptionBudget": ["policy/v1", "PodDisruptionBudget"],
  "networking.k8s.io/v1/NetworkPolicy": ["networking/v1", "NetworkPolicy"],
};

/** The operator's kinds, as far as they are used here: its types come in no package. */
const operatorKinds = `
interface Meta { name: string; namespace: string; labels: Record<string, string> }
export interface ServiceMonitor {
  apiVersion: "monitoring.coreos.com/v1"; kind: "ServiceMonitor"; metadata: Meta;
  spec: {
    jobLabel?: string; selector: { matchLabels: Record<string, string> };
    endpoints: { port: string; path: string; interval: string; scrapeTimeout: string; relabelings: { action: string; regex: string }[] }[];
  };
}
export interface PrometheusRule {
  apiVersion: "monitoring.coreos.com/v1"; kind: "PrometheusRule"; metadata: Meta;
  spec: { groups: { name: string; rules: {
    record?: string; alert?: string; expr: string; for?: string; keep_firing_for?: string;
    labels?: Record<string, string>; annotations?: Record<string, string>;
  }[] }[] };
}
`;

/**
 * What the type checker says of the objects, "" where all is well. Written down as literals, they may have no key that
 * their type does not have, at any depth.
 */
export async function unknownKeysIn(objects: readonly JsonObject[]): Promise<string> {
  const directory = await mkdtemp(path.join(root, "node_modules/.manifests-"));
  try {
    await writeFile(path.join(directory, "operator.ts"), operatorKinds);
    await writeFile(path.join(directory, "objects.ts"), objects.map(declarationOf).join("\n"));
    await run("tsc", [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--types",
      "",
      "--module",
      "nodenext",
      path.join(directory, "objects.ts"),
    ]);
    return "";
  } catch (error) {
    return error instanceof Error && "stdout" in error
      ? `${error.message}\n${String(error.stdout)}`
      : String(error);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function declarationOf(object: JsonObject, at: number): string {
  const kind = textAt(object, "kind");
  const [module, type] = types[`${textAt(object, "apiVersion")}/${kind}`] ?? [
    "./operator.js",
    kind,
  ];
  const specifier = module.startsWith(".") ? module : `kubernetes-types/${module}.js`;
  return `export const object${at}: import("${specifier}").${type} = ${JSON.stringify(object, undefined, 2)};`;
}
