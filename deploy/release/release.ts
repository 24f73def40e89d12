/**
 * Makes the files of a release from a commit: npm run release -- DIRECTORY (deploy/RELEASING.md).
 *
 * An image is made on a machine of its architecture: --only-image makes this one, and --images joins those that others made.
 *
 * The same commit, tools and base images give the same bytes: the files are made of an export of the commit, and have its time.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import type { JsonObject } from "../../src/syntax/json.ts";
import { packFiles, runTool } from "./commands.ts";
import { sha256Of, unpackImage } from "./image-content.ts";
import { type JoinedImage, joinImages } from "./join-images.ts";
import { provenanceOf } from "./provenance.ts";
import {
  imageOmits,
  installTools,
  lockHash,
  packageOmits,
  sbomOfImage,
  sbomOfPackages,
} from "./sbom.ts";
import { type Source, exportSource } from "./source.ts";

const root = path.resolve(import.meta.dirname, "../..");
const runtime = process.env["RUNTIME"] ?? "localhost/zonewarden-runtime";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commit: { type: "string", default: "HEAD" },
    repository: { type: "string", default: "ghcr.io/zonewarden/zonewarden" },
    images: { type: "string" },
    "only-image": { type: "boolean", default: false },
    "without-image": { type: "boolean", default: false },
  },
});
const [out] = positionals;
if (out === undefined) {
  throw new Error(
    "usage: npm run release -- DIRECTORY [--commit REVISION] [--repository IMAGE] [--only-image | --images DIRECTORY | --without-image]",
  );
}
mkdirSync(out, { recursive: true });
if (readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
const work = mkdtempSync(path.join(tmpdir(), "zonewarden-release-"));
try {
  const source = exportSource(root, values.commit, work);
  if (values["only-image"]) makeImage(path.resolve(out), source);
  else release(path.resolve(out), source);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function release(directory: string, source: Source): void {
  const at = (name: string): string => path.join(directory, name);
  runTool("npm", ["pack", "--silent", "--pack-destination", directory], { cwd: source.directory });
  const deploy = path.join(source.directory, "deploy");
  const { epoch, version } = source;
  packFiles(
    at(`zonewarden-chart-${version}.tgz`),
    path.join(deploy, "chart"),
    epoch,
    ["."],
    "zonewarden",
  );
  packFiles(
    at(`zonewarden-schemas-${version}.tgz`),
    source.directory,
    epoch,
    ["schemas"],
    `zonewarden-${version}`,
  );
  packFiles(
    at(`zonewarden-monitoring-${version}.tgz`),
    deploy,
    epoch,
    ["alerts", "dashboards", "runbooks"],
    `zonewarden-${version}`,
  );
  const site = path.join(work, "site");
  runTool("npm", ["run", "--silent", "site", "--", site], { cwd: source.directory });
  packFiles(at(`zonewarden-site-${version}.tgz`), site, epoch, ["."], `zonewarden-site-${version}`);

  const tools = installTools(source);
  writeJson(at(`zonewarden-${version}.cdx.json`), sbomOfPackages(source, tools, packageOmits));
  const image = values["without-image"] ? undefined : addImages(directory, source);
  writeFileSync(at("install.yaml"), manifests(source, image));
  writeProvenance(directory, source, image);
  const names = readdirSync(directory).toSorted();
  const sums = names.map((name) => `${sha256Of(readFileSync(at(name)))}  ${name}\n`).join("");
  writeFileSync(at("SHA256SUMS"), sums);
  process.stdout.write(sums);
}

/** Adds the image of each architecture, as one archive, and its SBOM: those of --images, else that of this machine. */
function addImages(directory: string, source: Source): JoinedImage {
  const made = values.images ?? path.join(work, "images");
  if (values.images === undefined) {
    mkdirSync(made);
    makeImage(made, source);
  }
  const prefix = `zonewarden-image-${source.version}`;
  const names = readdirSync(made).filter((name) => name.startsWith(`${prefix}-linux-`));
  const archives = names.filter((name) => name.endsWith(".tar")).toSorted();
  if (archives.length === 0) throw new Error(`${made} has no image of version ${source.version}`);
  for (const archive of archives) {
    const sbom = archive.replace(/tar$/, "cdx.json");
    copyFileSync(path.join(made, sbom), path.join(directory, sbom));
  }
  return joinImages(
    path.join(directory, `${prefix}.tar`),
    archives.map((name) => path.join(made, name)),
    source,
    path.join(work, "joined"),
  );
}

/**
 * Makes the image of this machine's architecture, and its SBOM. Its bases are the scripts' own, or BUILDER and RUNTIME, which buildah
 * then finds in its storage.
 */
function makeImage(directory: string, source: Source): void {
  const { commit, epoch, version } = source;
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const file = path.join(directory, `zonewarden-image-${version}-linux-${architecture}`);
  const scripts = path.join(source.directory, "deploy/release");
  const store = path.join(work, "store");
  // The scripts of the commit; the Node of its lock file, which exportSource installed, becomes part of the bases.
  runTool(path.join(scripts, "bases.sh"), [store, String(epoch)]);
  runTool(path.join(scripts, "image.sh"), [store, `${file}.tar`, String(epoch), version, commit]);
  const packages = sbomOfPackages(source, installTools(source), imageOmits);
  const image = unpackImage(`${file}.tar`, path.join(work, "image"));
  writeJson(`${file}.cdx.json`, sbomOfImage(packages, image, source));
}

/** The overlay `default` as one file, with the image by its digest where there is one. */
function manifests({ directory, version }: Source, image: JoinedImage | undefined): string {
  const name = "ghcr.io/zonewarden/zonewarden";
  const pinned = image === undefined ? { newTag: version } : { digest: image.digest };
  const overlay = path.join(directory, "overlay");
  mkdirSync(overlay);
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: ["../deploy/kustomize/overlays/default"],
    images: [{ name, newName: values.repository, ...pinned }],
  };
  writeFileSync(path.join(overlay, "kustomization.yaml"), JSON.stringify(kustomization));
  const text = runTool("kubectl", ["kustomize", overlay]);
  return `# zonewarden ${version}: kubectl apply --server-side -f install.yaml, after the Secret zonewarden-token is there.\n${text}`;
}

function writeProvenance(directory: string, source: Source, image: JoinedImage | undefined): void {
  const names = readdirSync(directory).toSorted();
  const files = names.map((name) => ({
    name,
    sha256: sha256Of(readFileSync(path.join(directory, name))),
  }));
  const { commit, epoch, version } = source;
  const statement = provenanceOf(files, {
    version,
    commit,
    epoch,
    lockHash: lockHash(source),
    repository: values.repository,
    bases: (image?.baseDigests ?? []).map((digest) => ({ name: runtime, digest })),
  });
  writeJson(path.join(directory, `zonewarden-${version}.intoto.json`), statement);
}

function writeJson(file: string, value: JsonObject): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
