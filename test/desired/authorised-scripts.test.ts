import { describe, it } from "vitest";

import { digestOf } from "../../src/reconcile/fleet/desired-fleet.ts";
import { codesOf, contentOf, linesOf, loadText } from "../support/desired.ts";

const full =
  "owner: pay, justification: cards, approved_by: Alex, approved_on: 2026-11-02, review_by: 2027-11-02";

/** A zone whose scripts have these lines. */
function zone(...lines: readonly string[]): string {
  return `zones:
  - name: shop.example.com
    page_shield:
      settings: { enabled: true }
      scripts:
        pages: [shop.example.com/checkout/*]
${lines.map((line) => `        ${line}\n`).join("")}`;
}

describe("declared scripts", () => {
  it("have all that the file says, and defaults", async ({ expect }) => {
    const hash = "AB".repeat(32);
    const state = await loadText(
      zone(
        "authorised:",
        `  - { url: https://pay.example.net/v3/*, ${full}, integrity: pinned }`,
        `  - { url: https://cdn.example.net/a.js, ${full}, integrity: { hashes: [${hash}, ${hash}] } }`,
        `  - { url: https://cdn.example.net/b.js, ${full} }`,
        "acknowledged:",
        "  - { id: gone-0123456789ab, until: 2026-12-01, reason: moving, by: Alex }",
      ),
    );
    expect(linesOf(state)).toEqual([]);
    const entry = {
      owner: "pay",
      justification: "cards",
      approvedBy: "Alex",
      approvedOn: "2026-11-02",
      reviewBy: "2027-11-02",
    };
    expect(state.documents[0]?.content.scripts).toEqual({
      pages: ["shop.example.com/checkout/*"],
      authorised: [
        { ...entry, url: "https://pay.example.net/v3/*", integrity: { by: "pinned" } },
        {
          ...entry,
          url: "https://cdn.example.net/a.js",
          integrity: { by: "hashes", hashes: ["ab".repeat(32)] },
        },
        { ...entry, url: "https://cdn.example.net/b.js", integrity: { by: "any" } },
      ],
      acknowledged: [
        {
          id: "gone-0123456789ab",
          until: new Date("2026-12-01T00:00:00Z"),
          reason: "moving",
          by: "Alex",
        },
      ],
      goneAfterDays: 30,
    });
  });

  it("are merged from profiles by url and id, with variables, and null removes", async ({
    expect,
  }) => {
    const content = await contentOf(`profiles:
  shop:
    vars: { provider: { type: string, required: true } }
    page_shield:
      settings: { enabled: true }
      scripts:
        pages: ["\${zone.name}/checkout/*"]
        gone_after_days: 7
        authorised:
          - { url: "https://\${vars.provider}/pay.js", ${full.replace("cards", '"cards of ${zone.name}"')}, integrity: pinned }
          - { url: https://old.example.net/a.js, ${full} }
          - { url: https://cdn.example.net/a.js, ${full} }
zones:
  - name: shop.example.com
    profiles: [shop]
    vars: { provider: pay.example.net }
    page_shield:
      scripts:
        gone_after_days: null
        authorised:
          - { url: https://old.example.net/a.js, remove: true }
          - { url: https://cdn.example.net/a.js, owner: "team of \${zone.name}", justification: null }
`);
    expect(content.scripts).toMatchObject({
      pages: ["shop.example.com/checkout/*"],
      goneAfterDays: 30,
      authorised: [
        { url: "https://pay.example.net/pay.js", justification: "cards of shop.example.com" },
        {
          url: "https://cdn.example.net/a.js",
          owner: "team of shop.example.com",
          justification: "",
        },
      ],
    });
  });

  it("have no URL from a variable that is more than a part of one", async ({ expect }) => {
    const state = await loadText(`zones:
  - name: shop.example.com
    vars: { provider: pay.example.net evil.example }
    page_shield:
      scripts:
        pages: [shop.example.com/checkout/*]
        authorised:
          - { url: "https://\${vars.provider}/pay.js", ${full} }
`);
    expect(linesOf(state)[0]).toContain(
      'the value "pay.example.net evil.example" of ${vars.provider} cannot stand in a source',
    );
    expect(state.documents).toEqual([]);
  });

  it("do not change the digest of a zone: nothing of them is written", async ({ expect }) => {
    const without = await contentOf(
      "zones: [{ name: shop.example.com, page_shield: { settings: { enabled: true } } }]",
    );
    expect(digestOf(await contentOf(zone()))).toBe(digestOf(without));
  });

  it.for([
    {
      when: "nothing is filled in, as `scripts adopt` leaves it",
      lines: [
        "authorised:",
        "  - url: https://a.example/a.js",
        "    owner: null",
        "    justification: ' '",
      ],
      says: [
        "8:13 SCRIPT_INCOMPLETE",
        "8:13 SCRIPT_INCOMPLETE",
        "8:13 SCRIPT_INCOMPLETE",
        "9:13 SCRIPT_INCOMPLETE",
        "10:13 SCRIPT_INCOMPLETE",
      ],
    },
    {
      when: "a pattern covers everything",
      lines: ["authorised:", `  - { url: "https://*/*", ${full} }`],
      says: ["8:20 SCRIPT_COVERS_ALL"],
    },
    {
      when: "an entry has no path",
      lines: ["authorised:", `  - { url: "https://pay.example.net", ${full} }`],
      says: ["8:20 WRONG_VALUE"],
    },
    {
      when: "the same URL is written twice",
      lines: ["authorised:", ...[1, 2].map(() => `  - { url: https://a.example/a.js, ${full} }`)],
      says: ["9:13 KEY_TWICE"],
    },
    {
      when: "two entries are the same URLs in other words",
      lines: [
        "authorised:",
        `  - { url: https://a.example/a.js, ${full} }`,
        `  - { url: https://A.example:443/a.js, ${full} }`,
      ],
      says: ["9:13 KEY_TWICE"],
    },
    {
      when: "an entry covers another with the same integrity",
      lines: [
        "authorised:",
        `  - { url: https://a.example/*, ${full} }`,
        `  - { url: https://a.example/a.js, ${full} }`,
        `  - { url: https://a.example/b.js, ${full}, integrity: pinned }`,
      ],
      says: ["9:13 SCRIPT_REPEATED"],
    },
    {
      when: "dates are none",
      lines: [
        "authorised:",
        `  - { url: https://a.example/a.js, ${full.replace("11-02", "02-30")} }`,
      ],
      says: ["8:110 WRONG_VALUE"],
    },
    {
      when: "the review is before the approval",
      lines: [
        "authorised:",
        `  - { url: https://a.example/a.js, ${full.replace("2027", "2025")} }`,
      ],
      says: ["8:133 CONTRADICTION"],
    },
    {
      when: "the inventory cannot tell a hash",
      lines: [
        "authorised:",
        `  - { url: https://a.example/a.js, ${full}, integrity: { hashes: [sha384-AAAA] } }`,
      ],
      says: ["8:167 WRONG_VALUE"],
    },
    {
      when: "an acknowledgement does not say who and why",
      lines: ["acknowledged:", "  - { id: gone-0123456789ab, until: 2026-12-01 }"],
      says: ["8:13 MISSING_KEY", "8:13 MISSING_KEY"],
    },
    {
      when: "an acknowledgement ends on a day that is none",
      lines: [
        "acknowledged:",
        "  - { id: gone-0123456789ab, until: 2026-02-30, reason: x, by: y }",
      ],
      says: ["8:45 WRONG_VALUE"],
    },
    {
      when: "a page has a scheme or a star in the middle",
      lines: ["gone_after_days: 0"],
      says: ["7:26 WRONG_VALUE"],
    },
  ])("are a diagnostic with its place where $when", async ({ lines, says }, { expect }) => {
    expect(codesOf(await loadText(zone(...lines)))).toEqual(says);
  });

  it.for([
    { pages: "[https://shop.example.com/checkout]", says: "WRONG_VALUE" },
    { pages: '["shop.example.com/*/pay"]', says: "WRONG_VALUE" },
    { pages: "['a.example/a,b']", says: "WRONG_VALUE" },
    { pages: "[]", says: "WRONG_VALUE" },
    { pages: "null", says: "MISSING_KEY" },
  ])("need patterns that the service knows: $pages", async ({ pages, says }, { expect }) => {
    const text = zone().replace("[shop.example.com/checkout/*]", pages);
    expect(codesOf(await loadText(text)).map((each) => each.split(" ")[1])).toEqual([says]);
  });

  it.for([
    { settings: "{ enabled: false }", says: ["4:19 CONTRADICTION"] },
    { settings: "{ use_connection_url_path: true }", says: ["5:7 SCRIPTS_UNMONITORED"] },
  ])("need monitoring: $settings", async ({ settings, says }, { expect }) => {
    expect(codesOf(await loadText(zone().replace("{ enabled: true }", settings)))).toEqual(says);
  });

  it("take a hash as a policy writes it", async ({ expect }) => {
    const digest = Buffer.alloc(32, 0xab).toString("base64");
    const entry = `  - { url: https://a.example/a.js, ${full}, integrity: { hashes: ["sha256-${digest}"] } }`;
    const { scripts } = await contentOf(zone("authorised:", entry));
    expect(scripts?.authorised[0]?.integrity).toEqual({ by: "hashes", hashes: ["ab".repeat(32)] });
  });
});
