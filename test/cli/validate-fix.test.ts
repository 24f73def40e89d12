import { chmod, readFile, stat } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import type { DeprecatedKey } from "../../src/desired/deprecated-keys.ts";
import { nodeNamedFiles } from "../../src/host/named-files.ts";
import { type Workplace, workplace } from "../support/command-line.ts";

/** As if an older version had other names for these keys. */
const deprecated: readonly DeprecatedKey[] = [
  { file: "zonewarden", path: ["desired", "directory"], replacement: "path" },
  { file: "zones", path: ["zones", "*", "page_shield", "csp"], replacement: "policies" },
  { file: "zones", path: ["profiles", "*", "page_shield", "csp"], replacement: "policies" },
  {
    file: "zones",
    path: ["zones", "*", "page_shield", "csp", "items", "*", "rule"],
    replacement: "expression",
  },
];

const config = "mode: observe\ndesired: {directory: zones} # where they are\n";
const old = `# The shop.
zones:
  - name: shop.example.com
    page_shield:
      "csp":   # quoted
        items:
          - { key: a, action: log, 'rule': http.host eq "csp",  value: { script-src: ["'self'"] } }

`;
const today = old.replace('"csp":', '"policies":').replace("'rule'", "'expression'");

async function oldPlace(files: Readonly<Record<string, string>>): Promise<Workplace> {
  const place = await workplace({}, { deprecated });
  await place.write("zonewarden.yaml", config);
  for (const [file, text] of Object.entries(files)) await place.write(file, text);
  return place;
}

function save(): Promise<never> {
  return Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }));
}

describe("a deprecated key", () => {
  it("is read as its replacement, with a warning at its place", async ({ expect }) => {
    await using place = await oldPlace({ "zones/shop.yaml": old });
    const { code, stdout } = await place.run("validate");
    expect(code).toBe(0);
    expect(stdout).toMatch(/zonewarden\.yaml:2:11.*DEPRECATED_KEY/s);
    expect(stdout).toContain('"csp" is deprecated: it is now "policies"');
    expect(stdout).toMatch(/shop\.yaml:5:7/);
    expect(stdout).toMatch(/shop\.yaml:7:36/);
    expect((await place.run("validate", "--show", "shop.example.com")).stdout).toMatch(
      /page_shield\.policies\.items\[a\]\.expression +http\.host eq "csp" .*shop\.yaml:7/,
    );
    expect((await place.run("validate", "--strict")).code).toBe(3);
    expect(await place.read("zones/shop.yaml")).toBe(old);
  });

  it("keeps the places of mistakes beside it", async ({ expect }) => {
    const wrong = old.replace("action: log", "action: lgo");
    await using place = await oldPlace({ "zones/shop.yaml": wrong });
    const { code, stdout } = await place.run("validate", "--severity", "error");
    expect(code).toBe(3);
    expect(stdout).toMatch(/shop\.yaml:7:31.*WRONG_VALUE/s);
  });
});

describe("validate --fix", () => {
  it("replaces the keys in all files and nothing else, once", async ({ expect }) => {
    const profile = "profiles:\r\n  base: { page_shield: { csp: { items: [] } } }   # csp\r\n";
    await using place = await oldPlace({
      "zones/shop.yaml": old,
      "zones/base.yaml": `\ufeff${profile}`,
      "zones/other.yaml": "zones: [] # csp\n",
    });
    const file = path.join(place.directory, "zones/shop.yaml");
    await chmod(file, 0o640);
    const { code, stdout, stderr } = await place.run("validate", "--fix");
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).not.toContain("DEPRECATED_KEY");
    expect(stderr).toContain("zones/shop.yaml: replaced 2 deprecated keys\n");
    expect(stderr).toContain("zonewarden.yaml: replaced 1 deprecated key\n");
    expect(await place.read("zones/shop.yaml")).toBe(today);
    expect(await place.read("zonewarden.yaml")).toBe(config.replace("directory", "path"));
    const base = await readFile(path.join(place.directory, "zones/base.yaml"), "utf8");
    expect(base).toBe(`\ufeff${profile.replace("csp:", "policies:")}`);
    expect((await stat(file)).mode & 0o777).toBe(0o640);

    const before = await stat(file);
    const again = await place.run("validate", "--fix");
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect((await stat(file)).ino).toBe(before.ino);
  });

  it("leaves a key whose replacement is there too, and says so", async ({ expect }) => {
    const both = old.replace("    page_shield:", "    page_shield:\n      policies: { items: [] }");
    await using place = await oldPlace({ "zones/shop.yaml": both });
    const { code, stderr } = await place.run("validate", "--fix");
    expect(code).toBe(3);
    expect(stderr).toContain(
      'zones/shop.yaml:6:7: not replaced: delete "csp": "policies" is there too',
    );
    // The key inside of it is replaced all the same.
    expect(await place.read("zones/shop.yaml")).toBe(both.replace("'rule'", "'expression'"));
  });

  it("leaves a key that is written with escapes", async ({ expect }) => {
    const escaped = old.replace('"csp"', '"\\x63sp"');
    await using place = await oldPlace({ "zones/shop.yaml": escaped });
    const { code, stderr, stdout } = await place.run("validate", "--fix");
    expect(code).toBe(0);
    expect(stderr).toContain('zones/shop.yaml:5:7: not replaced: write "policies"');
    expect(stdout).toContain("DEPRECATED_KEY");
    expect(await place.read("zones/shop.yaml")).toContain('"\\x63sp"');
  });

  it("replaces a key once that aliases repeat", async ({ expect }) => {
    const aliased = `zones:
  - { name: a.example.com, page_shield: &p { csp: { items: [] } } }
  - { name: b.example.com, page_shield: *p }
`;
    await using place = await oldPlace({ "zones/a.yaml": aliased });
    expect((await place.run("validate", "--fix")).code).toBe(0);
    expect(await place.read("zones/a.yaml")).toBe(aliased.replace("csp", "policies"));
  });

  it("adds no byte order mark", async ({ expect }) => {
    // Its first character begins with the same byte.
    const wide = `！: 1\n${old}`;
    await using place = await oldPlace({ "zones/shop.yaml": wide });
    expect((await place.run("validate", "--fix")).code).toBe(3);
    const bytes = await readFile(path.join(place.directory, "zones/shop.yaml"));
    expect(bytes.toString()).toBe(wide.replace(old, today));
  });

  it("leaves two keys that would get one name, in one map", async ({ expect }) => {
    const more = [
      ...deprecated,
      { file: "zones", path: ["zones", "*", "page_shield", "rules"], replacement: "policies" },
    ] as const;
    const both = old.replace('      "csp":', '      rules: { items: [] }\n      "csp":');
    await using place = await workplace({}, { deprecated: more });
    await place.write("zonewarden.yaml", "mode: observe\n");
    await place.write("zones/shop.yaml", both);
    const { code, stdout, stderr } = await place.run("validate", "--fix");
    expect(code, stdout + stderr).toBe(3);
    const text = await place.read("zones/shop.yaml");
    expect(text.match(/policies"?:/g)?.length ?? 0).toBeLessThan(2);
    expect(stdout + stderr).not.toContain("DUPLICATE_KEY");
  });

  it("changes nothing in a file with a syntax error", async ({ expect }) => {
    const broken = `${old}  - name: [\n`;
    await using place = await oldPlace({ "zones/shop.yaml": broken });
    expect((await place.run("validate", "--fix")).code).toBe(3);
    expect(await place.read("zones/shop.yaml")).toBe(broken);
  });

  it("says which file it cannot write", async ({ expect }) => {
    await using place = await workplace(
      {},
      { deprecated, namedFiles: { ...nodeNamedFiles, save } },
    );
    await place.write("zones/shop.yaml", old);
    await place.write("zonewarden.yaml", "mode: observe\n");
    const { code, stderr } = await place.run("validate", "--fix");
    expect(code).toBe(1);
    expect(stderr).toContain("zones/shop.yaml: cannot be fixed: permission denied");
  });
});
