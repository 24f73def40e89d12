import { domainToASCII } from "node:url";

import type { Selector, Suspension, Target, ZonePatterns } from "../../zone/desired-zone.ts";
import { startOf } from "../../zone/written-date.ts";
import { zoneId, zoneName } from "../../zone/zone.ts";
import { type Converted, noDate } from "../diagnostics.ts";
import type { YamlSelector, YamlZoneEntry } from "./zone-file.ts";

/** Which zones an entry declares; no value if the name is invalid. */
export function targetOf({
  match,
  id: writtenId,
  name: written = "",
}: YamlZoneEntry): Converted<Target | undefined> {
  if (match !== undefined) {
    const selector = { ...patternsOf(match), not: match.not && patternsOf(match.not) };
    return { value: { by: "selector", selector }, diagnostics: [] };
  }
  const id = zoneId(writtenId ?? "");
  if (id !== undefined) return { value: { by: "id", id }, diagnostics: [] };
  const name = zoneName(written);
  if (name !== undefined) return { value: { by: "name", name }, diagnostics: [] };
  const ascii = zoneName(domainToASCII(written.replace(/\.$/, "")));
  const message = `"${written}" is not a zone name`;
  const remedy =
    ascii === undefined ? "write a domain name like shop.example.com" : `write ${ascii}`;
  const diagnostics = [{ code: "WRONG_VALUE" as const, path: ["name"], message, remedy }];
  return { value: undefined, diagnostics };
}

function patternsOf({ name, account, status, plan }: Omit<YamlSelector, "not">): ZonePatterns {
  return {
    name: listOf(name),
    account: listOf(account),
    status: listOf(status),
    plan: listOf(plan),
  };
}

/** Identifies a target: entries with the same label declare the same zones. */
export function labelOf(target: Target): string {
  switch (target.by) {
    case "name":
      return target.name;
    case "id":
      return target.id;
    case "selector":
      return `match ${JSON.stringify(asWritten(target.selector))}`;
  }
}

function listOf(patterns: string | string[] | undefined): readonly string[] | undefined {
  return patterns === undefined ? undefined : [patterns].flat();
}

/** The patterns as files have them: one alone is no list. */
function asWritten({ not, ...patterns }: Selector): Readonly<Record<string, unknown>> {
  const written = Object.entries(patterns).map(([key, list]): [string, unknown] => [
    key,
    list?.length === 1 ? list[0] : list,
  ]);
  return { ...Object.fromEntries(written), not: not && asWritten(not) };
}

/** Why and how long a zone is suspended; no value if it is not. */
export function suspensionOf({
  suspend = false,
}: YamlZoneEntry): Converted<Suspension | undefined> {
  if (suspend === false) return { value: undefined, diagnostics: [] };
  if (suspend === true) {
    return { value: { reason: "no reason given", until: undefined }, diagnostics: [] };
  }
  const { reason, until } = suspend;
  const end = until === undefined ? undefined : startOf(until);
  if (until === undefined || end !== undefined) {
    return { value: { reason, until: end }, diagnostics: [] };
  }
  return { value: undefined, diagnostics: [noDate(until, ["suspend", "until"])] };
}
