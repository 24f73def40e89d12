import { createRequire } from "node:module";

import type * as Re2 from "re2js";

import { networkIn } from "../../syntax/expression/ip-address.ts";
import { coerceList, isJsonObject, type Json, type JsonObject } from "../../syntax/json.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import { remembered } from "../../syntax/remembered.ts";
import { contradiction, type DiagnosticText, type UnplacedDiagnostic } from "../diagnostics.ts";
import { isList, isScalar, isTemplate, type TemplateValue, templateValueOf } from "./template.ts";

/** Whether the members of a list are texts, also those that look like addresses; paths never do. */
export function declaresTexts({ items }: JsonObject): boolean {
  return items === "string" || items === "host";
}

/** What a variable's declaration does not allow of a value, with paths from the value on. */
export function violationsOf(
  name: string,
  declaration: JsonObject,
  value: TemplateValue,
): readonly UnplacedDiagnostic[] {
  const { items, type = items === undefined ? undefined : "list" } = declaration;
  const what = `the variable "${name}"`;
  if (!isList(value)) return placed([], violation(what, declaration, type, value));
  if (type !== undefined && type !== "list") {
    return placed([], violation(what, { type }, type, value));
  }
  return value.flatMap((member) =>
    placed([String(member)], violation(`a member of ${what}`, declaration, items, member)),
  );
}

function placed(path: readonly string[], found?: DiagnosticText): readonly UnplacedDiagnostic[] {
  return found === undefined ? [] : [{ ...found, path }];
}

function violation(
  what: string,
  declaration: JsonObject,
  type: Json | undefined,
  value: TemplateValue,
): DiagnosticText | undefined {
  const { minimum, maximum } = declaration;
  const shown = JSON.stringify(value);
  const wanted = type ?? (minimum === undefined && maximum === undefined ? undefined : "number");
  if (typeof wanted === "string" && types.get(wanted)?.(value) === false) {
    const message = `${what} is ${shown}, and not of the type ${wanted}`;
    return { code: "WRONG_TYPE", message, remedy: "correct the value or the type" };
  }
  for (const [name, rule] of Object.entries(rules)) {
    const found = rule(declaration[name], value);
    if (found === undefined) continue;
    const [says, remedy] = found;
    return { code: "WRONG_VALUE", message: `${what} is ${shown}, ${says}`, remedy };
  }
  return undefined;
}

/** By the key of a declaration: what is wrong with a value, and its remedy. Limits of another type are the schema's to tell. */
const rules: Readonly<
  Record<string, (limit: Json | undefined, value: TemplateValue) => [string, string] | undefined>
> = {
  enum: (limit, value) => {
    const allowed = coerceList(limit).filter(isScalar);
    if (allowed.length === 0 || allowed.some((each) => each === value)) return undefined;
    const names = allowed.map(String);
    const guess = didYouMean(String(value), names);
    return [`and none of ${names.join(", ")}`, guess || "use one of these values"];
  },
  pattern: (limit, value) => {
    const form = typeof limit === "string" ? regexOf(limit) : undefined;
    return form === undefined || form.test(String(value))
      ? undefined
      : [`which does not match ${form.pattern()}`, "correct the value or the pattern"];
  },
  minimum: (limit, value) =>
    typeof limit === "number" && Number(value) < limit
      ? ["which is too small", `write a number from ${limit} up`]
      : undefined,
  maximum: (limit, value) =>
    typeof limit === "number" && Number(value) > limit
      ? ["which is too large", `write a number up to ${limit}`]
      : undefined,
};

/** By the name of a type: whether a value has it. A list never does: each of its members is asked for. */
const types = new Map<string, (value: TemplateValue) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number"],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["list", () => false],
  [
    "host",
    (value) =>
      typeof value === "string" &&
      value.length <= 253 &&
      /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i.test(value),
  ],
  ["ip", (value) => typeof value === "string" && networkIn(value) !== undefined],
  ["path", (value) => typeof value === "string" && /^\/[!-~]*$/.test(value)],
]);

const patterns = remembered<Re2.RE2JS | undefined>(100);

/** Loads the engine only if it is needed: few variables have a pattern. */
const load: (name: "re2js") => typeof Re2 = createRequire(import.meta.url);

/** A pattern that is tested in a time proportional to the text, whoever wrote it; `undefined` if it is none. */
function regexOf(pattern: string): Re2.RE2JS | undefined {
  return patterns(pattern, () => {
    const { RE2JS } = load("re2js");
    try {
      return RE2JS.compile(pattern);
    } catch {
      return undefined;
    }
  });
}

/** What is wrong with the declarations in `vars` of a profile or zone, whatever a zone sets. */
export function wrongDeclarations(vars: JsonObject): readonly UnplacedDiagnostic[] {
  return Object.entries(vars).flatMap(([name, declaration]) =>
    isJsonObject(declaration)
      ? wrongDeclaration(name, declaration).map((found) => ({
          ...found,
          path: ["vars", name, ...found.path],
        }))
      : [],
  );
}

function wrongDeclaration(name: string, declaration: JsonObject): readonly UnplacedDiagnostic[] {
  const wrong = wrongLimits(declaration);
  return wrong.length > 0
    ? wrong
    : [...wrongEnum(name, declaration), ...wrongDefault(name, declaration)];
}

/** Limits that contradict each other, or that nothing can be compared with. */
function wrongLimits(declaration: JsonObject): readonly UnplacedDiagnostic[] {
  const { type, items, pattern, minimum, maximum } = declaration;
  const found: UnplacedDiagnostic[] = [];
  if (items !== undefined && type !== undefined && type !== "list") {
    found.push(contradiction(["items"], '"items" is for lists only', "write `type: list`"));
  }
  if (typeof minimum === "number" && typeof maximum === "number" && minimum > maximum) {
    const message = `no number is from ${minimum} to ${maximum}`;
    found.push(contradiction(["maximum"], message, "correct one of the two"));
  }
  if (typeof pattern === "string" && regexOf(pattern) === undefined) {
    const message = `${JSON.stringify(pattern)} is no regular expression of RE2`;
    const remedy = "correct it; RE2 has no look-around and no back references";
    found.push({ code: "WRONG_VALUE", path: ["pattern"], message, remedy });
  }
  return found;
}

/** Allowed values that the rest of the declaration does not allow. */
function wrongEnum(name: string, declaration: JsonObject): readonly UnplacedDiagnostic[] {
  const isOfLists = declaration["type"] === "list" || declaration["items"] !== undefined;
  return coerceList(declaration["enum"]).flatMap((each, index) => {
    if (!isScalar(each)) return [];
    const wrong = violationsOf(name, { ...declaration, enum: [] }, isOfLists ? [each] : each);
    return wrong.map((violated) => ({ ...violated, path: ["enum", index] }));
  });
}

/** What the declaration does not allow of its default; one with a placeholder is checked where it is filled. */
function wrongDefault(name: string, declaration: JsonObject): readonly UnplacedDiagnostic[] {
  const value = templateValueOf(declaration["default"]);
  if (value === undefined || isTemplate(JSON.stringify(value))) return [];
  return violationsOf(name, declaration, value).map((each) => {
    const members = each.path.map((member) => [value].flat().map(String).indexOf(String(member)));
    return { ...each, path: ["default", ...members] };
  });
}
