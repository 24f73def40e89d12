import { describe, it } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
import { type Example, exampleWithEmulator } from "../support/example.ts";

const shop = "shop.example.com";
const other = "zones:\n  - name: other.example.com\n";
const note =
  /^checked (\d+) of (\d+) zone files: the others do not concern (.+); zonewarden validate checks all$/m;

/** An example beside whose files stands one of another zone with a mistake. */
async function withMistakeElsewhere(text = `${other}    oops: 1\n`): Promise<Example> {
  const example = await exampleWithEmulator();
  await example.place.write("zones/other.yaml", text);
  return example;
}

describe("a plan of a zone that is named", () => {
  it("is not stopped by a mistake in a file that cannot concern the zone", async ({ expect }) => {
    await using example = await withMistakeElsewhere();
    const { place } = example;
    const planned = await place.run("plan", shop);
    expect(planned.code).toBe(exitCodes.changes);
    expect(planned.stderr).toMatch(note);
    expect(note.exec(planned.stderr)?.slice(1)).toEqual(["2", "4", shop]);
    await place.remove("zones/other.yaml");
    expect((await place.run("plan", shop)).stdout).toBe(planned.stdout);
  });

  it.for([
    { what: "a plan of all zones", args: ["plan"] },
    { what: "a plan of a pattern", args: ["plan", "shop.*"] },
    { what: "a plan of what changed", args: ["plan", shop, "--paths", "zones/*"] },
    {
      what: "a plan of more zones than the fleet guard lets pass",
      args: ["plan", shop, shop, shop, shop],
    },
    { what: "a plan of an unknown zone", args: ["plan", "shops.example.com"] },
    { what: "apply", args: ["apply", shop, "--yes"] },
    { what: "adopt", args: ["adopt", shop, "--yes"] },
  ])("stops $what", async ({ args }, { expect }) => {
    await using example = await withMistakeElsewhere();
    const { code, stderr } = await example.place.run(...args);
    expect(stderr).toContain("UNKNOWN_KEY");
    expect(stderr).not.toMatch(note);
    expect(code).toBe(exitCodes.invalid);
  });

  it.for([
    { what: "that names the zone", text: `${other}    oops: 1\n# ${shop}\n` },
    { what: "with a selector", text: `zones:\n  - { match: { name: x }, oops: 1 }\n` },
    { what: "with a profile", text: `profiles:\n  new: { oops: 1 }\n` },
    { what: "that is no text", text: "\u0000" },
  ])("is stopped by a mistake in a file $what", async ({ text }, { expect }) => {
    await using example = await withMistakeElsewhere(text);
    const { code, stderr } = await example.place.run("plan", shop);
    expect(code).toBe(exitCodes.invalid);
    expect(stderr).not.toMatch(note);
  });

  it("needs all files where only a selector declares the zone", async ({ expect }) => {
    await using example = await withMistakeElsewhere(other);
    const { place } = example;
    await place.write(
      "zones/shop.yaml",
      'zones:\n  - match: { name: "shop.*" }\n    mode: observe\n',
    );
    const { code, stderr } = await place.run("plan", shop);
    expect(code).not.toBe(exitCodes.invalid);
    expect(stderr).not.toMatch(note);
  });

  it("has the revision of all files", async ({ expect }) => {
    await using example = await withMistakeElsewhere(other);
    const { place } = example;
    const revisionOf = async (...args: readonly string[]): Promise<unknown> =>
      /"revision": "(sha256-\w+)"/.exec(
        (await place.run("plan", "--format", "json", ...args)).stdout,
      )?.[1];
    const revision = await revisionOf(shop);
    expect(revision).toBeDefined();
    expect(await revisionOf()).toBe(revision);
  });
});
