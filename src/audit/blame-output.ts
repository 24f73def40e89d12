import { historyJson } from "../history/history-json.ts";
import { renderHistoryEntry } from "../history/history-text.ts";
import type { HistoryEntry } from "../history/history.ts";
import { type Paint, printable } from "../render/format.ts";
import { firstOf } from "../syntax/first-of.ts";
import { type JsonObject, textOrNull } from "../syntax/json.ts";
import type { AuditEntry } from "../zone/audit-entry.ts";
import { kindWords } from "../zone/resource.ts";
import { factsOfPhase } from "../zone/rule-phase.ts";

/** What happened to a zone: an entry of the audit log, or a run of our own history. */
export type BlameItem =
  | {
      readonly kind: "audit";
      readonly at: Date;
      readonly entry: AuditEntry;
      /** Whether zonewarden wrote it, with a token of this configuration. */
      readonly isOwn: boolean;
      /** The description of the policy or rule that it wrote; "" if it is not live any more, or has none. */
      readonly title: string;
    }
  | { readonly kind: "run"; readonly at: Date; readonly run: HistoryEntry };

/** `2026-11-20T12:00:00.000Z  alice@example.com  dash  update setting enabled  ray 8f…`. */
export function blameText(item: BlameItem, paint: Paint): string {
  if (item.kind === "run") return renderHistoryEntry(item.run, paint);
  const { entry, isOwn, title } = item;
  const { actor, ray } = entry;
  const what = writtenText(entry, title);
  const who = printable(whoOf(entry));
  return `${[
    item.at.toISOString(),
    paint("bold", isOwn ? `${who} (zonewarden)` : who),
    ...(actor.context === "" ? [] : [printable(actor.context)]),
    ...(what === "" ? [] : [printable(what)]),
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

/** What an entry wrote: `update policy 5f… “Scripts of the checkout”`; its request, where zone files do not declare it. */
function writtenText({ wrote, method, path }: AuditEntry, title: string): string {
  if (wrote === undefined) return path === "" ? "" : `${method} ${path}`.trim();
  const { verb, kind, phase, id, values } = wrote;
  const rule = phase === undefined ? "rule" : kindWords(factsOfPhase(phase).kind);
  const what = kind === "rule" ? rule : kind;
  if (verb === "replace") return `replace all ${what}s`;
  const names = kind === "setting" ? firstOf([...(values?.keys() ?? [])], 3) : id;
  return [verb, what, names, title === "" ? "" : `“${title}”`]
    .filter((each) => each !== "")
    .join(" ");
}

/** A person before a token, and a token before the type of whoever it was. */
function whoOf({ actor: { email, tokenName, type } }: AuditEntry): string {
  if (email !== "") return email;
  if (tokenName !== "") return `token ${tokenName}`;
  return type === "" ? "somebody" : type;
}
