import { spawnSync } from "node:child_process";
import { readFile, symlink } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";
import { parse } from "yaml";

import { isJsonObject, type JsonObject } from "../../../src/syntax/json.ts";
import { objectAt } from "../../deploy/rules.ts";
import type { Ran } from "../../support/command-line.ts";
import { type Scratch, scratchRepository } from "./scratch-repository.ts";

const root = path.resolve(import.meta.dirname, "../../..");

async function readYamlFile(file: string): Promise<unknown> {
  return parse(await readFile(path.join(root, file), "utf8"));
}

/** The scripts of a job of the template with what it extends, as GitLab joins them. */
async function jobOf(name: string): Promise<{ readonly script: string; readonly job: JsonObject }> {
  const file = await readYamlFile("deploy/gitlab/zonewarden.gitlab-ci.yml");
  if (!isJsonObject(file)) throw new Error("the template is not a map");
  const job = { ...objectAt(file, ".zonewarden"), ...objectAt(file, name) };
  const lines = [job["before_script"], job["script"]].flatMap((each) =>
    Array.isArray(each) ? each.map(String) : [],
  );
  return { script: lines.join("\n"), job };
}

/** Makes a repository from which the template can clone this program: a package whose main file is ours. */
async function sourceIn({ place, directory }: Scratch): Promise<string> {
  const manifest = { name: "zonewarden", version: "0.1.0", type: "module" };
  const lock = {
    name: "zonewarden",
    version: "0.1.0",
    lockfileVersion: 3,
    packages: { "": manifest },
  };
  await place.write(".git/source/package.json", JSON.stringify(manifest));
  await place.write(".git/source/package-lock.json", JSON.stringify(lock));
  await place.write(".git/source/src/.keep", "");
  const source = path.join(directory, ".git/source");
  await symlink(path.join(root, "src/main.ts"), path.join(source, "src/main.ts"));
  const identity = ["-c", "user.name=A", "-c", "user.email=a@b.example"];
  for (const args of [
    ["init", "--quiet"],
    ["add", "."],
    [...identity, "commit", "--quiet", "-m", "A"],
    ["tag", "v0.1.0"],
  ]) {
    const { status, stderr } = spawnSync("git", ["-C", source, ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    if (status !== 0) throw new Error(stderr);
  }
  return `file://${source}`;
}

/** Runs a job of the template as a runner does. */
async function runJob(
  name: string,
  scratch: Scratch,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { script } = await jobOf(name);
  const { directory } = scratch;
  return scratch.bash(script, {
    PATH: `${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: path.join(directory, ".git"),
    CI_PROJECT_DIR: directory,
    CI_PIPELINE_SOURCE: "merge_request_event",
    CI_PROJECT_ID: "7",
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "7",
    ...more,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: scratch.git("rev-parse", "main").trim(),
    ZONEWARDEN_SOURCE: await sourceIn(scratch),
    ZONEWARDEN_VERSION: "v0.1.0",
    ZONEWARDEN_CONFIG: "zonewarden.yaml",
    ...(name.endsWith("plan") ? { ZONEWARDEN_API_TOKEN: "emulator-token" } : {}),
  });
}

describe("the template for GitLab", { timeout: 120_000 }, () => {
  it("validates without a token, and fails on an error", async ({ expect }) => {
    await using scratch = await scratchRepository();
    expect(await runJob("zonewarden validate", scratch)).toMatchObject({ code: 0 });
    expect(scratch.emulator.journal()).toEqual([]);
    await scratch.place.write("zones/broken.yaml", "zones: [a]\n");
    await scratch.place.remove(".git/source");
    expect(await runJob("zonewarden validate", scratch)).toMatchObject({ code: 3 });
  });

  it.for([
    { when: "nothing changes", from: "", to: "", code: 0, plan: "No changes" },
    { when: "something changes", from: "level: 2", to: "level: 3", code: 0, plan: "2 → 3" },
    { when: "a file is invalid", from: "zonewarden", to: "", code: 3, plan: "" },
  ])("plans where $when", async ({ from, to, code, plan }, { expect }) => {
    await using scratch = await scratchRepository();
    const text = await scratch.place.read("zones/baseline.yaml");
    const edited = code === 3 ? "profiles: [a]\n" : text.replace(from, to);
    await scratch.place.write("zones/baseline.yaml", edited);
    await scratch.place.write("zonewarden-plan.md", "of the merge request");
    const ran = await runJob("zonewarden plan", scratch);
    expect(ran).toMatchObject({ code });
    const file = scratch.place.read("zonewarden-plan.md");
    if (code === 0) expect(await file).toContain(plan);
    else await expect(file).rejects.toThrow("ENOENT");
    const { job } = await jobOf("zonewarden plan");
    expect(job).toMatchObject({
      artifacts: { paths: ["zonewarden-plan.md"] },
      allow_failure: { exit_codes: [4] },
    });
  });
});

describe("the template for GitLab with other rules", { timeout: 120_000 }, () => {
  it.for([
    { CI_PIPELINE_SOURCE: "external_pull_request_event" },
    { CI_PIPELINE_SOURCE: "trigger", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "" },
    { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "8" },
  ])("plans nothing for $CI_PIPELINE_SOURCE", async (more, { expect }) => {
    await using scratch = await scratchRepository();
    const ran = await runJob("zonewarden plan", scratch, more);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stdout).toContain("only in pipelines of merge requests of this project");
    expect(scratch.emulator.journal()).toEqual([]);
  });
});

describe("the hook for pre-commit", () => {
  it("checks all zone files before a commit, and needs no token", async ({ expect }) => {
    const hooks = await readYamlFile(".pre-commit-hooks.yaml");
    const [hook] = Array.isArray(hooks) ? hooks.filter(isJsonObject) : [];
    expect(hook).toMatchObject({
      entry: "zonewarden validate",
      pass_filenames: false,
      language: "node",
    });
    const files = hook?.["files"];
    expect("zones/shop.yaml").toMatch(new RegExp(typeof files === "string" ? files : "none"));
    const manifest: unknown = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
    // pre-commit installs the package of the repository, which npm builds before it packs it.
    expect(manifest).toMatchObject({
      bin: { zonewarden: "dist/main.js" },
      scripts: { prepack: expect.stringContaining("build") as unknown },
    });
    await using scratch = await scratchRepository();
    const env = { PATH: `${scratch.bin}:${process.env["PATH"] ?? ""}` };
    const entry = "zonewarden validate";
    expect(await scratch.bash(entry, env)).toMatchObject({ code: 0 });
    await scratch.place.write("zones/broken.yaml", "zones: [a]\n");
    expect(await scratch.bash(entry, env)).toMatchObject({ code: 3 });
    expect(scratch.emulator.journal()).toEqual([]);
  });
});
