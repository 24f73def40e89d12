import {
  coerceText,
  coerceObject,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../syntax/json.ts";
import { trimmed } from "../../syntax/trimmed.ts";
import type { Declared, Target, ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { settingNames, type Rule } from "../../zone/resource.ts";
import { type Converted, diagnosticIn, type UnplacedDiagnostic } from "../diagnostics.ts";
import { isManagedRules, isPageShield, type Shape } from "../json-schema.ts";
import { keyPlace } from "../location.ts";
import { policiesOf } from "./declared-policies.ts";
import { rulesOf } from "./declared-rules.ts";
import { identityOf, type Layer, originOf, type ZoneLayer } from "./layer.ts";
import { suspensionOf, targetOf } from "./target.ts";

/** An entry of `zones:` with its profiles. */
export interface MergedEntry {
  /** `undefined` if the name is invalid. */
  readonly target: Target | undefined;
  /** `undefined` if there is an error. */
  readonly document: ZoneDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

type PageShieldContent = Pick<ZoneContent, "settings" | "policies">;

/**
 * Merges layers into zone documents. Values that several zones share are merged and converted once: equal parts of
 * different zones are the same objects.
 */
export class ZoneMerger {
  readonly #values = new ValueMerger();
  /** Merged profiles, by their names in order. */
  readonly #profiles = new Map<string, Json>();
  readonly #pageShields = new Map<object, Converted<PageShieldContent>>();
  readonly #rules = new Map<object, Converted<Declared<Rule> | undefined>>();

  merge(zone: ZoneLayer, layers: readonly Layer[]): MergedEntry {
    const target = targetOf(zone.content);
    const suspension = suspensionOf(zone.content);
    const content = this.#contentOf(zone, layers);
    const diagnostics = [target, suspension, content]
      .flatMap((part) => part.diagnostics)
      .map((unplaced) => {
        const { layer, path } = originOf(zone, layers, unplaced.path);
        return diagnosticIn(layer.document, { ...unplaced, path });
      });
    const failed = diagnostics.some(isError);
    if (failed || target.value === undefined) {
      return { target: target.value, document: undefined, diagnostics };
    }
    const document = {
      target: target.value,
      content: { ...content.value, suspension: suspension.value },
      place: keyPlace(zone.document, zone.path),
    };
    return { target: target.value, document, diagnostics };
  }

  #contentOf(
    zone: ZoneLayer,
    layers: readonly Layer[],
  ): Converted<Omit<ZoneContent, "suspension">> {
    const merged = this.#valuesOf(zone, layers);
    const { page_shield: shieldValues, managed_rules: ruleValues } = merged;
    const shield = isJsonObject(shieldValues)
      ? cached(this.#pageShields, shieldValues, pageShieldOf)
      : undefined;
    const rules = isJsonObject(ruleValues)
      ? cached(this.#rules, ruleValues, managedRulesOf)
      : undefined;
    return {
      value: {
        mode: merged["mode"] === "observe" ? "observe" : "enforce",
        settings: shield?.value.settings ?? [],
        policies: shield?.value.policies,
        rules: rules?.value,
      },
      diagnostics: [...(shield?.diagnostics ?? []), ...(rules?.diagnostics ?? [])],
    };
  }

  #valuesOf(zone: ZoneLayer, layers: readonly Layer[]): JsonObject {
    const profiles = layers.slice(0, -1);
    const below = cached(this.#profiles, profiles.map(({ profile }) => profile).join(" "), () =>
      profiles.reduce<Json>((merged, { content }) => this.#over(merged, content), {}),
    );
    return coerceObject(this.#over(below, zone.content));
  }

  #over(below: Json, content: unknown): Json {
    return this.#values.merge(below, coerceObject(content)) ?? {};
  }
}

/**
 * What a merge left incomplete, because `null` removed a value that the rest needs. Each part was valid by itself, so that
 * nothing else can be wrong. The items of a list are found by their key.
 */
function incomplete(key: string, merged: unknown, shape: Shape<unknown>): UnplacedDiagnostic {
  const [error] = shape.errors ?? [];
  const path: (string | number)[] = [key];
  let value = merged;
  for (const name of (error?.instancePath ?? "").split("/").slice(1)) {
    value = isJsonList(value) ? value[Number(name)] : coerceObject(value)[name];
    path.push(coerceText(coerceObject(value)["key"]) || name);
  }
  return {
    code: "MISSING_KEY",
    path,
    message: "the value is incomplete: null removed a part that it needs",
    remedy: "declare another value in place of null, or remove the whole entry",
  };
}

function pageShieldOf(merged: unknown): Converted<PageShieldContent> {
  if (!isPageShield(merged)) {
    const diagnostics = [incomplete("page_shield", merged, isPageShield)];
    return { value: { settings: [], policies: undefined }, diagnostics };
  }
  const policies = policiesOf(merged.policies ?? {});
  const settings = settingNames.flatMap((name) => {
    const value = merged.settings?.[name];
    return value === undefined ? [] : [{ name, value }];
  });
  return {
    value: { settings: trimmed(settings), policies: policies.value },
    diagnostics: policies.diagnostics,
  };
}

function managedRulesOf(merged: unknown): Converted<Declared<Rule> | undefined> {
  if (!isManagedRules(merged)) {
    return {
      value: undefined,
      diagnostics: [incomplete("managed_rules", merged, isManagedRules)],
    };
  }
  return rulesOf(merged);
}

function cached<K, T>(cache: Map<K, T>, key: K, make: (key: K) => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  cache.set(key, made);
  return made;
}

/**
 * Merges values of profiles and zones: maps by key, lists of keyed items by their key; of anything else the later value
 * wins. `null` and `remove: true` remove the earlier value; neither is in the result.
 *
 * A value that only one side has is returned as it is, so that zones with the same profile share its values.
 */
export class ValueMerger {
  readonly #cleaned = new WeakMap<object, Json>();

  merge(before: Json | undefined, after: Json): Json | undefined {
    if (after === null) return undefined;
    if (before === undefined) return this.#clean(after);
    if (isJsonObject(before) && isJsonObject(after)) return this.#mergeMaps(before, after);
    if (isJsonList(before) && isJsonList(after) && isKeyed(before, after)) {
      return this.#mergeKeyed(before, after);
    }
    return this.#clean(after);
  }

  #mergeMaps(before: JsonObject, after: JsonObject): JsonObject {
    const merged: Record<string, Json> = { ...before };
    for (const [name, value] of Object.entries(after)) {
      const key = canonicalName(name);
      const result = this.merge(Object.hasOwn(before, key) ? before[key] : undefined, value);
      if (result === undefined) delete merged[key];
      else merged[key] = result;
    }
    return merged;
  }

  /** Existing items keep their position, new ones follow. */
  #mergeKeyed(before: readonly Json[], after: readonly Json[]): Json {
    const merged = new Map(before.map((item) => [identityOf(item), item]));
    for (const item of after) {
      const identity = identityOf(item);
      const result = isRemoval(item) ? undefined : this.merge(merged.get(identity), item);
      if (result === undefined) merged.delete(identity);
      else merged.set(identity, result);
    }
    return [...merged.values()];
  }

  /** The value without `null` and `remove`; most values have neither, and are returned as they are. */
  #clean(value: Json): Json {
    if (typeof value !== "object" || value === null || isClean(value)) return value;
    const known = this.#cleaned.get(value);
    if (known !== undefined) return known;
    const clean = isJsonObject(value) ? this.#cleanMap(value) : this.#cleanList(value);
    this.#cleaned.set(value, clean);
    return clean;
  }

  #cleanMap(map: JsonObject): Json {
    return Object.fromEntries(
      Object.entries(map)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [canonicalName(name), this.#clean(value)]),
    );
  }

  #cleanList(list: readonly Json[]): Json {
    return list.filter((item) => !isRemoval(item)).map((item) => this.#clean(item));
  }
}

function isClean(value: Json): boolean {
  if (value === null) return false;
  if (typeof value !== "object") return true;
  if (isJsonList(value)) return value.every((item) => !isRemoval(item) && isClean(item));
  for (const name in value) {
    if (name !== canonicalName(name) || !isClean(value[name] ?? null)) return false;
  }
  return true;
}

/** For a setting with two names, the one that the service uses (SERVICE.md A.2). */
function canonicalName(name: string): string {
  return name === "use_service_reporting_endpoint" ? "use_cloudflare_reporting_endpoint" : name;
}

function isKeyed(before: readonly Json[], after: readonly Json[]): boolean {
  return identityOf(before[0] ?? after[0]) !== undefined;
}

function isRemoval(item: Json): boolean {
  return isJsonObject(item) && item["remove"] === true;
}
