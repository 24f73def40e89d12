import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import { type JsonObject, coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { runTool } from "./commands.ts";

/** A regular file of an image. */
export interface ImageFile {
  /** `/app/dist/main.js` */
  readonly path: string;
  readonly sha256: string;
}

/** An image, unpacked. */
export interface ImageContent {
  /** Where its files are. */
  readonly root: string;
  readonly files: readonly ImageFile[];
  /** Of its manifest, by which a registry knows it. */
  readonly digest: string;
  /** Of the manifest of its base, where the builder noted it; else "". */
  readonly baseDigest: string;
}

/** Unpacks an OCI archive with one image into a directory. */
export function unpackImage(archive: string, directory: string): ImageContent {
  const [layout, root] = [path.join(directory, "layout"), path.join(directory, "root")];
  const { digest, manifest, baseDigest } = unpackLayout(archive, layout);
  mkdirSync(root, { recursive: true });
  for (const layer of coerceObjects(manifest["layers"])) {
    const file = blobIn(layout, coerceText(layer["digest"]));
    runTool("tar", ["--extract", "--gzip", `--file=${file}`, `--directory=${root}`]);
  }
  return { root, files: filesIn(root), digest, baseDigest };
}

/** The image in an OCI archive, without its files. */
interface ImageLayout extends Pick<ImageContent, "digest" | "baseDigest"> {
  readonly manifest: JsonObject;
}

/** Unpacks an OCI archive with one image into a directory, where its files stay packed. */
export function unpackLayout(archive: string, layout: string): ImageLayout {
  mkdirSync(layout, { recursive: true });
  runTool("tar", ["--extract", `--file=${archive}`, `--directory=${layout}`]);
  const [found] = coerceObjects(objectIn(path.join(layout, "index.json"))["manifests"]);
  const digest = coerceText(found?.["digest"]);
  const manifest = objectIn(blobIn(layout, digest));
  const base = coerceObject(manifest["annotations"])["org.opencontainers.image.base.digest"];
  return { digest, manifest, baseDigest: coerceText(base) };
}

/** The file of what has a digest in an OCI layout. */
export function blobIn(layout: string, digest: string): string {
  return path.join(layout, "blobs", digest.replace(":", "/"));
}

/** The JSON object in a file; anything else counts as an empty one. */
export function objectIn(file: string): JsonObject {
  return coerceObject(JSON.parse(readFileSync(file, "utf8")));
}

function filesIn(root: string): readonly ImageFile[] {
  const names = namesBelow(root, "");
  const removed = names.filter((name) => path.basename(name).startsWith(".wh."));
  if (removed.length > 0) {
    throw new Error(`a layer removes files of another: ${removed.join(", ")}`);
  }
  return names.toSorted().map((name) => ({
    path: name,
    sha256: sha256Of(readFileSync(path.join(root, name))),
  }));
}

/** The regular files below a directory. Not `recursive` of `readdir`, which follows links and lists files twice. */
function namesBelow(root: string, at: string): readonly string[] {
  return readdirSync(path.join(root, at), { withFileTypes: true }).flatMap((entry) => {
    const name = `${at}/${entry.name}`;
    if (entry.isDirectory()) return namesBelow(root, name);
    return entry.isFile() ? [name] : [];
  });
}

/** The SHA-256 of bytes, in hexadecimal digits. */
export function sha256Of(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
