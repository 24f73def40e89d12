import { describe, it } from "vitest";

import { headOf } from "../../src/desired/git/git-head.ts";
import { memoryFiles } from "../support/memory-files.ts";

const commit = "8c9b6cfb5909a67682231d479f0f6b5da5aa4681";
const other = "0123456789abcdef0123456789abcdef01234567";

describe("what Git says is checked out", () => {
  it.for([
    {
      when: "a branch is checked out",
      files: { "/r/.git/HEAD": "ref: refs/heads/main\n", "/r/.git/refs/heads/main": `${commit}\n` },
      at: "/r",
      yields: commit,
    },
    {
      when: "the branch is packed",
      files: {
        "/r/.git/HEAD": "ref: refs/heads/main\n",
        "/r/.git/packed-refs": `# pack-refs\n${other} refs/heads/main2\n${commit} refs/heads/main\n^${other}\n`,
      },
      at: "/r",
      yields: commit,
    },
    {
      when: "a branch has a file of its own and is packed: the file counts",
      files: {
        "/r/.git/HEAD": "ref: refs/heads/a/b\n",
        "/r/.git/refs/heads/a/b": commit,
        "/r/.git/packed-refs": `${other} refs/heads/a/b\n`,
      },
      at: "/r",
      yields: commit,
    },
    {
      when: "a commit is checked out",
      files: { "/r/.git/HEAD": commit },
      at: "/r",
      yields: commit,
    },
    {
      when: "it is a worktree",
      files: {
        "/w/.git": "gitdir: /r/.git/worktrees/w\n",
        "/r/.git/worktrees/w/HEAD": "ref: refs/heads/x\n",
        "/r/.git/worktrees/w/commondir": "../..\n",
        "/r/.git/refs/heads/x": commit,
      },
      at: "/w",
      yields: commit,
    },
    {
      when: "the repository has no commit yet",
      files: { "/r/.git/HEAD": "ref: refs/heads/main\n" },
      at: "/r",
      yields: undefined,
    },
    {
      when: "HEAD is invalid",
      files: { "/r/.git/HEAD": "\u0000\u0001" },
      at: "/r",
      yields: undefined,
    },
  ])("when $when", async ({ files, at, yields }, { expect }) => {
    const disk = memoryFiles(Object.fromEntries(Object.entries(files)));
    const head = await headOf(`${at}/.git`, disk.port, new AbortController().signal);
    expect(head).toEqual(
      yields === undefined ? undefined : { commit: yields, objects: "/r/.git/objects" },
    );
  });
});
