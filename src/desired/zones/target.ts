import { domainToASCII } from "node:url";

import type { Suspension, Target } from "../../zone/desired-zone.ts";
import { zoneId, zoneName } from "../../zone/zone.ts";
import type { DeclarationDiagnostic } from "../complaint.ts";
import type { Selector, ZoneEntry } from "./zone-file.ts";

/** The zones that an entry speaks of, or why that cannot be told. */
export function targetOf(entry: ZoneEntry): Target | DeclarationDiagnostic {
  if (entry.match !== undefined) return { by: "selector", selector: selectorOf(entry.match) };
  const id = zoneId(entry.id ?? "");
  if (id !== undefined) return { by: "id", id };
  const written = entry.name ?? "";
  const name = zoneName(written);
  if (name !== undefined) return { by: "name", name };
  const ascii = zoneName(domainToASCII(written.replace(/\.$/, "")));
  return {
    code: "WRONG_VALUE",
    path: ["name"],
    message: `"${written}" is no name of a zone`,
    remedy:
      ascii === undefined ? "write a domain name, such as shop.example.com" : `write ${ascii}`,
  };
}

/** Names a target: two entries with the same label speak of the same zones. */
export function labelOf(target: Target): string {
  switch (target.by) {
    case "name":
      return target.name;
    case "id":
      return target.id;
    case "selector":
      return `match ${JSON.stringify(target.selector)}`;
  }
}

/** Why and how long a zone is not written, or why that cannot be told; `undefined` where it is not suspended. */
export function suspensionOf({
  suspend,
}: ZoneEntry): Suspension | DeclarationDiagnostic | undefined {
  if (suspend === undefined || suspend === false) return undefined;
  if (suspend === true) return { reason: "no reason given", until: undefined };
  const { reason, until } = suspend;
  if (until === undefined) return { reason, until: undefined };
  const moment = new Date(until);
  if (isRealDay(until) && !Number.isNaN(moment.getTime())) return { reason, until: moment };
  return {
    code: "WRONG_VALUE",
    path: ["suspend", "until"],
    message: `"${until}" is no day of the calendar, or no time of a day`,
    remedy: "write 2026-12-01 or 2026-12-01T18:00:00Z",
  };
}

/** Whether something is a complaint, and not what was asked for. */
export function isComplaint(
  value: Target | Suspension | DeclarationDiagnostic,
): value is DeclarationDiagnostic {
  return "code" in value;
}

function selectorOf({ name, account, status, plan }: Selector): {
  readonly name: string | undefined;
  readonly account: string | undefined;
  readonly status: string | undefined;
  readonly plan: string | undefined;
} {
  return { name, account, status, plan };
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isRealDay(text: string): boolean {
  const day = text.slice(0, 10);
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
}
