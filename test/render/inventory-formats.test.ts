import { describe, it } from "vitest";

import {
  inventoryCsv,
  inventoryJson,
  inventoryTable,
  itemJson,
  summaryLine,
} from "../../src/render/inventory-formats.ts";
import { type Item, type ItemKind, maliciousReasons } from "../../src/zone/inventory-item.ts";
import { zoneName } from "../../src/zone/zone.ts";
import { connection, cookie, harmless, script, seenAt } from "../support/inventory.ts";

const zone = zoneName("shop.example.com");
const options = { maliciousBelow: 50, now: seenAt };

function inventory(kind: ItemKind, ...items: readonly Item[]): Parameters<typeof summaryLine>[0] {
  if (zone === undefined) throw new Error("no name of a zone");
  return { zone, kind, items };
}

describe("an inventory as CSV", () => {
  it.for([
    { name: '=HYPERLINK("http://a.example")', cell: `"'=HYPERLINK(""http://a.example"")"` },
    { name: "+1", cell: "'+1" },
    { name: "-1", cell: "'-1" },
    { name: "@SUM", cell: "'@SUM" },
    { name: "\t=1", cell: `"'\t=1"` },
    { name: "\r\n=1", cell: `"'\\u000d\n=1"` },
    { name: 'a,"b"', cell: '"a,""b"""' },
    { name: "a=b", cell: "a=b" },
    { name: "日本語", cell: "日本語" },
  ])("takes no formula from a stranger: $name", ({ name, cell }, { expect }) => {
    const csv = inventoryCsv("cookie", [inventory("cookie", cookie(name))], options);
    expect(csv).toContain(`,${cell},first_party,`);
  });

  it("joins lists by spaces and leaves out what is not known", ({ expect }) => {
    const pageUrls = ["https://b.example/", "https://c.example/"];
    const seen = script("https://a.example/x.js", { pageUrls, hash: "0f" });
    const csv = inventoryCsv("script", [inventory("script", seen)], options);
    expect(csv).toContain(",https://b.example/ https://c.example/,https://a.example/x.js,active,");
    expect(csv).toMatch(/,0f,90,,,,\r\n$/);
  });

  it.for([script("https://a.example/x.js"), connection("wss://a.example/"), cookie("a")])(
    "of a $kind has a head for all that is told of it, also where none was seen",
    (item, { expect }) => {
      const [heads = ""] = inventoryCsv(item.kind, [], options).split("\r\n");
      const { versions: _versions, ...told } = itemJson(item, 50);
      expect(heads.split(",")).toEqual(["zone", ...Object.keys(told)]);
      expect(inventoryCsv(item.kind, [inventory(item.kind)], options)).toBe(`${heads}\r\n`);
    },
  );
});

it("is JSON with what is unknown as null", ({ expect }) => {
  const bare = cookie("a", { httpOnly: undefined, secure: undefined, lastSeenAt: undefined });
  expect(inventoryJson([inventory("cookie", bare)], options)).toMatchObject({
    zones: [{ items: [{ http_only_attribute: null, secure_attribute: null, last_seen_at: null }] }],
  });
});

it.for<{ readonly when: string; readonly items: readonly Item[]; readonly says: string }>([
  {
    when: "some are malicious or new",
    items: [
      script("https://b.example/x.js", { status: "infrequent" }),
      script("https://a.example/x.js", { firstSeenAt: seenAt }),
      script("data:text/javascript,1", { scores: { ...harmless, integrity: 4 } }),
    ],
    says: "shop.example.com: 3 scripts from 2 hosts, 2 active, 1 infrequent, 1 malicious (integrity score below 50, or reported), 1 first seen in the last day",
  },
  {
    when: "they are connections",
    items: [connection("wss://a.example/"), connection("not a URL")],
    says: "shop.example.com: 2 connections from 2 hosts, 2 active, 0 malicious (reported), 0 first seen in the last day",
  },
  {
    when: "they are cookies",
    items: [cookie("a")],
    says: "shop.example.com: 1 cookie from 1 host, 0 first seen in the last day",
  },
])("is told in one line where $when", ({ items, says }, { expect }) => {
  expect(summaryLine(inventory(items[0]?.kind ?? "script", ...items), options)).toBe(says);
});

it("has a column for each attribute", ({ expect }) => {
  const scripts = [
    script("https://a.example/\u001B[2J.js", { scores: { ...harmless, integrity: undefined } }),
    script("https://b.example/", { lastSeenAt: undefined }),
  ];
  expect(inventoryTable("script", scripts, 50).rows.map((row) => row.slice(0, 6))).toEqual([
    [
      "https://a.example/\\u{1b}[2J.js",
      "shop.example.com",
      "active",
      "–",
      "no",
      "2026-11-01 10:00",
    ],
    ["https://b.example/", "shop.example.com", "active", "90", "no", "2026-11-01 10:00"],
  ]);
  const cookies = [
    cookie("a"),
    cookie("b", { httpOnly: false, secure: false, sameSite: "", type: "unknown" }),
  ];
  expect(inventoryTable("cookie", cookies, 50).rows.map((row) => row[4])).toEqual([
    "http-only secure lax",
    "unknown",
  ]);
});

it.for<{ readonly item: Item; readonly reasons: readonly string[] }>([
  { item: script("https://a.example/"), reasons: [] },
  { item: cookie("a"), reasons: [] },
  {
    item: script("https://a.example/", { scores: { ...harmless, integrity: 49 } }),
    reasons: ["integrity score 49"],
  },
  { item: script("https://a.example/", { scores: { ...harmless, integrity: 50 } }), reasons: [] },
  {
    item: connection("https://a.example/", {
      urlReportedMalicious: true,
      domainReportedMalicious: true,
      maliciousCategories: ["Malware", "Phishing"],
    }),
    reasons: ["URL reported (Malware, Phishing)"],
  },
  {
    item: connection("https://a.example/", { domainReportedMalicious: true }),
    reasons: ["domain reported"],
  },
])("is malicious because of $reasons", ({ item, reasons }, { expect }) => {
  expect(maliciousReasons(item, 50)).toEqual(reasons);
});
