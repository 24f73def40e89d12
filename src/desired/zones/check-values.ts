import { checkCsp } from "../../syntax/csp/check-csp.ts";
import { parseCsp } from "../../syntax/csp/csp.ts";
import { adviseCharacteristic } from "../../syntax/expression/advice/advise-characteristic.ts";
import { type Phase, adviseExpression } from "../../syntax/expression/advice/advise-expression.ts";
import { globIgnoringCase } from "../../syntax/glob.ts";
import {
  coerceList,
  coerceObject,
  isJsonList,
  isJsonObject,
  type JsonObject,
  withMembers,
} from "../../syntax/json.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import { twins } from "../../syntax/twins.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { rulePhases } from "../../zone/rule-phase.ts";
import { tiers } from "../../zone/tier.ts";
import { diagnosticAt, maxDiagnostics } from "../diagnostics.ts";
import { keyPlace, type Path, placeInScalar } from "../location.ts";
import { wrongDeclarations } from "../template/declaration.ts";
import { isTemplate } from "../template/template.ts";
import { cspText, type CspInFile, keepCanonical } from "./csp-text.ts";
import { diagnosticInPart, type FilePart, identityOf } from "./layer.ts";
import { isListChange, writtenMembers } from "./list-change.ts";
import { phaseAt } from "./phase-at.ts";
import { policyList, ruleListOf, rulesetList, zoneLists } from "./zone-lists.ts";

const overrideLists = ["categories", "rules"].map((list) => ["overrides", list]);

/**
 * Checks what the schema cannot: CSP values, filter expressions, and repeated keys of a profile or
 * zone. A value is also checked if others around it violate the schema.
 *
 * @param text of the file
 */
export function checkValues(part: FilePart, text: string): readonly Diagnostic[] {
  const policies = listAt(part.content, policyList);
  const rules = rulePhases.flatMap((phase) => {
    const list = ruleListOf(phase);
    return listAt(part.content, list).map((rule, index) => ({ rule, path: [...list, index] }));
  });
  const rulesets = listAt(part.content, rulesetList).map((ruleset, index) => {
    return { ruleset, path: [...rulesetList, index], inside: listAt(ruleset, ["rules"]) };
  });
  const inRulesets = rulesets.flatMap(({ path, inside }) =>
    inside.map((rule, index) => ({ rule, path: [...path, "rules", index] })),
  );
  return [
    ...checkSelector(part),
    ...wrongDeclarations(coerceObject(coerceObject(part.content)["vars"])).map((found) =>
      diagnosticInPart(part, found),
    ),
    ...zoneLists.flatMap((path) => repeatedKeys(part, path, listAt(part.content, path))),
    ...rules.flatMap(({ rule, path }) =>
      overrideLists.flatMap((list) => repeatedKeys(part, [...path, ...list], listAt(rule, list))),
    ),
    ...policies.flatMap((policy, index) => checkItem(part, text, policy, [...policyList, index])),
    ...rulesets.flatMap(({ path, inside }) => repeatedKeys(part, [...path, "rules"], inside)),
    ...rulesets.flatMap(({ ruleset, path }) => checkItem(part, text, ruleset, path)),
    ...[...rules, ...inRulesets].flatMap(({ rule, path }) => checkItem(part, text, rule, path)),
  ];
}

/** The list at `steps` in a value of any shape; empty if there is none. */
function listAt(value: unknown, steps: readonly string[]): readonly unknown[] {
  return coerceList(steps.reduce<unknown>((holder, step) => coerceObject(holder)[step], value));
}

function repeatedKeys(
  part: FilePart,
  list: Path,
  items: readonly unknown[],
): readonly Diagnostic[] {
  if (items.length < 2) return [];
  return twins([...items.entries()], ([, item]) => identityOf(item)).map(([[index, item]]) => {
    const message = `"${identityOf(item)}" is repeated in this list`;
    const remedy = "rename one of the two, or merge them";
    const path = [...list, index];
    return diagnosticInPart(part, { code: "KEY_TWICE", path, message, remedy });
  });
}

/** The values that a selector can match, where they are known. */
const selectable = {
  status: ["initializing", "pending", "active", "moved"],
  plan: tiers,
};

/** Patterns of a selector that match none of the values that there are. */
function checkSelector(part: FilePart): readonly Diagnostic[] {
  const selector = coerceObject(coerceObject(part.content)["match"]);
  return [
    ...checkPatterns(part, selector, ["match"]),
    ...checkPatterns(part, coerceObject(selector["not"]), ["match", "not"]),
  ];
}

function checkPatterns(part: FilePart, patterns: JsonObject, above: Path): readonly Diagnostic[] {
  return Object.entries(selectable).flatMap(([name, values]) => {
    const written = patterns[name];
    const list: Path = [...above, name];
    const all = isJsonList(written)
      ? written.map((pattern, index) => ({ pattern, path: [...list, index] }))
      : [{ pattern: written, path: list }];
    return all.flatMap(({ pattern, path }) => {
      if (typeof pattern !== "string" || values.some(globIgnoringCase(pattern))) return [];
      const message = `"${pattern}" matches no ${name} of a zone`;
      const remedy = didYouMean(pattern, values) || `write one of: ${values.join(", ")}`;
      return [diagnosticInPart(part, { code: "MATCH_NOTHING", path, message, remedy })];
    });
  });
}

/** Policies and rules without diagnostics: zones share them, and need no second check. */
const flawless: Readonly<Record<Phase, WeakSet<object>>> = {
  response: new WeakSet(),
  request: new WeakSet(),
  ratelimit: new WeakSet(),
};

/**
 * Maps of directives without diagnostics: policies with expressions of their own share them too.
 */
const flawlessMaps = new WeakSet<object>();

/** Checks the expressions of a policy or rule, and the value of a policy. */
function checkItem(part: FilePart, text: string, item: unknown, path: Path): readonly Diagnostic[] {
  const known = flawless[phaseAt(path)];
  if (!isJsonObject(item) || known.has(item)) return [];
  const found = diagnosticsOf(part, text, item, path);
  if (found.length === 0 && !part.mayBeTemplate) known.add(item);
  return found;
}

function diagnosticsOf(
  part: FilePart,
  text: string,
  item: object,
  path: Path,
): readonly Diagnostic[] {
  const { document, path: above } = part;
  const value = withoutChanges(coerceObject(item)["value"]);
  const inScalar = (at: Path, scalar: string, found: readonly SyntaxDiagnostic[]) => {
    const whole = [...above, ...path, ...at];
    return limited(found).map((each) =>
      diagnosticAt(placeInScalar(document, whole, text, scalar, each.offset), each, whole),
    );
  };
  const inExpressions = languageTexts(item, path).flatMap(({ at, scalar, advise }) =>
    // Placeholders are checked when they are filled.
    typeof scalar !== "string" || isTemplate(scalar) ? [] : inScalar(at, scalar, advise(scalar)),
  );
  if (!isCspInFile(value) || isUnchecked(part, value)) return inExpressions;
  const { text: policy, diagnostics, pathAt } = cspText(value);
  const directives = parseCsp(policy);
  const found = checkCsp(policy, directives);
  if (pathAt === undefined) return [...inExpressions, ...inScalar(["value"], policy, found)];
  // An entry of the map that holds a separator would make checks of the whole text wrong.
  const inMap = limited(diagnostics.length > 0 ? diagnostics : found).map((each) => {
    const whole = [...above, ...path, "value", ...pathAt(each.offset)];
    return diagnosticAt(keyPlace(document, whole), inYaml(each), whole);
  });
  if (inMap.length === 0 && isJsonObject(value)) {
    flawlessMaps.add(value);
    keepCanonical(value, policy, directives);
  }
  return [...inExpressions, ...inMap];
}

/** A text of the rules language in a policy or rule. */
interface LanguageText {
  readonly at: Path;
  readonly scalar: unknown;
  readonly advise: (text: string) => readonly SyntaxDiagnostic[];
}

function languageTexts(item: object, path: Path): readonly LanguageText[] {
  const { expression, ratelimit } = coerceObject(item);
  const limit = coerceObject(ratelimit);
  return [
    {
      at: ["expression"],
      scalar: expression,
      advise: (text) => adviseExpression(text, phaseAt(path)),
    },
    ...writtenMembers(limit["characteristics"]).map(([at, scalar]) => ({
      at: ["ratelimit", "characteristics", ...at],
      scalar,
      advise: adviseCharacteristic,
    })),
    {
      at: ["ratelimit", "counting_expression"],
      scalar: limit["counting_expression"],
      advise: (text) => adviseExpression(text, "response"),
    },
  ];
}

/** Whether a value is known to be without diagnostics, or cannot be checked by itself. */
function isUnchecked(part: FilePart, value: CspInFile): boolean {
  if (isJsonObject(value)) {
    if (flawlessMaps.has(value)) return true;
    // It only removes directives of a profile.
    if (Object.values(value).every((sources) => sources === null)) return true;
  }
  // Placeholders are checked when they are filled.
  return part.mayBeTemplate && isTemplate(JSON.stringify(value));
}

/** In a list, YAML takes the single quotes of a keyword for its own. */
function inYaml(found: SyntaxDiagnostic): SyntaxDiagnostic {
  const keyword = /^write ('\S+')$/.exec(found.remedy)?.[1];
  if (found.code !== "CSP_UNQUOTED_KEYWORD" || keyword === undefined) return found;
  return { ...found, remedy: `write "${keyword}", with both quotes: YAML removes the outer ones` };
}

/** A value without the lists that are checked once they are changed. */
function withoutChanges(value: unknown): unknown {
  if (!isJsonObject(value) || !Object.values(value).some(isListChange)) return value;
  return withMembers(value, (sources) => (isListChange(sources) ? null : sources));
}

function isCspInFile(value: unknown): value is CspInFile {
  if (typeof value === "string") return true;
  return isJsonObject(value) && Object.values(value).every(isSources);
}

function isSources(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((source) => typeof source === "string");
  return value === null || typeof value === "boolean";
}

/**
 * At most one diagnostic more than a file reports, since finding places takes long; an error is
 * among them.
 */
function limited(found: readonly SyntaxDiagnostic[]): readonly SyntaxDiagnostic[] {
  if (found.length <= maxDiagnostics) return found;
  const errors = found.filter(isError);
  return (errors.length > 0 ? errors : found).slice(0, maxDiagnostics + 1);
}
