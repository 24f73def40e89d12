import { describe, it } from "vitest";

import { type Workplace, workplace } from "../support/command-line.ts";

const policy = (name: string, value: string): string => `  - name: ${name}
    page_shield:
      policies:
        items:
          - { key: a, action: log, expression: "true", value: "${value}" }
`;

const files = {
  "zones/old/legacy.yaml": `zones:\n${policy("legacy.example", "img-src 'self' http://a.example")}${policy("older.example", "img-src 'self' http://a.example")}`,
  "zones/shop.yaml": `zones:\n${policy("shop.example", "img-src 'self' http://a.example")}`,
  "zones/base.yaml": "profiles:\n  unused: {}\n",
};

const broken = "zones:\n  - name: broken.example\n    oops: 1\n";

async function placeWith(config: string, more: Record<string, string> = {}): Promise<Workplace> {
  const place = await workplace();
  await place.write("zonewarden.yaml", `mode: observe\n${config}`);
  for (const [file, text] of Object.entries({ ...files, ...more })) await place.write(file, text);
  return place;
}

/** Codes with severity and file, in the order of the output. */
function found(stdout: string): readonly string[] {
  return [...stdout.matchAll(/^zones\/(\S+?):\d+:\d+: (\w+): .* \[(\w+)\]$/gm)].map(
    ([, file, severity, code]) => `${file} ${severity} ${code}`,
  );
}

describe("lint in the configuration", () => {
  it.for([
    {
      what: "nothing",
      lint: "",
      code: 0,
      yields: [
        "base.yaml warning UNUSED_PROFILE",
        "old/legacy.yaml warning CSP_INSECURE_SOURCE",
        "old/legacy.yaml warning CSP_INSECURE_SOURCE",
        "shop.yaml warning CSP_INSECURE_SOURCE",
      ],
    },
    {
      what: "codes that are off",
      lint: "lint: { UNUSED_PROFILE: off, CSP_INSECURE_SOURCE: off }",
      code: 0,
      yields: [],
    },
    {
      what: "a code that is an error except in some files",
      lint: 'lint: { UNUSED_PROFILE: off, CSP_INSECURE_SOURCE: { "*": error, "old/*": warning } }',
      code: 3,
      yields: [
        "shop.yaml error CSP_INSECURE_SOURCE",
        "old/legacy.yaml warning CSP_INSECURE_SOURCE",
        "old/legacy.yaml warning CSP_INSECURE_SOURCE",
      ],
    },
  ])("changes what warnings count as: $what", async ({ lint, code, yields }, { expect }) => {
    await using place = await placeWith(lint);
    for (const target of [[], ["zones"]]) {
      const ran = await place.run("validate", ...target);
      expect(found(ran.stdout)).toEqual(yields);
      expect(ran.code).toBe(code);
    }
  });

  it.for([
    {
      lint: "{ ALLOW_OVERLAPS: off }",
      says: 'there is no code ALLOW_OVERLAPS [WRONG_VALUE]\n  2 | lint: { ALLOW_OVERLAPS: off }\n    |         ^\n  → did you mean "ALLOW_OVERLAP"?',
    },
    {
      lint: "{ UNKNOWN_KEY: warning }",
      says: "UNKNOWN_KEY is an error, whose level cannot be changed",
    },
    { lint: "{ ALLOW_OVERLAP: of }", says: "expected one of off, warning, error" },
    { lint: "{ ALLOW_OVERLAP: { a: 1 } }", says: "1 is none of off, warning, error" },
  ])("must name warnings: $lint", async ({ lint, says }, { expect }) => {
    await using place = await placeWith(`lint: ${lint}\n`);
    const { code, stdout } = await place.run("validate");
    expect(stdout).toContain(says);
    expect(code).toBe(3);
  });
});

describe("validate", () => {
  it.for([
    { flags: ["--severity", "error"], code: 3, yields: ["broken.yaml error UNKNOWN_KEY"] },
    {
      flags: ["--severity", "warning", "--code", "UNKNOWN_KEY", "CSP_INSECURE_SOURCE"],
      code: 3,
      yields: [
        "old/legacy.yaml warning CSP_INSECURE_SOURCE",
        "old/legacy.yaml warning CSP_INSECURE_SOURCE",
        "shop.yaml warning CSP_INSECURE_SOURCE",
      ],
    },
    {
      flags: ["--code", "UNKNOWN_KEY", "CSP_COMMA"],
      code: 3,
      yields: ["broken.yaml error UNKNOWN_KEY"],
    },
  ])("prints what is asked for: $flags", async ({ flags, code, yields }, { expect }) => {
    await using place = await placeWith("", { "zones/broken.yaml": broken });
    const ran = await place.run("validate", ...flags);
    expect(found(ran.stdout)).toEqual(yields);
    expect(ran.stderr).toMatch(/^not printed: /);
    expect(ran.code).toBe(code);
  });

  it("prints errors first, in every format", async ({ expect }) => {
    await using place = await placeWith("", { "zones/z.yaml": broken });
    const text = await place.run("validate");
    expect(found(text.stdout)[0]).toBe("z.yaml error UNKNOWN_KEY");
    for (const format of ["json", "sarif", "annotations"]) {
      const { stdout } = await place.run("validate", "--format", format);
      const [error, warning] = [stdout.indexOf("oops"), stdout.indexOf("write https:")];
      expect(error).toBeGreaterThan(-1);
      expect(error).toBeLessThan(warning);
    }
  });

  it("fails with --strict where a warning is printed", async ({ expect }) => {
    await using place = await placeWith("");
    expect((await place.run("validate")).code).toBe(0);
    expect((await place.run("validate", "--strict")).code).toBe(3);
    expect((await place.run("validate", "--strict", "--code", "CSP_COMMA")).code).toBe(0);
  });

  it("names the nearest code", async ({ expect }) => {
    await using place = await placeWith("");
    const { code, stderr } = await place.run("validate", "--code", "ALLOW_OVERLAPS");
    expect(stderr).toBe(
      'validate: there is no code ALLOW_OVERLAPS; did you mean "ALLOW_OVERLAP"?\n',
    );
    expect(code).toBe(1);
  });
});

describe("what plans prints warnings as counts", () => {
  it("after the errors in full", async ({ expect }) => {
    await using place = await placeWith("", { "zones/z.yaml": broken });
    const { code, stderr } = await place.run("plan");
    expect(stderr).toContain('zones/z.yaml:3:5: error: unknown key "oops"');
    expect(stderr.split("\n").slice(-2)).toEqual([
      "3 × CSP_INSECURE_SOURCE in 2 files: zonewarden validate --code CSP_INSECURE_SOURCE",
      "",
    ]);
    expect(code).toBe(3);
  });
});
