import { describe, it } from "vitest";

import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";

describe("a zone that is not written", () => {
  it.for([
    {
      when: "the program only observes",
      file: "zonewarden.yaml",
      find: "mode: enforce",
      put: "mode: observe",
    },
    {
      when: "the zones' profile says so",
      file: "zones/baseline.yaml",
      find: "baseline:",
      put: "baseline:\n    mode: observe",
    },
  ])(
    "is planned with 2 and held with 4, however it is applied: $when",
    async ({ file, find, put }, { expect }) => {
      await using example = await exampleWithEmulator();
      const { place, emulator } = example;
      await place.run("plan", "--out", "plan.json");
      await place.write(file, (await place.read(file)).replace(find, put));

      expect((await place.run("plan")).code).toBe(2);
      for (const more of [[], ["--plan", "plan.json"]]) {
        const { code, stdout } = await place.run("apply", ...more);
        expect(code, stdout).toBe(4);
        expect(stdout).toContain("held by observe");
        expect(stdout).toContain("2 held");
      }
      expect(writesSeenBy(emulator)).toEqual([]);
    },
  );

  it("is done with 0 where it is in sync", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    await place.run("apply");
    await place.edit("zonewarden.yaml", "mode: enforce", "mode: observe");
    expect((await place.run("apply")).code).toBe(0);
  });
});
