import { execFileSync } from "node:child_process";
import { chmod, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { type NamedFiles, nodeNamedFiles as files, readText } from "../../src/host/named-files.ts";
import { workplace, type Workplace } from "../support/command-line.ts";

function pipeIn({ directory }: Workplace): string {
  const pipe = path.join(directory, "pipe");
  execFileSync("mkfifo", [pipe]);
  return pipe;
}

describe("a file that the command line names", () => {
  it("is replaced when it is saved: an open reader keeps the old content", async ({ expect }) => {
    await using place = await workplace();
    await place.write("plan.json", "old");
    const file = path.join(place.directory, "plan.json");
    const before = await stat(file);
    await files.save(file, "new");
    expect(await place.read("plan.json")).toBe("new");
    expect((await stat(file)).ino).not.toBe(before.ino);
    expect(await readdir(place.directory)).toEqual(["plan.json"]);
  });

  it("stays a symbolic link and keeps its permissions", async ({ expect }) => {
    await using place = await workplace();
    const [file, link] = [
      path.join(place.directory, "there.json"),
      path.join(place.directory, "link"),
    ];
    await writeFile(file, "old");
    await chmod(file, 0o600);
    await symlink("there.json", link);
    await files.save(link, "new");
    expect(await readlink(link)).toBe("there.json");
    expect(await readFile(file, "utf8")).toBe("new");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("keeps permissions that a new file would not have", async ({ expect }) => {
    await using place = await workplace();
    await place.write("shared.yaml", "old");
    const file = path.join(place.directory, "shared.yaml");
    await chmod(file, 0o666);
    await files.save(file, "new");
    expect((await stat(file)).mode & 0o777).toBe(0o666);
  });

  it.for(["new", "replaced"])(
    "is for its owner alone if it is private: %s",
    async (is, { expect }) => {
      await using place = await workplace();
      const file = path.join(place.directory, "evidence.json");
      if (is === "new") await files.create(file, "days", true);
      else {
        await writeFile(file, "old");
        await files.savePrivate(file, "days");
      }
      expect(await readFile(file, "utf8")).toBe("days");
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    },
  );

  it("can be a pipe, for reading and writing", async ({ expect }) => {
    await using place = await workplace();
    const pipe = pipeIn(place);
    const [bytes] = await Promise.all([
      files.read(pipe, 1_000),
      files.save(pipe, "through the pipe"),
    ]);
    expect(new TextDecoder().decode(bytes)).toBe("through the pipe");
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it("is read only up to the limit", async ({ expect }) => {
    await using place = await workplace();
    await place.write("plan.json", "0123456789");
    const file = path.join(place.directory, "plan.json");
    expect(await files.read(file, 4)).toHaveLength(4);
    expect(await files.read(file, 0)).toHaveLength(0);
    expect(await files.read(file, 11)).toHaveLength(10);
  });

  it("leaves no temporary file where it cannot be saved", async ({ expect }) => {
    await using place = await workplace();
    const saving = files.save(path.join(place.directory, "missing", "plan.json"), "text");
    await expect(saving).rejects.toMatchObject({ code: "ENOENT" });
    expect(await readdir(place.directory)).toEqual([]);
  });
});

describe("a private file", () => {
  it("is read and added to by its owner, and removed", async ({ expect }) => {
    await using place = await workplace();
    const file = path.join(place.directory, "kept");
    await files.create(file, "one\n", true);
    await files.append(file, "two\n");
    expect(await files.readPrivate(file, 8)).toBe("one\ntwo\n");
    expect(await files.readPrivate(file, 7)).toBeUndefined();
    await files.remove(file);
    await files.remove(file);
    expect(await files.readPrivate(file, 8)).toBeUndefined();
  });

  it("is no file that others may read, no link and no pipe", async ({ expect }) => {
    await using place = await workplace();
    const [file, link] = [path.join(place.directory, "kept"), path.join(place.directory, "link")];
    await files.create(file, "text", true);
    await symlink(file, link);
    expect(await files.readPrivate(link, 100)).toBeUndefined();
    expect(await files.readPrivate(pipeIn(place), 100)).toBeUndefined();
    await expect(files.append(link, "more")).rejects.toMatchObject({ code: "ELOOP" });
    await files.remove(link);
    await chmod(file, 0o640);
    expect(await files.readPrivate(file, 100)).toBeUndefined();
    expect(await place.read("kept")).toBe("text");
  });
});

/** A port whose file holds these bytes, or cannot be read. */
function holding(bytes: Uint8Array | Error): NamedFiles {
  return {
    ...files,
    read: (_file, limit) =>
      bytes instanceof Error ? Promise.reject(bytes) : Promise.resolve(bytes.subarray(0, limit)),
  };
}

const missing = Object.assign(new Error("no such file"), { code: "ENOENT" });

describe("the text of a named file", () => {
  it.for([
    { when: "there is one", bytes: new TextEncoder().encode("ä"), yields: { text: "ä" } },
    {
      when: "an editor has put a byte order mark before it",
      bytes: Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
      yields: { text: "a" },
    },
    { when: "there is no file", bytes: missing, yields: { why: "it does not exist" } },
    {
      when: "it is larger than any of ours",
      bytes: new Uint8Array(256 * 1024 * 1024 + 2),
      yields: { why: "it is larger than 256 MB" },
    },
  ])("when $when", async ({ bytes, yields }, { expect }) => {
    const read = await readText("plan.json", { directory: "/work", namedFiles: holding(bytes) });
    expect(read).toEqual({ text: undefined, why: undefined, ...yields });
  });
});
