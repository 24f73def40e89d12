import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, describe, it } from "vitest";
import { parse } from "yaml";

import { archiveFiles, runTool } from "../../deploy/release/commands.ts";
import { sha256Of } from "../../deploy/release/image-content.ts";
import { joinImages } from "../../deploy/release/join-images.ts";
import { releaseNotes } from "../../deploy/release/release-notes.ts";
import { version } from "../../src/host/version.ts";
import { type JsonObject, coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { root } from "./paths.ts";

const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");
const text = textOf(".github/workflows/release.yml");
const workflow = coerceObject(parse(text));
const jobs = coerceObject(workflow["jobs"]);
const stepsOf = (job: unknown): readonly JsonObject[] => coerceObjects(coerceObject(job)["steps"]);
const steps = Object.values(jobs).flatMap(stepsOf);
const scripts = steps.map(({ run }) => coerceText(run)).filter((run) => run !== "");

describe("the release workflow", () => {
  it("runs for tags alone, and publishes only what was tested", ({ expect }) => {
    expect(workflow["on"]).toEqual({ push: { tags: ["v*"] } });
    expect(coerceObject(jobs["publish"])["needs"]).toEqual(["test", "image"]);
    expect(stepsOf(jobs["test"]).map(({ run }) => run)).toContain(".ci/run");
  });

  it("pins each action and each image by its hash", ({ expect }) => {
    const used = [...text.matchAll(/^ +(?:- )?uses: (.+)$/gm)].map(([, action]) => action);
    expect(used.length).toBeGreaterThanOrEqual(5);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+/);
    const images = [...text.matchAll(/^ +image: (.+)$/gm)].map(([, image]) => image);
    expect(images).toHaveLength(1);
    for (const image of images) expect(image).toMatch(/^[\w:-]+@sha256:[0-9a-f]{64}$/);
  });

  it("may write only where it publishes, and puts no value into the text of a script", ({
    expect,
  }) => {
    expect(workflow["permissions"]).toEqual({ contents: "read" });
    const writing = Object.entries(jobs).filter(([, job]) =>
      Object.hasOwn(coerceObject(job), "permissions"),
    );
    expect(writing.map(([name]) => name)).toEqual(["publish"]);
    expect(scripts.filter((run) => run.includes("${{"))).toEqual([]);
    expect(text).not.toContain("secrets.");
  });

  it("calls scripts that are there, and that the proofs run", ({ expect }) => {
    const called = scripts.flatMap((run) => run.match(/npm run (?:--silent )?[\w:]+.*/g) ?? []);
    // test/proof/release.proof.ts runs the first two, and the tests below the third.
    expect(new Set(called)).toEqual(
      new Set([
        "npm run release -- images --only-image",
        'npm run release -- release --images=images --repository="$IMAGE"',
        'npm run --silent release:notes -- "$GITHUB_REF_NAME" > notes.md',
        'npm run release:notes -- "$GITHUB_REF_NAME"',
      ]),
    );
    const { scripts: known } = coerceObject(JSON.parse(textOf("package.json")));
    expect(coerceObject(known)).toMatchObject({
      release: "node deploy/release/release.ts",
      "release:notes": "node deploy/release/write-notes.ts",
    });
  });

  it("publishes from the repository that npm's provenance names", ({ expect }) => {
    const { repository } = coerceObject(JSON.parse(textOf("package.json")));
    expect(repository).toEqual({
      type: "git",
      url: "git+https://github.com/zonewarden/zonewarden.git",
    });
  });
});

const changelog = `# Changelog

## Unreleased

- later

## 1.2.0 - 2026-11-30

### Added

- **Files**: see [Files](docs/files.md), [a site](https://example.com) and [SECURITY](SECURITY.md).

## 1.1.0 - 2026-10-01

- earlier
`;

describe("the notes of a release", () => {
  it("are the section of the version, with links that work outside the repository", ({
    expect,
  }) => {
    expect(releaseNotes(changelog, "1.2.0", "v1.2.0")).toBe(
      `### Added

- **Files**: see [Files](https://github.com/zonewarden/zonewarden/blob/v1.2.0/docs/files.md), [a site](https://example.com) and [SECURITY](https://github.com/zonewarden/zonewarden/blob/v1.2.0/SECURITY.md).
`,
    );
    expect(releaseNotes(changelog, "1.1.0", "v1.1.0")).toBe("- earlier\n");
  });

  it.for([
    ["1.2.0", "v1.3.0", "the tag v1.3.0 is not that of package.json, v1.2.0"],
    ["1.3.0", "v1.3.0", 'CHANGELOG.md has no section "## 1.3.0 - YYYY-MM-DD"'],
    ["Unreleased", "vUnreleased", 'CHANGELOG.md has no section "## Unreleased - YYYY-MM-DD"'],
  ] as const)("are refused for version %s at tag %s", ([of, tag, message], { expect }) => {
    expect(() => releaseNotes(changelog, of, tag)).toThrow(message);
  });

  it("are those of the repository's changelog once its section has a date", ({ expect }) => {
    const dated = textOf("CHANGELOG.md").replace(
      /^## (?:Unreleased|[\d.]+ - [\d-]+)$/m,
      `## ${version} - 2026-12-01`,
    );
    const notes = releaseNotes(dated, version, `v${version}`);
    expect(notes).toContain("### Added");
    expect(notes).not.toContain("](docs/");
  });
});

const work = mkdtempSync(path.join(tmpdir(), "zonewarden-join-"));
afterAll(() => rmSync(work, { recursive: true }));

/** An OCI archive with an image of one small layer, and the digest of its manifest. */
function imageOf(name: string, architecture: string): { archive: string; digest: string } {
  const layout = path.join(work, `${name}.layout`);
  mkdirSync(path.join(layout, "blobs/sha256"), { recursive: true });
  const store = (content: string): { digest: string; size: number } => {
    const hash = sha256Of(content);
    writeFileSync(path.join(layout, "blobs/sha256", hash), content);
    return { digest: `sha256:${hash}`, size: content.length };
  };
  const manifest = store(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: store(JSON.stringify({ architecture, os: "linux" })),
      layers: [store(`layer of ${architecture}`)],
      annotations: { "org.opencontainers.image.base.digest": `sha256:base-${architecture}` },
    }),
  );
  writeFileSync(path.join(layout, "index.json"), JSON.stringify({ manifests: [manifest] }));
  const archive = path.join(work, `${name}.tar`);
  archiveFiles(archive, layout, 1, ["."], []);
  return { archive, digest: manifest.digest };
}

describe("images of two architectures", () => {
  const source = { directory: work, commit: "", version: "1.2.0", epoch: 1 };
  const [amd, arm] = [imageOf("amd", "amd64"), imageOf("arm", "arm64")];

  it("are joined under one digest, with every blob of both", ({ expect }) => {
    const out = path.join(work, "joined.tar");
    const joined = joinImages(out, [amd.archive, arm.archive], source, path.join(work, "joined"));
    expect(joined.baseDigests).toEqual(["sha256:base-amd64", "sha256:base-arm64"]);
    const read = (name: string): JsonObject =>
      coerceObject(JSON.parse(runTool("tar", ["-xOf", out, `./${name}`])));
    const [top] = coerceObjects(read("index.json")["manifests"]);
    expect(top).toMatchObject({ digest: joined.digest });
    const index = read(`blobs/${joined.digest.replace(":", "/")}`);
    expect(index["manifests"]).toMatchObject([
      { digest: amd.digest, platform: { architecture: "amd64", os: "linux" } },
      { digest: arm.digest, platform: { architecture: "arm64", os: "linux" } },
    ]);
    const names = runTool("tar", ["-tf", out]).match(/sha256\/[0-9a-f]{64}/g);
    expect(names).toHaveLength(2 * 3 + 1);

    const again = path.join(work, "again.tar");
    joinImages(again, [amd.archive, arm.archive], source, path.join(work, "again"));
    expect(sha256Of(readFileSync(again))).toBe(sha256Of(readFileSync(out)));
  });

  it("are refused where both are of one platform", ({ expect }) => {
    const other = imageOf("other", "arm64");
    const join = (): unknown =>
      joinImages(
        path.join(work, "refused.tar"),
        [arm.archive, other.archive],
        source,
        path.join(work, "refused"),
      );
    expect(join).toThrow("two images are of one platform");
  });
});
