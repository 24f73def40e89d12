import { domainToASCII } from "node:url";

import { coerceObject } from "../../syntax/json.ts";
import { startOf } from "../../syntax/written-date.ts";
import type {
  ZoneLabels,
  Selector,
  Suspension,
  Target,
  ZonePatterns,
} from "../../zone/desired-zone.ts";
import { zoneId, zoneName } from "../../zone/zone.ts";
import { contradiction, type Converted, noDate } from "../diagnostics.ts";
import type { YamlSelector, YamlZoneEntry } from "./zone-file.ts";

/** Which zones an entry declares; no value if the name is invalid. */
export function targetOf(entry: YamlZoneEntry): Converted<Target | undefined> {
  const { match, priority, layers } = entry;
  if (match !== undefined) {
    const selector = { ...patternsOf(match), not: match.not && patternsOf(match.not) };
    const diagnostics = layers === undefined ? [] : [noLayers];
    return { value: { by: "selector", selector }, diagnostics };
  }
  const { value, diagnostics } = namedTarget(entry);
  return {
    value,
    diagnostics: priority === undefined ? diagnostics : [...diagnostics, noPriority],
  };
}

const noLayers = contradiction(
  ["layers"],
  "`layers` in an entry with `match`, which is a layer itself",
  "delete it; `priority` orders entries with `match`",
);

const noPriority = contradiction(
  ["priority"],
  "`priority` without `match`: an entry by name or id comes last",
  "delete it; `layers: true` merges the entries whose `match` matches below this one",
);

function namedTarget({
  id: writtenId,
  name: written = "",
}: YamlZoneEntry): Converted<Target | undefined> {
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

function patternsOf({
  name,
  account,
  status,
  plan,
  labels,
}: Omit<YamlSelector, "not">): ZonePatterns {
  return {
    name: listOf(name),
    account: listOf(account),
    status: listOf(status),
    plan: listOf(plan),
    labels:
      labels &&
      Object.fromEntries(Object.entries(labels).map(([key, each]) => [key, [each].flat()])),
  };
}

/** The labels in the values of an entry or a profile. */
export function labelsIn({ labels }: Readonly<Record<string, unknown>>): ZoneLabels {
  const set = Object.entries(coerceObject(labels)).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[key, value]] : [],
  );
  return Object.fromEntries(set);
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
function asWritten({ not, labels, ...lists }: Selector): Readonly<Record<string, unknown>> {
  return { ...singlesIn(lists), labels: labels && singlesIn(labels), not: not && asWritten(not) };
}

function singlesIn(lists: Readonly<Record<string, readonly string[] | undefined>>): object {
  const written = Object.entries(lists).map(([key, list]): [string, unknown] => [
    key,
    list?.length === 1 ? list[0] : list,
  ]);
  return Object.fromEntries(written);
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
