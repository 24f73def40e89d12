import * as fc from "fast-check";
import { describe, it } from "vitest";

import type { LoadedFiles } from "../../src/desired/load/zone-file-loader.ts";
import { selectZones } from "../../src/desired/zones/select.ts";
import type { Selection } from "../../src/zone/desired-state.ts";
import { isError } from "../../src/zone/diagnostic.ts";
import type { Zone } from "../../src/zone/zone.ts";
import { codesOf, desiredBench, linesOf, loadText } from "../support/desired.ts";
import { numbered } from "../support/revision-files.ts";

function listed(name: string, index: number, facts: Partial<Zone> = {}): Zone {
  return { ...numbered(name, index), ...facts };
}

const zones = [
  listed("a.shop.example", 1),
  listed("b.shop.example", 2, { tier: "free" }),
  listed("c.brand.example", 3, { accountName: "Agency" }),
];

function entriesOf(...entries: readonly string[]): string {
  if (entries.length === 0) return "zones: []\n";
  return `zones:\n${entries.map((entry) => `  - ${entry}\n`).join("")}`;
}

async function selected(
  text: string,
): Promise<Selection & { readonly lines: readonly string[]; readonly files: LoadedFiles }> {
  const files = await loadText(text);
  const selection = selectZones(files.documents, { zones, unlisted: [] });
  const lines = selection.diagnostics.map(
    ({ place, code, path }) => `${place.line}:${place.column} ${code} ${path}`,
  );
  return { ...selection, lines, files };
}

const owasp = (more: string): string =>
  `managed_rules: { rules: [{ key: owasp, deploy: owasp, ${more} }] }`;
const level = (paranoia: number): string =>
  `managed_rules: { rules: [{ key: owasp, paranoia_level: ${paranoia} }] }`;
const policy = (sources: string): string =>
  `page_shield: { policies: { items: [{ key: p, value: { script-src: ${sources} } }] } }`;
const acting = (key: string, action: string): string =>
  `page_shield: { policies: { items: [{ key: ${key}, action: ${action}, expression: "true", value: "script-src 'self'" }] } }`;
const custom = (...keys: readonly string[]): string =>
  `custom_rules: { rules: [${keys
    .map(
      (key) => `{ key: ${key}, action: block, expression: 'http.request.uri.path eq "/${key}"' }`,
    )
    .join(", ")}] }`;

async function levelsOf(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { zones: found, lines, files } = await selected(text);
  if (lines.length + files.diagnostics.length > 0) {
    throw new Error([...lines, ...linesOf(files)].join("\n"));
  }
  return Object.fromEntries(
    found.map(({ zone, content }) => [
      zone.name.charAt(0),
      content.rules.managed_rules?.items.map((rule) =>
        "tuning" in rule ? rule.tuning.paranoiaLevel : rule.key,
      )[0],
    ]),
  );
}

describe("entries with match", () => {
  it("are merged in the order of their priority, not of the file", async ({ expect }) => {
    const entries = [
      `{ match: { name: "*" }, priority: -5, ${owasp("paranoia_level: 1, action: log")} }`,
      `{ match: { name: "*.shop.example" }, ${level(2)} }`,
      `{ match: { plan: free }, priority: 7, ${level(3)} }`,
    ];
    for (const order of [entries, entries.toReversed()]) {
      expect(await levelsOf(entriesOf(...order))).toEqual({ a: 2, b: 3, c: 1 });
    }
  });

  it("use a profile once, where the lowest of them has it", async ({ expect }) => {
    const text = `profiles:
  base: { ${owasp("paranoia_level: 1, action: log")} }
  strict: { extends: [base], ${level(4)} }
${entriesOf(
  `{ match: { name: "*" }, profiles: [strict] }`,
  `{ match: { name: "*.shop.example" }, priority: 1, profiles: [base], page_shield: { settings: { enabled: true } } }`,
)}`;
    expect(await levelsOf(text)).toEqual({ a: 4, b: 4, c: 4 });
  });

  it("are replaced by an entry by name or id, or lie below it", async ({ expect }) => {
    const text = entriesOf(
      `{ match: { name: "*" }, ${owasp("paranoia_level: 1, action: log")} }`,
      `{ match: { name: "*.shop.example" }, priority: 1, ${level(2)} }`,
      `{ name: a.shop.example, layers: true, ${level(4)} }`,
      `{ id: "${zones[1]?.id}", ${owasp("paranoia_level: 3, action: log")} }`,
    );
    expect(await levelsOf(text)).toEqual({ a: 4, b: 3, c: 1 });
  });

  it("see the labels of an entry itself, and none of its profiles", async ({ expect }) => {
    const text = `profiles:
  shop: { labels: { team: shop, tier: gold } }
${entriesOf(
  `{ match: { name: "*" }, ${owasp("paranoia_level: 1, action: log")} }`,
  `{ match: { labels: { team: [checkout, pay*] } }, priority: 1, ${level(2)} }`,
  `{ match: { not: { labels: { team: payments } }, labels: { tier: "*" } }, priority: 2, ${level(3)} }`,
  "{ name: a.shop.example, layers: true, labels: { team: payments } }",
  "{ name: b.shop.example, layers: true, profiles: [shop], labels: { tier: silver } }",
  "{ name: c.brand.example, layers: true, profiles: [shop] }",
)}`;
    expect(await levelsOf(text)).toEqual({ a: 2, b: 3, c: 1 });
    const { zones: found } = await selected(text);
    expect(found.map(({ labels }) => labels)).toEqual([
      { team: "payments" },
      { team: "shop", tier: "silver" },
      { team: "shop", tier: "gold" },
    ]);
  });

  it("fill the placeholders of one with the variables of another", async ({ expect }) => {
    const text = `profiles:
  shop:
    vars: { number: { type: integer, required: true } }
    custom_rules: { rules: [{ key: a, action: log, description: "Shop \${vars.number}", expression: 'http.host eq "\${zone.name}"' }] }
${entriesOf(
  `{ match: { name: "*.shop.example" }, profiles: [shop] }`,
  "{ name: a.shop.example, layers: true, vars: { number: 7 } }",
)}`;
    const { zones: found, leftAlone, lines, files } = await selected(text);
    expect(linesOf(files)).toEqual([]);
    expect(found.map(({ content }) => content.rules.custom_rules?.items)).toMatchObject([
      [{ description: "Shop 7", expression: 'http.host eq "a.shop.example"' }],
    ]);
    // Nothing sets it for the other zone.
    expect(lines).toEqual(["6:5 UNSET_VARIABLE zones[0]"]);
    expect([...leftAlone.keys()]).toEqual(["b.shop.example"]);
  });

  it("tell once what a value of one makes of the text of another", async ({ expect }) => {
    const text = entriesOf(
      `{ match: { name: "*" }, custom_rules: { rules: [{ key: a, action: log, expression: 'http.host eq "\${zone.name}" and ip.src eq \${vars.address}' }] } }`,
      `{ match: { account: Agency }, priority: 1, vars: { address: 192.0.2.1 } }`,
      `{ match: { name: "*.shop.example" }, priority: 1, vars: { address: office } }`,
    );
    const { zones: found, leftAlone, diagnostics, lines } = await selected(text);
    expect(found.map(({ zone }) => zone.name)).toEqual(["c.brand.example"]);
    expect([...leftAlone.keys()]).toEqual(["a.shop.example", "b.shop.example"]);
    expect(lines).toEqual(["4:72 EXPR_TYPE_MISMATCH zones[2].vars.address"]);
    expect(diagnostics[0]?.message).toContain("with the values of b.shop.example");
  });

  it("lack a variable once for many zones, which are all left alone", async ({ expect }) => {
    const many = Array.from({ length: 30 }, (_, index) =>
      listed(`z${index}.example`, index, { accountName: index < 2 ? "Agency" : "Shops" }),
    );
    const files = await loadText(
      entriesOf(
        `{ match: { account: "*" }, custom_rules: { rules: [{ key: a, action: log, expression: 'http.host eq "\${vars.domain}"' }] } }`,
        "{ match: { account: Agency }, priority: 1, vars: { domain: shop.example } }",
        ...many.map(({ name }) => `{ name: ${name}, layers: true }`),
      ),
    );
    const {
      zones: found,
      diagnostics,
      leftAlone,
    } = selectZones(files.documents, {
      zones: many,
      unlisted: [],
    });
    expect(found.map(({ zone }) => zone.name)).toEqual(["z0.example", "z1.example"]);
    expect(leftAlone.size).toBe(28);
    expect(diagnostics.map(({ code, zones: count }) => [code, count])).toEqual([
      ["UNSET_VARIABLE", 28],
    ]);
  });

  it("change the lists of entries below them", async ({ expect }) => {
    const text = `profiles:
  p: { page_shield: { policies: { items: [{ key: p, action: log, expression: "true" }] } } }
${entriesOf(
  `{ match: { name: "*" }, profiles: [p], ${policy(`["'self'", b.example]`)} }`,
  `{ match: { name: "*.shop.example" }, priority: 1, ${policy(`["'self'", b.example, c.example]`)} }`,
  `{ match: { plan: "*" }, priority: 2, ${policy("{ remove: [b.example], add: [d.example] }")} }`,
  `{ name: a.shop.example, layers: true, ${policy("{ remove: [c.example] }")} }`,
)}`;
    const { zones: found, lines, files } = await selected(text);
    expect([...linesOf(files), ...lines]).toEqual([]);
    const values = found.map(({ content }) => content.policies?.items[0]?.value);
    expect(values).toEqual([
      "script-src 'self' d.example",
      "script-src 'self' c.example d.example",
      "script-src 'self' d.example",
    ]);
  });

  it.for([
    "custom_rules: { rules: [{ key: c, response: { content: Later } }] }",
    "custom_rules: { rules: [{ key: c, expression: ssl }] }",
    "custom_rules: { rules: [{ key: s, skip: { products: [waf] } }], unmanaged: delete }",
    "rate_limiting_rules: { rules: [{ key: r, ratelimit: { requests_per_period: 9 } }] }",
    "rate_limiting_rules: { rules: [{ key: r, ratelimit: { characteristics: { add: [ip.src] } } }] }",
    "rate_limiting_rules: { rules: [{ key: r, ratelimit: { characteristics: [cf.colo.id, ip.src] } }] }",
    "rate_limiting_rules: { rules: [{ key: r, action: log }] }",
    "managed_rules: { rules: [{ key: owasp, overrides: { categories: [{ category: language-php, enabled: false }] } }] }",
    "managed_rules: { rules: [{ key: owasp, expression: 'http.host eq \"a.shop.example\"' }] }",
    "managed_rules: { rules: [{ key: e, after: owasp, expression: ssl, skip: { rulesets: [cloudflare] } }] }",
    "page_shield: { policies: { items: [{ key: p, enabled: false }] } }",
    "page_shield: { policies: { items: [{ key: p, value: { connect-src: { add: [\"'self'\", x.example] } } }] } }",
    "page_shield: { policies: { items: [{ key: p, acknowledge: [x.example] }], unmanaged: ignore } }",
    "page_shield: { scripts: { authorised: [{ url: 'https://x.example/*', owner: pay }] } }",
    "page_shield: { scripts: null }",
    "page_shield: null",
  ])("can refine what an entry below has: %s", async (refined, { expect }) => {
    const text = entriesOf(
      `{ match: { name: "*" }, ${[
        "custom_rules: { rules: [{ key: s, action: skip, expression: ssl, skip: { products: [bic] } }, { key: c, action: block, expression: 'http.request.uri.path eq \"/c\"', response: { status_code: 403, content_type: text/plain, content: No } }] }",
        "rate_limiting_rules: { rules: [{ key: r, action: block, expression: ssl, ratelimit: { characteristics: [cf.colo.id], period: 60, requests_per_period: 5, mitigation_timeout: 60 } }] }",
        "managed_rules: { rules: [{ key: owasp, deploy: owasp, paranoia_level: 1, score_threshold: low, action: log }, { key: cf, deploy: cloudflare }] }",
        "page_shield: { settings: { enabled: true }, policies: { items: [{ key: p, action: log, expression: ssl, value: { script-src: [\"'self'\"] } }] }, scripts: { pages: [a.shop.example/*], authorised: [{ url: 'https://x.example/*', owner: a, justification: b, approved_by: c, approved_on: 2026-01-01, review_by: 2027-01-01 }] } }",
      ].join(", ")} }`,
      `{ match: { name: "*.shop.example" }, priority: 1, ${refined} }`,
    );
    const { zones: found, lines, files } = await selected(text);
    expect([...linesOf(files), ...lines.filter((line) => !line.includes("BEYOND_PLAN"))]).toEqual(
      [],
    );
    expect(found).toHaveLength(3);
    expect(found[0]?.content).not.toEqual(found[2]?.content);
  });

  it("give the same object for the same zone, and one for zones that differ in nothing", async ({
    expect,
  }) => {
    const { documents } = await loadText(
      entriesOf(
        `{ match: { name: "*" }, ${owasp("paranoia_level: 1, action: log")} }`,
        `{ match: { name: "*.shop.example" }, priority: 1, ${level(2)} }`,
      ),
    );
    const contents = [1, 2].flatMap(() =>
      selectZones(documents, { zones, unlisted: [] }).zones.map(({ content }) => content),
    );
    expect(contents[0]).toBe(contents[1]);
    expect(contents.slice(0, 3)).toEqual(contents.slice(3));
    expect(new Set(contents).size).toBe(2);
  });

  it.for<{ when: string; low: string; high: string; mode: string; reason: string | undefined }>([
    {
      when: "the higher sets a mode",
      low: "mode: observe",
      high: "mode: enforce",
      mode: "enforce",
      reason: undefined,
    },
    {
      when: "the higher sets none",
      low: "mode: observe",
      high: "vars: {}",
      mode: "observe",
      reason: undefined,
    },
    {
      when: "the higher ends a suspension",
      low: "suspend: true",
      high: "suspend: false",
      mode: "enforce",
      reason: undefined,
    },
    {
      when: "the lower is suspended",
      low: "suspend: { reason: a }",
      high: "mode: observe",
      mode: "observe",
      reason: "a",
    },
  ])(
    "of two priorities take the mode and the suspension where $when",
    async ({ low, high, mode, reason }, { expect }) => {
      const { zones: found } = await selected(
        entriesOf(
          `{ match: { name: a* }, ${low} }`,
          `{ match: { name: "*.shop.example" }, priority: 3, ${high} }`,
        ),
      );
      expect(found[0]?.content.mode).toBe(mode);
      expect(found[0]?.content.suspension?.reason).toBe(reason);
    },
  );
});

describe("entries of one priority", () => {
  it.for<{ what: string; a: string; b: string; path: string | undefined }>([
    {
      what: "other keys of a rule",
      a: owasp("action: log"),
      b: owasp("paranoia_level: 2"),
      path: undefined,
    },
    { what: "other rules", a: custom("x"), b: custom("y"), path: "custom_rules.rules" },
    { what: "other policies", a: acting("x", "log"), b: acting("y", "log"), path: undefined },
    {
      what: "two values of a policy",
      a: acting("x", "log"),
      b: acting("x", "allow"),
      path: "page_shield.policies.items.x.action",
    },
    { what: "the same rules", a: custom("x", "y"), b: custom("x", "y"), path: undefined },
    {
      what: "another order of rules",
      a: custom("x", "y"),
      b: custom("y", "x"),
      path: "custom_rules.rules",
    },
    {
      what: "two values of a rule",
      a: owasp("paranoia_level: 1, action: log"),
      b: owasp("paranoia_level: 2"),
      path: "managed_rules.rules.owasp.paranoia_level",
    },
    {
      what: "what to add to one list",
      a: policy("{ add: [x.example] }"),
      b: policy("{ add: [y.example, x.example] }"),
      path: undefined,
    },
    {
      what: "what to add to one list, and what to remove from it",
      a: policy("{ add: [x.example] }"),
      b: policy("{ remove: [base.example], add: [y.example] }"),
      path: undefined,
    },
    {
      what: "to add and to remove one member",
      a: policy("{ add: [base.example] }"),
      b: policy("{ remove: [base.example] }"),
      path: "page_shield.policies.items.p.value.script-src",
    },
    {
      what: "a list, and what to add to it",
      a: policy("[x.example]"),
      b: policy("{ add: [y.example] }"),
      path: "page_shield.policies.items.p.value.script-src",
    },
    {
      what: "two values of a label",
      a: "labels: { team: x }",
      b: "labels: { team: y }",
      path: "labels.team",
    },
    {
      what: "two values of a variable",
      a: "vars: { v: 1 }",
      b: "vars: { v: 2 }",
      path: "vars.v",
    },
    {
      what: "a variable and its value",
      a: "vars: { v: { type: integer } }",
      b: "vars: { v: 2 }",
      path: undefined,
    },
    {
      what: "another value than a profile of both",
      a: "profiles: [p]",
      b: "profiles: [p], page_shield: { settings: { enabled: false } }",
      path: "page_shield.settings.enabled",
    },
  ])("that declare $what", async ({ a, b, path }, { expect }) => {
    const profiles = "profiles: { p: { page_shield: { settings: { enabled: true } } } }\n";
    const below = a.includes("key: p")
      ? [
          `{ match: { name: "*" }, priority: -1, page_shield: { policies: { items: [{ key: p, action: log, expression: "true", value: { script-src: [base.example] } }] } } }`,
        ]
      : [];
    const entries = [
      `{ match: { name: "*.shop.example" }, ${a} }`,
      `{ match: { plan: free }, ${b} }`,
    ];
    for (const order of [entries, entries.toReversed()]) {
      const {
        zones: found,
        lines,
        diagnostics,
      } = await selected(profiles + entriesOf(...order, ...below));
      const names = found.map(({ zone }) => zone.name);
      expect(names.some((name) => name === "b.shop.example")).toBe(path === undefined);
      // The other zone is managed in any case.
      expect(names).toContain("a.shop.example");
      expect(lines).toHaveLength(path === undefined ? 0 : 2);
      for (const { code, message } of diagnostics) {
        expect(code).toBe("SELECTOR_CONFLICT");
        expect(message).toContain(`different ${path}, for example for b.shop.example`);
      }
      expect(lines.toSorted().map((line) => line.split(":")[0])).toEqual(
        path === undefined ? [] : ["3", "4"],
      );
      for (const line of lines) expect([path, ""]).toContain(line.split(" ")[2]);
    }
  });
});

describe("mistakes in layers", () => {
  it.for<{ what: string; text: string; says: readonly string[] }>([
    {
      what: "a priority beside a name",
      text: entriesOf("{ name: a.shop.example, priority: 1 }"),
      says: ["2:29 CONTRADICTION"],
    },
    {
      what: "layers beside match",
      text: entriesOf("{ match: { name: a* }, layers: true }"),
      says: ["2:28 CONTRADICTION"],
    },
    {
      what: "a label with a capital",
      text: entriesOf("{ name: a.shop.example, labels: { team: Payments } }"),
      says: ["2:45 WRONG_VALUE"],
    },
    {
      what: "the key of a label with a space",
      text: entriesOf("{ name: a.shop.example, labels: { the team: payments } }"),
      says: ["2:39 WRONG_VALUE"],
    },
    {
      what: "a pattern of labels that no entry has",
      text: entriesOf(
        "{ match: { labels: { team: pay } }, mode: observe }",
        "{ name: a.shop.example, layers: true, labels: { team: payments } }",
        "{ name: b.shop.example, labels: { team: pay } }",
      ),
      says: ["2:16 MATCH_NOTHING"],
    },
    {
      what: "a rule that no entry below completes",
      text: entriesOf(
        `{ match: { name: "*" }, ${owasp("action: log")} }`,
        `{ match: { name: a* }, priority: 1, managed_rules: { rules: [{ key: oswap, paranoia_level: 3 }] } }`,
      ),
      says: ["3:66 MISSING_KEY"],
    },
    {
      what: "the removal of a source that no entry below has",
      text: entriesOf(
        `{ match: { name: "*" }, page_shield: { policies: { items: [{ key: p, action: log, expression: "true", value: { script-src: ["'self'", a.example] } }] } } }`,
        `{ match: { name: a* }, priority: 1, page_shield: { policies: { items: [{ key: p, value: { script-src: { remove: [b.example] } } }] } } }`,
      ),
      says: ["3:118 WRONG_VALUE"],
    },
    {
      what: "a rule that only an entry above has",
      text: entriesOf(
        `{ match: { name: "*" }, ${level(2)} }`,
        `{ match: { name: a* }, priority: 1, ${owasp("action: log")} }`,
      ),
      says: ["2:54 MISSING_KEY"],
    },
  ])("are told at their place: $what", async ({ text, says }, { expect }) => {
    expect(codesOf(await loadText(text))).toEqual(says);
  });

  it("suggest the label in lower case", async ({ expect }) => {
    const { diagnostics } = await loadText(
      entriesOf("{ name: a.shop.example, labels: { team: The Payments } }"),
    );
    expect(diagnostics.map(({ remedy }) => remedy)).toMatchObject([
      expect.stringMatching(/; write the-payments$/),
    ]);
  });

  it("leave a zone alone whose entries do not complete each other", async ({ expect }) => {
    const {
      zones: found,
      lines,
      leftAlone,
    } = await selected(
      entriesOf(
        `{ match: { name: "*.shop.example" }, ${owasp("action: log")} }`,
        `{ match: { account: "*" }, priority: 1, ${level(3)} }`,
      ),
    );
    expect(found).toHaveLength(2);
    expect(lines).toEqual(["3:70 MISSING_KEY zones[1].managed_rules.rules[0]"]);
    expect([...leftAlone].map(([name, { code }]) => `${name} ${code}`)).toEqual([
      "c.brand.example MISSING_KEY",
    ]);
  });
});

function whatZonesGet(loaded: LoadedFiles, selection: Selection): unknown {
  const { diagnostics, declaredHash, stale } = loaded;
  return {
    hash: stale.length > 0 ? "" : declaredHash,
    zones:
      stale.length > 0
        ? []
        : selection.zones.map(({ zone, content, labels }) =>
            JSON.stringify([zone.name, content, labels]),
          ),
    leftAlone: stale.length > 0 ? [] : [...selection.leftAlone.keys()],
    errors: [
      ...new Set(
        diagnostics
          .filter(isError)
          .map(({ code, message }) => `${code} ${message.replaceAll(/\w+\.yaml, line \d+/g, "")}`),
      ),
    ].toSorted(),
  };
}

describe("the order of files and entries", () => {
  const piece = fc.constantFrom(
    "page_shield: { settings: { enabled: true } }",
    "page_shield: { settings: { enabled: false } }",
    "page_shield: { settings: { use_connection_url_path: true }, policies: { items: [{ key: p, action: log, expression: 'http.host eq \"${zone.name}\"', value: \"script-src 'self'\" }] } }",
    "page_shield: { policies: { items: [{ key: q, action: log, expression: 'true', value: \"script-src 'none'\" }] } }",
    "page_shield: { policies: { items: [{ key: q, remove: true }] } }",
    policy("{ add: [x.example] }"),
    policy("{ add: [y.example, x.example], remove: [b.example] }"),
    owasp("action: log"),
    level(1),
    level(3),
    custom("x"),
    custom("y", "x"),
    "custom_rules: { rules: [{ key: z, before: x, action: log, expression: 'http.request.uri.path eq \"/z\"' }] }",
    "custom_rules: null",
    "mode: observe",
    "mode: enforce",
    "labels: { team: payments }",
    "labels: { team: shop, tier: gold }",
    "vars: { v: one }",
    "vars: { v: two }",
    "custom_rules: { rules: [{ key: v, action: log, expression: 'http.request.uri.path eq \"/${vars.v}\"' }] }",
  );
  /** What the lists of other pieces are added to. */
  const sources =
    "page_shield: { policies: { items: [{ key: p, action: log, expression: 'true', value: { script-src: [a.example, b.example] } }] } }";
  const values = fc.uniqueArray(piece, { maxLength: 3, selector: (text) => text.split(":")[0] });
  const using = fc.subarray(["p1", "p2", "p3"]);
  const name = fc.constantFrom(...zones.map((zone) => zone.name));
  const pattern = fc.constantFrom('"*"', '"*.shop.example"', "a*", "[b*, c*]");
  const match = fc.oneof(
    pattern.map((text) => `name: ${text}`),
    fc.tuple(pattern, pattern).map(([a, b]) => `name: ${a}, not: { name: ${b} }`),
    fc.constant("labels: { team: payments }"),
    fc.constant("plan: free"),
  );
  const entry = fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(match, fc.constantFrom(-1, 0, 0, 1, 2))
        .map(([text, priority]) => `match: { ${text} }, priority: ${priority}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, fc.constantFrom("layers: true", "layers: true", "mode: observe"))
        .map(([text, layers]) => `name: ${text}, ${layers}`),
    },
  );
  const part = fc.tuple(entry, using, values).map(([target, names, parts]) => {
    const own = target.endsWith("observe")
      ? parts.filter((text) => !text.startsWith("mode"))
      : parts;
    return `{ ${[target, `profiles: [${names.join(", ")}]`, ...own].join(", ")} }`;
  });
  const fleet = fc
    .tuple(
      fc.array(values, { minLength: 3, maxLength: 3 }),
      fc.array(part, { minLength: 2, maxLength: 5 }),
    )
    .chain(([profiles, entries]) => {
      const known = new Set<string>();
      const base = "{ match: { name: '*' }, priority: -9, profiles: [p0] }";
      const unique = [base, ...entries].filter((text) => {
        const [, named = text] = /name: (\w\.\S+?),/.exec(text) ?? [];
        return known.size < known.add(named).size;
      });
      return fc.record({
        profiles: fc.constant(
          [[owasp("action: log"), custom("x"), "vars: { v: zero }", sources], ...profiles]
            .map((parts, index) => `  p${index}: { ${parts.join(", ")} }\n`)
            .join(""),
        ),
        entries: fc.constant(unique),
        other: fc.shuffledSubarray(unique, { minLength: unique.length }),
        cut: fc.nat(unique.length),
      });
    });

  it("never changes what a zone gets", async ({ expect }) => {
    const seen = { sound: 0, layered: 0, leftAlone: 0 };
    await fc.assert(
      fc.asyncProperty(fleet, async ({ profiles, entries, other, cut }) => {
        const one = { "a.yaml": `profiles:\n${profiles}${entriesOf(...entries)}` };
        const two = {
          "1.yaml": entriesOf(...other.slice(0, cut)),
          "2.yaml": `profiles:\n${profiles}`,
          "3.yaml": entriesOf(...other.slice(cut)),
        };
        const [loaded, again] = [await desiredBench(one).load(), await desiredBench(two).load()];
        const selection = selectZones(loaded.documents, { zones, unlisted: [] });
        const selectedAgain = selectZones(again.documents, { zones, unlisted: [] });
        expect(whatZonesGet(again, selectedAgain)).toEqual(whatZonesGet(loaded, selection));
        if (loaded.stale.length > 0) return;
        seen.sound += 1;
        seen.layered += selection.zones.filter((each) => (each.documents?.length ?? 0) > 2).length;
        seen.leftAlone += selection.leftAlone.size;
      }),
      { numRuns: 100 },
    );
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
  });
});
