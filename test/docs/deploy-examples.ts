import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";

import { parseAllDocuments } from "yaml";

import { isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
import { objectAt, objectsIn, textAt } from "../deploy/rules.ts";
import { unknownIn } from "./command-names.ts";

const root = path.resolve(import.meta.dirname, "../..");
const kustomize = path.join(root, "deploy/kustomize");

/** Everything below deploy/kustomize: objects, and kustomizations with what they generate. */
const manifests: readonly JsonObject[] = globSync("**/*.yaml", { cwd: kustomize }).flatMap((file) =>
  objectsInText(readFileSync(path.join(kustomize, file), "utf8")),
);
const workloads = JSON.stringify(
  manifests.filter(({ kind }) => kind === "StatefulSet" || kind === "Deployment"),
);
const dockerfile = readFileSync(path.join(root, "deploy/Dockerfile"), "utf8");

function objectsInText(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map(valueOf)
    .filter((value) => isJsonObject(value));
}

function valueOf(document: { toJS(): unknown } | undefined): unknown {
  return document?.toJS();
}

/** `Namespace/zonewarden`, of objects and of what kustomizations generate. */
const names: ReadonlySet<string> = new Set(
  manifests.flatMap((object) => [
    `${textAt(object, "kind")}/${textAt(objectAt(object, "metadata"), "name")}`,
    ...objectsIn(object["configMapGenerator"]).map((map) => `ConfigMap/${textAt(map, "name")}`),
  ]),
);

/** What is wrong with a kustomization that a document shows: things it names that the manifests do not have. */
export function mistakesInKustomization(kustomization: JsonObject): readonly string[] {
  const remote = textsIn(kustomization["resources"]).map((each) => each.split(/\/\/|\?/)[2] ?? "");
  return [
    ...remote.filter((each) => !existsSync(path.join(root, each))),
    ...objectsIn(kustomization["configMapGenerator"])
      .map((map) => `ConfigMap/${textAt(map, "name")}`)
      .filter((name) => !names.has(name)),
    ...objectsIn(kustomization["images"])
      .map((image) => textAt(image, "name"))
      .filter((name) => !imageNames().includes(name)),
    ...objectsIn(kustomization["patches"]).flatMap(mistakesInPatch),
  ];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function imageNames(): readonly string[] {
  return manifests.flatMap((object) =>
    objectsIn(object["images"]).map((image) => textAt(image, "newName")),
  );
}

function mistakesInPatch(patch: JsonObject): readonly string[] {
  const target = objectAt(patch, "target");
  const [kind, name, group] = ["kind", "name", "group"].map((key) => textAt(target, key));
  const isThere =
    group === ""
      ? names.has(`${kind}/${name}`)
      : manifests.some((object) => textAt(object, "apiVersion").startsWith(`${group}/`));
  const steps = valueOf(parseAllDocuments(textAt(patch, "patch"))[0]);
  const isSteps = Array.isArray(steps) && steps.every((step) => isJsonObject(step) && "op" in step);
  return [...(isThere ? [] : [`no target ${kind}/${name}`]), ...(isSteps ? [] : ["no patch"])];
}

/** What is wrong with a call of kubectl that a document shows. */
export function mistakesInKubectl(args: readonly string[]): readonly string[] {
  const [namespace, rest] = args[0] === "-n" ? [args[1] ?? "", args.slice(2)] : ["", args];
  const wrongNamespace = namespace === "" || names.has(`Namespace/${namespace}`) ? [] : [namespace];
  const isQuery = ["get", "describe", "top"].includes(rest[0] ?? "");
  return [...wrongNamespace, ...(isQuery ? [] : mistakesInSubcommand(rest))];
}

function mistakesInSubcommand([verb = "", ...rest]: readonly string[]): readonly string[] {
  const [option = ""] = rest;
  switch (verb) {
    case "create":
      return mistakesInCreate(rest);
    case "apply":
    case "diff":
    case "kustomize":
      return mistakesInManifests(verb, rest);
    case "rollout":
      return missing(objectNamed(rest[1]));
    case "delete":
    case "wait":
      return missing(objectNamed(rest.at(-1)));
    case "logs":
    case "port-forward":
      return mistakesInPodCall(rest);
    case "exec":
      return [...missing(objectNamed(option)), ...mistakesInExec(rest.slice(2))];
    default:
      return `${verb} ${option}` === "auth can-i" ? [] : [verb];
  }
}

/** Without `--server-side` kubectl copies each object into an annotation, which large ones and Secrets must not be. */
function mistakesInManifests(verb: string, rest: readonly string[]): readonly string[] {
  const options = rest.filter((option) => !/^--(server-side|force-conflicts)$/.test(option));
  const needsServer = verb !== "kustomize" && !rest.includes("--server-side");
  const isKnown = ["-k", "-f", "."].includes(options[0] ?? "");
  return [...(needsServer ? ["no --server-side"] : []), ...(isKnown ? [] : [options[0] ?? ""])];
}

function mistakesInCreate(rest: readonly string[]): readonly string[] {
  return rest[0] === "namespace" ? missing(`Namespace/${rest[1]}`) : mistakesInSecret(rest);
}

/** `StatefulSet/zonewarden`, also for one of its pods. */
function objectNamed(text = ""): string {
  return text
    .replace(/^statefulset\//, "StatefulSet/")
    .replace(/^job\//, "Job/")
    .replace(/^([a-z-]+)-\d$/, "StatefulSet/$1");
}

function missing(name: string): readonly string[] {
  return names.has(name) ? [] : [name];
}

function mistakesInSecret([, , name = "", ...flags]: readonly string[]): readonly string[] {
  const key = /^--from-file=(\w+)=/.exec(flags[0] ?? "")?.[1] ?? "";
  const files = JSON.stringify(manifests.map(({ credentials, store }) => [credentials, store]));
  return [
    ...(workloads.includes(`"secretName":"${name}"`) ? [] : [name]),
    ...(files.includes(`/${name.replace("-token", "").replace("zonewarden-", "")}/${key}"`)
      ? []
      : [key]),
  ];
}

/** A call about the pods of an object, or of a label. */
function mistakesInPodCall([option = "", ...rest]: readonly string[]): readonly string[] {
  if (option !== "-l") return [...missing(objectNamed(option)), ...rest.flatMap(mistakesInPort)];
  const [label = "", value = ""] = rest[0]?.split("=") ?? [];
  return workloads.includes(`"${label}":"${value}"`) ? [] : [rest[0] ?? ""];
}

function mistakesInPort(port: string): readonly string[] {
  if (port.startsWith("-")) return [];
  return workloads.includes(`"containerPort":${port}`) ? [] : [port];
}

/** The image has no shell: what runs in it is the program, or Node. */
function mistakesInExec(words: readonly string[]): readonly string[] {
  const [name = "", ...rest] = words;
  if (dockerfile.includes(`ENTRYPOINT ["${name}", `)) return [];
  return dockerfile.includes(` /usr/local/bin/${name}\n`) ? unknownIn(rest) : [name];
}

/** What is wrong with a call of docker that a document shows: a file or build arguments that are not there. */
export function mistakesInDocker(args: readonly string[]): readonly string[] {
  const file = args[args.indexOf("-f") + 1] ?? "";
  const given = args.filter((_, index) => args[index - 1] === "--build-arg");
  const unknown = given
    .map((each) => each.replace(/=.*$/s, ""))
    .filter((name) => !dockerfile.includes(`\nARG ${name}=`));
  return [...(existsSync(path.join(root, file)) ? [] : [file]), ...unknown];
}
