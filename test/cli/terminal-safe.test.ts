import { describe, it } from "vitest";
import { parse } from "yaml";

import { zoneFileText } from "../../src/desired/import/zone-text.ts";
import { terminalSafe } from "../../src/render/terminal-safe.ts";
import { workplace } from "../support/command-line.ts";

const hostile = "a\u001B[2J\u009B\u202Eb";

describe("a name with characters that steer a terminal", () => {
  it.for(["text", "json", "sarif", "annotations"])(
    "is escaped as %s",
    async (format, { expect }) => {
      await using place = await workplace();
      await place.write("zonewarden.yaml", "mode: observe\n");
      await place.write(`zones/${hostile}.yaml`, `zones: [{ name: a.example, "${hostile}": 1 }]\n`);
      const { code, stdout, stderr } = await place.run("validate", "--format", format);
      expect(code).toBe(3);
      for (const character of ["\u001B", "\u009B", "\u202E"]) {
        expect(stdout + stderr).not.toContain(character);
      }
    },
  );

  it("is read back from the YAML that a command prints", ({ expect }) => {
    const data = { name: "x\u202Ey", lines: "a\nb\u009B\u007F", plain: "a\nb" };
    expect(parse(terminalSafe(zoneFileText(data, "")))).toEqual(data);
  });
});
