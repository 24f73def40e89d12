import { networkIn } from "../../syntax/expression/ip-address.ts";
import {
  coerceList,
  coerceText,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../syntax/json.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import { contradiction, type DiagnosticText, type UnplacedDiagnostic } from "../diagnostics.ts";
import {
  isList,
  isTemplate,
  type TemplateScalar,
  type TemplateValue,
  templateValueOf,
} from "./template.ts";

/** Whether the members of a list are texts, also those that look like addresses. */
export function declaresTexts({ items }: JsonObject): boolean {
  return items === "string" || items === "host" || items === "path";
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
  if (typeof wanted === "string" && (isList(value) || types[wanted]?.(value) === false)) {
    const message = `${what} is ${shown}, and not of the type ${wanted}`;
    return { code: "WRONG_TYPE", message, remedy: "correct the value or the type" };
  }
  for (const [name, rule] of Object.entries(rules)) {
    const limit = declaration[name];
    const found = limit === undefined ? undefined : rule(limit, value);
    if (found === undefined) continue;
    const [says, remedy] = found;
    return { code: "WRONG_VALUE", message: `${what} is ${shown}, ${says}`, remedy };
  }
  return undefined;
}

/** By the key of a declaration: what is wrong with a value, and its remedy. */
const rules: Readonly<
  Record<string, (limit: Json, value: TemplateValue) => [string, string] | undefined>
> = {
  enum: (limit, value) => {
    const allowed = coerceList(limit);
    if (allowed.some((each) => each === value)) return undefined;
    const names = allowed.map(String);
    const guess = didYouMean(String(value), names);
    return [`and none of ${names.join(", ")}`, guess || "use one of these values"];
  },
  pattern: (limit, value) => {
    const form = regexOf(coerceText(limit));
    return form === undefined || form.test(String(value))
      ? undefined
      : [`which does not match ${form.source}`, "correct the value or the pattern"];
  },
  minimum: (limit, value) =>
    Number(value) < Number(limit)
      ? ["which is too small", `write a number from ${Number(limit)} up`]
      : undefined,
  maximum: (limit, value) =>
    Number(value) > Number(limit)
      ? ["which is too large", `write a number up to ${Number(limit)}`]
      : undefined,
};

/** By the name of a type: whether a value that is no list has it. */
const types: Readonly<Record<string, (value: TemplateScalar) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  list: () => false,
  host: (value) =>
    typeof value === "string" &&
    value.length <= 253 &&
    /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i.test(value),
  ip: (value) => typeof value === "string" && networkIn(value) !== undefined,
  path: (value) => typeof value === "string" && /^\/[!-~]*$/.test(value),
};

function regexOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
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

/** Other types are the schema's to tell. */
function isAbove(least: unknown, most: unknown): boolean {
  return typeof least === "number" && typeof most === "number" && least > most;
}

function wrongDeclaration(name: string, declaration: JsonObject): readonly UnplacedDiagnostic[] {
  const { type, items, pattern, minimum, maximum, enum: values, default: usual } = declaration;
  const found: UnplacedDiagnostic[] = [];
  if (items !== undefined && type !== undefined && type !== "list") {
    found.push(contradiction(["items"], '"items" is for lists only', "write `type: list`"));
  }
  if (isAbove(minimum, maximum)) {
    const message = `no number is from ${Number(minimum)} to ${Number(maximum)}`;
    found.push(contradiction(["maximum"], message, "correct one of the two"));
  }
  if (typeof pattern === "string" && regexOf(pattern) === undefined) {
    const message = `${JSON.stringify(pattern)} is no regular expression`;
    found.push({ code: "WRONG_VALUE", path: ["pattern"], message, remedy: "correct it" });
  }
  if (found.length > 0) return found;
  const isOfLists = type === "list" || items !== undefined;
  const inEnum = coerceList(values).flatMap((each, index) => {
    const value = templateValueOf(each) ?? "";
    const of = { ...declaration, enum: [each] };
    const wrong = violationsOf(name, of, isOfLists && !isList(value) ? [value] : value);
    return wrong.map((violated) => ({ ...violated, path: ["enum", index] }));
  });
  const value = templateValueOf(usual);
  if (value === undefined || isTemplate(JSON.stringify(value))) return inEnum;
  const inDefault = violationsOf(name, declaration, value).map((each) => {
    const members = each.path.map((member) => [value].flat().map(String).indexOf(String(member)));
    return { ...each, path: ["default", ...members] };
  });
  return [...inEnum, ...inDefault];
}
