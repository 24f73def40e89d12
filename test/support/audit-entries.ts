import { auditedWriteOf } from "../../src/api/read/parse-audited-write.ts";
import type { Json } from "../../src/syntax/json.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { desiredZone, zoneNamed } from "./model.ts";

/** An id of 32 digits that ends with a number. */
export function idOf(number: number): string {
  return number.toString(16).padStart(32, "0");
}

/** A declared zone with an id of its own. */
export function zoneWithId(
  name: string,
  number: number,
  content: Partial<DesiredZone["content"]> = {},
): DesiredZone {
  const id = zoneId(idOf(number));
  if (id === undefined) throw new Error(`${number} makes no id`);
  return { ...desiredZone(content), zone: { ...zoneNamed(name), id } };
}

/** An entry of the audit log that a person made in the dashboard. */
export function auditEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: "entry",
    at: new Date("2026-11-20T12:00:00Z"),
    actor: {
      type: "user",
      context: "dash",
      email: "alice@example.com",
      tokenId: "",
      tokenName: "",
    },
    method: "PUT",
    path: "",
    isRefused: false,
    zoneId: "",
    zoneName: "",
    resourceId: "",
    ray: "",
    wrote: undefined,
    ...changes,
  };
}

/** A write as the audit log has it: of a person where who has an e-mail address, otherwise of an API token. */
export function writeEntry({
  who,
  resourceId = "",
  body,
  ...request
}: Pick<AuditEntry, "id" | "at" | "method" | "path"> & {
  readonly who: string;
  readonly resourceId?: string;
  readonly body?: Json | undefined;
}): AuditEntry {
  const isToken = !who.includes("@");
  return auditEntry({
    ...request,
    actor: {
      type: isToken ? "account" : "user",
      context: isToken ? "api_token" : "dash",
      email: isToken ? "" : who,
      tokenId: isToken ? `id-of-${who}` : "",
      tokenName: isToken ? who : "",
    },
    resourceId,
    wrote: auditedWriteOf({ ...request, resourceId, body }),
  });
}
