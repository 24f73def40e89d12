import { setImmediate } from "node:timers/promises";

import {
  coerceDate,
  coerceList,
  coerceObject,
  isJsonObject,
  type Json,
} from "../../syntax/json.ts";
import type { AuditEntry, AuditRead, AuditWindow } from "../../zone/audit-entry.ts";
import { malformedResult } from "../request/answer.ts";
import { type Get, get } from "../request/call.ts";
import { routes } from "../routes.ts";
import { cursorIn, textIn } from "../wire-value.ts";
import { basePath } from "../wire.ts";
import { auditedWriteOf } from "./parse-audited-write.ts";

/** The largest page: fewer requests for more entries. */
const perPage = 1_000;

/** Pages of one read. What is left out is older, and the sweep finds what it did. */
const maxPages = 5;

/** Longer texts are cut: whoever writes to the service chooses them. */
const maxTextLength = 512;

/**
 * Reads the audit log of an account, newest entries first (SERVICE.md C.7).
 *
 * @param filter parameters by which the service leaves entries out.
 */
export async function readAuditLog(
  send: Get,
  accountId: string,
  { since, before }: AuditWindow,
  filter: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<AuditRead> {
  const entries: AuditEntry[] = [];
  const cursors = new Set<string>();
  let malformed = 0;
  let cursor = "";
  for (let page = 1; ; page += 1) {
    const call = get(
      routes.auditLog,
      { account_id: accountId },
      {
        since: since.toISOString(),
        before: before.toISOString(),
        direction: "desc",
        limit: `${perPage}`,
        ...filter,
        ...(cursor === "" ? {} : { cursor }),
      },
    );
    const answer = await send(call, signal);
    const result = answer.result();
    if (!Array.isArray(result)) throw malformedResult(call, answer, "not a list of entries");
    const parsed = await parsedInPieces(coerceList(result));
    entries.push(...parsed.filter((entry) => entry !== undefined));
    malformed += parsed.filter((entry) => entry === undefined).length;
    cursor = cursorIn(answer.resultInfo());
    if (cursor === "" || parsed.length === 0) return { entries, malformed, isCut: false };
    // A cursor that came before would lead to the same pages again.
    if (cursors.has(cursor) || page >= maxPages) return { entries, malformed, isCut: true };
    cursors.add(cursor);
  }
}

/**
 * Entries that are parsed at once: others wait some milliseconds for the bodies of so many
 * requests.
 */
const atOnce = 100;

async function parsedInPieces(
  wires: readonly unknown[],
): Promise<readonly (AuditEntry | undefined)[]> {
  const parsed: (AuditEntry | undefined)[] = [];
  for (const wire of wires) {
    if (parsed.length % atOnce === atOnce - 1) await setImmediate();
    parsed.push(auditEntryOf(wire));
  }
  return parsed;
}

/**
 * `undefined` for an entry without an id or a time: it cannot be told from others, or explains
 * nothing.
 */
function auditEntryOf(wire: unknown): AuditEntry | undefined {
  if (!isJsonObject(wire)) return undefined;
  const action = coerceObject(wire["action"]);
  const actor = coerceObject(wire["actor"]);
  const raw = coerceObject(wire["raw"]);
  const zone = coerceObject(wire["zone"]);
  const id = shortText(wire, "id");
  const at = coerceDate(action["time"]);
  if (id === "" || at === undefined) return undefined;
  const method = shortText(raw, "method").toUpperCase();
  const path = pathIn(shortText(raw, "uri"));
  const resource = coerceObject(wire["resource"]);
  return {
    id,
    at,
    actor: {
      type: shortText(actor, "type"),
      context: shortText(actor, "context"),
      email: shortText(actor, "email"),
      tokenId: shortText(actor, "token_id"),
      tokenName: shortText(actor, "token_name"),
    },
    method,
    path,
    isRefused: isRefused(shortText(action, "result"), raw["status_code"]),
    zoneId: shortText(zone, "id"),
    zoneName: shortText(zone, "name").toLowerCase(),
    resourceId: shortText(resource, "id"),
    ray: shortText(raw, "cf_ray_id"),
    wrote: auditedWriteOf({
      method,
      path,
      resourceId: shortText(resource, "id"),
      body: resource["request"],
    }),
  };
}

/** After any other failure, part of the request may have been done. */
function isRefused(result: string, status: Json | undefined): boolean {
  return result === "failure" && typeof status === "number" && status >= 400 && status < 500;
}

/** The path below the base path: the dashboard and the API have different ones. */
function pathIn(uri: string): string {
  const [path = ""] = uri.replace(/^https?:\/\/[^/]*/, "").split(/[?#]/);
  for (const prefix of [basePath, "/api/v4"]) {
    if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length);
  }
  return path;
}

function shortText(holder: Readonly<Record<string, Json>>, key: string): string {
  return textIn(holder, key).slice(0, maxTextLength);
}
