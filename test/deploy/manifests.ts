import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { parseAllDocuments } from "yaml";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { deploy } from "./paths.ts";
import { objectAt, objectsIn, textAt } from "./rules.ts";
import { run } from "./tools.ts";

const rendered = new Map<string, Promise<readonly JsonObject[]>>();

/** What a name was rendered to first: a process of kubectl takes half a second. */
function once(
  name: string,
  renderIt: () => Promise<readonly JsonObject[]>,
): Promise<readonly JsonObject[]> {
  const known = rendered.get(name) ?? renderIt();
  rendered.set(name, known);
  return known;
}

/** Renders a directory below deploy/kustomize with kubectl, once in a process. */
export function render(directory: string): Promise<readonly JsonObject[]> {
  return once(directory, () => renderAt(path.join(deploy, "kustomize", directory)));
}

/** Renders the base with components, as somebody's own overlay would, once in a process. */
export function renderWith(...components: readonly string[]): Promise<readonly JsonObject[]> {
  return once(`base with ${components.join(", ")}`, () => renderOverlay(components));
}

async function renderOverlay(components: readonly string[]): Promise<readonly JsonObject[]> {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), "zonewarden-overlay-")));
  try {
    const at = (name: string): string =>
      path.relative(directory, path.join(deploy, "kustomize", name));
    const kustomization = {
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
      namespace: "zonewarden",
      resources: [at("base")],
      components: components.map((name) => at(`components/${name}`)),
    };
    await writeFile(path.join(directory, "kustomization.yaml"), JSON.stringify(kustomization));
    return await renderAt(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function renderAt(directory: string): Promise<readonly JsonObject[]> {
  return objectsInYaml((await run("kubectl", ["kustomize", directory])).stdout);
}

/** The objects in a text of YAML documents. */
export function objectsInYaml(text: string): readonly JsonObject[] {
  const documents: readonly unknown[] = parseAllDocuments(text).map(plain);
  return documents.filter((object) => isJsonObject(object));
}

function plain(document: { toJS(): unknown }): unknown {
  return document.toJS();
}

/** `Deployment/zonewarden`. */
export function nameOf(object: JsonObject): string {
  return `${textAt(object, "kind")}/${textAt(objectAt(object, "metadata"), "name")}`;
}

/** A pod as a manifest describes it. */
export interface Pod {
  /** The object that makes it. */
  readonly owner: string;
  readonly labels: JsonObject;
  readonly spec: JsonObject;
}

/** The pods that manifests lead to. */
export function podsIn(objects: readonly JsonObject[]): readonly Pod[] {
  return objects.flatMap((object) => {
    const template = templateOf(object);
    if (template === undefined) return [];
    const labels = objectAt(objectAt(template, "metadata"), "labels");
    return [{ owner: nameOf(object), labels, spec: objectAt(template, "spec") }];
  });
}

function templateOf(object: JsonObject): JsonObject | undefined {
  const spec = objectAt(object, "spec");
  if (object["kind"] === "Deployment") return objectAt(spec, "template");
  if (object["kind"] !== "CronJob") return undefined;
  return objectAt(objectAt(objectAt(spec, "jobTemplate"), "spec"), "template");
}

/** All containers of a pod, those that run before it included. */
export function containersOf({ spec }: Pod): readonly JsonObject[] {
  return [...objectsIn(spec["initContainers"]), ...objectsIn(spec["containers"])];
}
