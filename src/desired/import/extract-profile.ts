import { isDeepStrictEqual } from "node:util";

import { type JsonObject, coerceObject, coerceObjects } from "../../syntax/json.ts";
import { ifAny, said } from "./zone-entry.ts";

/** Entries of `zones:` whose common parts stand in a profile. */
export interface ExtractedProfile {
  /** `undefined` where the entries have nothing in common. */
  readonly profile: JsonObject | undefined;
  readonly entries: readonly JsonObject[];
}

/**
 * Moves what all entries have in common into a profile: equal settings, and of the policies and rules that all of
 * them have under one key the fields that are equal. Merged again, each declares what it declared before.
 */
export function extractProfile(entries: readonly JsonObject[], name: string): ExtractedProfile {
  const settings = commonFields(entries.map(settingsIn));
  const policies = commonThings(entries.map(policiesIn), ["value"]);
  const rules = commonThings(entries.map(rulesIn), ["deploy", "skip"]);
  const profile = partsOf(settings, policies, rules);
  if (profile === undefined) return { profile, entries };
  return {
    profile,
    entries: entries.map((entry) => {
      const { page_shield: _shield, managed_rules: _rules, ...target } = entry;
      return {
        ...target,
        profiles: [name],
        ...partsOf(
          beyond(settingsIn(entry), settings),
          thingsBeyond(policiesIn(entry), policies),
          placedBefore(rulesIn(entry), rules),
        ),
      };
    }),
  };
}

type Things = readonly JsonObject[];

function settingsIn(entry: JsonObject): JsonObject {
  return coerceObject(coerceObject(entry["page_shield"])["settings"]);
}

function policiesIn(entry: JsonObject): Things {
  return coerceObjects(coerceObject(coerceObject(entry["page_shield"])["policies"])["items"]);
}

function rulesIn(entry: JsonObject): Things {
  return coerceObjects(coerceObject(entry["managed_rules"])["rules"]);
}

function partsOf(settings: JsonObject, policies: Things, rules: Things): JsonObject | undefined {
  return ifAny({
    page_shield: ifAny({
      settings: ifAny(settings),
      policies: policies.length > 0 ? { items: policies } : undefined,
    }),
    managed_rules: rules.length > 0 ? { rules } : undefined,
  });
}

/** The fields that are equal in all objects. */
function commonFields([first = {}, ...others]: Things): JsonObject {
  return said(
    Object.fromEntries(
      Object.entries(first).filter(([name, value]) =>
        others.every((other) => isDeepStrictEqual(other[name], value)),
      ),
    ),
  );
}

/**
 * Things of one key in all lists, in the same order in all of them; those that do not even share what makes them
 * what they are stay apart.
 */
function commonThings(lists: readonly Things[], defining: readonly string[]): Things {
  const [first = []] = lists;
  const places = lists.map(() => -1);
  return first.flatMap(({ key }) => {
    const found = lists.map((list) => list.findIndex((each) => each["key"] === key));
    const twins = lists
      .map((list, index) => list[found[index] ?? -1])
      .filter((each) => each !== undefined);
    const common = commonFields(twins);
    const isInOrder = found.every((place, index) => place > (places[index] ?? -1));
    if (!isInOrder || !defining.some((name) => name in common)) return [];
    places.splice(0, places.length, ...found);
    return [common];
  });
}

/** The fields of an object that the common ones do not give. */
function beyond(object: JsonObject, common: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !(name in common)));
}

function thingsBeyond(things: Things, common: Things): Things {
  return things.flatMap((thing) => {
    const { key = null } = thing;
    const shared = common.find((each) => each["key"] === key);
    if (shared === undefined) return [thing];
    const rest = beyond(thing, shared);
    return Object.keys(rest).length > 0 ? [{ key, ...rest }] : [];
  });
}

/** Rules that a profile gives come first when merged: a zone's own rule says before which of them it stands. */
function placedBefore(rules: Things, common: Things): Things {
  const isCommon = ({ key }: JsonObject): boolean => common.some((each) => each["key"] === key);
  const placed = rules.map((rule, index): JsonObject => {
    const next = rules.slice(index).find(isCommon);
    const { key = null, ...rest } = rule;
    return next === undefined || isCommon(rule)
      ? rule
      : { key, before: next["key"] ?? null, ...rest };
  });
  return thingsBeyond(placed, common);
}
