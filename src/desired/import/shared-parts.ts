import { byText } from "../../syntax/by-text.ts";
import {
  canonicalJson,
  coerceObject,
  coerceObjects,
  coerceText,
  definedMembers,
  type Json,
  type JsonObject,
  withParts,
} from "../../syntax/json.ts";
import { memoized } from "../../syntax/remembered.ts";
import { ofEachPhase, type RulePhase, rulePhases } from "../../zone/rule-phase.ts";
import { checkTexts } from "../load/check-text.ts";
import { isFillable } from "../template/fill-zone.ts";
import { declaredHash } from "../zones/declared-hash.ts";
import { membersOrNone } from "./zone-entry.ts";
import { zoneFileText } from "./zone-text.ts";

/** Entries of `zones:`, and the profiles that they use. */
export interface SharedParts {
  readonly profiles: Readonly<Record<string, JsonObject>>;
  /** In the order in which they were given. */
  readonly entries: readonly JsonObject[];
}

/**
 * Moves equal parts of entries into profiles: settings, policies and rules that the same zones have
 * are in one profile. Texts that differ only by the name of the zone have `${zone.name}` there.
 *
 * Once loaded, each entry declares exactly what it declared before: one that would not stays as it is.
 */
export function sharedParts(entries: readonly JsonObject[]): SharedParts {
  const wanted = hashesOf({ profiles: {}, entries });
  const result = [...entries];
  // Whatever the order of the listing is, the profiles are the same.
  let sharing = [...entries.keys()].toSorted(
    byText((index) => {
      const { name, id } = entries[index] ?? {};
      return coerceText(name ?? id);
    }),
  );
  for (;;) {
    const given = sharing.map((index) => entries[index] ?? {});
    const shared = bundled(given);
    const found = hashesOf(shared);
    const same = sharing.filter(
      (index, at) => found[at] !== undefined && found[at] === wanted[index],
    );
    if (same.length === sharing.length) {
      for (const [at, index] of sharing.entries()) result[index] = shared.entries[at] ?? {};
      return { profiles: shared.profiles, entries: result };
    }
    sharing = same;
  }
}

/** What the entries declare once they are written and loaded; `undefined` for one with an error. */
function hashesOf({ profiles, entries }: SharedParts): readonly (string | undefined)[] {
  const files = entries.map((entry, index) => ({
    file: `${index}.yaml`,
    text: zoneFileText({ zones: [entry] }, ""),
  }));
  const others = Object.entries(profiles).map(([name, profile]) => ({
    file: `profiles/${name}.yaml`,
    text: zoneFileText({ profiles: { [name]: profile } }, ""),
  }));
  const documents = checkTexts([...others, ...files]).documents;
  const byFile = new Map(documents.map((document) => [document.place.file, document]));
  return files.map(({ file }) => {
    const document = byFile.get(file);
    return document && declaredHash([document]);
  });
}

function bundled(entries: readonly JsonObject[]): SharedParts {
  const zones = inSharedForm(entries.map(partsOf));
  const bundles = bundlesOf(zones);
  const names = namesOf(bundles, entries.length);
  const used = entries.map((): { readonly name: string; readonly parts: readonly Part[] }[] => []);
  for (const [at, { parts, zones: users }] of bundles.entries()) {
    for (const index of users) used[index]?.push({ name: names[at] ?? "", parts });
  }
  const profiles = bundles.map(({ parts }, at) => [names[at] ?? "", entryOf(parts)] as const);
  return {
    profiles: Object.fromEntries(profiles.toSorted(byText(([name]) => name))),
    entries: entries.map((entry, index) => {
      const own = used[index] ?? [];
      if (own.length === 0) return entry;
      const kept = Object.entries(entry).filter(([key]) => !rebuilt.has(key));
      return {
        ...Object.fromEntries(kept),
        profiles: own.map(({ name }) => name),
        ...entryOf(
          beyond(
            zones[index] ?? [],
            own.flatMap(({ parts }) => parts),
          ),
        ),
        // Teams differ: what their lists share is not looked for.
        ...definedMembers({ custom_rulesets: entry["custom_rulesets"] }),
      };
    }),
  };
}

/** The settings, a policy or a rule. */
interface Part {
  readonly place: "settings" | "policies" | RulePhase;
  /** The key of a policy or rule. */
  readonly name: string;
  /** The settings, or an item with its key. */
  readonly value: Json;
  /** The same for one zone, without a placeholder for its name. */
  readonly plain: Json;
}

/** Parts that exactly these zones have. */
interface Bundle {
  /** Indexes, ascending. */
  readonly zones: readonly number[];
  readonly parts: readonly Part[];
}

/** The keys whose values are made of parts; all others stay in their zone. */
const rebuilt: ReadonlySet<string> = new Set(["page_shield", ...rulePhases]);

/** More would help nobody to read the files. */
const mostProfiles = 50;

/** The parts of an entry, with placeholders where they have the name of the zone. */
function partsOf(entry: JsonObject): readonly Part[] {
  const shield = coerceObject(entry["page_shield"]);
  const { settings } = shield;
  const name = coerceText(entry["name"]);
  const pattern = new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w.-])`, "g");
  const itemsAt = (place: Part["place"], items: unknown): readonly Part[] =>
    coerceObjects(items).map((plain) => {
      const value = name === "" ? plain : replacedIn(plain, "", pattern);
      return { place, name: coerceText(plain["key"]), value, plain };
    });
  return [
    ...(settings === undefined
      ? []
      : [{ place: "settings" as const, name: "settings", value: settings, plain: settings }]),
    ...itemsAt("policies", coerceObject(shield["policies"])["items"]),
    ...rulePhases.flatMap((phase) => itemsAt(phase, coerceObject(entry[phase])["rules"])),
  ];
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

/** Each part in the form that more zones have. */
function inSharedForm(zones: readonly (readonly Part[])[]): readonly (readonly Part[])[] {
  const plainZones = zones.map((parts) => parts.map((part) => ({ ...part, value: part.plain })));
  const counts = new Map<string, number>();
  for (const [index, parts] of zones.entries()) {
    const forms = new Set([...parts, ...(plainZones[index] ?? [])].map(textOf));
    for (const text of forms) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const countOf = (part: Part): number => counts.get(textOf(part)) ?? 0;
  return zones.map((parts, index) =>
    parts.map((named, at) => {
      const plain = plainZones[index]?.[at] ?? named;
      return countOf(named) > 1 && countOf(named) >= countOf(plain) ? named : plain;
    }),
  );
}

const textOf = memoized(({ place, name, value }: Part) => canonicalJson([place, name, value]));

/** The parts that several zones have, bundled by these zones: what most zones have comes first. */
function bundlesOf(zones: readonly (readonly Part[])[]): readonly Bundle[] {
  const uses = new Map<string, { readonly part: Part; readonly zones: number[] }>();
  for (const [index, parts] of zones.entries()) {
    for (const part of parts) {
      const text = textOf(part);
      const use = uses.get(text) ?? { part, zones: [] };
      use.zones.push(index);
      uses.set(text, use);
    }
  }
  const groups = Map.groupBy(uses.values(), (use) => use.zones.join(" "));
  // How many values a profile must spare to be worth its name.
  const leastSpared = Math.max(3, zones.length / 20);
  return [...groups.values()]
    .map((group) => ({ zones: group[0]?.zones ?? [], parts: group.map(({ part }) => part) }))
    .filter((bundle) => sparedBy(bundle) >= leastSpared)
    .toSorted((a, b) => sparedBy(b) - sparedBy(a))
    .slice(0, mostProfiles)
    .toSorted((a, b) => b.zones.length - a.zones.length);
}

/** How many values need not be repeated. */
function sparedBy({ zones, parts }: Bundle): number {
  const size = parts.reduce((sum, { value }) => sum + sizeOf(value), 0);
  return size * (zones.length - 1);
}

function sizeOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, part: Json) => sum + sizeOf(part), 0);
}

/** A name for each bundle from what it contains. */
function namesOf(bundles: readonly Bundle[], zones: number): readonly string[] {
  const taken = new Set<string>();
  return bundles.map((bundle) => {
    const base = bundle.zones.length === zones ? "baseline" : nameOf(bundle);
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? base : `${base}-${count}`;
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  });
}

function nameOf({ parts }: Bundle): string {
  const keys = parts.filter(({ place }) => place !== "settings").map(({ name }) => name);
  const [first = "page-shield", second] = keys;
  const name = keys.length === 2 ? `${first}-and-${second}` : first;
  // Room for a number.
  return name.length <= longestName ? name : first.slice(0, longestName);
}

const longestName = 50;

function listOf(key: string, items: readonly Json[]): JsonObject | undefined {
  return items.length > 0 ? { [key]: items } : undefined;
}

/** The keys of a profile or zone that declare these parts. */
function entryOf(parts: readonly Part[]): JsonObject {
  const at = (place: Part["place"]): readonly Part[] =>
    parts.filter((part) => part.place === place);
  const itemsOf = (place: Part["place"]): readonly Json[] => at(place).map(({ value }) => value);
  return (
    membersOrNone({
      page_shield: membersOrNone({
        settings: at("settings")[0]?.value,
        policies: listOf("items", itemsOf("policies")),
      }),
      ...ofEachPhase((phase) => listOf("rules", itemsOf(phase))),
    }) ?? {}
  );
}

/** What a zone declares beyond its profiles, and where its rules stand. */
function beyond(all: readonly Part[], known: readonly Part[]): readonly Part[] {
  const shared = new Set(known.map(textOf));
  const others = all.filter((part) => !rulePhases.some((phase) => phase === part.place));
  return [
    ...others.filter((part) => !shared.has(textOf(part))).map(asWritten),
    ...rulePhases.flatMap((phase) => {
      const isOfPhase = ({ place }: Part): boolean => place === phase;
      return placed(all.filter(isOfPhase), known.filter(isOfPhase));
    }),
  ];
}

/** A part that the zone itself declares. */
function asWritten(part: Part): Part {
  return { ...part, value: part.plain };
}

/**
 * The rules of a zone that its profiles do not have, and places for all rules that would be
 * elsewhere: merged, the rules of the profiles come first, in the order of the profiles.
 */
function placed(rules: readonly Part[], known: readonly Part[]): readonly Part[] {
  const shared = new Map(known.map((part, index) => [textOf(part), index]));
  const own = rules.filter((part) => !shared.has(textOf(part)));
  const merged = rules.map((part) => shared.get(textOf(part)) ?? known.length + own.indexOf(part));
  const stays = longestRise(merged);
  const last = Math.max(...stays);
  return rules.flatMap((part, index) => {
    const isOwn = !shared.has(textOf(part));
    if (stays.has(index)) return isOwn ? [asWritten(part)] : [];
    // After the last rule that stays, each is placed behind the one before it.
    const place =
      index < last
        ? { before: rules[index + 1]?.name ?? "" }
        : { after: rules[index - 1]?.name ?? "" };
    const rest = isOwn ? coerceObject(part.plain) : {};
    return [{ ...part, value: { key: part.name, ...place, ...rest } }];
  });
}

/** The indexes of a longest part of a list whose numbers rise. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  const best: (readonly number[])[] = [];
  for (const [index, number] of numbers.entries()) {
    const before = best.findLast((chain) => (numbers[chain.at(-1) ?? -1] ?? -1) < number) ?? [];
    const chain = [...before, index];
    best[chain.length - 1] = chain;
  }
  return new Set(best.at(-1));
}
