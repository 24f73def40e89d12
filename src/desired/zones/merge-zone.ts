import { certaintyOf, selectsNothing } from "../../syntax/expression/certainty/certainty.ts";
import {
  coerceObject,
  coerceObjects,
  coerceTexts,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../syntax/json.ts";
import { memoized } from "../../syntax/remembered.ts";
import { trimmed } from "../../syntax/trimmed.ts";
import {
  byPhase,
  type Declared,
  type ZoneLabels,
  type Target,
  type ZoneContent,
} from "../../zone/desired-zone.ts";
import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import {
  type CustomRuleset,
  type Policy,
  type Rule,
  type RuleBase,
  settingNames,
} from "../../zone/resource.ts";
import { ofEachPhase, type RulePhase, rulePhases } from "../../zone/rule-phase.ts";
import { type Converted, diagnosticIn, type UnplacedDiagnostic } from "../diagnostics.ts";
import { schemaDiagnostic } from "../json-schema-messages.ts";
import {
  isCustomRulesets,
  isPageShield,
  rulesShape,
  type Shape,
  valueErrors,
} from "../json-schema.ts";
import { keyPlace, type Path } from "../location.ts";
import { type FilledZone, fillZone } from "../template/fill-zone.ts";
import { Variables, type ZoneFacts } from "../template/variables.ts";
import { scriptsOf } from "./authorised-scripts.ts";
import { policiesOf } from "./declared-policies.ts";
import { customRulesetsOf, misplacedRulesets, rulesOf } from "./declared-rules.ts";
import { type Layer, memberName, originOf, type ZoneLayer } from "./layer.ts";
import { impossibleChange } from "./list-change.ts";
import { isLayer, type MergedDocument } from "./merged-document.ts";
import { nullsWithoutEffect } from "./null-lists.ts";
import { everyRequest } from "./skip-rule.ts";
import { labelsIn, suspensionOf, targetOf } from "./target.ts";
import { ValueMerger } from "./value-merger.ts";
import { policyList, ruleListOf, rulesetList } from "./zone-lists.ts";

/** An entry of `zones:` with its profiles. */
export interface MergedEntry {
  /** `undefined` if there is an error; of a layer, if the error is not in what is merged. */
  readonly document: MergedDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The variables whose values are in its texts; `undefined` if that is not known. */
  readonly used: ReadonlySet<string> | undefined;
}

/** What a zone has without its suspension. */
type MergedContent = Omit<ZoneContent, "suspension">;

/** What layers declare for a zone. */
export interface FilledContent {
  /** Incomplete if there is an error. */
  readonly content: MergedContent;
  readonly labels: ZoneLabels;
  /** Whether a fact is used that is not known: a sample is in its place. */
  readonly isSample: boolean;
  /** The variables whose values are in its texts. */
  readonly used: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether a diagnostic may be due to a layer that is missing. */
export function mayBeElsewhere({ code, path }: Diagnostic): boolean {
  return inOtherLayers.has(code) || (code === "WRONG_VALUE" && /\.remove\[\d+\]$/.test(path));
}

const inOtherLayers: ReadonlySet<string> = new Set<DiagnosticCode>([
  "MISSING_KEY",
  "UNKNOWN_ORDER",
  "SKIP_WITHOUT_EFFECT",
  "UNSET_VARIABLE",
  "EMPTY_VALUE",
]);

type ConvertedRules = Converted<Declared<Rule> | undefined>;
type ConvertedRulesets = Converted<Declared<CustomRuleset> | undefined>;
type PageShieldContent = Pick<ZoneContent, "settings" | "policies" | "scripts">;

/**
 * Merges layers into zone documents. Values that several zones share are merged and converted once:
 * equal parts of different zones are the same objects.
 */
export class ZoneMerger {
  readonly #values = new ValueMerger();
  readonly #pageShieldOf = memoized(pageShieldOf);
  readonly #rulesOf = ofEachPhase((phase) =>
    memoized((merged: JsonObject) => declaredRulesOf(phase, merged)),
  );
  readonly #rulesetsOf = memoized(declaredRulesetsOf);

  merge(zone: ZoneLayer, layers: readonly Layer[]): MergedEntry {
    const target = targetOf(zone.content);
    const suspension = suspensionOf(zone.content);
    const filled = this.contentWith(zone, layers, factsOfTarget(target.value));
    const own = [...target.diagnostics, ...suspension.diagnostics].map((unplaced) =>
      placed(zone, layers, unplaced),
    );
    const diagnostics = [...nullsWithoutEffect(layers), ...own, ...filled.diagnostics];
    const entry = { diagnostics, used: filled.used };
    const named = target.value && { target: target.value, zone };
    // The other entries of its zones may have what a layer lacks.
    if (named === undefined || (isLayer(named) ? own : diagnostics).some(isError)) {
      return { ...entry, document: undefined };
    }
    const document: MergedDocument = {
      ...named,
      content: { ...filled.content, suspension: suspension.value },
      place: keyPlace(zone.document, zone.path),
      layers,
      ...((isLayer(named) || filled.isSample) && { needsListing: true }),
      ...(Object.keys(filled.labels).length > 0 && { labels: filled.labels }),
    };
    return { ...entry, document };
  }

  /** What layers declare, with placeholders filled by what is known of the zone. */
  contentWith(zone: ZoneLayer, layers: readonly Layer[], facts: ZoneFacts): FilledContent {
    const filled = filledValues(this.valuesOf(layers), layers, facts);
    const merged = filled.values;
    const shieldValues = merged["page_shield"];
    const shield = isJsonObject(shieldValues) ? this.#pageShieldOf(shieldValues) : noPageShield;
    const rules = rulePhases.flatMap((phase) => {
      const values = merged[phase];
      return isJsonObject(values) ? [{ phase, ...this.#rulesOf[phase](values) }] : [];
    });
    const listed = merged["custom_rulesets"];
    const rulesets = isJsonList(listed) ? this.#rulesetsOf(listed) : undeclaredRulesets;
    return {
      content: {
        mode: merged["mode"] === "observe" ? "observe" : "enforce",
        ...shield.value,
        rules: byPhase((phase) => rules.find((each) => each.phase === phase)?.value),
        customRulesets: rulesets.value,
      },
      diagnostics: [
        ...filled.diagnostics,
        ...[
          ...[shield, ...rules, rulesets].flatMap(({ diagnostics }) => diagnostics),
          ...misplacedIn(listed, rules.find(({ phase }) => phase === "custom_rules")?.value?.items),
        ].flatMap(filled.atCause),
        ...outsideOfZone(shield.value.policies?.items, facts.name, policyList),
        ...rules.flatMap(({ phase, value }) => [
          ...outsideOfZone(value?.items, facts.name, ruleListOf(phase)),
          ...sparingZone(value?.items, facts.name, ruleListOf(phase), merged[phase]),
        ]),
        ...outsideOfZone(rulesets.value?.items, facts.name, rulesetList),
        ...(rulesets.value?.items ?? []).flatMap(({ key, rules: inside }) => {
          const list = [...rulesetList, key, "rules"];
          const written = coerceObjects(listed).find((each) => each["key"] === key);
          return [
            ...outsideOfZone(inside, facts.name, list),
            ...sparingZone(inside, facts.name, list, written),
          ];
        }),
      ].map((unplaced) => placed(zone, layers, unplaced)),
      labels: labelsIn(merged),
      isSample: filled.isSample,
      used: filled.used,
    };
  }

  /** The merged values of layers, the lowest first. */
  valuesOf(layers: readonly Layer[]): JsonObject {
    return layers.reduce<JsonObject>(
      (merged, { content }) =>
        coerceObject(this.#values.merge(merged, coerceObject(content)) ?? noValues),
      noValues,
    );
  }
}

/** Always the same object: what is merged over it is known the next time. */
const noValues: JsonObject = {};

/** Most zones have neither placeholders nor variables. */
function filledValues(values: JsonObject, layers: readonly Layer[], facts: ZoneFacts): FilledZone {
  const isPlain = layers.every((layer) => !layer.mayBeTemplate && !layer.content.vars);
  return isPlain
    ? { values, diagnostics: [], atCause: (found) => [found], isSample: false, used: new Set() }
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
export function factsOfTarget(target: Target | undefined): ZoneFacts {
  if (target?.by === "name") return { name: target.name };
  return target?.by === "id" ? { id: target.id } : {};
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

const undeclaredRulesets: ConvertedRulesets = { value: undefined, diagnostics: [] };

function declaredRulesetsOf(merged: readonly Json[]): ConvertedRulesets {
  return isCustomRulesets(merged)
    ? customRulesetsOf(merged)
    : { value: undefined, diagnostics: mismatches("custom_rulesets", merged, isCustomRulesets) };
}

/** Unlike the rulesets themselves, their places depend on the rules beside them. */
function misplacedIn(
  rulesets: Json | undefined,
  rules: readonly Rule[] = [],
): readonly UnplacedDiagnostic[] {
  if (!isCustomRulesets(rulesets)) return [];
  return misplacedRulesets(
    rulesets,
    rules.map(({ key }) => key),
  );
}

/**
 * Policies or rules of a zone that apply to hosts of other zones only. A host with a port is told of
 * by itself.
 */
function outsideOfZone(
  items: readonly Pick<Policy | RuleBase, "key" | "enabled" | "expression">[] = [],
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
    written.some(
      (rule) => rule["key"] === key && coerceTexts(rule["acknowledge"]).includes(everyRequest),
    );
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
