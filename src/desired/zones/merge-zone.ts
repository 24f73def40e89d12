import { sha256 } from "../../syntax/digest.ts";
import { certaintyOf, selectsNothing } from "../../syntax/expression/certainty/certainty.ts";
import {
  canonicalJson,
  coerceObject,
  coerceObjects,
  coerceTexts,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../syntax/json.ts";
import { trimmed } from "../../syntax/trimmed.ts";
import {
  byPhase,
  type Declared,
  type Suspension,
  type Target,
  type ZoneContent,
  type ZoneDocument,
} from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { type Policy, type Rule, settingNames } from "../../zone/resource.ts";
import { ofEachPhase, type RulePhase, rulePhases } from "../../zone/rule-phase.ts";
import type { Zone } from "../../zone/zone.ts";
import { type Converted, diagnosticIn, type UnplacedDiagnostic } from "../diagnostics.ts";
import { schemaDiagnostic } from "../json-schema-messages.ts";
import { isPageShield, rulesShape, type Shape, valueErrors } from "../json-schema.ts";
import { keyPlace, type Path } from "../location.ts";
import { type FilledZone, fillZone } from "../template/fill-zone.ts";
import { Variables, type ZoneFacts } from "../template/variables.ts";
import { scriptsOf } from "./authorised-scripts.ts";
import { policiesOf } from "./declared-policies.ts";
import { rulesOf } from "./declared-rules.ts";
import { keepPlaces } from "./document-places.ts";
import { type Layer, memberName, originOf, type ZoneLayer } from "./layer.ts";
import { impossibleChange } from "./list-change.ts";
import { nullsWithoutEffect } from "./null-lists.ts";
import { everyRequest } from "./skip-rule.ts";
import { suspensionOf, targetOf } from "./target.ts";
import { ValueMerger } from "./value-merger.ts";
import { policyList, ruleListOf, sections } from "./zone-lists.ts";

/** An entry of `zones:` with its profiles. */
export interface MergedEntry {
  /** `undefined` if the name is invalid. */
  readonly target: Target | undefined;
  /** `undefined` if there is an error. */
  readonly document: ZoneDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The variables whose values are in its texts. */
  readonly used: ReadonlySet<string>;
}

type ConvertedRules = Converted<Declared<Rule> | undefined>;
type PageShieldContent = Pick<ZoneContent, "settings" | "policies" | "scripts">;

/**
 * Merges layers into zone documents. Values that several zones share are merged and converted once:
 * equal parts of different zones are the same objects.
 */
export class ZoneMerger {
  readonly #values = new ValueMerger();
  /** Merged profiles, by their names in order. */
  readonly #profiles = new Map<string, Json>();
  readonly #pageShields = new Map<JsonObject, Converted<PageShieldContent>>();
  readonly #rules = ofEachPhase(() => new Map<object, ConvertedRules>());

  merge(zone: ZoneLayer, layers: readonly Layer[]): MergedEntry {
    const target = targetOf(zone.content);
    const suspension = suspensionOf(zone.content);
    const content = this.#contentOf(layers, factsOf(target.value));
    const diagnostics = [
      ...nullsWithoutEffect(layers),
      ...[target, suspension, content]
        .flatMap((part) => part.diagnostics)
        .map((unplaced) => placed(zone, layers, unplaced)),
    ];
    const failed = diagnostics.some(isError);
    if (failed || target.value === undefined) {
      return { target: target.value, document: undefined, diagnostics, used: content.used };
    }
    const document: ZoneDocument = {
      target: target.value,
      content: { ...content.value, suspension: suspension.value },
      place: keyPlace(zone.document, zone.path),
      ...(content.isSample && {
        contentFor: contentFor(zone, layers, suspension.value),
        template: templateOf(this.valuesOf(layers), layers),
      }),
    };
    keepPlaces(document, (path) => {
      const origin = originOf(zone, layers, path);
      return keyPlace(origin.layer.document, origin.path);
    });
    return { target: target.value, document, diagnostics, used: content.used };
  }

  /**
   * The content with its placeholders filled by what is known of the zone; `undefined` if there is
   * an error.
   */
  contentWith(
    zone: ZoneLayer,
    layers: readonly Layer[],
    facts: ZoneFacts,
  ): Omit<ZoneContent, "suspension"> | undefined {
    const { value, diagnostics } = this.#contentOf(layers, facts);
    const hasErrors = diagnostics.some((unplaced) => isError(placed(zone, layers, unplaced)));
    return hasErrors ? undefined : value;
  }

  #contentOf(
    layers: readonly Layer[],
    facts: ZoneFacts,
  ): Converted<Omit<ZoneContent, "suspension">> & Pick<FilledZone, "isSample" | "used"> {
    const filled = filledValues(this.valuesOf(layers), layers, facts);
    const merged = filled.values;
    const shieldValues = merged["page_shield"];
    const shield = isJsonObject(shieldValues)
      ? cached(this.#pageShields, shieldValues, pageShieldOf)
      : noPageShield;
    const rules = rulePhases.flatMap((phase) => {
      const values = merged[phase];
      if (!isJsonObject(values)) return [];
      const converted = cached(this.#rules[phase], values, () => declaredRulesOf(phase, values));
      return [{ phase, ...converted }];
    });
    return {
      value: {
        mode: merged["mode"] === "observe" ? "observe" : "enforce",
        ...shield.value,
        rules: byPhase((phase) => rules.find((each) => each.phase === phase)?.value),
      },
      diagnostics: [
        ...filled.diagnostics,
        ...shield.diagnostics,
        ...rules.flatMap(({ diagnostics }) => diagnostics),
        ...outsideOfZone(shield.value.policies?.items, facts.name, policyList),
        ...rules.flatMap(({ phase, value }) => [
          ...outsideOfZone(value?.items, facts.name, ruleListOf(phase)),
          ...sparingZone(value?.items, facts.name, ruleListOf(phase), merged[phase]),
        ]),
      ],
      isSample: filled.isSample,
      used: filled.used,
    };
  }

  /** The merged values of layers, the zone itself last. */
  valuesOf(layers: readonly Layer[]): JsonObject {
    const profiles = layers.slice(0, -1);
    const below = cached(this.#profiles, profiles.map(({ profile }) => profile).join(" "), () =>
      profiles.reduce<Json>((merged, { content }) => this.#over(merged, content), {}),
    );
    return coerceObject(this.#over(below, layers.at(-1)?.content));
  }

  #over(below: Json, content: unknown): Json {
    return this.#values.merge(below, coerceObject(content)) ?? {};
  }
}

/** Most zones have neither placeholders nor variables. */
function filledValues(values: JsonObject, layers: readonly Layer[], facts: ZoneFacts): FilledZone {
  const isPlain = layers.every((layer) => !layer.mayBeTemplate && !layer.content.vars);
  return isPlain
    ? { values, diagnostics: [], isSample: false, used: new Set() }
    : fillZone(values, new Variables(layers, facts));
}

function placed(
  zone: ZoneLayer,
  layers: readonly Layer[],
  unplaced: UnplacedDiagnostic,
): Diagnostic {
  const { layer, path } = originOf(zone, layers, unplaced.path);
  return diagnosticIn(layer.document, { ...unplaced, path });
}

/** What a declaration itself says of its zone. */
export function factsOf(target: Target | undefined): ZoneFacts {
  if (target?.by === "name") return { name: target.name };
  return target?.by === "id" ? { id: target.id } : {};
}

/** Digest of all that a listed zone is filled from. */
function templateOf(values: JsonObject, layers: readonly Layer[]): string {
  const vars = layers.flatMap(({ content }) => content.vars ?? []);
  const declared = Object.entries(values).filter(([key]) => sections.has(key));
  return sha256(canonicalJson([Object.fromEntries(declared), vars]));
}

/** Fills the placeholders once for each listed zone. */
function contentFor(
  zone: ZoneLayer,
  layers: readonly Layer[],
  suspension: Suspension | undefined,
): (listed: Zone) => ZoneContent | undefined {
  const known = new Map<string, ZoneContent | undefined>();
  return ({ name, id, accountId }) =>
    cached(known, `${name} ${id} ${accountId}`, () => {
      const facts = { name, id, account: accountId };
      const content = new ZoneMerger().contentWith(zone, layers, facts);
      return content && { ...content, suspension };
    });
}

/**
 * What is wrong with a merged value: `null` removed a part that the rest needs, a list cannot be
 * changed as it should, or placeholders made a part that does not match the schema. Each part was
 * valid by itself, so that nothing else can be wrong. The items of a list are found by their key,
 * or by themselves.
 */
function mismatches(
  key: string,
  merged: Json,
  shape: Shape<unknown>,
): readonly UnplacedDiagnostic[] {
  return valueErrors(shape, merged).flatMap((found): readonly UnplacedDiagnostic[] => {
    const path: (string | number)[] = [key];
    let value = merged;
    for (const step of found.path) {
      value = isJsonList(value)
        ? (value[Number(step)] ?? null)
        : (coerceObject(value)[step] ?? null);
      path.push(typeof step === "number" ? (memberName(value) ?? step) : step);
    }
    const impossible = impossibleChange(value, path);
    if (impossible !== undefined) return impossible;
    if (found.error.keyword !== "required" && found.error.keyword !== "minProperties") {
      const said = schemaDiagnostic(found.error, () => []);
      return [{ ...said, path: [...path, ...said.path] }];
    }
    return [
      {
        code: "MISSING_KEY",
        path,
        message: "the value is incomplete: null removed a part that it needs",
        remedy: "declare another value in place of null, or remove the whole entry",
      },
    ];
  });
}

const noPageShield: Converted<PageShieldContent> = {
  value: { settings: [], policies: undefined, scripts: undefined },
  diagnostics: [],
};

function pageShieldOf(merged: JsonObject): Converted<PageShieldContent> {
  if (!isPageShield(merged)) {
    return { ...noPageShield, diagnostics: mismatches("page_shield", merged, isPageShield) };
  }
  const policies = policiesOf(merged.policies ?? {});
  const settings = settingNames.flatMap((name) => {
    const value = merged.settings?.[name];
    return value === undefined ? [] : [{ name, value }];
  });
  const scripts = merged.scripts && scriptsOf(merged.scripts, merged.settings);
  return {
    value: { settings: trimmed(settings), policies: policies.value, scripts: scripts?.value },
    diagnostics: [...policies.diagnostics, ...(scripts?.diagnostics ?? [])],
  };
}

function declaredRulesOf(phase: RulePhase, merged: JsonObject): ConvertedRules {
  const shape = rulesShape(phase);
  return shape(merged)
    ? rulesOf(phase, merged)
    : { value: undefined, diagnostics: mismatches(phase, merged, shape) };
}

function cached<K, T>(cache: Map<K, T>, key: K, make: (key: K) => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  cache.set(key, made);
  return made;
}

/**
 * Policies or rules of a zone that apply to hosts of other zones only. A host with a port is told of
 * by itself.
 */
function outsideOfZone(
  items: readonly (Policy | Rule)[] = [],
  zone: string | undefined,
  list: Path,
): readonly UnplacedDiagnostic[] {
  if (zone === undefined) return [];
  return items
    .filter(({ enabled, expression }) => enabled && /http\.host|full_uri/.test(expression))
    .filter(({ expression }) => !/\w:[0-9]+["/]/.test(expression))
    .filter(({ expression }) => !selectsNothing(expression) && selectsNothing(expression, zone))
    .map(({ key }) => ({
      code: "HOST_OUTSIDE_ZONE",
      path: [...list, key, "expression"],
      message: `"${key}" applies to no request of ${zone}: its expression selects hosts of other zones only`,
      remedy: `compare with ${zone} or a host below it, unless the zone serves custom hostnames`,
    }));
}

/** Exceptions for every usual request of a zone that do not acknowledge it. */
function sparingZone(
  items: readonly Rule[] = [],
  zone: string | undefined,
  list: Path,
  merged: unknown,
): readonly UnplacedDiagnostic[] {
  if (zone === undefined) return [];
  const written = coerceObjects(coerceObject(merged)["rules"]);
  const isMeant = (key: string): boolean =>
    written.some((rule) => rule["key"] === key && sparesOnPurpose(rule["acknowledge"]));
  return items
    .filter(({ action, enabled }) => enabled && action === "skip")
    .filter(({ expression }) => /http\.host|full_uri|cf\.zone/.test(expression))
    .filter(({ expression }) => certaintyOf(expression) !== "always")
    .filter(({ key, expression }) => certaintyOf(expression, zone) === "always" && !isMeant(key))
    .map(({ key }) => ({
      code: "SKIP_WHOLE_ZONE",
      path: [...list, key, "expression"],
      message: `the exception "${key}" spares every usual request of ${zone}`,
      remedy: `narrow its expression, or add \`acknowledge: [${everyRequest}]\` if you mean it`,
    }));
}

function sparesOnPurpose(acknowledge: unknown): boolean {
  return coerceTexts(acknowledge).includes(everyRequest);
}
