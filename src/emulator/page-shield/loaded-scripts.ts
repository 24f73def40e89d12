import { sha256 } from "../../syntax/digest.ts";
import { coerceList, type JsonObject } from "../../syntax/json.ts";
import type { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import { seededResource } from "../seed/seeded-parts.ts";
import type { InventoryItem, ScriptLoad, EmulatedZone } from "../state.ts";
import { withReports } from "./items.ts";

const defaultScore = 90;

/** Members of a {@link ScriptLoad} in the emulator's own bodies. */
export const loadMembers = ["url", "pages", "content", "score", "vanish"];

export function scriptLoadIn(fields: FieldReader): ScriptLoad {
  return {
    url: fields.required("url", fields.text("url")),
    pages: fields.texts("pages"),
    content: fields.text("content"),
    score: fields.integer("score") ?? defaultScore,
    vanish: fields.boolean("vanish") ?? false,
  };
}

export function scriptWithUrl(
  { scripts }: EmulatedZone,
  wanted: string,
): InventoryItem | undefined {
  return scripts.find(({ facts: { url } }) => url === wanted);
}

/**
 * The zone after browsers loaded a script, or after the script vanished. Like the service, it asks
 * for monitoring.
 */
export function afterLoad(zone: EmulatedZone, load: ScriptLoad, now: Date): EmulatedZone {
  const known = scriptWithUrl(zone, load.url);
  const others = zone.scripts.filter((item) => item !== known);
  if (load.vanish) return { ...zone, scripts: others };
  if (!zone.settings.enabled) return zone;
  const seen = known ?? newScript(load, zone, now);
  const reported = withReports(withPages(seen, load), 1, now);
  return { ...zone, scripts: [...others, withContent(reported, load, now)] };
}

function newScript({ url, pages }: ScriptLoad, zone: EmulatedZone, now: Date): InventoryItem {
  const moment = timestamp(now);
  const seed = {
    url,
    page_urls: pages ?? [`https://${zone.name}/`],
    reports: 0,
    first_seen_at: moment,
    last_seen_at: moment,
  };
  return seededResource(seed, `script/${zone.id}/${url}`, zone.name, now);
}

/** The pages replace those before: the first page on which it was seen stays. */
function withPages(item: InventoryItem, { pages }: ScriptLoad): InventoryItem {
  return pages === undefined ? item : { ...item, detail: { ...item.detail, page_urls: pages } };
}

/** Other content is another version; the same is not. */
function withContent(
  item: InventoryItem,
  { content, score }: ScriptLoad,
  now: Date,
): InventoryItem {
  const hash = content === undefined ? undefined : sha256(content);
  if (hash === undefined || item.facts["hash"] === hash) return item;
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
