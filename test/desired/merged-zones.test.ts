import * as fc from "fast-check";
import { describe, it } from "vitest";

import { showZone } from "../../src/desired/zones/show-zone.ts";
import { ValueMerger } from "../../src/desired/zones/value-merger.ts";
import { codesOf, contentOf, loadText } from "../support/desired.ts";

const profiles = `profiles:
  base:
    mode: observe
    page_shield:
      settings: { enabled: true, use_cloudflare_reporting_endpoint: true }
      policies:
        unmanaged: delete
        items:
          - { key: a, action: log, expression: "true", value: { script-src: ["'self'"], img-src: ["'self'"] } }
          - { key: b, action: log, expression: "true", value: "script-src 'self'" }
    managed_rules:
      rules:
        - { key: cf, deploy: cloudflare, overrides: { categories: [{ category: php, action: log }] } }
        - { key: owasp, deploy: owasp, paranoia_level: 2, score_threshold: high, action: block }
`;
const zone = (own: string): string =>
  `${profiles}zones:\n  - name: a.example\n    profiles: [base]\n    ${own}\n`;

describe("layers", () => {
  /** In the order of merging: an extended profile, the one that extends it, the next profile, and the entry. */
  const layers = ["ground", "base", "shop", "entry"] as const;
  const pairs = layers.flatMap((lower, index) =>
    layers.slice(index + 1).map((higher) => ({ key: `${lower}-${higher}`, lower, higher })),
  );

  /** What a layer declares: a policy for each pair that it is in, with its own name as the description. */
  const partOf = (layer: string): string => {
    const own = pairs.filter(({ lower, higher }) => lower === layer || higher === layer);
    const items = own.map(
      ({ key }) =>
        `{ key: ${key}, action: log, expression: ssl, value: "script-src 'self'", description: ${layer} }`,
    );
    return `page_shield: { policies: { items: [${items.join(", ")}] } }`;
  };

  it.for(["name: a.example", 'match: { name: "*.example" }'])(
    "win over each layer before them, with the entry '%s'",
    async (entry, { expect }) => {
      const text = `profiles:
  base: { extends: [ground], ${partOf("base")} }
  shop: { ${partOf("shop")} }
  ground: { ${partOf("ground")} }
zones:
  - ${entry}
    profiles: [base, shop]
    ${partOf("entry")}
`;
      const { policies } = await contentOf(text);
      const winners = policies?.items.map(({ key, description }) => [key, description]);
      expect(Object.fromEntries(winners ?? [])).toEqual(
        Object.fromEntries(pairs.map(({ key, higher }) => [key, higher])),
      );
    },
  );
});

describe("a zone with profiles", () => {
  it("gets their values", async ({ expect }) => {
    expect(await contentOf(zone(""))).toMatchObject({
      mode: "observe",
      settings: [
        { name: "enabled", value: true },
        { name: "use_cloudflare_reporting_endpoint", value: true },
      ],
      policies: { unmanaged: "delete", items: [{ key: "a" }, { key: "b" }] },
      rules: {
        managed_rules: { items: [{ key: "cf" }, { key: "owasp", tuning: { scoreThreshold: 25 } }] },
      },
    });
  });

  it.for([
    {
      when: "changes one field of one policy",
      own: "page_shield: { policies: { items: [{ key: a, action: allow }] } }",
      yields: {
        policies: {
          items: [
            { key: "a", action: "allow" },
            { key: "b", action: "log" },
          ],
        },
      },
    },
    {
      when: "changes one directive, and removes another",
      own: 'page_shield: { policies: { items: [{ key: a, value: { script-src: ["cdn.example"], img-src: null } }] } }',
      yields: {
        policies: { items: [{ key: "a", value: "script-src cdn.example" }, { key: "b" }] },
      },
    },
    {
      when: "removes a policy",
      own: "page_shield: { policies: { items: [{ key: a, remove: true }] } }",
      yields: { policies: { items: [{ key: "b" }] } },
    },
    {
      when: "removes a setting by its other name",
      own: "page_shield: { settings: { use_cloudflare_reporting_endpoint: null } }",
      yields: { settings: [{ name: "enabled", value: true }] },
    },
    {
      when: "changes a setting by its other name",
      own: "page_shield: { settings: { use_cloudflare_reporting_endpoint: false } }",
      yields: {
        settings: [
          { name: "enabled", value: true },
          { name: "use_cloudflare_reporting_endpoint", value: false },
        ],
      },
    },
    {
      when: "removes the policies",
      own: "page_shield: { policies: null }",
      yields: { policies: undefined },
    },
    {
      when: "removes Page Shield",
      own: "page_shield: null",
      yields: { settings: [], policies: undefined },
    },
    { when: "removes the mode", own: "mode: null", yields: { mode: "enforce" } },
    {
      when: "adds a rule at the end",
      own: "managed_rules: { rules: [{ key: free, deploy: free }] }",
      yields: {
        rules: { managed_rules: { items: [{ key: "cf" }, { key: "owasp" }, { key: "free" }] } },
      },
    },
    {
      when: "adds exceptions before their rules",
      own: "managed_rules: { rules: [{ key: x, before: owasp, expression: ssl, skip: { rulesets: [owasp] } }, { key: y, before: owasp, expression: ssl, skip: { rulesets: [owasp] } }] }",
      yields: {
        rules: {
          managed_rules: { items: [{ key: "cf" }, { key: "x" }, { key: "y" }, { key: "owasp" }] },
        },
      },
    },
    {
      when: "adds rules after another",
      own: "managed_rules: { rules: [{ key: x, after: cf, deploy: free }, { key: y, after: cf, deploy: exposed_credentials }] }",
      yields: {
        rules: {
          managed_rules: { items: [{ key: "cf" }, { key: "x" }, { key: "y" }, { key: "owasp" }] },
        },
      },
    },
    {
      when: "moves a rule of the profile",
      own: "managed_rules: { rules: [{ key: owasp, before: cf }] }",
      yields: {
        rules: {
          managed_rules: { items: [{ key: "owasp", tuning: { paranoiaLevel: 2 } }, { key: "cf" }] },
        },
      },
    },
    {
      when: "changes an override, and adds one after it",
      own: "managed_rules: { rules: [{ key: cf, overrides: { categories: [{ category: sqli, enabled: false }, { category: php, action: block }] } }] }",
      yields: {
        rules: {
          managed_rules: {
            items: [
              {
                overrides: {
                  categories: [{ category: "php", action: "block" }, { category: "sqli" }],
                },
              },
              { key: "owasp" },
            ],
          },
        },
      },
    },
  ])("$when", async ({ own, yields }, { expect }) => {
    expect(await contentOf(zone(own))).toMatchObject(yields);
  });

  it("fills in every default", async ({ expect }) => {
    const text = `zones:
  - name: a.example
    suspend: true
    page_shield: { policies: { items: [{ key: a, action: log, expression: " true ", value: "img-src data: ; script-src B.example 'self'" }] } }
    managed_rules: { rules: [{ key: x, acknowledge: [every-request], skip: { rulesets: [owasp, owasp], rules: { cloudflare: [${"b".repeat(32)}, ${"a".repeat(32)}] } } }, { key: owasp, deploy: owasp }] }
`;
    const content = await contentOf(text);
    expect(content).toMatchObject({
      mode: "enforce",
      suspension: { until: undefined },
      settings: [],
    });
    expect(content.policies).toEqual({
      unmanaged: "report",
      items: [
        {
          key: "a",
          was: undefined,
          description: "",
          action: "log",
          expression: "true",
          enabled: true,
          value: "img-src data:; script-src 'self' b.example",
          acknowledge: [],
        },
      ],
    });
    expect(content.rules.managed_rules?.items[0]).toMatchObject({
      action: "skip",
      logging: true,
      skip: {
        rulesets: ["4814384a9e5d4991b9815dcfc25d2f1f"],
        rules: { efb7b8c949ac4650a09736fc376e9aee: ["a".repeat(32), "b".repeat(32)] },
      },
    });
  });

  it("declares nothing without keys", async ({ expect }) => {
    expect(await contentOf("zones: [{ name: a.example, page_shield: {} }]")).toEqual({
      mode: "enforce",
      suspension: undefined,
      settings: [],
      policies: undefined,
      rules: {},
    });
    const empty = await contentOf("zones: [{ name: a.example, managed_rules: { rules: [] } }]");
    expect(empty.rules).toEqual({ managed_rules: { items: [], unmanaged: "report" } });
  });

  it.for([
    { until: "2026-12-01", at: "2026-12-01T00:00:00.000Z" },
    { until: "2026-12-01T18:00:00Z", at: "2026-12-01T18:00:00.000Z" },
    { until: "2026-12-01T18:00+01:00", at: "2026-12-01T17:00:00.000Z" },
  ])("is suspended until $until", async ({ until, at }, { expect }) => {
    const content = await contentOf(
      `zones: [{ name: a.example, suspend: { reason: x, until: "${until}" } }]`,
    );
    expect(content.suspension?.until?.toISOString()).toBe(at);
  });
});

describe("an error that merging shows", () => {
  it("is reported once, where it is written, for any number of zones", async ({ expect }) => {
    const text = `profiles:
  base:
    managed_rules:
      rules:
        - key: cf
          deploy: cloudflare
  tuned:
    managed_rules:
      rules:
        - key: cf
          paranoia_level: 2
zones:
${[1, 2, 3].map((number) => `  - { name: z${number}.example, profiles: [base, tuned] }\n`).join("")}`;
    expect(codesOf(await loadText(text))).toEqual(["11:11 NOT_OWASP"]);
  });
});

describe("merging", () => {
  const leaf = fc.oneof(fc.boolean(), fc.integer(), fc.string());
  const item = fc.record(
    { key: fc.constantFrom("a", "b", "c"), x: leaf, y: leaf },
    { requiredKeys: ["key"] },
  );
  const items = fc.uniqueArray(item, { selector: ({ key }) => key });
  const value = fc.record(
    { m: fc.dictionary(fc.constantFrom("p", "q"), leaf), items, z: leaf },
    { requiredKeys: [] },
  );

  it("is idempotent and has a neutral element", ({ expect }) => {
    fc.assert(
      fc.property(value, (a) => {
        const merger = new ValueMerger();
        expect(merger.merge({}, a)).toEqual(a);
        expect(merger.merge(a, {})).toEqual(a);
        expect(merger.merge(a, a)).toEqual(a);
      }),
    );
  });

  it("is associative", ({ expect }) => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const merger = new ValueMerger();
        const left = merger.merge(merger.merge(a, b) ?? {}, c);
        expect(left).toEqual(merger.merge(a, merger.merge(b, c) ?? {}));
      }),
    );
  });

  it("never changes its arguments", ({ expect }) => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const before = structuredClone([a, b]);
        new ValueMerger().merge(a, b);
        expect([a, b]).toEqual(before);
      }),
    );
  });
});

describe("showing a zone", () => {
  it("shows each value with the place that sets it", async ({ expect }) => {
    const { documents } = await loadText(
      zone("page_shield: { policies: { items: [{ key: a, action: allow }] } }"),
    );
    const shown = showZone(documents, "A.example")?.values ?? [];
    const lines = shown.map(
      ({ path, value, place, profile }) =>
        `${path} = ${JSON.stringify(value)} (${place.line}:${place.column} ${profile ?? "zone"})`,
    );
    expect(lines).toContain('page_shield.policies.items[a].action = "allow" (18:50 zone)');
    expect(lines).toContain(
      "page_shield.settings.use_cloudflare_reporting_endpoint = true (5:34 base)",
    );
    expect(lines).toContain("managed_rules.rules[owasp].paranoia_level = 2 (14:40 base)");
  });

  it("shows nothing for a zone that no file declares", async ({ expect }) => {
    expect(showZone((await loadText(zone(""))).documents, "b.example")).toBe(undefined);
  });
});
