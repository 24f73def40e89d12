import { type Json, type JsonObject, coerceText } from "../../syntax/json.ts";
import { unpublishedCodes } from "../http/api-error.ts";
import { type FieldReader, fieldsOf } from "../http/fields.ts";
import { ageIn, isMoment, timestamp } from "../http/time.ts";
import { statuses } from "../page-shield/items.ts";
import type {
  AccountState,
  Detected,
  Entitlements,
  RateLimit,
  TokenState,
  ZoneState,
} from "../state.ts";
import { idFrom } from "../store.ts";
import type {
  SeedAccount,
  SeedDetected,
  SeedEntitlements,
  SeedRateLimit,
  SeedToken,
  SeedZone,
} from "./seed.ts";

/** The credential of a seed that names none. */
export const everything: SeedToken = {
  name: "emulator",
  value: "emulator-token",
  permissions: "all",
};

/** The account of a seed that names none. */
export const onlyAccount: SeedAccount = { name: "Synthetic account" };

const usualLimit = { requests: 1_200, window: "5m", lockout: "5m" } as const;

/** What lets a seed say anything, as a contract that has changed since would. */
export const unlimited: Entitlements = {
  policies: 1_000,
  rules: 1_000,
  connection_url_path: true,
  reporting_endpoint: true,
};

/** A zone with nothing in it yet. */
export function bareZone(seed: SeedZone, account: AccountState, now: Date): ZoneState {
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

/** What a plan brings; the paid quota of policies is not published (SERVICE.md A.6). */
function entitlementsFrom(seed: SeedEntitlements, plan: string): Entitlements {
  const isPaid = plan !== "free";
  return {
    policies: seed.policies ?? (isPaid ? 20 : 0),
    rules: seed.rules ?? 100,
    connection_url_path: seed.connection_url_path ?? isPaid,
    reporting_endpoint: seed.reporting_endpoint ?? isPaid,
  };
}

/** A credential with its defaults. */
export function tokenFrom(seed: SeedToken): TokenState {
  return {
    id: idFrom(`token/${seed.value}`),
    name: seed.name,
    value: seed.value,
    permissions: seed.permissions ?? "all",
    zones: seed.zones ?? ["*"],
    accounts: seed.accounts ?? ["*"],
    status: seed.status ?? "active",
    expiresOn: seed.expires_on ?? null,
    notBefore: seed.not_before ?? null,
  };
}

/** The quota with its defaults; `null`: none. */
export function limitFrom(seed: SeedRateLimit | false | undefined): RateLimit | null {
  if (seed === false) return null;
  return {
    requests: seed?.requests ?? usualLimit.requests,
    windowMs: ageIn(seed?.window ?? usualLimit.window) ?? 0,
    lockoutMs: ageIn(seed?.lockout ?? usualLimit.lockout) ?? 0,
  };
}

const day = 86_400_000;
const hour = 3_600_000;

/** Members that say when and how often an item was seen; everything else is shown as it is. */
const momentMembers = ["id", "status", "reports", "added_at", "first_seen_at", "last_seen_at"];
const detailMembers = ["page_urls", "versions"];

/** A script or connection of a seed. */
export function seededItem(seed: SeedDetected, key: string, zone: string, now: Date): Detected {
  const fields = fieldsOf(seed, "", unpublishedCodes.body);
  const url = fields.required("url", fields.text("url"));
  const firstSeen = firstSeenIn(fields, now);
  return detected(fields, key, now, {
    url,
    added_at: timestamp(new Date(momentIn(fields, "added_at", now) ?? firstSeen)),
    host: zone,
    domain_reported_malicious: false,
    url_reported_malicious: false,
    first_page_url: firstPage(fields, zone),
    url_contains_cdn_cgi_path: url.includes("/cdn-cgi/"),
  });
}

/** A cookie of a seed. */
export function seededCookie(seed: SeedDetected, key: string, zone: string, now: Date): Detected {
  const fields = fieldsOf(seed, "", unpublishedCodes.body);
  return detected(fields, key, now, {
    type: "first_party",
    name: fields.required("name", fields.text("name")),
    host: zone,
    domain_attribute: zone,
    expires_attribute: timestamp(new Date(now.getTime() + 30 * day)),
    http_only_attribute: false,
    max_age_attribute: null,
    path_attribute: "/",
    same_site_attribute: "lax",
    secure_attribute: true,
    first_page_url: firstPage(fields, zone),
  });
}

function detected(fields: FieldReader, key: string, now: Date, usual: JsonObject): Detected {
  const status = fields.oneOf("status", statuses) ?? "active";
  const firstSeen = firstSeenIn(fields, now);
  const id = fields.text("id") ?? idFrom(key);
  const pages = fields.texts("page_urls") ?? [firstPageOf(usual)];
  return {
    id,
    reports: fields.integer("reports") ?? (status === "infrequent" ? 1 : 100),
    firstSeen,
    lastSeen:
      momentIn(fields, "last_seen_at", now) ??
      now.getTime() - (status === "inactive" ? 10 * day : hour),
    facts: {
      id,
      ...usual,
      ...otherMembers(fields.body),
      first_seen_at: timestamp(new Date(firstSeen)),
    },
    detail: { page_urls: pages, ...versionsIn(fields) },
  };
}

function firstSeenIn(fields: FieldReader, now: Date): number {
  return momentIn(fields, "first_seen_at", now) ?? now.getTime() - 20 * day;
}

function otherMembers(body: JsonObject): JsonObject {
  const special = [...momentMembers, ...detailMembers];
  return Object.fromEntries(Object.entries(body).filter(([name]) => !special.includes(name)));
}

function versionsIn(fields: FieldReader): JsonObject {
  const versions: Json | undefined = fields.body["versions"];
  return versions === undefined ? {} : { versions };
}

function firstPage(fields: FieldReader, zone: string): string {
  return fields.text("first_page_url") ?? fields.texts("page_urls")?.[0] ?? `https://${zone}/`;
}

function firstPageOf(item: JsonObject): string {
  return coerceText(item["first_page_url"]);
}

/** A moment as ISO time, or as an age before now. */
function momentIn(fields: FieldReader, name: string, now: Date): number | undefined {
  const text = fields.text(name);
  if (text === undefined) return undefined;
  const age = ageIn(text);
  const moment = age === undefined ? Date.parse(text) : now.getTime() - age;
  if (isMoment(moment)) return moment;
  throw fields.mistake(
    name,
    `"${text}" is neither a moment nor an age: 2026-11-20T10:00:00Z or 2d`,
  );
}
