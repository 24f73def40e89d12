import { type JsonObject, coerceDate, coerceObjects } from "../../syntax/json.ts";
import type {
  Connection,
  Cookie,
  Item,
  ItemKind,
  Script,
  ScriptVersion,
} from "../../zone/inventory-item.ts";
import { flagIn, textIn, textSet } from "../wire-value.ts";

/** Reads a detected item; `undefined` where it has no id. Anything else may be missing, by the account's plan (SERVICE.md A.4). */
export function itemOf(kind: ItemKind, wire: JsonObject): Item | undefined {
  if (textIn(wire, "id") === "") return undefined;
  switch (kind) {
    case "script":
      return scriptOf(wire);
    case "connection":
      return connectionOf(wire);
    case "cookie":
      return cookieOf(wire);
  }
}

function scriptOf(wire: JsonObject): Script {
  return {
    ...resourceOf(wire),
    kind: "script",
    ...versionOf(wire),
    versions: coerceObjects(wire["versions"]).map(versionOf),
  };
}

function connectionOf(wire: JsonObject): Connection {
  return { ...resourceOf(wire), kind: "connection" };
}

function cookieOf(wire: JsonObject): Cookie {
  return {
    ...baseOf(wire),
    kind: "cookie",
    name: textIn(wire, "name"),
    type: textIn(wire, "type"),
    domain: textIn(wire, "domain_attribute"),
    path: textIn(wire, "path_attribute"),
    expiresAt: coerceDate(wire["expires_attribute"]),
    maxAge: numberIn(wire, "max_age_attribute"),
    httpOnly: flagIn(wire, "http_only_attribute"),
    secure: flagIn(wire, "secure_attribute"),
    sameSite: textIn(wire, "same_site_attribute"),
  };
}

function baseOf(wire: JsonObject): Omit<Cookie, keyof CookieFacts> {
  return {
    id: textIn(wire, "id"),
    host: textIn(wire, "host"),
    firstSeenAt: coerceDate(wire["first_seen_at"]),
    lastSeenAt: coerceDate(wire["last_seen_at"]),
    firstPageUrl: textIn(wire, "first_page_url"),
    pageUrls: textSet(wire["page_urls"]),
  };
}

type CookieFacts = Pick<
  Cookie,
  | "kind"
  | "name"
  | "type"
  | "domain"
  | "path"
  | "expiresAt"
  | "maxAge"
  | "httpOnly"
  | "secure"
  | "sameSite"
>;

function resourceOf(wire: JsonObject): Omit<Connection, "kind"> {
  const url = textIn(wire, "url");
  return {
    ...baseOf(wire),
    url,
    addedAt: coerceDate(wire["added_at"]),
    status: textIn(wire, "status"),
    urlContainsCdnCgi: flagIn(wire, "url_contains_cdn_cgi_path") ?? url.includes("/cdn-cgi/"),
    urlReportedMalicious: flagIn(wire, "url_reported_malicious") ?? false,
    domainReportedMalicious: flagIn(wire, "domain_reported_malicious") ?? false,
    maliciousCategories: [
      ...new Set([
        ...textSet(wire["malicious_url_categories"]),
        ...textSet(wire["malicious_domain_categories"]),
      ]),
    ].toSorted(),
  };
}

function versionOf(wire: JsonObject): ScriptVersion {
  return {
    hash: textIn(wire, "hash"),
    scores: {
      integrity: numberIn(wire, "js_integrity_score"),
      malware: numberIn(wire, "malware_score"),
      cryptomining: numberIn(wire, "cryptomining_score"),
      magecart: numberIn(wire, "magecart_score"),
    },
    fetchedAt: coerceDate(wire["fetched_at"]),
  };
}

function numberIn(wire: JsonObject, name: string): number | undefined {
  const value = wire[name];
  return typeof value === "number" ? value : undefined;
}
