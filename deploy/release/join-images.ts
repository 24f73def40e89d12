import { cpSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

import { type JsonObject, coerceObject, coerceText } from "../../src/syntax/json.ts";
import { archiveFiles } from "./commands.ts";
import { blobIn, objectIn, sha256Of, unpackLayout } from "./image-content.ts";
import type { Source } from "./source.ts";

/** One name for the images of several architectures. */
export interface JoinedImage {
  /** Of the index, by which a registry knows it: `sha256:…`. */
  readonly digest: string;
  /** Of the manifests of the bases, where the builder noted them; sorted, each once. */
  readonly baseDigests: readonly string[];
}

/**
 * Writes OCI archives of one image each as one OCI archive of an index, from which each machine takes the image of its platform. The same
 * images give the same bytes. `work` is a directory that does not exist yet.
 */
export function joinImages(
  out: string,
  archives: readonly string[],
  { epoch, version }: Source,
  work: string,
): JoinedImage {
  const layout = path.join(work, "layout");
  const manifests: JsonObject[] = [];
  const bases = new Set<string>();
  for (const [index, archive] of archives.entries()) {
    const single = path.join(work, String(index));
    const { digest, manifest, baseDigest } = unpackLayout(archive, single);
    cpSync(path.join(single, "blobs"), path.join(layout, "blobs"), { recursive: true });
    const config = coerceText(coerceObject(manifest["config"])["digest"]);
    const { os, architecture } = objectIn(blobIn(single, config));
    manifests.push({
      mediaType: coerceText(manifest["mediaType"]),
      digest,
      size: statSync(blobIn(single, digest)).size,
      platform: { architecture: coerceText(architecture), os: coerceText(os) },
    });
    if (baseDigest !== "") bases.add(baseDigest);
  }
  const platforms = new Set(manifests.map(({ platform }) => JSON.stringify(platform)));
  if (platforms.size < manifests.length) throw new Error("two images are of one platform");

  const mediaType = "application/vnd.oci.image.index.v1+json";
  const text = JSON.stringify({ schemaVersion: 2, mediaType, manifests });
  const digest = `sha256:${sha256Of(text)}`;
  writeFileSync(blobIn(layout, digest), text);
  const annotations = { "org.opencontainers.image.ref.name": version };
  const named = { mediaType, digest, size: Buffer.byteLength(text), annotations };
  const top = { schemaVersion: 2, manifests: [named] };
  writeFileSync(path.join(layout, "index.json"), JSON.stringify(top));
  writeFileSync(path.join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  archiveFiles(out, layout, epoch, ["."], []);
  return { digest, baseDigests: [...bases].toSorted() };
}
