import { describe, it } from "vitest";
import { parse } from "yaml";

import { withSafeTerminal } from "../../src/cli/program.ts";
import { zoneFileText } from "../../src/desired/import/zone-text.ts";
import { terminalSafe } from "../../src/render/terminal-safe.ts";
import { hostIn, workplace } from "../support/command-line.ts";

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

  it("is escaped in a question", async ({ expect, signal }) => {
    const questions: string[] = [];
    const { confirm } = withSafeTerminal(
      hostIn("/", {
        confirm: (question) => {
          questions.push(question);
          return Promise.resolve(true);
        },
      }),
    );
    expect(await confirm(`Delete ${hostile}?`, signal)).toBe(true);
    expect(questions).toEqual(["Delete a\\u001b[2J\\u009b\\u202eb?"]);
  });

  it("is read back from the YAML that a command prints", ({ expect }) => {
    const data = { name: "x\u202Ey", lines: "a\nb\u009B\u007F", plain: "a\nb" };
    expect(parse(terminalSafe(zoneFileText(data, ""), { color: true }))).toEqual(data);
  });
});
