import { createHash } from "node:crypto";

import { coerceList, type JsonObject } from "../../syntax/json.ts";
import type { EmulatedService } from "../emulated-service.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import { withReports } from "../page-shield/items.ts";
import { seededResource } from "../seed/seeded-parts.ts";
import type { InventoryItem, ZoneState } from "../state.ts";

const defaultScore = 90;

/**
 * Browsers load a script: it appears, is on other pages, or has other content; or it is deleted. Like the service, the
 * emulator detects nothing while monitoring is off.
 */
export async function loadScript(
  service: EmulatedService,
  zone: ZoneState,
  fields: FieldReader,
): Promise<unknown> {
  fields.only(["zone", "url", "pages", "content", "score", "vanish"]);
  const url = fields.required("url", fields.text("url"));
  const known = zone.scripts.find(({ facts }) => facts["url"] === url);
  const others = zone.scripts.filter((item) => item !== known);
  if (fields.boolean("vanish") === true) {
    if (known === undefined) throw rejection(404, `${zone.name} has no script with this url`);
    await service.commit({ ...zone, scripts: others });
    return { vanished: url };
  }
  if (!zone.settings.enabled) {
    throw rejection(400, `monitoring of ${zone.name} is off: nothing is detected`);
  }
  const now = service.store.now();
  const seen = known ?? newScript(url, fields, zone, now);
  const reported = withReports(withPages(seen, fields), 1, now);
  const script = withContent(reported, fields, now);
  await service.commit({ ...zone, scripts: [...others, script] });
  return { script: { ...script.facts, ...script.detail } };
}

function newScript(url: string, fields: FieldReader, zone: ZoneState, now: Date): InventoryItem {
  const moment = timestamp(now);
  const seed = {
    url,
    page_urls: fields.texts("pages") ?? [`https://${zone.name}/`],
    reports: 0,
    first_seen_at: moment,
    last_seen_at: moment,
  };
  return seededResource(seed, `script/${zone.id}/${url}`, zone.name, now);
}

/** The pages replace those before: the first page on which it was seen stays. */
function withPages(item: InventoryItem, fields: FieldReader): InventoryItem {
  const pages = fields.texts("pages");
  return pages === undefined ? item : { ...item, detail: { ...item.detail, page_urls: pages } };
}

/** Other content is another version; the same is not. */
function withContent(item: InventoryItem, fields: FieldReader, now: Date): InventoryItem {
  const content = fields.text("content");
  const hash =
    content === undefined ? undefined : createHash("sha256").update(content).digest("hex");
  if (hash === undefined || item.facts["hash"] === hash) return item;
  const score = fields.integer("score") ?? defaultScore;
  const version: JsonObject = {
    hash,
    js_integrity_score: score,
    fetched_at: timestamp(now),
  };
  return {
    ...item,
    facts: { ...item.facts, ...version },
    detail: { ...item.detail, versions: [version, ...coerceList(item.detail["versions"])] },
  };
}

function rejection(status: 400 | 404, message: string): Error {
  return apiError(status, unpublishedCodes.itemNotFound, message);
}
