import { describe, it } from "vitest";

import { InventoryReader } from "../../src/api/read/read-inventory.ts";
import type { Get } from "../../src/api/request/call.ts";
import { fakeGet } from "../support/get.ts";
import { zone as zoneOf } from "../support/service.ts";

const hash = "b".repeat(64);

function readerOf(send: Get): InventoryReader {
  return new InventoryReader(() => send);
}

describe("an item", () => {
  const id = "c".repeat(32);
  const seen = {
    id,
    host: "shop.example.com",
    first_seen_at: "2026-11-01T00:00:00Z",
    last_seen_at: "2026-11-02T00:00:00Z",
    first_page_url: "https://shop.example.com/",
    page_urls: ["https://shop.example.com/b", "https://shop.example.com/a"],
  };
  const resource = {
    ...seen,
    url: "https://cdn.example/a.js",
    added_at: "2026-11-03T00:00:00Z",
    status: "active",
    url_contains_cdn_cgi_path: false,
    url_reported_malicious: true,
    malicious_url_categories: ["Phishing", "Malware"],
    malicious_domain_categories: ["Spam", "Malware", "Adware"],
  };
  const version = {
    hash,
    js_integrity_score: 1,
    malware_score: 2,
    cryptomining_score: 3,
    magecart_score: 4,
    fetched_at: "2026-11-04T00:00:00Z",
  };
  const seenItem = {
    id,
    host: "shop.example.com",
    firstSeenAt: new Date("2026-11-01T00:00:00Z"),
    lastSeenAt: new Date("2026-11-02T00:00:00Z"),
    firstPageUrl: "https://shop.example.com/",
    pageUrls: ["https://shop.example.com/a", "https://shop.example.com/b"],
  };
  const resourceItem = {
    ...seenItem,
    url: "https://cdn.example/a.js",
    addedAt: new Date("2026-11-03T00:00:00Z"),
    status: "active",
    urlContainsCdnCgi: false,
    urlReportedMalicious: true,
    domainReportedMalicious: false,
    maliciousCategories: ["Adware", "Malware", "Phishing", "Spam"],
  };
  const versionItem = {
    hash,
    scores: { integrity: 1, malware: 2, cryptomining: 3, magecart: 4 },
    fetchedAt: new Date("2026-11-04T00:00:00Z"),
  };

  it.for([
    {
      kind: "script",
      wire: { ...resource, ...version, versions: [version] },
      yields: { ...resourceItem, ...versionItem, versions: [versionItem] },
    },
    {
      kind: "connection",
      wire: { ...resource, url_reported_malicious: undefined, domain_reported_malicious: true },
      yields: { ...resourceItem, urlReportedMalicious: false, domainReportedMalicious: true },
    },
    {
      kind: "cookie",
      wire: {
        ...seen,
        name: "session",
        type: "first_party",
        domain_attribute: "example.com",
        path_attribute: "/shop",
        expires_attribute: "2026-12-01T00:00:00Z",
        max_age_attribute: 60,
        http_only_attribute: true,
        secure_attribute: false,
        same_site_attribute: "lax",
      },
      yields: {
        ...seenItem,
        name: "session",
        type: "first_party",
        domain: "example.com",
        path: "/shop",
        expiresAt: new Date("2026-12-01T00:00:00Z"),
        maxAge: 60,
        httpOnly: true,
        secure: false,
        sameSite: "lax",
      },
    },
  ] as const)("that is a $kind has every field", async ({ kind, wire, yields }, context) => {
    const { expect, signal } = context;
    const { send } = fakeGet(() => ({ result: wire }));
    const item = await readerOf(send).read(zoneOf(), kind, id, signal);
    expect(item).toEqual({ kind, ...yields });
  });

  it.for([
    { url: "https://a/cdn-cgi/b.js", flag: undefined, isCdnCgi: true },
    { url: "https://a/b.js", flag: undefined, isCdnCgi: false },
    { url: "https://a/b.js", flag: true, isCdnCgi: true },
    { url: "https://a/cdn-cgi/b.js", flag: false, isCdnCgi: false },
  ])("$url, told as $flag, is of the service itself: $isCdnCgi", async (row, context) => {
    const result = { id, url: row.url, url_contains_cdn_cgi_path: row.flag };
    const { send } = fakeGet(() => ({ result }));
    const item = await readerOf(send).read(zoneOf(), "connection", id, context.signal);
    context.expect(item).toMatchObject({ urlContainsCdnCgi: row.isCdnCgi });
  });

  it("has no score that is no number", async ({ expect, signal }) => {
    const { send } = fakeGet(() => ({ result: { id, js_integrity_score: "3", malware_score: 4 } }));
    const item = await readerOf(send).read(zoneOf(), "script", id, signal);
    expect(item).toMatchObject({ scores: { integrity: undefined, malware: 4 } });
  });

  it.for([null, [], "text", {}])("is not made up: %j", async (result, { expect, signal }) => {
    const { send } = fakeGet(() => ({ result }));
    const reading = readerOf(send).read(zoneOf(), "cookie", id, signal);
    await expect(reading).rejects.toMatchObject({ code: "API_MALFORMED" });
  });

  it("of another shape is no item, and names the request", async ({ expect, signal }) => {
    const { send } = fakeGet(() => ({ result: { id: "not an id" }, status: 200, ray: "ray-7" }));
    const facts = { code: "API_MALFORMED", status: 200, ray: "ray-7" };
    const reading = readerOf(send).read(zoneOf(), "script", id, signal);
    await expect(reading).rejects.toMatchObject(facts);
    await expect(reading).rejects.toThrow(
      "GET /zones/{zone_id}/page_shield/scripts/{script_id}: not a script",
    );
    const listing = readerOf(send).list(zoneOf(), "cookie", {}, signal);
    await expect(listing).rejects.toMatchObject(facts);
    await expect(listing).rejects.toThrow(
      "GET /zones/{zone_id}/page_shield/cookies: not a list of items",
    );
  });
});
