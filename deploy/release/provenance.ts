import type { JsonObject } from "../../src/syntax/json.ts";
import { runTool } from "./commands.ts";

/** Where the source is published. */
export const repositoryAddress = "https://github.com/zonewarden/zonewarden";

/** What a release was made of, and with what. */
export interface Making {
  readonly version: string;
  readonly commit: string;
  readonly epoch: number;
  /** The SHA-256 of package-lock.json. */
  readonly lockHash: string;
  /** The image that install.yaml names. */
  readonly repository: string;
  /** The names and digests of the base images; none where there is no image. */
  readonly bases: readonly { readonly name: string; readonly digest: string }[];
}

/** An in-toto statement with SLSA provenance about files, by their names and SHA-256. It has no time, so that it is reproducible. */
export function provenanceOf(
  files: readonly { readonly name: string; readonly sha256: string }[],
  making: Making,
): JsonObject {
  const { version, commit, epoch, lockHash, bases } = making;
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${repositoryAddress}/blob/main/deploy/RELEASING.md`,
        externalParameters: { version, image: making.repository },
        internalParameters: { epoch },
        resolvedDependencies: [
          { uri: `git+${repositoryAddress}@${commit}`, digest: { gitCommit: commit } },
          { name: "package-lock.json", digest: { sha256: lockHash } },
          ...bases.map(({ name, digest }) => ({
            name,
            digest: { sha256: digest.replace("sha256:", "") },
          })),
        ],
      },
      runDetails: {
        builder: {
          id: `${repositoryAddress}/blob/main/deploy/release/release.ts`,
          version: toolVersions(),
        },
      },
    },
  };
}

/** The versions of what made the files, as far as it is here. */
function toolVersions(): JsonObject {
  const [npm, tar, gzip, kubectl] = [
    runTool("npm", ["--version"]),
    runTool("tar", ["--version"]),
    runTool("gzip", ["--version"]),
    runTool("kubectl", ["version", "--client"]),
  ].map((text) => text.split("\n", 1)[0]?.trim() ?? "");
  return {
    node: process.version,
    npm: npm ?? "",
    tar: tar ?? "",
    gzip: gzip ?? "",
    kubectl: kubectl ?? "",
  };
}
