import { describe, it } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
import { startProgress } from "../../src/cli/output/progress.ts";
import { quietHost } from "../../src/host/host.ts";
import { hostIn } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";

const shop = "shop.example.com";
const unused = "profiles:\n  spare: { mode: observe }\n";

describe("--quiet", () => {
  it.for([
    { what: "plan", args: ["plan", shop], code: exitCodes.changes },
    { what: "apply", args: ["apply", shop, "--yes"], code: exitCodes.done },
    { what: "adopt", args: ["adopt", shop, "--yes"], code: exitCodes.done },
    { what: "inventory", args: ["inventory", "scripts", shop], code: exitCodes.done },
    { what: "suggest", args: ["suggest", shop], code: exitCodes.done },
    { what: "import", args: ["import", shop], code: exitCodes.done },
  ])("leaves nothing on stderr of $what", async ({ args, code }, { expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/spare.yaml", unused);
    const ran = await example.place.run(...args, "--quiet");
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code, stderr: "" });
    expect(ran.stdout).toContain(shop);
  });

  it("leaves out notes and warnings, which are there without it", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    expect((await place.run("plan", shop)).stderr).toContain("checked 2 of 3 zone files");
    await place.write("zones/spare.yaml", unused);
    expect((await place.run("plan")).stderr).toContain("UNUSED_PROFILE");
    expect((await place.run("plan", "-q")).stderr).toBe("");
  });

  it("still prints errors", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/spare.yaml", `${unused}oops: 1\n`);
    const { code, stderr } = await example.place.run("plan", "--quiet");
    expect(code).toBe(exitCodes.invalid);
    expect(stderr).toContain("UNKNOWN_KEY");
    expect(stderr).not.toContain("UNUSED_PROFILE");
  });

  it("draws no progress on a terminal", ({ expect }) => {
    const pieces: string[] = [];
    const stderr = { isTTY: true, write: (text: string) => pieces.push(text) };
    for (const host of [
      hostIn("/", { stderr }),
      quietHost(hostIn("/", { stderr }), { quiet: true }),
    ]) {
      using progress = startProgress("reading zones", 2, host);
      progress.step();
    }
    expect(pieces).toHaveLength(3);
  });
});
