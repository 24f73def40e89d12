import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { exampleWithEmulator, writesSeenBy, control, type Example } from "../support/example.ts";

const shop = "shop.example.com";
const [pay, miner] = [
  "https://pay.example.net/v3/pay.js",
  "https://stats.example.org/m.js",
] as const;

/** Declares the scripts of the shop's checkout. */
async function declare({ place }: Example, ...lines: readonly string[]): Promise<void> {
  const file = await place.read("zones/shop.yaml");
  const scripts = ["scripts:", `  pages: ["${shop}/checkout/*"]`, ...lines];
  const text = scripts.map((line) => `      ${line}\n`).join("");
  await place.write(
    "zones/shop.yaml",
    file.replace("      policies:\n", `${text}      policies:\n`),
  );
}

const payEntry = [
  "  authorised:",
  "    - url: https://pay.example.net/v3/*",
  "      owner: payments team",
  "      justification: card fields",
  "      approved_by: Alex Doe",
  "      approved_on: 2020-01-01",
  "      review_by: 2099-01-01",
];

describe("scripts", () => {
  it("lists seen, authorised and enforced, with findings, and writes nothing", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    await declare(example, ...payEntry);
    const { code, stdout, stderr } = await example.place.run("scripts", shop);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(stdout).toContain("shop.example.com: 2 scripts on the pages, 2 open findings");
    expect(stdout).toMatch(/pay\.js +\S+ +yes by https:\/\/pay\.example\.net\/v3\/\* +\S/);
    expect(stdout).toMatch(/m\.js +\S+ +no +\S/);
    expect(stdout).toMatch(/^malicious https:\/\/stats\S+: .*\(malicious-[0-9a-f]{12}\)$/m);
    expect(stdout).toMatch(/^unauthorised https:\/\/stats\S+: no entry authorises the script/m);
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it("prints JSON, and takes acknowledgements", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await declare(example, ...payEntry);
    const first = await example.place.run("scripts", shop, "--format", "json");
    const json: unknown = JSON.parse(first.stdout);
    const findings = coerceObjects(coerceObject(json)["findings"]);
    const lines = findings.map(
      ({ id }) => `    - { id: ${coerceText(id)}, until: 2099-01-01, reason: x, by: y }`,
    );
    await using other = await exampleWithEmulator();
    await declare(other, ...payEntry, "  acknowledged:", ...lines);
    const { code, stdout } = await other.place.run("scripts", shop);
    expect(code).toBe(0);
    expect(stdout).toContain("0 open findings");
    expect(stdout).toContain("acknowledged by y until 2099-01-01");
  });

  it("escapes what steers a terminal", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await declare(example, ...payEntry);
    await control(example, "script", {
      zone: shop,
      url: "https://evil.example/\u001b[2J.js",
      pages: [`https://${shop}/checkout/pay`],
    });
    const { stdout } = await example.place.run("scripts", shop);
    expect(stdout).toContain("evil.example");
    expect(stdout).not.toContain("\u001b");
  });

  it.for([
    { args: [], says: "scripts: name a zone" },
    { args: ["blog.example.com"], says: "declares no scripts; declare page_shield.scripts" },
    { args: ["nowhere.example"], says: "0 zones match; name one zone that the files declare" },
    { args: ["*.example.com"], says: "2 zones match" },
    { args: ["adopt", "blog.example.com"], says: "declares no pages; name them: --page" },
  ])("says what is wrong with $args", async ({ args, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stderr } = await example.place.run("scripts", ...args);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
  });

  it("says that a zone never had a script on the pages", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await declare(example);
    await example.place.edit("zones/shop.yaml", "checkout/*", "nowhere/*");
    const { code, stdout } = await example.place.run("scripts", shop);
    expect({ code, stdout: stdout.split("\n")[0] }).toEqual({
      code: 0,
      stdout: "shop.example.com: 0 scripts on the pages, 0 open findings",
    });
  });
});

describe("scripts adopt", () => {
  it("prints entries that are warnings until a person fills them in", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const page = `${shop}/*`;
    const { code, stdout } = await example.place.run("scripts", "adopt", shop, "--page", page);
    expect(code).toBe(0);
    expect(stdout).toContain(`# Left out: ${miner} (malicious: integrity score 4)`);
    expect(stdout).toContain(`- url: ${pay}\n`);
    expect(stdout).not.toContain(`- url: ${miner}`);
    await example.place.write("zones/scripts.yaml", stdout);
    await example.place.edit("zones/shop.yaml", "[baseline]", `[baseline, scripts-${shop}]`);
    const checked = await example.place.run("validate");
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain("SCRIPT_INCOMPLETE");
    const listed = await example.place.run("scripts", shop);
    expect(listed.stdout).toMatch(/pay\.js +\S+ +not approved +\S/);
    const again = await example.place.run("scripts", "adopt", shop);
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("each script in use on the pages has an entry");
  });

  it("writes them into a new file, and into none that exists", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const args = ["scripts", "adopt", shop, "--page", `${shop}/*`];
    const { stdout: printed } = await example.place.run(...args);
    const written = await example.place.run(...args, "--out", "zones/new.yaml");
    expect(written).toMatchObject({ code: 0, stdout: "" });
    expect(await example.place.read("zones/new.yaml")).toBe(printed);
    const before = await example.place.read("zones/shop.yaml");
    const requests = example.emulator.journal().length;
    for (const file of ["zones/new.yaml", "zones/shop.yaml"]) {
      const refused = await example.place.run(...args, "--out", file);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`${file} exists: name a new file`);
    }
    expect(await example.place.read("zones/shop.yaml")).toBe(before);
    expect(
      example.emulator
        .journal()
        .slice(requests)
        .filter(({ path }) => path.includes("scripts")),
    ).toEqual([]);
    const unwritten = await example.place.run(...args, "--out", "nowhere/x.yaml");
    expect(unwritten.code).toBe(1);
    expect(unwritten.stderr).toContain("cannot be written (ENOENT)");
  });
});
