import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { plainText, sectionOf } from "../../src/cli/help/section.ts";
import { environmentVariables, topics } from "../../src/cli/help/topics.ts";
import { wholeProgram, workplace } from "../support/command-line.ts";

const root = path.resolve(import.meta.dirname, "../..");

describe("zonewarden help", () => {
  it.for(Object.entries(topics))(
    "%s prints a section of the documents",
    async ([name, { heading }], { expect }) => {
      await using place = await workplace();
      const { code, stdout, stderr } = await place.run("help", name);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.startsWith(`${heading.toUpperCase()}\n\n`)).toBe(true);
      expect(stdout).not.toMatch(/^\||^#|<!--|\]\(|\*\*/m);
    },
  );

  it("lists commands and topics, of which none has the name of a command", async ({ expect }) => {
    await using place = await workplace();
    const { code, stdout } = await place.run("help");
    expect(code).toBe(0);
    const [, listed = ""] = /Topics, .*:\n {2}(.*)\n/.exec(stdout) ?? [];
    expect(listed.split(", ")).toEqual(Object.keys(topics));
    const { commands } = await wholeProgram();
    expect(commands.filter((each) => each.name() in topics)).toEqual([]);
  });

  it.for([
    { words: ["plan"], shows: "Usage: zonewarden plan [options] [zones...]" },
    { words: ["rulesets", "list"], shows: "Usage: zonewarden rulesets list [options] <zone>" },
    { words: ["exit", "codes"], shows: "EXIT CODES" },
  ])("$words explains it", async ({ words, shows }, { expect }) => {
    await using place = await workplace();
    const { code, stdout } = await place.run("help", ...words);
    expect(code).toBe(0);
    expect(stdout.startsWith(shows)).toBe(true);
  });

  it("of something unknown says what is near", async ({ expect }) => {
    await using place = await workplace();
    expect(await place.run("help", "exit-code")).toEqual({
      code: 1,
      stdout: "",
      stderr: 'help: there is no command and no topic exit-code; did you mean "exit-codes"?\n',
    });
  });
});

describe("a section of a document", () => {
  const document = `# A

## B

One | two, \`a|b\`, [a link](x.md) and **bold**.

| key | meaning | default |
| --- | --- | --- |
| \`a\` | \`x\\|y\` | 1 |
| \`bcd\` | ${"word ".repeat(25).trim()} | 2 |

### C

\`\`\`sh
# D
\`\`\`

## E

text
`;

  it("ends at the next heading of its level, and not in code", ({ expect }) => {
    expect(sectionOf(document, "B")?.split("\n").at(-1)).toBe("```");
    expect(sectionOf(document, "D")).toBeUndefined();
    expect(sectionOf(document, "E")).toBe("## E\n\ntext");
  });

  it("is plain text, with its tables in columns", ({ expect }) => {
    expect(plainText(sectionOf(document, "B") ?? "")).toBe(`B

One | two, a|b, a link and bold.

  KEY  MEANING${" ".repeat(77)}  DEFAULT
  a    x|y${" ".repeat(81)}  1
  bcd  ${"word ".repeat(16)}word  2
       ${"word ".repeat(7)}word

C

    # D
`);
  });
});

describe("the manual page", () => {
  it("has every command, option, exit code and variable, and the same bytes each time", async ({
    expect,
  }) => {
    await using place = await workplace();
    const { code, stdout } = await place.run("help", "--man");
    expect(code).toBe(0);
    expect((await place.run("help", "--man")).stdout).toBe(stdout);
    const read = stdout.replaceAll("\\-", "-");
    const { commands } = await wholeProgram();
    const names = commands.flatMap((command) => command.options.flatMap(({ long }) => long ?? []));
    const missing = [
      ...names,
      ...commands.flatMap((each) => (each.commands.length > 0 ? [] : [`.SS "${each.name()}`])),
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((exit) => `\n.TP\n${exit}\n`),
      ...Object.keys(environmentVariables),
    ].filter((each) => !read.includes(each));
    expect(missing).toEqual([]);
  });

  const man = spawnSync("man", ["--version"]).status === 0;
  // Skipped where man-db is not installed.
  it.skipIf(!man)("is formatted by man without a warning", async ({ expect }) => {
    await using place = await workplace();
    await place.write("zonewarden.1", (await place.run("help", "--man")).stdout);
    const { stdout, stderr } = spawnSync("man", ["--warnings", "-l", "zonewarden.1"], {
      cwd: place.directory,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", MANWIDTH: "80" },
    });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^NAME\n {7}zonewarden - keeps the protection/m);
    expect(stdout).not.toContain("\\f");
  });

  it("is built into the package", ({ expect }) => {
    const manifest: unknown = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    expect(manifest).toMatchObject({
      man: "dist/zonewarden.1",
      scripts: { build: expect.stringContaining("help --man > dist/zonewarden.1") as unknown },
    });
  });
});

describe("the variables of the environment", () => {
  it("are all that the code reads", ({ expect }) => {
    const { stdout } = spawnSync(
      "grep",
      ["-rhoE", 'env\\["[A-Z_]+"\\]|"ZONEWARDEN_[A-Z_]+"|NO_COLOR|FORCE_COLOR', "src"],
      {
        cwd: root,
        encoding: "utf8",
      },
    );
    const read = new Set(stdout.match(/[A-Z_]{4,}/g));
    const told = Object.entries(environmentVariables)
      .map((each) => each.join(" "))
      .join("\n");
    expect([...read].filter((name) => !told.includes(name))).toEqual([]);
    expect(read.size).toBeGreaterThan(5);
  });
});
