import { historyJson } from "../history/history-json.ts";
import { renderHistoryEntry } from "../history/history-text.ts";
import type { HistoryEntry } from "../history/history.ts";
import { type Paint, printable } from "../render/format.ts";
import { type JsonObject, textOrNull } from "../syntax/json.ts";
import type { AuditEntry } from "../zone/audit-entry.ts";

/** What happened to a zone: an entry of the audit log, or a run of our own history. */
export type BlameItem =
  | {
      readonly kind: "audit";
      readonly at: Date;
      readonly entry: AuditEntry;
      /** Whether zonewarden wrote it, with a token of this configuration. */
      readonly isOwn: boolean;
    }
  | { readonly kind: "run"; readonly at: Date; readonly run: HistoryEntry };

/** `2026-11-20T12:00:00.000Z  alice@example.com  dash  PUT /zones/…/page_shield  ray 8f…`. */
export function blameText(item: BlameItem, paint: Paint): string {
  if (item.kind === "run") return renderHistoryEntry(item.run, paint);
  const { entry, isOwn } = item;
  const { actor, method, path, ray } = entry;
  const who = printable(whoOf(entry));
  return `${[
    item.at.toISOString(),
    paint("bold", isOwn ? `${who} (zonewarden)` : who),
    ...(actor.context === "" ? [] : [printable(actor.context)]),
    ...(path === "" ? [] : [printable(`${method} ${path}`.trim())]),
    ...(ray === "" ? [] : [paint("dim", `ray ${printable(ray)}`)]),
  ].join("  ")}\n`;
}

/** The same as JSON; what the service did not say is `null`. */
export function blameJson(item: BlameItem): JsonObject {
  if (item.kind === "run") return { kind: "run", ...historyJson(item.run) };
  const { id, actor, method, path, ray } = item.entry;
  return {
    kind: "audit",
    at: item.at.toISOString(),
    id,
    zonewarden: item.isOwn,
    actor: {
      type: textOrNull(actor.type),
      context: textOrNull(actor.context),
      email: textOrNull(actor.email),
      token_name: textOrNull(actor.tokenName),
    },
    method: textOrNull(method),
    path: textOrNull(path),
    ray: textOrNull(ray),
  };
}

/** A person before a token, and a token before the type of whoever it was. */
function whoOf({ actor: { email, tokenName, type } }: AuditEntry): string {
  if (email !== "") return email;
  if (tokenName !== "") return `token ${tokenName}`;
  return type === "" ? "somebody" : type;
}
