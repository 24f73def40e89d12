import { execFileSync } from "node:child_process";
import {
  access,
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, it, vi } from "vitest";

import { coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { checkAt, packIn, pay, placeWith, run } from "../support/evidence-pack.ts";
import { historyOfChecks } from "../support/evidence-story.ts";
import { commitFiles, exampleRepository, git, zonesRead } from "../support/example-repository.ts";
import type { Example } from "../support/example.ts";

/** Places of one attack. */
interface Scene {
  readonly zones: string;
  /** A directory of the attacker, outside of the zone files. */
  readonly other: string;
  /** The repository of the attacker: its `main` has the zone files as they are now. */
  readonly forged: string;
  /** A program that leaves a marker. */
  readonly program: string;
}

interface Attack {
  readonly is: string;
  readonly plant: (scene: Scene) => Promise<void>;
  readonly says: RegExp;
}

const own = /looks like a Git repository by itself: remove HEAD and objects from it$/m;
const inside = /the directory of the zone files is a Git repository: remove its \.git, or move/;

/** Makes the remote of a repository one that is asked for missing objects by running a program. */
function promise(config: string, program: string): Promise<void> {
  return appendFile(
    config,
    `[core]
	repositoryformatversion = 1
[extensions]
	partialClone = origin
[remote "origin"]
	url = ${path.dirname(program)}
	promisor = true
	partialclonefilter = blob:none
	uploadpack = ${program}
[protocol "file"]
	allow = always
`,
  );
}

async function removeObjects(repository: string): Promise<void> {
  await rm(path.join(repository, "objects"), { recursive: true });
  await mkdir(path.join(repository, "objects"));
}

const attacks: readonly Attack[] = [
  {
    is: "a bare repository",
    plant: ({ zones, forged }) => cp(forged, zones, { recursive: true }),
    says: own,
  },
  {
    is: "a bare repository with a tree of files around it",
    plant: async ({ zones, forged }) => {
      await cp(forged, zones, { recursive: true });
      git(forged, "config", "--file", path.join(zones, "config"), "core.bare", "false");
      git(forged, "config", "--file", path.join(zones, "config"), "core.worktree", "..");
    },
    says: own,
  },
  {
    is: "a bare repository whose remote is a program",
    plant: async ({ zones, forged, program }) => {
      await cp(forged, zones, { recursive: true });
      await removeObjects(zones);
      await promise(path.join(zones, "config"), program);
    },
    says: own,
  },
  {
    is: "a bare repository that includes a configuration",
    plant: async ({ zones, forged, program }) => {
      await cp(forged, zones, { recursive: true });
      await removeObjects(zones);
      await promise(path.join(zones, "more"), program);
      await appendFile(path.join(zones, "config"), "[include]\n\tpath = more\n");
    },
    says: own,
  },
  {
    is: "a HEAD and a common directory elsewhere",
    plant: async ({ zones, forged, other }) => {
      await cp(forged, path.join(other, "common"), { recursive: true });
      await cp(path.join(forged, "HEAD"), path.join(zones, "HEAD"));
      await writeFile(path.join(zones, "commondir"), path.join(other, "common"));
    },
    says: /looks like a Git repository by itself: remove HEAD and commondir from it$/m,
  },
  {
    is: "a .git",
    plant: ({ zones, forged }) => cp(forged, path.join(zones, ".git"), { recursive: true }),
    says: inside,
  },
  {
    is: "a .git that claims the directory above",
    plant: async ({ zones, forged }) => {
      await cp(forged, path.join(zones, ".git"), { recursive: true });
      git(path.join(zones, ".git"), "config", "core.bare", "false");
      git(path.join(zones, ".git"), "config", "core.worktree", path.dirname(zones));
    },
    says: inside,
  },
  {
    is: "a .git whose remote is a program",
    plant: async ({ zones, forged, program }) => {
      await cp(forged, path.join(zones, ".git"), { recursive: true });
      await removeObjects(path.join(zones, ".git"));
      await promise(path.join(zones, ".git", "config"), program);
    },
    says: inside,
  },
  {
    is: "a .git that names a repository elsewhere",
    plant: async ({ zones, forged }) => {
      git(forged, "config", "core.bare", "false");
      git(forged, "config", "core.worktree", path.dirname(zones));
      await writeFile(path.join(zones, ".git"), `gitdir: ${forged}\n`);
    },
    says: inside,
  },
  {
    is: "a link as .git",
    plant: ({ zones, forged }) => symlink(forged, path.join(zones, ".git")),
    says: inside,
  },
];

/** A directory of the attacker, with a program that leaves a marker. */
async function withProgram(): Promise<{
  readonly other: string;
  readonly program: string;
  readonly wasRun: () => Promise<boolean>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}> {
  const other = await mkdtemp(path.join(tmpdir(), "zonewarden-attacker-"));
  const [program, marker] = [path.join(other, "program"), path.join(other, "marker")];
  await writeFile(program, `#!/bin/sh\nenv > ${marker}\n`);
  await chmod(program, 0o755);
  return {
    other,
    program,
    wasRun: async () =>
      access(marker).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => rm(other, { recursive: true }),
  };
}

/** Weakens a policy, and commits that. */
async function weaken({ place }: Example): Promise<void> {
  await place.edit("zones/shop.yaml", "action: allow", "action: log");
  git(place.directory, "commit", "--all", "--message=weaker");
}

/** A bare repository whose `main` has these files at its top. */
async function forgedFrom(zones: string, other: string): Promise<string> {
  const [work, forged] = [path.join(other, "work"), path.join(other, "forged")];
  await cp(zones, work, { recursive: true });
  commitFiles(work);
  await rename(path.join(work, ".git"), forged);
  git(forged, "config", "core.bare", "true");
  return forged;
}

describe("zone files that are a Git repository", () => {
  it.for(attacks)("are no base of a comparison: $is", async ({ plant, says }, { expect }) => {
    await using example = await exampleRepository();
    await using attacker = await withProgram();
    const zones = path.join(example.place.directory, "zones");
    git(example.place.directory, "branch", "base");
    await weaken(example);
    await plant({ zones, ...attacker, forged: await forgedFrom(zones, attacker.other) });
    for (const reference of ["main", "base"]) {
      const ran = await example.place.run("plan", "--changed-since", reference);
      expect(ran.stderr).toMatch(says);
      expect(ran.stderr).not.toContain("changed since");
      expect(ran.code).toBe(1);
    }
    expect(zonesRead(example)).toBe(0);
    expect(await attacker.wasRun()).toBe(false);
  });

  it.for(attacks)("are no evidence: $is", async ({ plant, says }, { expect }) => {
    await using attacker = await withProgram();
    await using place = await placeWith(undefined);
    const zones = path.join(place.directory, "zones");
    commitFiles(place.directory, "zones");
    const commit = git(place.directory, "rev-parse", "HEAD");
    const check = { ...checkAt(0, pay), files: { revision: "sha256-forged", commit } };
    await plant({ zones, ...attacker, forged: await forgedFrom(zones, attacker.other) });
    await place.write("state/history.jsonl", (await historyOfChecks([check])).toString());
    const { code } = await run(place, "out", "--until", "2026-11-02");
    expect(code).toBe(5);
    const { zone } = await packIn(place);
    expect(coerceText(coerceObjects(zone["revisions"])[0]?.["not_known"])).toMatch(says);
    expect(await attacker.wasRun()).toBe(false);
  });
});

describe("the repository of the checkout", () => {
  it("starts no program of its configuration or of attributes", async ({ expect }) => {
    await using example = await exampleRepository();
    await using attacker = await withProgram();
    const { program, other } = attacker;
    const { directory } = example.place;
    await weaken(example);
    for (const [key, value] of Object.entries({
      "core.fsmonitor": program,
      "core.hooksPath": other,
      "core.pager": program,
      "pager.cat-file": program,
      "pager.ls-tree": program,
      "diff.external": program,
      "diff.evil.textconv": program,
      "filter.evil.smudge": program,
      "filter.evil.clean": program,
      "filter.evil.process": program,
      "alias.rev-parse": `!${program}`,
    })) {
      git(directory, "config", key, value);
    }
    for (const hook of ["reference-transaction", "post-index-change", "post-checkout"]) {
      await cp(program, path.join(other, hook));
    }
    await example.place.write("zones/.gitattributes", "* filter=evil diff=evil\n");
    const ran = await example.place.run("plan", "--changed-since", "main~1");
    expect(ran.stderr).toMatch(/^1 zone of 3 changed since /m);
    expect(await attacker.wasRun()).toBe(false);
  });

  const partial = [
    { lacks: "HEAD:zones/shop.yaml", included: false },
    { lacks: "HEAD:zones/shop.yaml", included: true },
    { lacks: "HEAD:zones", included: false },
  ];

  it.for(partial)(
    "is not asked for what a partial clone lacks: $lacks, included: $included",
    async ({ lacks, included }, { expect }) => {
      await using example = await exampleRepository();
      await using attacker = await withProgram();
      const { directory } = example.place;
      const id = git(directory, "rev-parse", lacks);
      await weaken(example);
      const config = path.join(directory, ".git", "config");
      await promise(included ? path.join(directory, "zones", "more") : config, attacker.program);
      if (included) await appendFile(config, "[include]\n\tpath = ../zones/more\n");
      await rm(path.join(directory, ".git", "objects", id.slice(0, 2), id.slice(2)));
      const ran = await example.place.run("plan", "--changed-since", "main~1");
      expect(ran.stderr).toContain("the repository lacks files of the revision");
      expect(ran.stderr).toContain("clone it without --filter");
      expect(ran.code).toBe(1);
      expect(await attacker.wasRun()).toBe(false);
    },
  );

  it("has no files elsewhere", async ({ expect }) => {
    await using example = await exampleRepository();
    const { directory } = example.place;
    await weaken(example);
    git(directory, "config", "core.worktree", path.join(directory, "zones"));
    const ran = await example.place.run("plan", "--changed-since", "main~1");
    expect(ran.stderr).toContain("unset core.worktree in the configuration of the repository");
    expect(ran.code).toBe(1);
  });

  it("has the commits as they were made, without replacements", async ({ expect }) => {
    await using example = await exampleRepository();
    const { directory } = example.place;
    await weaken(example);
    git(directory, "replace", "main~1", "main");
    const ran = await example.place.run("plan", "--changed-since", "main~1");
    expect(ran.stderr).toMatch(/^1 zone of 3 changed since /m);
  });

  const namesakes = [
    { other: ["tag", "origin/main", "main"] },
    { other: ["branch", "origin/main", "main"] },
    { other: ["update-ref", "refs/origin/main", "main"] },
  ];

  it.for(namesakes)(
    "is not asked for what two refs are named as: $other",
    async ({ other }, { expect }) => {
      await using example = await exampleRepository();
      const { directory } = example.place;
      git(directory, "update-ref", "refs/remotes/origin/main", "main");
      await weaken(example);
      const args = ["plan", "--changed-since"] as const;
      const before = await example.place.run(...args, "origin/main");
      expect(before.stderr).toMatch(/^1 zone of 3 changed since /m);
      git(directory, ...other);
      git(directory, "config", "core.warnAmbiguousRefs", "false");
      for (const name of ["origin/main", "origin/main~0"]) {
        const ran = await example.place.run(...args, name);
        expect(ran.stderr).toContain("the name origin/main is ambiguous: give the whole name");
        expect(ran.code).toBe(1);
      }
      const whole = await example.place.run(...args, "refs/remotes/origin/main");
      expect(whole.stderr).toMatch(/^1 zone of 3 changed since /m);
    },
  );

  it("gets no token in its environment, and its options in each call", async ({ expect }) => {
    await using example = await exampleRepository();
    await using attacker = await withProgram();
    const seen = path.join(attacker.other, "seen");
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const calls = path.join(attacker.other, "calls");
    const shim = `#!/bin/sh\nenv >> ${seen}\necho "$*" >> ${calls}\nexec ${real} "$@"\n`;
    await writeFile(path.join(attacker.other, "git"), shim, { mode: 0o755 });
    vi.stubEnv("PATH", `${attacker.other}:${process.env["PATH"]}`);
    for (const name of ["ZONEWARDEN_API_TOKEN", "GITHUB_TOKEN", "GIT_CONFIG_PARAMETERS"]) {
      vi.stubEnv(name, "'a.secret=s3cret'");
    }
    vi.stubEnv("GIT_OBJECT_DIRECTORY", attacker.other);
    try {
      const ran = await example.place.run("plan", "--changed-since", "main");
      expect(ran.stderr).toMatch(/^0 zones of 3 changed since /m);
    } finally {
      vi.unstubAllEnvs();
    }
    const names = (await readFile(seen, "utf8")).matchAll(/^(\w+)=/gm);
    const all = new Set(Array.from(names, ([, name = ""]) => name));
    expect(await readFile(seen, "utf8")).not.toContain("s3cret");
    expect([...all].filter((name) => /token|secret|GIT_OBJECT|PARAMETERS/i.test(name))).toEqual([]);
    expect(all).toContain("GIT_NO_LAZY_FETCH");
    const options =
      /^--no-pager -c safe\.bareRepository=explicit -c core\.fsmonitor=false -c core\.hooksPath=\/dev\/null .*-c protocol\.allow=never /;
    for (const call of (await readFile(calls, "utf8")).trimEnd().split("\n")) {
      expect(call).toMatch(options);
    }
  });
});

describe("an ordinary checkout", () => {
  const layouts: readonly {
    readonly is: string;
    /** Where the configuration is, in the directory of the test. */
    readonly lay: (example: Example) => Promise<string>;
  }[] = [
    { is: "as it is", lay: () => Promise.resolve("zonewarden.yaml") },
    {
      is: "a linked worktree of a bare repository",
      lay: async ({ place: { directory } }) => {
        git(directory, "clone", "--bare", ".", "bare");
        git(path.join(directory, "bare"), "worktree", "add", "../linked", "main");
        await rm(path.join(directory, ".git"), { recursive: true });
        return "linked/zonewarden.yaml";
      },
    },
    {
      is: "a shallow clone in a directory with a bracket",
      lay: ({ place: { directory } }) => {
        git(directory, "clone", "--depth=1", `file://${directory}`, "shallow [é]");
        return Promise.resolve("shallow [é]/zonewarden.yaml");
      },
    },
    {
      is: "a symbolic link to it",
      lay: async ({ place: { directory } }) => {
        await mkdir(path.join(directory, "etc"));
        await cp(path.join(directory, "zonewarden.yaml"), path.join(directory, "etc/z.yaml"));
        await symlink("../zones", path.join(directory, "etc", "zones"));
        return "etc/z.yaml";
      },
    },
    {
      is: "a submodule",
      lay: ({ place: { directory } }) => {
        git(directory, "init", "outer");
        const outer = path.join(directory, "outer");
        git(outer, "-c", "protocol.file.allow=always", "submodule", "add", directory, "inner");
        return Promise.resolve("outer/inner/zonewarden.yaml");
      },
    },
    {
      is: "zone files whose directory has a name that a pattern would take for another",
      lay: async ({ place }) => {
        git(place.directory, "mv", "zones", ":z*");
        git(place.directory, "commit", "--message=moved");
        const text = await place.read("zonewarden.yaml");
        await place.write("zonewarden.yaml", `${text}desired: { path: ":z*" }\n`);
        return "zonewarden.yaml";
      },
    },
  ];

  it.for(layouts)("is read: $is", async ({ lay }, { expect }) => {
    await using example = await exampleRepository();
    const config = await lay(example);
    const args = ["plan", "--config", config, "--changed-since", "HEAD"];
    const none = await example.place.run(...args);
    expect(none.stderr).toMatch(/^0 zones of 3 changed since /m);
    expect(none.code).toBe(0);
  });

  it("can have one zone file at its top", async ({ expect }) => {
    await using example = await exampleRepository();
    const { place } = example;
    const text = await place.read("zonewarden.yaml");
    await place.write("zonewarden.yaml", `${text}desired: { path: link.yaml }\n`);
    const policy = `{ key: a, action: log, expression: "true", value: "script-src 'self'" }`;
    const zone = `zones:\n  - name: shop.example.com\n    page_shield: { policies: { items: [${policy}] } }\n`;
    await place.write("a.yaml", zone);
    await symlink("a.yaml", path.join(place.directory, "link.yaml"));
    git(place.directory, "add", ".");
    git(place.directory, "commit", "--message=one file");
    const same = await place.run("plan", "--changed-since", "main");
    expect(same.stderr).toMatch(/^0 zones of 1 changed since /m);
    await place.write("a.yaml", zone.replace("log", "allow"));
    const other = await place.run("plan", "--changed-since", "main");
    expect(other.stderr).toMatch(/^1 zone of 1 changed since /m);
  });

  it("has a base without zone files: then each zone changed", async ({ expect }) => {
    await using example = await exampleRepository();
    const { directory } = example.place;
    git(directory, "rm", "-r", "--cached", "zones");
    git(directory, "commit", "--message=none");
    const ran = await example.place.run("plan", "--changed-since", "main");
    expect(ran.stderr).toMatch(/^3 zones of 3 changed since /m);
  });

  // Only root can give a directory to somebody else.
  it.skipIf(process.getuid?.() !== 0)(
    "of somebody else is read once it is trusted",
    async ({ expect }) => {
      await using example = await exampleRepository();
      const { place } = example;
      await chown(place.directory, 12_345, 12_345);
      await chown(path.join(place.directory, ".git"), 12_345, 12_345);
      vi.stubEnv("HOME", place.directory);
      try {
        const unknown = await place.run("plan", "--changed-since", "main");
        expect(unknown.stderr).toContain(
          `: git config --global --add safe.directory ${place.directory}\n`,
        );
        await place.write(".gitconfig", `[safe]\n\tdirectory = ${place.directory}\n`);
        const trusted = await place.run("plan", "--changed-since", "main");
        expect(trusted.stderr).toMatch(/^0 zones of 3 changed since /m);
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );
});
