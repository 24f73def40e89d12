import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
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
  for (const each of [layout, root]) mkdirSync(each, { recursive: true });
  runTool("tar", ["--extract", `--file=${archive}`, `--directory=${layout}`]);
  const index = coerceObject(JSON.parse(readFileSync(path.join(layout, "index.json"), "utf8")));
  const digest = coerceText(coerceObjects(index["manifests"])[0]?.["digest"]);
  const blob = (name: string): string => path.join(layout, "blobs", name.replace(":", "/"));
  const manifest = coerceObject(JSON.parse(readFileSync(blob(digest), "utf8")));
  for (const layer of coerceObjects(manifest["layers"])) {
    const file = blob(coerceText(layer["digest"]));
    runTool("tar", ["--extract", "--gzip", `--file=${file}`, `--directory=${root}`]);
  }
  const base = coerceObject(manifest["annotations"])["org.opencontainers.image.base.digest"];
  return { root, files: filesIn(root), digest, baseDigest: coerceText(base) };
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
