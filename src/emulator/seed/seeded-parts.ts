import { parseDuration } from "../../syntax/duration.ts";
import { coerceText, definedMembers, type Json, type JsonObject } from "../../syntax/json.ts";
import { dayMs, hourMs } from "../../syntax/time-units.ts";
import { unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import { isTime, timestamp } from "../http/time.ts";
import { statuses } from "../page-shield/items.ts";
import type {
  AccountState,
  Entitlements,
  InventoryItem,
  RequestLimit,
  TokenState,
  EmulatedZone,
} from "../state.ts";
import { idFrom } from "../store.ts";
import type { SeedRateLimit, SeedToken, SeedZone } from "./seed.ts";

/** Entitlements that accept every seed, as of a contract that has changed since. */
export const unlimited: Entitlements = {
  policies: 1_000,
  rules: 1_000,
  connection_url_path: true,
  reporting_endpoint: true,
};

export function emptyZone(seed: SeedZone, account: AccountState, now: Date): EmulatedZone {
  const plan = seed.plan ?? "enterprise";
  return {
    level: "zone",
    id: seed.id ?? idFrom(`zone/${seed.name.toLowerCase()}`),
    name: seed.name.toLowerCase(),
    accountId: account.id,
    status: seed.status ?? "active",
    type: seed.type ?? "full",
    paused: seed.paused ?? false,
    plan,
    createdOn: timestamp(now),
    entitlements: entitlementsFrom(seed.entitlements ?? {}, plan),
    settings: {
      enabled: false,
      updated_at: timestamp(now),
      use_cloudflare_reporting_endpoint: true,
      use_connection_url_path: false,
    },
    policies: [],
    rulesets: [],
    scripts: [],
    connections: [],
    cookies: [],
  };
}

/**
 * Entitlements with the defaults of a plan; the paid limit of policies is not published
 * (SERVICE.md A.6).
 */
function entitlementsFrom(seed: Partial<Entitlements>, plan: string): Entitlements {
  const isPaid = plan !== "free";
  return {
    policies: isPaid ? 20 : 0,
    connection_url_path: isPaid,
    reporting_endpoint: isPaid,
    ...seed,
  };
}

export function seededToken({ expires_on, not_before, ...seed }: SeedToken): TokenState {
  const defaults = { permissions: "all", zones: ["*"], accounts: ["*"], status: "active" } as const;
  const times = { expiresOn: expires_on ?? null, notBefore: not_before ?? null };
  return { id: idFrom(`token/${seed.value}`), ...defaults, ...seed, ...times };
}

/** The rate limit with its defaults; `null`: none. */
export function rateLimitFrom(seed: SeedRateLimit | false = {}): RequestLimit | null {
  if (seed === false) return null;
  return {
    requests: seed.requests ?? 1_200,
    windowMs: parseDuration(seed.window ?? "5m") ?? 0,
    lockoutMs: parseDuration(seed.lockout ?? "5m") ?? 0,
  };
}

/** Members of a seeded item that do not become facts. */
const ownMembers = [
  "id",
  "status",
  "reports",
  "added_at",
  "first_seen_at",
  "last_seen_at",
  "page_urls",
  "versions",
];

export function seededResource(
  seed: JsonObject,
  key: string,
  zone: string,
  now: Date,
): InventoryItem {
  const fields = new FieldReader(seed, "", unpublishedCodes.body);
  const url = fields.required("url", fields.text("url"));
  const addedAt = timeIn(fields, "added_at", now) ?? firstSeenIn(fields, now);
  return seededItem(fields, key, now, {
    url,
    added_at: timestamp(new Date(addedAt)),
    host: zone,
    domain_reported_malicious: false,
    url_reported_malicious: false,
    first_page_url: firstPageIn(fields, zone),
    url_contains_cdn_cgi_path: url.includes("/cdn-cgi/"),
  });
}

export function seededCookie(
  seed: JsonObject,
  key: string,
  zone: string,
  now: Date,
): InventoryItem {
  const fields = new FieldReader(seed, "", unpublishedCodes.body);
  return seededItem(fields, key, now, {
    type: "first_party",
    name: fields.required("name", fields.text("name")),
    host: zone,
    domain_attribute: zone,
    expires_attribute: timestamp(new Date(now.getTime() + 30 * dayMs)),
    http_only_attribute: false,
    max_age_attribute: null,
    path_attribute: "/",
    same_site_attribute: "lax",
    secure_attribute: true,
    first_page_url: firstPageIn(fields, zone),
  });
}

function seededItem(
  fields: FieldReader,
  key: string,
  now: Date,
  defaults: JsonObject,
): InventoryItem {
  const status = fields.oneOf("status", statuses) ?? "active";
  const firstSeen = firstSeenIn(fields, now);
  const id = fields.text("id") ?? idFrom(key);
  const others = Object.entries(fields.body).filter(([name]) => !ownMembers.includes(name));
  return {
    id,
    reports: fields.integer("reports") ?? (status === "infrequent" ? 1 : 100),
    firstSeen,
    lastSeen:
      timeIn(fields, "last_seen_at", now) ??
      now.getTime() - (status === "inactive" ? 10 * dayMs : hourMs),
    facts: {
      id,
      ...defaults,
      ...Object.fromEntries(others),
      first_seen_at: timestamp(new Date(firstSeen)),
    },
    detail: definedMembers({
      page_urls: fields.texts("page_urls") ?? [coerceText(defaults["first_page_url"])],
      versions: versionsIn(fields, now),
    }),
  };
}

/** The versions of a script's content; `fetched_at` can be an age. */
function versionsIn(fields: FieldReader, now: Date): Json | undefined {
  if (fields.body["versions"] === null) return null;
  return fields.objects("versions")?.map((version) => {
    const fetched = timeIn(version, "fetched_at", now);
    return definedMembers({
      ...version.body,
      fetched_at: fetched === undefined ? undefined : timestamp(new Date(fetched)),
    });
  });
}

function firstSeenIn(fields: FieldReader, now: Date): number {
  return timeIn(fields, "first_seen_at", now) ?? now.getTime() - 20 * dayMs;
}

function firstPageIn(fields: FieldReader, zone: string): string {
  return fields.text("first_page_url") ?? fields.texts("page_urls")?.[0] ?? `https://${zone}/`;
}

/** Milliseconds since 1970 of an ISO time, or of an age before now. */
function timeIn(fields: FieldReader, name: string, now: Date): number | undefined {
  const text = fields.text(name);
  if (text === undefined) return undefined;
  const age = parseDuration(text);
  const time = age === undefined ? Date.parse(text) : now.getTime() - age;
  if (isTime(time)) return time;
  const message = `"${text}" is neither a time nor an age; write 2026-11-20T10:00:00Z or 2d`;
  throw fields.error(name, message);
}
