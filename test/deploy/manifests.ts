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

/** Somebody's own overlay: one of ours with components, in a namespace. */
export interface OwnOverlay {
  /** `overlays/default` */
  readonly of: string;
  readonly components?: readonly string[];
  /** Omitted: that of the manifests. */
  readonly namespace?: string;
  /** More keys of its kustomization. */
  readonly more?: JsonObject;
}

/** Renders somebody's own overlay, once in a process. */
export function renderOwn(own: OwnOverlay): Promise<readonly JsonObject[]> {
  return once(JSON.stringify(own), () => renderOverlay(own));
}

async function renderOverlay({
  of,
  components = [],
  namespace = "zonewarden",
  more = {},
}: OwnOverlay): Promise<readonly JsonObject[]> {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), "zonewarden-overlay-")));
  try {
    const at = (name: string): string =>
      path.relative(directory, path.join(deploy, "kustomize", name));
    const kustomization = {
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
      namespace,
      resources: [at(of)],
      components: components.map((name) => at(`components/${name}`)),
      ...more,
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
    const spec = objectAt(template, "spec");
    const volumes = [...objectsIn(spec["volumes"]), ...claimsOf(object)];
    return [{ owner: nameOf(object), labels, spec: { ...spec, volumes } }];
  });
}

/** The volumes that the controller of a StatefulSet adds to its first pod. */
function claimsOf(object: JsonObject): readonly JsonObject[] {
  const templates = objectsIn(objectAt(object, "spec")["volumeClaimTemplates"]);
  return templates.map((template) => {
    const name = textAt(objectAt(template, "metadata"), "name");
    const claimName = `${name}-${textAt(objectAt(object, "metadata"), "name")}-0`;
    return { name, persistentVolumeClaim: { claimName } };
  });
}

function templateOf(object: JsonObject): JsonObject | undefined {
  const spec = objectAt(object, "spec");
  switch (textAt(object, "kind")) {
    case "StatefulSet":
    case "Deployment":
    case "Job":
      return objectAt(spec, "template");
    case "CronJob":
      return objectAt(objectAt(objectAt(spec, "jobTemplate"), "spec"), "template");
    default:
      return undefined;
  }
}

/** All containers of a pod, those that run before it included. */
export function containersOf({ spec }: Pod): readonly JsonObject[] {
  return [...objectsIn(spec["initContainers"]), ...objectsIn(spec["containers"])];
}
