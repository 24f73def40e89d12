import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { freePort } from "../support/processes.ts";
import { walkQuickStart } from "../support/quick-start.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Only the address of the repository differs: what is committed here is cloned. */
const clone = {
  "git clone https://github.com/zonewarden/zonewarden.git": `git clone --quiet "file://${root}" zonewarden`,
};

/** The Node of the system: 20 or newer is enough. */
const searchPath = "/usr/local/bin:/usr/bin:/bin";

describe("the quick start on an empty machine", { timeout: 900_000 }, () => {
  it("goes from a real clone, with the packages that npm installs, to the checked change", async ({
    expect,
  }) => {
    await using walk = await walkQuickStart(await freePort(), clone, searchPath);
    expect(walk.shown.slice(-2_000)).toMatch(/No changes\. 4 of 4 zones in sync\./);
    expect(walk.code).toBe(0);
    // `zonewarden version` shows that the Node of the package ran, not that of the system.
    expect(walk.shown).toMatch(/^Node 24\./m);
    expect(walk.shown.split("\n").filter((line) => /error|cannot/i.test(line))).toEqual([]);
    expect(walk.shown).toContain("No problem found.");
    expect(walk.shown).toContain("paranoia_level  2 → 3");
    expect(walk.shown).toContain("paranoia_level  1 → 3");
    expect(walk.shown.match(/No changes\. 4 of 4 zones in sync\./g)).toHaveLength(3);
    const files = path.join(walk.directory, "zone-files");
    const git = (...args: readonly string[]): string =>
      spawnSync("git", ["-C", files, ...args], { encoding: "utf8" }).stdout;
    expect(git("log", "--format=%s", "main").trim().split("\n")).toEqual([
      "Let zonewarden write",
      "Raise the paranoia level of the shop",
      "Declare the zones as they are",
    ]);
    expect(git("status", "--short")).toBe("");
    expect(readFileSync(path.join(files, ".github/CODEOWNERS"), "utf8")).toContain(
      "@acme/security",
    );
  });
});
