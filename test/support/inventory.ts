import type { Connection, Cookie, Script } from "../../src/zone/inventory-item.ts";

/** The moment at which the tests' items were seen last. */
export const seenAt = new Date("2026-11-20T10:00:00Z");

const common = {
  host: "shop.example.com",
  firstSeenAt: new Date("2026-11-01T10:00:00Z"),
  lastSeenAt: seenAt,
  firstPageUrl: "https://shop.example.com/",
  pageUrls: [],
};

const resource = {
  ...common,
  addedAt: common.firstSeenAt,
  status: "active",
  urlContainsCdnCgi: false,
  urlReportedMalicious: false,
  domainReportedMalicious: false,
  maliciousCategories: [],
};

/** Scores of something harmless. */
export const harmless = {
  integrity: 90,
  malware: undefined,
  cryptomining: undefined,
  magecart: undefined,
};

/** A script that was seen on the shop's first page. */
export function script(url: string, changes: Partial<Script> = {}): Script {
  return {
    ...resource,
    kind: "script",
    id: url,
    url,
    hash: "",
    scores: harmless,
    fetchedAt: undefined,
    versions: [],
    ...changes,
  };
}

/** A connection that was seen on the shop's first page. */
export function connection(url: string, changes: Partial<Connection> = {}): Connection {
  return { ...resource, kind: "connection", id: url, url, ...changes };
}

/** A cookie of the shop. */
export function cookie(name: string, changes: Partial<Cookie> = {}): Cookie {
  return {
    ...common,
    kind: "cookie",
    id: name,
    name,
    type: "first_party",
    domain: "shop.example.com",
    path: "/",
    expiresAt: undefined,
    maxAge: undefined,
    httpOnly: true,
    secure: true,
    sameSite: "lax",
    ...changes,
  };
}
