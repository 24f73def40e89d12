import { describe, it } from "vitest";

import { desiredBench } from "../support/desired.ts";
import { named } from "../support/reports.ts";

/** What a person writes in `limits.accept` for these files. */
async function hashOf(files: Readonly<Record<string, string>>): Promise<string> {
  const { declaredHash, diagnostics } = await desiredBench(files).load();
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return declaredHash;
}

const policy = (key: string, value = "'self'"): string =>
  `{ key: ${key}, action: log, expression: "true", value: "script-src ${value}" }`;
const skip = (key: string): string =>
  `{ key: ${key}, expression: 'http.request.uri.path eq "/${key}"', skip: { ruleset: current } }`;
const rules = (...keys: readonly string[]): string =>
  `managed_rules: { rules: [${[...keys.map(skip), "{ key: cf, deploy: cloudflare }"].join(", ")}] }`;
const zone = (name: string, ...parts: readonly string[]): string =>
  `  - name: ${name}.example\n${parts.map((part) => `    ${part}\n`).join("")}`;
const shield = (...policies: readonly string[]): string =>
  `page_shield: { settings: { enabled: true }, policies: { items: [${policies.join(", ")}] } }`;

/** Of a selector with one policy. */
function hashWith(source: string, vars = ""): Promise<string> {
  return hashOf({
    "zones.yaml": `zones:\n  - match: { name: "*.example" }\n${vars}    ${shield(policy("x", source))}\n`,
  });
}

const one = zone("a", shield(policy("x"), policy("y")), rules("p", "q"));
const two = zone("b", "mode: observe", shield());
const plain = { "zones.yaml": `zones:\n${one}${two}` };

describe("the hash that releases a revision", () => {
  it("is sha256- and 64 digits", async ({ expect }) => {
    expect(await hashOf(plain)).toMatch(/^sha256-[0-9a-f]{64}$/);
  });

  it.for<{ what: string; files: Readonly<Record<string, string>> }>([
    { what: "comments", files: { "zones.yaml": `# why\nzones:\n${one}# two\n${two}` } },
    { what: "another name of the file", files: { "shops/all.yml": `zones:\n${one}${two}` } },
    { what: "another order of the zones", files: { "zones.yaml": `zones:\n${two}${one}` } },
    {
      what: "several files",
      files: { "2.yaml": `zones:\n${one}`, "1.yaml": `zones:\n${two}` },
    },
    {
      what: "another order of keys",
      files: {
        "zones.yaml": `zones:\n${zone("a", rules("p", "q"), shield(policy("x"), policy("y")))}${two}`,
      },
    },
    {
      what: "another order of policies, which the service does not know",
      files: {
        "zones.yaml": `zones:\n${zone("a", shield(policy("y"), policy("x")), rules("p", "q"))}${two}`,
      },
    },
    {
      what: "values from a profile",
      files: {
        "profiles.yaml": `profiles:\n  some: { mode: observe, ${rules("p", "q")} }\n`,
        "zones.yaml": `zones:\n${zone("a", "profiles: [some]", "mode: enforce", shield(policy("x"), policy("y")))}${two}`,
      },
    },
    {
      what: "a placeholder that is filled with the same value",
      files: {
        "zones.yaml": `zones:\n${zone("a", "vars: { v: \"'self'\" }", shield(policy("x", "${vars.v}"), policy("y")), rules("p", "q"))}${two}`,
      },
    },
  ])("does not change with $what", async ({ files }, { expect }) => {
    expect(await hashOf(files)).toBe(await hashOf(plain));
  });

  it.for([
    { what: "one more zone", text: `${one}${two}${zone("c", shield())}` },
    { what: "one zone less", text: one },
    { what: "the name of a zone", text: `${one}${two.replace("b.example", "c.example")}` },
    { what: "a mode", text: `${one}${two.replace("observe", "enforce")}` },
    { what: "a suspension", text: `${one}${two}    suspend: { reason: r, until: 2030-01-01 }\n` },
    { what: "a setting", text: `${one}${two.replace("enabled: true", "enabled: false")}` },
    { what: "a policy", text: `${one.replace(policy("x"), policy("x", "'none'"))}${two}` },
    { what: "a rule", text: `${one.replace(skip("p"), skip("z"))}${two}` },
    {
      what: "the order of rules",
      text: `${zone("a", shield(policy("x"), policy("y")), rules("q", "p"))}${two}`,
    },
    {
      what: "scripts",
      text: `${one}${two.replace("page_shield: {", 'page_shield: { scripts: { pages: ["b.example/pay"] },')}`,
    },
  ])("changes with $what", async ({ text }, { expect }) => {
    expect(await hashOf({ "zones.yaml": `zones:\n${text}` })).not.toBe(await hashOf(plain));
  });

  it("tells what the listing fills in from the sample that stands for it", async ({ expect }) => {
    const hashes = await Promise.all([
      hashWith("zone.example"),
      hashWith("${zone.name}"),
      hashWith("a.${zone.name}"),
      hashWith("${vars.v}", "    vars: { v: '${zone.name}' }\n"),
      hashWith("${vars.v}", "    vars: { v: 'a.${zone.name}' }\n"),
    ]);
    expect(new Set(hashes).size).toBe(5);
  });

  it("covers the layers as they are written, and not their order", async ({ expect }) => {
    const entries = [
      `  - match: { name: "*.example" }\n    ${shield(policy("x"))}\n`,
      `  - match: { plan: free }\n    priority: 1\n    mode: observe\n`,
      `  - name: a.example\n    layers: true\n    labels: { team: pay }\n`,
    ];
    const text = entries.join("");
    const hash = await hashOf({ "zones.yaml": `zones:\n${text}` });
    expect(
      await hashOf({
        "1.yaml": `zones:\n${entries[2] ?? ""}${entries[1] ?? ""}`,
        "2.yaml": `zones:\n${entries[0] ?? ""}`,
      }),
    ).toBe(hash);
    const others = [
      text.replace("priority: 1", "priority: 2"),
      text.replace("layers: true\n    ", ""),
      text.replace("team: pay", "team: shop"),
      text.replace("plan: free", "plan: [free, pro]"),
      text.replace("    mode: observe", "    mode: enforce"),
      text.replace("'self'", "'none'"),
    ];
    const hashes = await Promise.all(
      others.map((each) => hashOf({ "zones.yaml": `zones:\n${each}` })),
    );
    expect(new Set([hash, ...hashes]).size).toBe(others.length + 1);
  });

  it("is not known of some of the files", async ({ expect }) => {
    const asked = [named("b.example")];
    const files = { "1.yaml": `zones:\n${one}`, "2.yaml": `zones:\n${two}` };
    const { load } = desiredBench(files, { zones: asked });
    expect(await load()).toMatchObject({ skipped: 1, declaredHash: "" });
  });

  it("covers the last good version of a broken file", async ({ expect }) => {
    const { disk, load } = desiredBench({ "1.yaml": `zones:\n${one}`, "2.yaml": `zones:\n${two}` });
    await load();
    disk.write("/zones/1.yaml", `zones:\n${zone("a", "oops: 1")}`);
    disk.write("/zones/2.yaml", `zones:\n${two.replace("observe", "enforce")}`);
    const broken = await load();
    expect(broken.stale).toEqual(["1.yaml"]);
    expect(broken.declaredHash).toBe(
      await hashOf({ "zones.yaml": `zones:\n${one}${two.replace("observe", "enforce")}` }),
    );
  });
});
