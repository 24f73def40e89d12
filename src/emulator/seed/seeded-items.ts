import { type Json, type JsonObject, coerceText } from "../../syntax/json.ts";
import { type FieldReader, fieldsOf } from "../http/fields.ts";
import { unpublishedCodes } from "../http/service-error.ts";
import { ageIn, isMoment } from "../http/time.ts";
import { timestamp } from "../http/timestamp.ts";
import { statuses } from "../page-shield/detected.ts";
import type { Detected } from "../state.ts";
import { idFrom } from "../store.ts";
import type { SeedDetected } from "./seed.ts";

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
