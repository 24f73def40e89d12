/**
 * Makes the files of a release from a commit: npm run release -- DIRECTORY (deploy/RELEASING.md).
 *
 * The same commit, tools and base images give the same bytes: the files are made of an export of the commit, and have its time.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import type { JsonObject } from "../../src/syntax/json.ts";
import { packFiles, runTool } from "./commands.ts";
import { type ImageContent, sha256Of, unpackImage } from "./image-content.ts";
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
    "without-image": { type: "boolean", default: false },
  },
});
const [out] = positionals;
if (out === undefined) {
  throw new Error(
    "usage: npm run release -- DIRECTORY [--commit REVISION] [--repository IMAGE] [--without-image]",
  );
}
mkdirSync(out, { recursive: true });
if (readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
const work = mkdtempSync(path.join(tmpdir(), "zonewarden-release-"));
try {
  release(path.resolve(out), exportSource(root, values.commit, work));
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
  const image = values["without-image"] ? undefined : buildImage(at(imageName(version)), source);
  if (image !== undefined) {
    const packages = sbomOfPackages(source, tools, imageOmits);
    writeJson(
      at(imageName(version).replace(/tar$/, "cdx.json")),
      sbomOfImage(packages, image, source),
    );
  }
  writeFileSync(at("install.yaml"), manifests(source, image));
  writeProvenance(directory, source, image);
  const names = readdirSync(directory).toSorted();
  const sums = names.map((name) => `${sha256Of(readFileSync(at(name)))}  ${name}\n`).join("");
  writeFileSync(at("SHA256SUMS"), sums);
  process.stdout.write(sums);
}

function imageName(version: string): string {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return `zonewarden-image-${version}-linux-${architecture}.tar`;
}

/** Builds the image on bases of its own, or on BUILDER and RUNTIME, which buildah then finds in its storage. */
function buildImage(archive: string, { directory, commit, epoch, version }: Source): ImageContent {
  const scripts = path.join(directory, "deploy/release");
  const store = path.join(work, "store");
  // The scripts of the commit; the Node of its lock file, which exportSource installed, becomes part of the bases.
  runTool(path.join(scripts, "bases.sh"), [store, String(epoch)]);
  runTool(path.join(scripts, "image.sh"), [store, archive, String(epoch), version, commit]);
  return unpackImage(archive, path.join(work, "image"));
}

/** The overlay `ha` as one file, with the image by its digest where there is one. */
function manifests({ directory, version }: Source, image: ImageContent | undefined): string {
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

function writeProvenance(directory: string, source: Source, image: ImageContent | undefined): void {
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
    bases: image === undefined ? [] : [{ name: runtime, digest: image.baseDigest }],
  });
  writeJson(path.join(directory, `zonewarden-${version}.intoto.json`), statement);
}

function writeJson(file: string, value: JsonObject): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
