import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import {
  type JsonObject,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
} from "../../src/syntax/json.ts";
import { runTool } from "./commands.ts";
import { debianPackagesIn } from "./debian-packages.ts";
import type { ImageContent, ImageFile } from "./image-content.ts";
import type { Source } from "./source.ts";

/** What a package's users install: the production dependencies, and Node, which npm installs with it. */
export const packageOmits = ["dev"] as const;

/** What the image leaves out: Node is in its base. */
export const imageOmits = ["dev", "optional"] as const;

/** The SBOM (CycloneDX 1.6) of the packages that the lock file of a source names. */
export function sbomOfPackages(
  { directory, epoch }: Source,
  tools: string,
  omits: readonly string[],
): JsonObject {
  const text = runTool(
    process.execPath,
    [
      path.join(tools, "node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js"),
      ...omits.flatMap((each) => ["--omit", each]),
      "--package-lock-only",
      "--output-reproducible",
      "--validate",
      "--spec-version=1.6",
      "--mc-type=application",
      "--output-file=-",
    ],
    { cwd: directory },
  );
  const bom = coerceObject(JSON.parse(text));
  const locked = coerceObject(readJson(path.join(directory, "package-lock.json"))["packages"]);
  const lockOf = (component: JsonObject): JsonObject =>
    coerceObject(locked[npmFolderOf(component)]);
  // The tool omits optional packages of the program, and not those that its packages need.
  const isOmitted = (component: JsonObject): boolean =>
    omits.includes("optional") && lockOf(component)["optional"] === true;
  const found = coerceObjects(bom["components"]);
  const omitted = new Set(found.filter(isOmitted).map((component) => component["bom-ref"]));
  const components = found
    .filter((component) => !isOmitted(component))
    .map((component) => ({ ...component, hashes: [hashOfPackage(lockOf(component))] }));
  const dependencies = coerceObjects(bom["dependencies"])
    .filter(({ ref }) => !omitted.has(ref))
    .map(({ dependsOn, ...each }) => {
      const needed = coerceTexts(dependsOn).filter((ref) => !omitted.has(ref));
      return needed.length === 0 ? each : { ...each, dependsOn: needed };
    });
  return numbered({ ...bom, components, dependencies }, epoch);
}

/** The hash of what npm installs, by the lock file; the tool takes it over only where an address stands beside it. */
function hashOfPackage({ integrity }: JsonObject): JsonObject {
  const base64 = /^sha512-([\w+/]+=*)$/.exec(coerceText(integrity))?.[1];
  if (base64 === undefined) throw new Error("the lock file has a package without a SHA-512");
  return { alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") };
}

function readJson(file: string): JsonObject {
  return coerceObject(JSON.parse(readFileSync(file, "utf8")));
}

/** The SBOM of an image: each of its files below the package, the program or the base that it is of. */
export function sbomOfImage(
  packages: JsonObject,
  image: ImageContent,
  { epoch }: Source,
): JsonObject {
  const application = coerceObject(coerceObject(packages["metadata"])["component"]);
  const owners = ownersOf(coerceObjects(packages["components"]), application, image);
  const filesOf = Map.groupBy(
    image.files,
    (file) => owners.find(({ owns }) => owns(file))?.component,
  );
  const strays = filesOf.get(undefined) ?? [];
  if (strays.length > 0) throw new Error(`no package has ${strays[0]?.path}`);
  const components = owners.map(({ component }) => ({
    ...component,
    components: (filesOf.get(component) ?? []).map(fileComponent),
  }));
  const metadata = {
    ...coerceObject(packages["metadata"]),
    component: {
      type: "container",
      "bom-ref": `image@${image.digest}`,
      name: coerceText(application["name"]),
      version: coerceText(application["version"]),
      purl: `pkg:oci/zonewarden@${encodeURIComponent(image.digest)}`,
      hashes: [{ alg: "SHA-256", content: image.digest.replace("sha256:", "") }],
    },
  };
  const { serialNumber: _, ...rest } = packages;
  return numbered({ ...rest, metadata, components }, epoch);
}

/** A component, and which files are of it. The first owner of a file counts. */
interface Owner {
  readonly component: JsonObject;
  readonly owns: (file: ImageFile) => boolean;
}

function ownersOf(
  packages: readonly JsonObject[],
  application: JsonObject,
  { root }: ImageContent,
): readonly Owner[] {
  const npm = packages.map((component) => {
    const folder = `/app/${npmFolderOf(component)}/`;
    return { component, owns: ({ path: at }: ImageFile) => packageFolderOf(at) === folder };
  });
  const debian = debianPackagesIn(root).map(({ component, files }) => ({
    component,
    owns: ({ path: at }: ImageFile) => files.has(at),
  }));
  return [
    ...npm,
    // Not what is below node_modules: a package that the lock file does not name is an error.
    {
      component: application,
      owns: ({ path: at }) =>
        at === "/usr/local/bin/zonewarden" || (at.startsWith("/app/") && isOurs(at)),
    },
    { component: nodeIn(root), owns: ({ path: at }) => at.startsWith("/nodejs/") },
    ...debian,
    {
      component: {
        type: "data",
        "bom-ref": "base",
        name: "base image",
        description: "Files of the base image that none of its packages lists",
      },
      owns: ({ path: at }) => !at.startsWith("/app/"),
    },
  ];
}

function isOurs(at: string): boolean {
  return packageFolderOf(at) === undefined;
}

/** `/app/node_modules/pino/`, of a file of the package; `undefined` for a file of no package. */
function packageFolderOf(at: string): string | undefined {
  return /^\/app\/(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(at)?.[0];
}

function npmFolderOf(component: JsonObject): string {
  const property = coerceObjects(component["properties"]).find(
    ({ name }) => name === "cdx:npm:package:path",
  );
  return coerceText(property?.["value"]);
}

/** Node, as the binary of the image tells its version. */
function nodeIn(root: string): JsonObject {
  const binary = path.join(root, "nodejs/bin/node");
  if (!existsSync(binary)) throw new Error("the image has no /nodejs/bin/node");
  const version = runTool(binary, ["--version"]).trim().replace(/^v/, "");
  return {
    type: "application",
    "bom-ref": `node@${version}`,
    name: "node",
    version,
    licenses: [{ license: { id: "MIT" } }],
    purl: `pkg:generic/node@${version}`,
  };
}

function fileComponent({ path: name, sha256 }: ImageFile): JsonObject {
  return { type: "file", name, hashes: [{ alg: "SHA-256", content: sha256 }] };
}

/** With the time of the commit, and a serial number that follows from the content: the same content has the same. */
function numbered(bom: JsonObject, epoch: number): JsonObject {
  const timestamp = new Date(epoch * 1_000).toISOString();
  const dated = { ...bom, metadata: { timestamp, ...coerceObject(bom["metadata"]) } };
  const hash = createHash("sha256").update(JSON.stringify(dated)).digest("hex");
  // Version 8 of RFC 9562: the bits are the maker's own.
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
  ];
  return { ...dated, serialNumber: `urn:uuid:${[...parts, hash.slice(20, 32)].join("-")}` };
}

/** Installs the tools that the SBOM needs, which the project itself does not, and gives their directory. */
export function installTools(source: Source): string {
  const directory = path.join(source.directory, "deploy/release/tools");
  // Without scripts: one of the packages would compile a library for XML, which is not used.
  runTool("npm", ["ci", "--ignore-scripts", "--prefer-offline"], { cwd: directory });
  return directory;
}

/** Versions of the program and of npm packages by the lock file, for the provenance. */
export function lockHash({ directory }: Source): string {
  return createHash("sha256")
    .update(readFileSync(path.join(directory, "package-lock.json")))
    .digest("hex");
}
