import { isDeepStrictEqual } from "node:util";

import {
  coerceObject,
  coerceObjects,
  coerceText,
  type Json,
  type JsonObject,
  withParts,
} from "../../syntax/json.ts";
import { ofEachPhase, type RulePhase } from "../../zone/rule-phase.ts";
import { isFillable } from "../template/fill-zone.ts";
import { sections } from "../zones/zone-lists.ts";
import { membersOrNone } from "./zone-entry.ts";

/** Entries of `zones:` and their profile; `undefined` if they have nothing in common. */
export interface ExtractedProfile {
  readonly profile: JsonObject | undefined;
  readonly entries: readonly JsonObject[];
}

/**
 * Moves what all entries have in common into a profile: equal settings, and the equal fields of
 * policies and rules that all of them have under one key. Texts that differ only by the name of the
 * zone have `${zone.name}` in the profile. Merged with the profile, each entry declares what it
 * declared before.
 */
export function extractProfile(entries: readonly JsonObject[], name: string): ExtractedProfile {
  const names = entries.map((entry) => coerceText(entry["name"]));
  const settings = commonFields(entries.map(settingsIn), names);
  const policies = commonItems(entries.map(policiesIn), ["value"], names);
  const rules = ofEachPhase((phase) =>
    commonItems(entries.map(rulesIn(phase)), ["action", "deploy", "skip"], names),
  );
  const profile = partsOf(settings, policies, rules);
  if (profile === undefined) return { profile, entries };
  return {
    profile,
    entries: entries.map((entry) => {
      const target = Object.entries(entry).filter(([key]) => !sections.has(key));
      return {
        ...Object.fromEntries(target),
        profiles: [name],
        ...partsOf(
          beyond(settingsIn(entry), settings),
          itemsBeyond(policiesIn(entry), policies),
          ofEachPhase((phase) => placedBefore(rulesIn(phase)(entry), rules[phase])),
        ),
      };
    }),
  };
}

type Items = readonly JsonObject[];

function settingsIn(entry: JsonObject): JsonObject {
  return coerceObject(coerceObject(entry["page_shield"])["settings"]);
}

function policiesIn(entry: JsonObject): Items {
  return coerceObjects(coerceObject(coerceObject(entry["page_shield"])["policies"])["items"]);
}

function rulesIn(phase: RulePhase): (entry: JsonObject) => Items {
  return (entry) => coerceObjects(coerceObject(entry[phase])["rules"]);
}

type RuleItems = Readonly<Record<RulePhase, Items>>;

function partsOf(settings: JsonObject, policies: Items, rules: RuleItems): JsonObject | undefined {
  return membersOrNone({
    page_shield: membersOrNone({
      settings: membersOrNone(settings),
      policies: policies.length > 0 ? { items: policies } : undefined,
    }),
    ...ofEachPhase((phase) => (rules[phase].length > 0 ? { rules: rules[phase] } : undefined)),
  });
}

/** The fields that are equal in all objects, or are once the names of their zones are replaced. */
function commonFields(objects: Items, names: readonly string[]): JsonObject {
  const [first = {}] = objects;
  return Object.fromEntries(
    Object.keys(first).flatMap((field) => {
      const values = objects.map((object) => object[field]);
      const common = commonValue(values) ?? commonValue(values.map(withoutName(names, field)));
      return common === undefined ? [] : [[field, common]];
    }),
  );
}

function commonValue([first, ...others]: readonly (Json | undefined)[]): Json | undefined {
  return others.every((other) => isDeepStrictEqual(other, first)) ? first : undefined;
}

/** Writes a placeholder for the name of each zone; without a name, nothing is common. */
function withoutName(
  names: readonly string[],
  field: string,
): (value: Json | undefined, index: number) => Json | undefined {
  const patterns = names.map(
    (name) => new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w.-])`, "g"),
  );
  return (value, index) => {
    const pattern = patterns[index];
    const isNamed = names[index] !== undefined && names[index] !== "";
    return pattern !== undefined && isNamed && value !== undefined
      ? replacedIn(value, field, pattern)
      : undefined;
  };
}

/** Placeholders work below some keys only. */
function replacedIn(value: Json, field: string, pattern: RegExp): Json {
  if (typeof value !== "string") {
    return withParts(value, (part, step) => {
      const isNamed = typeof step === "string" && !isFillable(field);
      return replacedIn(part, isNamed ? step : field, pattern);
    });
  }
  return isFillable(field) ? value.replaceAll(pattern, () => "${zone.name}") : value;
}

/**
 * The common fields of items with one key in all lists and in the same order in all of them. Items
 * that do not share a `defining` field are left out.
 */
function commonItems(
  lists: readonly Items[],
  defining: readonly string[],
  names: readonly string[],
): Items {
  const [first = []] = lists;
  const positions = lists.map(() => -1);
  return first.flatMap(({ key }) => {
    const found = lists.map((list) => list.findIndex((each) => each["key"] === key));
    const common = commonFields(
      lists.flatMap<JsonObject>((list) => list.find((each) => each["key"] === key) ?? []),
      names,
    );
    const isInOrder = found.every((position, index) => position > (positions[index] ?? -1));
    if (!isInOrder || !defining.some((name) => name in common)) return [];
    positions.splice(0, positions.length, ...found);
    return [common];
  });
}

function beyond(object: JsonObject, common: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !(name in common)));
}

function itemsBeyond(items: Items, common: Items): Items {
  return items.flatMap((item) => {
    const { key = null } = item;
    const shared = common.find((each) => each["key"] === key);
    if (shared === undefined) return [item];
    const rest = beyond(item, shared);
    return Object.keys(rest).length > 0 ? [{ key, ...rest }] : [];
  });
}

/**
 * Rules of a profile come first when merged, so a rule of the zone itself gets a `before` to keep
 * its position.
 */
function placedBefore(rules: Items, common: Items): Items {
  const isCommon = ({ key }: JsonObject): boolean => common.some((each) => each["key"] === key);
  const placed = rules.map((rule, index): JsonObject => {
    const next = rules.slice(index).find(isCommon);
    const { key = null, ...rest } = rule;
    return next === undefined || isCommon(rule)
      ? rule
      : { key, before: next["key"] ?? null, ...rest };
  });
  return itemsBeyond(placed, common);
}
