import { execFileSync } from "node:child_process";

import { describe, it, vi } from "vitest";

import { type Example, exampleWithEmulator } from "../support/example.ts";

function git(directory: string, ...args: readonly string[]): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: directory, stdio: "ignore" });
}

/** The example in a repository, with one commit. */
async function repository(): Promise<Example> {
  const example = await exampleWithEmulator();
  const { directory } = example.place;
  git(directory, "init", "--initial-branch=main");
  git(directory, "add", ".");
  git(directory, "commit", "--message=base");
  return example;
}

/** Paths of the zones that were read. */
function zonesRead({ emulator }: Example): number {
  const paths = emulator.journal().map(({ path }) => /\/zones\/([0-9a-f]{32})\//.exec(path)?.[1]);
  return new Set(paths.filter((id) => id !== undefined)).size;
}

describe("plan --changed-since", () => {
  it("reads only zones whose declaration differs from the revision", async ({ expect }) => {
    await using example = await repository();
    const { place } = example;
    const none = await place.run("plan", "--changed-since", "main");
    expect(none.stderr).toMatch(/^0 zones of 3 changed since [0-9a-f]{12}$/m);
    expect(none.code).toBe(0);
    expect(zonesRead(example)).toBe(0);

    const shop = await place.read("zones/shop.yaml");
    await place.write("zones/shop.yaml", `# A comment changes nothing.\n${shop}`);
    const [file, text] = ["zones/new.yaml", "zones:\n  - name: nowhere.example.com\n"];
    await place.write(file, text);
    const added = await place.run("plan", "--changed-since", "HEAD");
    expect(added.stderr).toMatch(/^1 zone of 4 changed since /m);
    expect(added.stdout).toContain("nowhere.example.com");
    await place.remove(file);

    await place.write("zones/shop.yaml", shop.replace("action: allow", "action: log"));
    const changed = await place.run("plan", "--changed-since", "main");
    expect(changed.stderr).toMatch(/^1 zone of 3 changed since /m);
    expect(changed.stdout).toContain("shop.example.com");
    expect(zonesRead(example)).toBe(1);
  });

  it.for([
    { reference: "nothing-like-it", says: 'the repository has no revision "nothing-like-it"' },
    { reference: "--output=x", says: '"--output=x" is not a Git revision' },
  ])("says what is missing: $reference", async ({ reference, says }, { expect }) => {
    await using example = await repository();
    const { code, stderr } = await example.place.run("plan", `--changed-since=${reference}`);
    expect(stderr).toContain(says);
    expect(code).toBe(1);
    expect(zonesRead(example)).toBe(0);
  });

  it("reads the same files in a hook of Git, which names the repository", async ({ expect }) => {
    await using example = await repository();
    // Git sets it for the hooks of a linked worktree.
    vi.stubEnv("GIT_DIR", `${example.place.directory}/.git`);
    try {
      const { code, stderr } = await example.place.run("plan", "--changed-since", "main");
      expect(stderr).toMatch(/^0 zones of 3 changed since /m);
      expect(stderr).not.toContain("have errors");
      expect(code).toBe(0);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("says that there is no repository", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stderr } = await example.place.run("plan", "--changed-since", "main");
    expect(stderr).toContain("error: --changed-since main: fatal: not a git repository");
    expect(code).toBe(1);
  });
});

describe("plan --paths", () => {
  it("plans zones that come from these files, through profiles too", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const one = await example.place.run("plan", "--paths", "zones/shop.yaml");
    expect([0, 2]).toContain(one.code);
    expect(zonesRead(example)).toBe(1);
    const unknown = await example.place.run("plan", "--paths", "zones/nothing.yaml");
    expect(unknown.stderr).toContain(
      "error: --paths zones/nothing.yaml: no zone comes from a file with such a path",
    );
    expect(unknown.code).toBe(1);
  });
});
