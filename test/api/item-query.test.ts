import { describe, it } from "vitest";

import {
  everythingSeen,
  noFilters,
  queryOf,
  type ItemFilters,
} from "../../src/api/read/item-query.ts";
import { itemKinds } from "../../src/zone/inventory-item.ts";

const everyFilter: ItemFilters = {
  hosts: ["shop.example.com", "www.*"],
  pageUrls: ["*/pay"],
  urls: ["a.js", "b.js"],
  excludeUrls: ["copy"],
  statuses: ["active", "inactive"],
  excludeCdnCgi: false,
  excludeDuplicates: true,
  prioritizeMalicious: true,
  orderBy: "last_seen_at",
  direction: "desc",
  name: "session",
  path: "/shop",
  domain: "example.com",
  secure: false,
  httpOnly: true,
  sameSite: "lax",
  type: "first_party",
};

const ofAll = {
  hosts: "shop.example.com,www.*",
  page_url: "*/pay",
  order_by: "last_seen_at",
  direction: "desc",
};
const ofResources = {
  ...ofAll,
  urls: "a.js,b.js",
  exclude_urls: "copy",
  status: "active,inactive",
  exclude_cdn_cgi: "false",
  prioritize_malicious: "true",
};

describe("the query of an inventory list", () => {
  it.for([
    { kind: "script", query: { ...ofResources, exclude_duplicates: "true" } },
    { kind: "connection", query: ofResources },
    {
      kind: "cookie",
      query: {
        ...ofAll,
        name: "session",
        path: "/shop",
        domain: "example.com",
        secure: "false",
        http_only: "true",
        same_site: "lax",
        type: "first_party",
      },
    },
  ] as const)("has every filter that a list of $kind items has", ({ kind, query }, { expect }) => {
    expect(queryOf(kind, everyFilter)).toEqual(query);
  });

  it("asks for nothing where nothing is filtered", ({ expect }) => {
    for (const kind of itemKinds) expect(queryOf(kind, noFilters)).toEqual({});
  });

  it("asks for whatever was seen, also what the service hides", ({ expect }) => {
    const status = "active,infrequent,inactive";
    expect(itemKinds.map((kind) => queryOf(kind, everythingSeen))).toEqual([
      { status, exclude_duplicates: "false" },
      { status },
      {},
    ]);
  });
});
