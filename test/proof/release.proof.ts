import { cp, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, it } from "vitest";

import { siteFiles } from "../../deploy/site/site-files.ts";
import { version } from "../../src/host/version.ts";
import { type JsonObject, coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { chart, findHelm } from "../deploy/chart.ts";
import { containersOf, nameOf, objectsInYaml, podsIn, render } from "../deploy/manifests.ts";
import { deploy, root } from "../deploy/paths.ts";
import { textAt } from "../deploy/rules.ts";
import { noComponents, run } from "../deploy/tools.ts";
import { missing } from "../support/processes.ts";
import { noContainer, unpack } from "./container.ts";

const minutes = 60_000;
const helm = findHelm();
const architecture = process.arch === "x64" ? "amd64" : process.arch;
const imageFile = `zonewarden-image-${version}-linux-${architecture}`;
const joinedFile = `zonewarden-image-${version}.tar`;
const withoutImage = [
  "install.yaml",
  `zonewarden-${version}.cdx.json`,
  `zonewarden-${version}.intoto.json`,
  `zonewarden-${version}.tgz`,
  `zonewarden-chart-${version}.tgz`,
  `zonewarden-monitoring-${version}.tgz`,
  `zonewarden-schemas-${version}.tgz`,
  `zonewarden-site-${version}.tgz`,
];

const stack = new AsyncDisposableStack();
let directory = "";
let commit = "";
const at = (name: string): string => path.join(directory, "first", name);
/** The image of this machine, as the job `image` of the workflow keeps it for the job `publish`. */
const imageArchive = (): string => path.join(directory, "images", `${imageFile}.tar`);

/** `npm run release`, as the workflow calls it. */
async function release(...args: readonly string[]): Promise<void> {
  const script = path.join(deploy, "release/release.ts");
  await run(process.execPath, [script, ...args, `--commit=${commit}`]);
}

async function objectIn(name: string): Promise<JsonObject> {
  return coerceObject(JSON.parse(await readFile(at(name), "utf8")));
}

/** `undici@8.12.4`, of each npm package below a directory. */
async function npmPackagesBelow(folder: string): Promise<readonly string[]> {
  const { stdout } = await run("find", [folder, "-path", "*/node_modules/*/package.json"]);
  const found: string[] = [];
  for (const file of stdout.trim().split("\n")) {
    if (!/\/node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(file)) continue;
    const { name, version: of } = coerceObject(JSON.parse(await readFile(file, "utf8")));
    found.push(`${coerceText(name)}@${coerceText(of)}`);
  }
  return found.toSorted();
}

/** The npm packages that an SBOM names, in the same form. */
function npmPackagesIn(bom: JsonObject): readonly string[] {
  return coerceObjects(bom["components"])
    .map(({ purl }) => decodeURIComponent(coerceText(purl)))
    .filter((purl) => purl.startsWith("pkg:npm/"))
    .map((purl) => purl.slice("pkg:npm/".length))
    .filter((name) => !name.startsWith("zonewarden@"))
    .toSorted();
}

/** The first hash of a component, or "". */
function hashIn({ hashes }: JsonObject): string {
  return coerceText(coerceObjects(hashes)[0]?.["content"]);
}

/** Prints what the library of CycloneDX says of a document: `null` where it follows the schema. */
const judge = `
  const [, tools, file] = process.argv;
  const { Validation, Spec } = require(tools + "/node_modules/@cyclonedx/cyclonedx-library");
  new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    .validate(require("node:fs").readFileSync(file, "utf8"))
    .then((error) => process.stdout.write(JSON.stringify(error)));
`;

/** The lines that sha256sum prints, sorted. */
function linesOf(text: string): readonly string[] {
  return text.trim().split("\n").toSorted();
}

describe.skipIf(noComponents)(`a release, made twice ${noComponents ?? ""}`, () => {
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "zonewarden-releases-"));
    stack.defer(() => rm(directory, { recursive: true }));
    if (noContainer !== undefined) process.stdout.write(`no image: ${noContainer}\n`);
    commit = (await run("git", ["-C", root, "rev-parse", "HEAD"])).stdout.trim();
    const images = path.join(directory, "images");
    const first = path.join(directory, "first");
    const second = path.join(directory, "second");
    if (noContainer === undefined) {
      // In two steps as the workflow does, and in one.
      await release(images, "--only-image");
      await release(first, `--images=${images}`);
      await release(second);
    } else {
      await release(first, "--without-image");
      await release(second, "--without-image");
    }
  }, 30 * minutes);

  afterAll(() => stack.disposeAsync());

  it("has every file, with the same bytes both times", async ({ expect }) => {
    const ofImage = noContainer === undefined ? [`${imageFile}.cdx.json`, joinedFile] : [];
    const expected = [...withoutImage, ...ofImage, "SHA256SUMS"].toSorted();
    expect((await readdir(at("."))).toSorted()).toEqual(expected);
    const [first, second] = await Promise.all(
      ["first", "second"].map((each) => readFile(path.join(directory, each, "SHA256SUMS"), "utf8")),
    );
    expect(second).toBe(first);
    for (const each of ["first", "second"]) {
      const check = 'cd "$1" && sha256sum --check --strict --quiet SHA256SUMS';
      await run("bash", ["-c", check, "check", path.join(directory, each)]);
    }
  });

  it("tells of what it is made", async ({ expect }) => {
    const statement = await objectIn(`zonewarden-${version}.intoto.json`);
    expect(statement).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      predicateType: "https://slsa.dev/provenance/v1",
    });
    const subjects = coerceObjects(statement["subject"]).map(({ name, digest }) => {
      return `${coerceText(coerceObject(digest)["sha256"])}  ${coerceText(name)}`;
    });
    const sums = linesOf(await readFile(at("SHA256SUMS"), "utf8"));
    expect(subjects.toSorted()).toEqual(sums.filter((line) => !line.endsWith(".intoto.json")));
    expect(JSON.stringify(statement)).toContain(`"gitCommit":"${commit}"`);
  });

  it("packs the program for npm without source maps, and the chart as it is", async ({
    expect,
  }) => {
    const { stdout } = await run("tar", ["-tzf", at(`zonewarden-${version}.tgz`)]);
    expect(stdout).toContain("package/dist/main.js\n");
    expect(stdout).toContain("package/schemas/zones.schema.json\n");
    expect(stdout).not.toMatch(/\.map$|\.ts$|^package\/(?:src|test)\//m);
    const packed = await run("tar", ["-tzf", at(`zonewarden-chart-${version}.tgz`)]);
    expect(packed.stdout).toContain("zonewarden/./files/rules.yaml\n");
    if (helm.missing !== undefined) return;
    const ours = ["template", "zonewarden", "-n", "zonewarden", "--set", "monitoring.enabled=true"];
    const released = await helm.run(...ours, at(`zonewarden-chart-${version}.tgz`));
    expect(released).toBe(await helm.run(...ours, chart));
  });

  it("packs the documentation as the site of the commit", async ({ expect }) => {
    const { stdout } = await run("tar", ["-tzf", at(`zonewarden-site-${version}.tgz`)]);
    const names = stdout.split("\n").map((name) => name.replace(/^[^/]+\/\.\//, ""));
    expect(names.filter((name) => name !== "" && !name.endsWith("/")).toSorted()).toEqual(
      [...siteFiles(root).keys()].toSorted(),
    );
  });

  it("installs what the overlay `default` does, with the released image", async ({ expect }) => {
    const objects = objectsInYaml(await readFile(at("install.yaml"), "utf8"));
    expect(objects.map(nameOf)).toEqual((await render("overlays/default")).map(nameOf));
    const [image] = podsIn(objects)
      .flatMap(containersOf)
      .map((each) => textAt(each, "image"));
    if (noContainer !== undefined) {
      expect(image).toBe(`ghcr.io/zonewarden/zonewarden:${version}`);
      return;
    }
    const { stdout } = await run("tar", ["-xOf", at(joinedFile), "./index.json"]);
    const [index] = coerceObjects(coerceObject(JSON.parse(stdout))["manifests"]);
    expect(image).toBe(`ghcr.io/zonewarden/zonewarden@${coerceText(index?.["digest"])}`);
  });

  it.skipIf(noContainer)(
    `has one archive from which a machine takes the image of its platform ${noContainer ?? ""}`,
    async ({ expect }) => {
      const storage = ["--root", path.join(directory, "store"), "--runroot"];
      storage.push(path.join(directory, "store-run"), "--storage-driver", "vfs");
      const inspected = async (archive: string): Promise<string> => {
        const pulled = await run("buildah", [...storage, "pull", "-q", `oci-archive:${archive}`]);
        const image = pulled.stdout.trim();
        return (await run("buildah", [...storage, "inspect", "--type=image", image])).stdout;
      };
      const configOf = async (archive: string): Promise<unknown> =>
        coerceObject(JSON.parse(await inspected(archive)))["OCIv1"];
      const config = await configOf(at(joinedFile));
      expect(config).toMatchObject({ architecture, os: "linux" });
      expect(config).toEqual(await configOf(imageArchive()));
    },
    5 * minutes,
  );

  it(
    "has SBOMs that follow the schema of CycloneDX, with a license for each package",
    async ({ expect }) => {
      const tools = path.join(directory, "tools");
      await cp(path.join(deploy, "release/tools"), tools, { recursive: true });
      await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--prefix", tools]);
      const files = (await readdir(at("."))).filter((name) => name.endsWith(".cdx.json"));
      for (const file of files) {
        const judged = await run(process.execPath, ["-e", judge, tools, at(file)]);
        expect(judged.stdout, file).toBe("null");
        const components = coerceObjects((await objectIn(file))["components"]);
        const unlicensed = components.filter(
          ({ name, licenses }) => name !== "base image" && coerceObjects(licenses).length === 0,
        );
        expect(unlicensed.map(({ name }) => name)).toEqual([]);
        const npm = components.filter(({ purl }) => coerceText(purl).startsWith("pkg:npm/"));
        // The program has no hash in the lock file: the SBOM of the image has one of each file.
        const ofProgram = file === `${imageFile}.cdx.json` ? 1 : 0;
        const programs = npm.filter(({ name }) => name === "zonewarden");
        const packages = npm.filter(({ name }) => name !== "zonewarden");
        expect(programs).toHaveLength(ofProgram);
        const unhashed = [
          ...packages.filter((each) => !/^[0-9a-f]{128}$/.test(hashIn(each))),
          ...programs.filter((each) => coerceObjects(each["components"]).length === 0),
          ...programs
            .flatMap((each) => coerceObjects(each["components"]))
            .filter((each) => !/^[0-9a-f]{64}$/.test(hashIn(each))),
        ];
        expect(unhashed.map(({ name }) => name)).toEqual([]);
      }
      const lock = coerceObject(
        JSON.parse(await readFile(path.join(root, "package-lock.json"), "utf8")),
      );
      const production = Object.entries(coerceObject(lock["packages"])).filter(
        ([name, entry]) => name !== "" && coerceObject(entry)["dev"] !== true,
      );
      const named = npmPackagesIn(await objectIn(`zonewarden-${version}.cdx.json`));
      expect(named).toHaveLength(production.length);
    },
    5 * minutes,
  );

  it.skipIf(noContainer)(
    `lists every file of the image, and no other ${noContainer ?? ""}`,
    async ({ expect }) => {
      await using image = await unpack(imageArchive());
      const script = 'cd "$1" && find . -type f -print0 | xargs -0 sha256sum';
      const { stdout } = await run("bash", ["-c", script, "list", image.root]);
      const held = linesOf(stdout).map((line) => line.replace("  .", "  "));
      const bom = await objectIn(`${imageFile}.cdx.json`);
      const listed = coerceObjects(bom["components"]).flatMap((component) =>
        coerceObjects(component["components"]).map(({ name, hashes }) => {
          const [hash] = coerceObjects(hashes);
          return `${coerceText(hash?.["content"])}  ${coerceText(name)}`;
        }),
      );
      expect(listed.length).toBeGreaterThan(1_000);
      expect(listed.toSorted()).toEqual(held);
      expect(npmPackagesIn(bom)).toEqual(await npmPackagesBelow(image.root));
    },
  );
});

const noGo = missing("go", "golang");

it.skipIf(noGo)(
  `the workflow of releases is one that GitHub runs ${noGo ?? ""}`,
  async () => {
    const lint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
    // Fails with what is wrong.
    await run("go", ["run", lint, path.join(root, ".github/workflows/release.yml")]);
  },
  10 * minutes,
);
