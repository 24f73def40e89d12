import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { freePort } from "../support/processes.ts";
import { walkQuickStart } from "../support/quick-start.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** The checkout of the test stands for the clone, with the packages that it has. `npm run proof` does both for real. */
const thisCheckout = {
  "git clone https://github.com/zonewarden/zonewarden.git": "mkdir zonewarden",
  "npm ci": `ln -s ${["package.json", "src", "schemas", "docs", "node_modules"].map((each) => `"${root}/${each}"`).join(" ")} .`,
};

describe("the quick start", { timeout: 180_000 }, () => {
  it("goes from a clone to a merged, applied and checked change of one zone", async ({
    expect,
  }) => {
    const port = await freePort();
    await using walk = await walkQuickStart(port, thisCheckout, process.env["PATH"] ?? "");
    expect(walk.shown.split("\n").filter((line) => /error|cannot/i.test(line))).toEqual([]);
    expect(walk.code).toBe(0);
    expect(walk.shown).toContain("No problem found.");
    expect(walk.shown).toContain("paranoia_level  2 → 3");
    expect(walk.shown).toContain("paranoia_level  1 → 3");
    expect(walk.shown.match(/No changes\. 4 of 4 zones in sync\./g)).toHaveLength(3);
    const files = path.join(walk.directory, "zone-files");
    const { stdout } = spawnSync("git", ["-C", files, "log", "--format=%s", "main"], {
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n")).toEqual([
      "Let zonewarden write",
      "Raise the paranoia level of the shop",
      "Declare the zones as they are",
    ]);
    expect(spawnSync("git", ["-C", files, "status", "--short"], { encoding: "utf8" }).stdout).toBe(
      "",
    );
    expect(readFileSync(path.join(files, ".github/CODEOWNERS"), "utf8")).toContain(
      "@acme/security",
    );
  });
});
