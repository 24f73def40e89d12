import { describe, it } from "vitest";

import { withReports, statusOf } from "../../src/emulator/page-shield/items.ts";
import type { InventoryItem } from "../../src/emulator/state.ts";
import {
  type Got,
  type TestEmulator,
  errorOf,
  goodSeed,
  listOf,
  resultOf,
  testEmulator,
  testStart,
  textIn,
} from "../support/emulator.ts";

const seed = goodSeed(`
zones:
  - name: shop.example
    scripts:
      - { url: https://cdn.example/a.js, last_seen_at: 1h, first_seen_at: 3d, page_urls: [https://shop.example/pay] }
      - { url: https://cdn.example/b.js, last_seen_at: 2h, first_seen_at: 9d, js_integrity_score: 3, host: www.shop.example }
      - { url: https://cdn.example/copy1.js, hash: ${"b".repeat(64)}, last_seen_at: 4h, first_seen_at: 5d }
      - { url: https://cdn.example/copy2.js, hash: ${"b".repeat(64)}, last_seen_at: 3h, first_seen_at: 4d }
      - { url: https://shop.example/cdn-cgi/own.js, last_seen_at: 5h }
      - { url: https://rare.example/c.js, status: infrequent, last_seen_at: 6h }
      - { url: https://old.example/d.js, status: inactive }
      - { url: https://gone.example/e.js, last_seen_at: 31d }
    connections:
      - { url: https://api.example/x }
    cookies:
      - { name: session, http_only_attribute: true, same_site_attribute: strict, path_attribute: /pay }
      - { name: session_hint, secure_attribute: false, last_seen_at: 400d }
      - { name: other, type: unknown, domain_attribute: .shop.example }
`);

const letterOf = /\/([^/]+)$/;

async function listed(world: TestEmulator, list: string, query: string): Promise<Got> {
  const zone = await world.zoneId("shop.example");
  return world.call("GET", `/zones/${zone}/page_shield/${list}?${query}`);
}

function namesIn(answer: Got): readonly string[] {
  return listOf(answer).map((item) =>
    "name" in item ? textIn(item, "name") : (letterOf.exec(textIn(item, "url"))?.[1] ?? ""),
  );
}

describe("scripts", () => {
  it.for([
    { query: "", yields: ["a.js", "b.js", "copy2.js"] },
    { query: "status=infrequent", yields: ["c.js"] },
    { query: "status=inactive,infrequent", yields: ["c.js", "d.js"] },
    { query: "hosts=www.shop.example", yields: ["b.js"] },
    { query: "hosts=*.shop.example", yields: ["b.js"] },
    { query: "hosts=www*", yields: ["b.js"] },
    { query: "hosts=*shop*", yields: ["a.js", "b.js", "copy2.js"] },
    { query: "hosts=shop", yields: [] },
    { query: "page_url=https%3A%2F%2Fshop.example%2Fpay", yields: ["a.js"] },
    { query: "page_url=*/pay,*nowhere*", yields: ["a.js"] },
    { query: "urls=/a.js,/b.js", yields: ["a.js", "b.js"] },
    { query: "exclude_urls=/a.js", yields: ["b.js", "copy2.js"] },
    { query: "exclude_cdn_cgi=false", yields: ["a.js", "b.js", "copy2.js", "own.js"] },
    { query: "exclude_duplicates=false", yields: ["a.js", "b.js", "copy2.js", "copy1.js"] },
    { query: "prioritize_malicious=true", yields: ["b.js", "a.js", "copy2.js"] },
    { query: "direction=asc", yields: ["copy2.js", "b.js", "a.js"] },
    { query: "order_by=first_seen_at", yields: ["a.js", "copy2.js", "b.js"] },
    { query: "per_page=2", yields: ["a.js", "b.js"] },
    { query: "per_page=2&page=2", yields: ["copy2.js"] },
    { query: "per_page=1&page=all", yields: ["a.js", "b.js", "copy2.js"] },
  ])("listed with ?$query are $yields", async ({ query, yields }, context) => {
    await using world = await testEmulator(context, { seed });
    context.expect(namesIn(await listed(world, "scripts", query))).toEqual(yields);
  });

  it("have a total count", async (context) => {
    await using world = await testEmulator(context, { seed });
    const { body } = await listed(world, "scripts", "per_page=2&page=2");
    context
      .expect(body["result_info"])
      .toEqual({ page: 2, per_page: 2, count: 1, total_count: 3, total_pages: 2 });
  });

  it("can be exported as CSV, without pages", async (context) => {
    await using world = await testEmulator(context, { seed });
    const { headers, text } = await listed(world, "scripts", "export=csv&per_page=1");
    context.expect(headers.get("content-type")).toContain("text/csv");
    const [head = "", ...rows] = text.trimEnd().split("\n");
    context.expect(head.split(",")).toContain("url");
    context.expect(rows).toHaveLength(3);
  });

  it("include pages and versions in single items only", async (context) => {
    await using world = await testEmulator(context);
    const zone = await world.zoneId("shop.example.com");
    const path = `/zones/${zone}/page_shield/scripts`;
    const [first] = listOf(await world.call("GET", path));
    context.expect(first).not.toHaveProperty("versions");
    context
      .expect(resultOf(await world.call("GET", `${path}/${textIn(first, "id")}`)))
      .toMatchObject({
        ...first,
        page_urls: ["https://shop.example.com/checkout"],
        versions: [{}],
      });
  });

  it.for([
    ["scripts", "status=ended"],
    ["scripts", "page=0"],
    ["scripts", "page=two"],
    ["scripts", "per_page=101"],
    ["scripts", "per_page=0"],
    ["scripts", "order_by=url"],
    ["scripts", "direction=up"],
    ["scripts", "export=xml"],
    ["scripts", "exclude_cdn_cgi=1"],
    ["connections", "prioritize_malicious=yes"],
    ["cookies", "same_site=loose"],
    ["cookies", "type=third_party"],
    ["cookies", `name=${"x".repeat(1025)}`],
  ])("reject %s?%s", async ([list = "", query = ""], context) => {
    await using world = await testEmulator(context, { seed });
    const answer = await listed(world, list, query);
    context.expect(answer.status).toBe(400);
    context.expect(errorOf(answer)["message"]).toContain(query.split("=")[0]);
  });
});

describe("cookies", () => {
  it.for([
    { query: "", yields: ["session", "other", "session_hint"] },
    { query: "name=session", yields: ["session"] },
    { query: "name=session*", yields: ["session", "session_hint"] },
    { query: "secure=false", yields: ["session_hint"] },
    { query: "http_only=true", yields: ["session"] },
    { query: "same_site=strict", yields: ["session"] },
    { query: "type=unknown", yields: ["other"] },
    { query: "path=/pay", yields: ["session"] },
    { query: "domain=.shop.example", yields: ["other"] },
  ])("listed with ?$query are $yields", async ({ query, yields }, context) => {
    await using world = await testEmulator(context, { seed });
    context.expect(namesIn(await listed(world, "cookies", query))).toEqual(yields);
  });

  it("have no status", async (context) => {
    await using world = await testEmulator(context, { seed });
    context.expect(listOf(await listed(world, "cookies", ""))[0]).not.toHaveProperty("status");
  });
});

describe("the status of a script", () => {
  const day = 86_400_000;
  const seen = (reports: number, daysAgo: number): InventoryItem => ({
    id: "x",
    reports,
    firstSeen: 0,
    lastSeen: testStart.getTime() - daysAgo * day,
    facts: {},
    detail: {},
  });

  it.for([
    { reports: 2, silent: 0, yields: "infrequent" },
    { reports: 2, silent: 4.9, yields: "infrequent" },
    { reports: 2, silent: 5, yields: undefined },
    { reports: 4, silent: 0, yields: "active" },
    { reports: 4, silent: 6.9, yields: "active" },
    { reports: 4, silent: 7, yields: "inactive" },
    { reports: 4, silent: 29.9, yields: "inactive" },
    { reports: 4, silent: 30, yields: undefined },
  ])(
    "with $reports reports, silent for $silent days, is $yields",
    ({ reports, silent, yields }, { expect }) => {
      expect(statusOf(seen(reports, silent), testStart)).toBe(yields);
    },
  );

  it("rises with reports", ({ expect }) => {
    expect(statusOf(withReports(seen(1, 2), 3, testStart), testStart)).toBe("active");
    expect(statusOf(withReports(seen(9, 20), 1, testStart), testStart)).toBe("active");
  });

  it("follows the emulator's clock and the reports of browsers", async (context) => {
    await using world = await testEmulator(context, { seed });
    await world.control("POST", "/clock", { advance: "8d" });
    context.expect(namesIn(await listed(world, "scripts", ""))).toEqual([]);
    const inactive = namesIn(await listed(world, "scripts", "status=inactive"));
    context.expect(inactive).toContain("a.js");

    const report = { zone: "shop.example", url: "https://cdn.example/a.js" };
    await world.control("POST", "/report", report);
    context.expect(namesIn(await listed(world, "scripts", ""))).toEqual(["a.js"]);
  });
});
