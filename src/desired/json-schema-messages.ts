import type { ErrorObject } from "ajv/dist/2020.js";

import { allOf } from "../syntax/first-of.ts";
import {
  coerceObject,
  coerceObjects,
  coerceTexts,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../syntax/json.ts";
import { didYouMean } from "../syntax/nearest.ts";
import type { DiagnosticText, UnplacedDiagnostic } from "./diagnostics.ts";
import { isFileForm } from "./schema-compiler.ts";
import { fillableKeys, looksFillable } from "./template/template.ts";

/**
 * The diagnostic of a schema error, from the schema around it. Its path is relative to the path of
 * the error.
 *
 * @param homesOf the places where a key belongs that is unknown at this one
 */
export function schemaDiagnostic(
  error: ErrorObject,
  homesOf: (key: string) => readonly string[],
): UnplacedDiagnostic {
  const key = keyIn(error);
  const homes = key === undefined ? [] : homesOf(key);
  const isPlaceholder = typeof error.data === "string" && looksFillable(error.data);
  const found = textOf(error, key, homes);
  const text = isPlaceholder && !isSecret(error) ? { ...found, remedy: fillableKeys } : found;
  return key === undefined ? { ...text, path: [] } : { ...text, path: [key], atKey: true };
}

function textOf(
  error: ErrorObject,
  key: string | undefined,
  homes: readonly string[],
): DiagnosticText {
  switch (error.keyword) {
    case "additionalProperties":
      return unknownKey(error, key ?? "", homes);
    case "required":
      return missingKey(error, String(error.params["missingProperty"]));
    case "oneOf":
      return oneOf(error);
    case "not":
      return excluding(coerceTexts(coerceObject(error.schema)["required"]));
    case "type":
    case "anyOf":
      return wrongType(error);
    case "enum":
    case "const":
      return notAllowed(error);
    case "pattern":
      return pattern(error, key);
    default: {
      const [message, remedy] = rangeText(error);
      return { code: "WRONG_VALUE", message, remedy };
    }
  }
}

function keyIn(error: ErrorObject): string | undefined {
  const name: unknown = error.params["additionalProperty"] ?? error.propertyName;
  return typeof name === "string" ? name : undefined;
}

function unknownKey(error: ErrorObject, key: string, homes: readonly string[]): DiagnosticText {
  const message = `unknown key "${key}"`;
  if (key === "<<") {
    const remedy = "merge keys are not supported: put common values into a profile";
    return { code: "UNKNOWN_KEY", message, remedy };
  }
  const hint = coerceObject(error.parentSchema?.["hints"])[key];
  if (typeof hint === "string") return { code: "UNKNOWN_KEY", message, remedy: hint };
  if (homes.length > 0) {
    return { code: "UNKNOWN_KEY", message, remedy: `"${key}" belongs ${homes.join(", or ")}` };
  }
  const known = Object.keys(coerceObject(error.parentSchema?.["properties"]));
  const remedy = didYouMean(key, known) || `known here: ${known.join(", ")}`;
  return { code: "UNKNOWN_KEY", message, remedy };
}

function missingKey(error: ErrorObject, key: string): DiagnosticText {
  const schema = coerceObject(coerceObject(error.parentSchema?.["properties"])[key]);
  const about =
    typeof schema["description"] === "string" ? `: ${lowerFirst(schema["description"])}` : "";
  return { code: "MISSING_KEY", message: `"${key}" is missing`, remedy: `add it${about}` };
}

/** In our schemas `oneOf` always lists keys of which exactly one must be set. */
function oneOf(error: ErrorObject): DiagnosticText {
  const keys = coerceObjects(error.schema).flatMap((branch) => coerceTexts(branch["required"]));
  const present = keys.filter((key) => isJsonObject(error.data) && key in error.data);
  if (present.length === 0) {
    const message = `one of ${listed(keys)} is required`;
    return { code: "MISSING_KEY", message, remedy: "add one of them" };
  }
  return excluding(present);
}

/** In our schemas `not` always lists keys that exclude each other. */
function excluding(keys: readonly string[]): DiagnosticText {
  const message = `${listed(keys)} exclude each other`;
  return { code: "CONTRADICTION", message, remedy: "keep one of them" };
}

function wrongType(error: ErrorObject): DiagnosticText {
  const wanted = expectations(error);
  const expected = wanted.join(" or ");
  if (isSecret(error)) {
    const message = `expected ${expected}, found something else`;
    return { code: "WRONG_TYPE", message, remedy: `write ${expected}` };
  }
  const message = `expected ${expected}, found ${shown(error.data)}`;
  const remedy = instead(error.data, wanted, error.parentSchema ?? {});
  return { code: "WRONG_TYPE", message, remedy: withExample(remedy, error) };
}

/** A map is shown by its example. */
function withExample(remedy: string, { parentSchema }: ErrorObject): string {
  const [example] = coerceObjects(parentSchema?.["examples"]);
  if (!/ a map\b[^,]*$/.test(remedy) || example === undefined) return remedy;
  return `${remedy}, like ${flowText(example)}`;
}

/** A value in YAML on one line. */
function flowText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => flowText(item)).join(", ")}]`;
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(([key, inner]) => `${key}: ${flowText(inner)}`);
    return `{ ${entries.join(", ")} }`;
  }
  return typeof value === "string" && /^[\w. -]+$/.test(value) ? value : JSON.stringify(value);
}

function expectations(error: ErrorObject): string[] {
  if (error.keyword === "anyOf") {
    const values = coerceObjects(error.schema).filter((branch) => !isFileForm(branch));
    return values.map(describe);
  }
  const types = [error.schema].flat().filter((type) => type !== "null");
  return types.map((type) => typeNames[String(type)] ?? String(type));
}

function describe(branch: JsonObject): string {
  if (Array.isArray(branch["enum"])) return `one of ${valuesIn(branch["enum"]).join(", ")}`;
  return typeof branch["description"] === "string" ? branch["description"] : "something else";
}

const typeNames: Readonly<Record<string, string>> = {
  object: "a map",
  array: "a list",
  string: "text",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
};

const yesWords = new Set(["yes", "on", "y", "true", "enabled"]);
const noWords = new Set(["no", "off", "n", "false", "disabled"]);

/** The form that a text would miss: quotes alone do not help then. */
function formMissed(text: string, schema: Readonly<Record<string, unknown>>): string | undefined {
  const { pattern: form, patternErrorMessage: says } = schema;
  if (typeof form !== "string" || typeof says !== "string") return undefined;
  return new RegExp(form).test(text) ? undefined : says;
}

/** What to write in place of `data`. */
function instead(
  data: unknown,
  wanted: readonly string[],
  schema: Readonly<Record<string, unknown>>,
): string {
  if (data === null) return "delete the key, or give it a value";
  if (typeof data === "string") return insteadOfText(data, wanted);
  if (wanted.includes("text") && typeof data === "number" && !Number.isInteger(data)) {
    return "put it in quotes, as it stands there: without them, YAML reads it as a number";
  }
  const isSimple = typeof data === "number" || typeof data === "boolean";
  const form = isSimple ? formMissed(String(data), schema) : undefined;
  if (form !== undefined) return form;
  if (wanted.includes("text") && isSimple) return `put it in quotes: "${data}"`;
  if (!wanted.includes("a list")) return `write ${wanted.join(" or ")}`;
  return "write a list: a dash before each item, or brackets around them";
}

function insteadOfText(text: string, wanted: readonly string[]): string {
  const word = text.trim().toLowerCase();
  if (wanted.includes("true or false") && (yesWords.has(word) || noWords.has(word))) {
    // `true` and `false` are strings only in quotes; `yes` and `no` always are.
    const isQuoted = word === "true" || word === "false";
    return `write ${yesWords.has(word)}${isQuoted ? ", without quotes" : ""}`;
  }
  const isNumber = /^-?\d+(\.\d+)?$/.test(word) && wanted.some((name) => name.includes("number"));
  if (isNumber) return `write ${word}, without quotes`;
  if (wanted.includes("a list")) return `write a list: [${shown(text)}]`;
  return `write ${wanted.join(" or ")}`;
}

function notAllowed(error: ErrorObject): DiagnosticText {
  const { data } = error;
  const allowed = valuesIn(error.keyword === "const" ? [error.schema] : error.schema);
  const isOne = allowed.length === 1;
  const message = isOne
    ? `expected ${allowed.join("")}, found ${shown(data)}`
    : `${shown(data)} is none of ${allowed.join(", ")}`;
  if (typeof data === "string" && allowed.includes(data)) {
    return { code: "WRONG_VALUE", message, remedy: `write ${data}, without quotes` };
  }
  const hint = coerceObject(error.parentSchema?.["hints"])[typeof data === "string" ? data : ""];
  if (typeof hint === "string") return { code: "WRONG_VALUE", message, remedy: hint };
  const guess = typeof data === "string" ? didYouMean(data, allowed) : "";
  return { code: "WRONG_VALUE", message, remedy: isOne ? "" : guess || "use one of these values" };
}

function pattern(error: ErrorObject, key: string | undefined): DiagnosticText {
  const text = key ?? String(error.data);
  const says: unknown = error.parentSchema?.["patternErrorMessage"];
  const examples = coerceTexts(error.parentSchema?.["examples"]);
  const known = examples.filter((name) => /^[a-z_]+$/.test(name));
  const rule = typeof says === "string" ? says : `it must match ${String(error.schema)}`;
  const message = `${isSecret(error) ? "this value" : shown(text)} is not valid here`;
  const lower = text.toLowerCase().trim().replaceAll(/\s+/g, "-");
  const isCase = lower !== text && new RegExp(String(error.schema)).test(lower);
  const inCase = isCase && !isSecret(error) ? `${rule}; write ${lower}` : rule;
  return { code: "WRONG_VALUE", message, remedy: didYouMean(text, known) || inCase };
}

function rangeText({ keyword, data, message, params }: ErrorObject): [string, string] {
  const limit = String(params["limit"]);
  switch (keyword) {
    case "minimum":
      return [`${shown(data)} is too small`, `write a number from ${limit} up`];
    case "maximum":
      return [`${shown(data)} is too large`, `write a number up to ${limit}`];
    case "minLength":
      return ["the text is empty", "set a value, or delete the key"];
    case "maxLength":
      return [`the text is longer than ${limit} characters`, "shorten it"];
    case "maxItems":
      return [`the list has more than ${limit} entries`, "delete some of them"];
    case "maxProperties":
      return [`the map has more than ${limit} keys`, "delete some of them"];
    case "minItems":
      return ["the list is empty", "add an item, or delete the key"];
    case "minProperties":
      return ["the map is empty", "add a key, or delete the map"];
    default:
      return [message ?? keyword, ""];
  }
}

function valuesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => item !== null).map(String) : [];
}

function listed(keys: readonly string[]): string {
  return allOf(keys.map((key) => `"${key}"`));
}

/** Some users write a secret here by mistake: never quote the value. */
function isSecret(error: ErrorObject): boolean {
  return error.parentSchema?.["writeOnly"] === true || secretPath.test(error.instancePath);
}

/**
 * The path of a value at or below a key that names a secret, or a file, variable or URL that holds
 * one.
 */
const secretPath = /\/(?:\w*(?:token|secret|password)\w*|(?:base_)?url(?:_\w+)?)(?:\/|$)/i;

/** A value, shortened for a message. */
function shown(data: unknown): string {
  if (Array.isArray(data)) return "a list";
  if (isJsonObject(data)) return "a map";
  if (data === null) return "nothing";
  const text = JSON.stringify(data);
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
