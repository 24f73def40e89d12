import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { afterEach, describe, it, onTestFinished, vi } from "vitest";

import { nodeFiles } from "../../src/desired/file-system.ts";
import { type LoadedFiles, ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { systemClock } from "../../src/host/clock.ts";
import { commitLabel } from "../../src/host/commit-label.ts";
import { someOf } from "../support/properties.ts";

const run = promisify(execFile);
const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@example.com" };
const env = {
  ...process.env,
  ...identity,
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_CONFIG_GLOBAL: os.devNull,
  GIT_CONFIG_SYSTEM: os.devNull,
};

async function git(directory: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", [...args], { cwd: directory, env });
  return stdout.trim();
}

function zone(name: string, isEnabled = true): string {
  return `zones:\n  - name: ${name}.example.com\n    page_shield:\n      settings: { enabled: ${isEnabled} }\n`;
}

/** A repository whose zone files lie in `zones/`, with a directory below it, and files that are none. */
async function repository(...init: readonly string[]): Promise<string> {
  const directory = await temporary();
  await git(directory, "init", "-q", "-b", "main", ...init);
  await mkdir(path.join(directory, "zones", "team"), { recursive: true });
  await writeFile(path.join(directory, "README.md"), "# zones\n");
  await writeFile(path.join(directory, "zones", "notes.txt"), "none\n");
  await writeFile(path.join(directory, "zones", "a.yaml"), zone("a"));
  await writeFile(path.join(directory, "zones", "team", "b.yml"), zone("b"));
  await symlink("README.md", path.join(directory, "LIESMICH"));
  return committed(directory);
}

async function committed(directory: string): Promise<string> {
  await git(directory, "add", "-A");
  await git(directory, "commit", "-q", "-m", "change");
  return directory;
}

async function temporary(): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), "zonewarden-label-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function load(place: string): Promise<LoadedFiles> {
  const loader = new ZoneFileLoader({
    path: place,
    files: nodeFiles,
    label: commitLabel,
    clock: systemClock,
  });
  return await loader.load(new AbortController().signal);
}

describe("Git's name for what was read", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const places: readonly {
    readonly when: string;
    readonly change: (directory: string) => Promise<unknown>;
    /** Relative to the repository. */
    readonly at?: string;
    readonly yields: "commit" | "dirty" | "unknown" | "none";
    readonly init?: readonly string[];
  }[] = [
    { when: "nothing was changed", change: () => Promise.resolve(), yields: "commit" },
    {
      when: "a link elsewhere in the directory leads to no zone file",
      change: async (directory) => {
        await symlink("../README.md", path.join(directory, "zones", "LIESMICH"));
        await committed(directory);
      },
      yields: "commit",
    },
    {
      when: "a hidden directory has files that nobody reads",
      change: async (directory) => {
        await mkdir(path.join(directory, "zones", ".old"));
        await writeFile(path.join(directory, "zones", ".old", "c.yaml"), zone("c"));
        await committed(directory);
      },
      yields: "commit",
    },
    {
      when: "the path is the whole repository, whose .git is below the zone files",
      change: () => Promise.resolve(),
      at: ".",
      yields: "unknown",
    },
    {
      when: "the path is one file",
      change: (directory) => writeFile(path.join(directory, "zones", "c.yaml"), zone("c")),
      at: "zones/a.yaml",
      yields: "commit",
    },
    {
      when: "a file was touched",
      change: (directory) => utimes(path.join(directory, "zones", "a.yaml"), 1, 1),
      yields: "commit",
    },
    {
      when: "a file elsewhere was changed",
      change: (directory) => writeFile(path.join(directory, "README.md"), "changed"),
      yields: "commit",
    },
    {
      when: "the objects are packed",
      change: (directory) => git(directory, "gc", "-q", "--aggressive"),
      yields: "commit",
    },
    {
      when: "the ids are SHA-256",
      change: (directory) => git(directory, "gc", "-q"),
      init: ["--object-format=sha256"],
      yields: "commit",
    },
    {
      when: "a file was changed",
      change: (directory) => writeFile(path.join(directory, "zones", "a.yaml"), zone("a", false)),
      yields: "dirty",
    },
    {
      when: "a change is staged and not committed",
      change: async (directory) => {
        await writeFile(path.join(directory, "zones", "a.yaml"), zone("a", false));
        await git(directory, "add", "-A");
      },
      yields: "dirty",
    },
    {
      when: "a file was added",
      change: (directory) => writeFile(path.join(directory, "zones", "c.yaml"), zone("c")),
      yields: "dirty",
    },
    {
      when: "a file was deleted",
      change: (directory) => rm(path.join(directory, "zones", "team"), { recursive: true }),
      yields: "dirty",
    },
    {
      when: "the directory is not committed",
      change: (directory) =>
        cp(path.join(directory, "zones"), path.join(directory, "new"), { recursive: true }),
      at: "new",
      yields: "dirty",
    },
    {
      when: "a .git in the directory names the commit of another repository",
      change: async (directory) => {
        const zones = path.join(directory, "zones");
        await writeFile(path.join(zones, ".git"), "gitdir: .\n");
        await writeFile(path.join(zones, "HEAD"), await git(directory, "rev-parse", "HEAD"));
      },
      yields: "unknown",
    },
    {
      when: "the objects are missing",
      change: async (directory) => {
        const objects = path.join(directory, ".git", "objects");
        await rm(objects, { recursive: true });
        await mkdir(objects);
      },
      yields: "unknown",
    },
    {
      when: "a zone file is a link, whose target's bytes no commit holds",
      change: async (directory) => {
        await symlink("a.yaml", path.join(directory, "zones", "0.yaml"));
        await committed(directory);
      },
      yields: "unknown",
    },
    {
      when: "there is no repository",
      change: (directory) => rm(path.join(directory, ".git"), { recursive: true }),
      yields: "none",
    },
  ];

  it.for(someOf(places, 7))(
    "when $when: $yields",
    async ({ change, at = "zones", yields, init = [] }, { expect }) => {
      const directory = await repository(...init);
      await change(directory);
      const commit = yields === "none" ? "" : await headIn(directory);
      const label = { commit, dirty: `${commit}-dirty`, unknown: "unknown", none: undefined };
      expect((await load(path.join(directory, at))).commit).toBe(label[yields]);
    },
  );

  it("is proved in the checkout of git-sync: a linked worktree behind a link", async ({
    expect,
  }) => {
    const origin = await repository();
    const root = await temporary();
    await git(root, "clone", "-q", "--bare", `file://${origin}`, ".git");
    const commit = await headIn(root);
    await git(root, "worktree", "add", "-q", "--detach", `.worktrees/${commit}`, commit);
    await symlink(`.worktrees/${commit}`, path.join(root, "current"));
    expect((await load(path.join(root, "current", "zones"))).commit).toBe(commit);
  });

  it("is the name that git-sync gave to its checkout, where Git is not installed", async ({
    expect,
  }) => {
    const commit = await headIn(await repository());
    const checkout = path.join(await temporary(), ".worktrees", commit);
    await mkdir(path.join(checkout, "zones"), { recursive: true });
    await writeFile(path.join(checkout, ".git"), "gitdir: /nowhere\n");
    await writeFile(path.join(checkout, "zones", "a.yaml"), zone("a"));
    vi.stubEnv("PATH", "/nowhere");
    expect((await load(path.join(checkout, "zones"))).commit).toBe(commit);
  });
});

describe("the identity of a revision", () => {
  it("is the content, whatever the commit, the place, the time and the order", async ({
    expect,
  }) => {
    const directory = await repository();
    const zones = path.join(directory, "zones");
    const before = await load(zones);
    expect(before.revision).toBe(`sha256-${before.hash}`);
    expect(before.revision).toMatch(/^sha256-[0-9a-f]{64}$/);

    await writeFile(path.join(directory, "README.md"), "changed");
    await committed(directory);
    const other = path.join(await temporary(), "other");
    await mkdir(path.join(other, "team"), { recursive: true });
    await writeFile(path.join(other, "team", "b.yml"), zone("b"));
    await writeFile(path.join(other, "a.yaml"), zone("a"));
    expect((await load(zones)).commit).not.toBe(before.commit);
    expect((await load(zones)).revision).toBe(before.revision);
    expect((await load(other)).revision).toBe(before.revision);
  });

  it.for([
    { when: "one byte differs", file: "a.yaml", text: `${zone("a")}\n` },
    { when: "a file has another name", file: "a2.yaml", text: "" },
  ])("is another one where $when", async ({ file, text }, { expect }) => {
    const directory = await repository();
    const zones = path.join(directory, "zones");
    const before = await load(zones);
    await writeFile(path.join(zones, file), text);
    expect((await load(zones)).revision).not.toBe(before.revision);
  });
});

async function headIn(directory: string): Promise<string> {
  return await git(directory, "rev-parse", "HEAD");
}
