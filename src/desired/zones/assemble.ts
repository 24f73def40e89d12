import { coerceObject, isJsonObject, type Json, type JsonObject } from "../../syntax/json.ts";
import type { Declared, Target, ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { settingNames, type Policy, type Rule, type Setting } from "../../zone/resource.ts";
import { type Converted, diagnosticIn } from "../diagnostics.ts";
import { isManagedRules, isPageShield } from "../json-schema.ts";
import { keyPlace } from "../location.ts";
import { policiesOf } from "./declared-policies.ts";
import { rulesOf } from "./declared-rules.ts";
import { type Layer, originOf, type ZoneLayer } from "./layer.ts";
import { Merger } from "./merge.ts";
import { suspensionOf, targetOf } from "./target.ts";

/** An entry of `zones:` with its profiles merged in. */
export interface Assembled {
  /** `undefined` if the name is invalid. */
  readonly target: Target | undefined;
  /** `undefined` if there is an error. */
  readonly document: ZoneDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface PageShieldContent {
  readonly settings: readonly Setting[];
  readonly policies: Declared<Policy> | undefined;
}

/**
 * Merges layers into zone documents. Values that several zones share are merged and converted once: equal parts of
 * different zones are the same objects.
 */
export class Assembler {
  readonly #merger = new Merger();
  /** Merged profiles, by their names in order. */
  readonly #profiles = new Map<string, Json>();
  readonly #pageShields = new Map<object, Converted<PageShieldContent>>();
  readonly #rules = new Map<object, Converted<Declared<Rule> | undefined>>();

  assemble(zone: ZoneLayer, layers: readonly Layer[]): Assembled {
    const target = targetOf(zone.content);
    const suspension = suspensionOf(zone.content);
    const content = this.#contentOf(zone, layers);
    const diagnostics = [target, suspension, content]
      .flatMap((part) => part.diagnostics)
      .map((unplaced) => {
        const { layer, path } = originOf(zone, layers, unplaced.path);
        return diagnosticIn(layer.document, { ...unplaced, path });
      });
    const failed = diagnostics.some(({ severity }) => severity === "error");
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
    const merged = this.#merge(zone, layers);
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

  #merge(zone: ZoneLayer, layers: readonly Layer[]): JsonObject {
    const profiles = layers.slice(0, -1);
    const below = cached(this.#profiles, profiles.map(({ profile }) => profile).join(" "), () =>
      profiles.reduce<Json>((merged, { content }) => this.#over(merged, content), {}),
    );
    return coerceObject(this.#over(below, zone.content));
  }

  #over(below: Json, content: unknown): Json {
    return this.#merger.merge(below, coerceObject(content)) ?? {};
  }
}

function pageShieldOf(merged: unknown): Converted<PageShieldContent> {
  if (!isPageShield(merged)) throw new Error("the merged page_shield violates its schema");
  const policies = policiesOf(merged.policies ?? {});
  const settings = settingNames.flatMap((name) => {
    const value = merged.settings?.[name];
    return value === undefined || value === null ? [] : [{ name, value }];
  });
  return { value: { settings, policies: policies.value }, diagnostics: policies.diagnostics };
}

function managedRulesOf(merged: unknown): Converted<Declared<Rule> | undefined> {
  if (!isManagedRules(merged)) throw new Error("the merged managed_rules violate their schema");
  return rulesOf(merged);
}

function cached<K, T>(cache: Map<K, T>, key: K, make: (key: K) => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  cache.set(key, made);
  return made;
}
