import { describe, it } from "vitest";

import { templateValueOf } from "../../src/desired/template/template.ts";
import { selectZones } from "../../src/desired/zones/select.ts";
import { showZone } from "../../src/desired/zones/show-zone.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { zoneNamed } from "../support/model.ts";

const profile = `profiles:
  shop:
    vars:
      cdn: cdn.example.com
      level: { type: integer, default: 3 }
      shop_id: { type: integer, required: true }
      office: 9.9.9.0/24
    page_shield:
      policies:
        items:
          - key: checkout
            description: Shop \${vars.shop_id} of \${zone.name}, $\${literal}
            action: log
            expression: http.host eq "\${zone.name}" and cf.threat_score lt \${vars.level} and not ip.src in {\${vars.office}}
            value: { script-src: ["'self'", "\${vars.cdn}", "https://\${zone.name}/x.js"] }
`;

function zones(...entries: readonly string[]): string {
  return `${profile}zones:\n${entries.map((entry) => `  - { ${entry} }\n`).join("")}`;
}

function policy(fields: string): string {
  return `page_shield: { policies: { items: [{ key: a, action: log, value: "img-src 'self'", ${fields} }] } }`;
}

describe("the value of a variable", () => {
  it.for([
    [7, 7],
    ["a.example", "a.example"],
    [false, false],
    [
      ["a.example", 443],
      ["a.example", 443],
    ],
    [{ host: "a.example" }, undefined],
    [[{ host: "a.example" }, 443], undefined],
    [undefined, undefined],
  ])("of %j is %j", ([json, value], { expect }) => {
    expect(templateValueOf(json)).toEqual(value);
  });
});

describe("placeholders", () => {
  it("are filled for each zone, with the values of the profile and its own", async ({ expect }) => {
    const state = await loadText(
      zones(
        "name: a.example, profiles: [shop], vars: { shop_id: 7 }",
        "name: B.example, profiles: [shop], vars: { shop_id: 8, cdn: b.example.net, level: 5 }",
      ),
    );
    expect(linesOf(state)).toEqual([]);
    expect(state.documents.map(({ content }) => content.policies?.items[0])).toMatchObject([
      {
        description: "Shop 7 of a.example, ${literal}",
        expression:
          'http.host eq "a.example" and cf.threat_score lt 3 and not ip.src in {9.9.9.0/24}',
        value: "script-src 'self' cdn.example.com https://a.example/x.js",
      },
      {
        description: "Shop 8 of b.example, ${literal}",
        expression:
          'http.host eq "b.example" and cf.threat_score lt 5 and not ip.src in {9.9.9.0/24}',
        value: "script-src 'self' b.example.net https://b.example/x.js",
      },
    ]);
    const shown = showZone(state.documents, "a.example")?.values ?? [];
    const line = (at: string) => shown.find((each) => each.path === at);
    expect(line("vars.cdn")).toMatchObject({ value: "cdn.example.com", profile: "shop" });
    expect(line("vars.shop_id")).toMatchObject({ value: 7, profile: undefined });
    expect(line("page_shield.policies.items[checkout].description")).toMatchObject({
      value: "Shop 7 of a.example, ${literal}",
      place: { line: 12 },
    });
  });

  it.for([
    { vars: "{}", says: '17:5: error: the variable "shop_id" has no value' },
    {
      vars: "{ shop_id: seven }",
      says: 'the variable "shop_id" is "seven", and not of the type integer',
    },
    {
      vars: "{ shop_id: 1, cdn: null }",
      says: 'the variable "cdn" has no value; set it with `vars: { cdn: … }`',
    },
    {
      vars: "{ shop_id: 1, cdn: 'x.example; img-src *' }",
      says: 'the value "x.example; img-src *" of ${vars.cdn} cannot stand in a source; a source has no space, comma or semicolon',
    },
  ])("report values that are missing or do not fit: $vars", async ({ vars, says }, { expect }) => {
    const state = await loadText(zones(`name: a.example, profiles: [shop], vars: ${vars}`));
    expect(linesOf(state).join("\n")).toContain(says);
    expect(state.documents).toEqual([]);
  });

  it.for([
    {
      text: 'http.host eq "${zone.nam}"',
      says: "there is no placeholder ${zone.nam}; write one of ${zone.name}, ${zone.id}, ${zone.account}, ${vars.NAME}; for a literal write $${",
    },
    { text: 'http.host eq "${my_vars.cdn}"', says: "there is no placeholder ${my_vars.cdn}" },
    { text: 'http.host eq "${vars.cdn-host}"', says: "there is no placeholder ${vars.cdn-host}" },
    { text: 'http.host eq "${zone.name', says: "a placeholder is not closed" },
    {
      text: 'http.host eq "${vars.nothing}"',
      says: 'a.yaml:3:88: error: the variable "nothing" has no value',
    },
    { text: "http.host eq ${zone.name} and", says: "EXPR_UNEXPECTED" },
  ])("are checked when they are filled: $text", async ({ text, says }, { expect }) => {
    const state = await loadText(
      `zones:\n  - name: a.example\n    ${policy(`expression: '${text}'`)}\n`,
    );
    expect(linesOf(state)).toHaveLength(1);
    expect(linesOf(state)[0]).toContain(says);
  });

  it.for([
    { entry: 'match: { name: "*.example" }', zone: "a sample zone" },
    { entry: `id: ${"0a".repeat(16)}`, zone: "0a".repeat(16) },
  ])(
    "have samples for what only the listing tells of $zone",
    async ({ entry, zone }, { expect }) => {
      const sources = "img-src 'self' https://${zone.id} https://a.example/${zone.account}";
      const fields = policy(`expression: 'http.hots eq "\${zone.name}"'`);
      const text = `zones:\n  - ${entry}\n    ${fields.replace("img-src 'self'", sources)}\n`;
      expect(linesOf(await loadText(text))).toEqual([
        expect.stringContaining(
          `with the values of ${zone} the text is: http.hots eq "zone.example"`,
        ),
      ]);
    },
  );

  it("are filled for each listed zone where only the listing tells", async ({ expect }) => {
    const fields = `expression: 'http.host eq "\${zone.name}"', description: "\${zone.id} \${zone.account}"`;
    const state = await loadText(
      `zones:\n  - match: { name: "*.example" }\n    ${policy(fields)}\n`,
    );
    expect(linesOf(state)).toEqual([]);
    const listed = [zoneNamed("a.example"), zoneNamed("b.example")];
    const select = () => selectZones(state.documents, { zones: listed, unlisted: [] });
    const { zones: found, diagnostics } = select();
    expect(diagnostics).toEqual([]);
    expect(found).toHaveLength(2);
    for (const { zone, content } of found) {
      expect(content.policies?.items[0]).toMatchObject({
        expression: `http.host eq "${zone.name}"`,
        description: `${zone.id} ${zone.accountId}`,
      });
    }
    // The same object again, so that nothing seems to have changed.
    expect(select().zones[0]?.content).toBe(found[0]?.content);
  });

  it("cost nothing in zones without them: these share their declarations", async ({ expect }) => {
    const shared = `profiles:\n  p: { ${policy('expression: "true"')} }\n`;
    const state = await loadText(
      `${shared}zones:\n  - { name: a.example, profiles: [p] }\n  - { name: b.example, profiles: [p] }\n  - { name: c.example, ${policy('expression: http.host eq "${zone.name}"')} }\n`.replaceAll(
        `expression: http.host eq "\${zone.name}"`,
        `expression: 'http.host eq "\${zone.name}"'`,
      ),
    );
    expect(linesOf(state)).toEqual([]);
    const [a, b] = state.documents;
    expect(a?.content.policies).toBeDefined();
    expect(a?.content.policies).toBe(b?.content.policies);
  });
});
