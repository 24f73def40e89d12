import type { ErrorObject } from "ajv/dist/2020.js";

import {
  type JsonObject,
  isJsonObject,
  coerceObject,
  coerceObjects,
  coerceTexts,
} from "../syntax/json.ts";
import { didYouMean } from "../syntax/nearest.ts";
import type { Words } from "./complaint.ts";

/** An error of the schema in words. */
export interface SchemaWords extends Words {
  /** The key below the error's path that it is about. */
  readonly inside: string | undefined;
}

/** Says what is wrong and what would be right, from what the schema knows about the place. */
export function schemaWords(error: ErrorObject): SchemaWords {
  const inside = keyIn(error);
  return { inside, ...wordsOf(error, inside) };
}

function wordsOf(error: ErrorObject, key: string | undefined): Words {
  switch (error.keyword) {
    case "additionalProperties":
      return unknownKey(error, key ?? "");
    case "required":
      return missingKey(error, String(error.params["missingProperty"]));
    case "oneOf":
      return oneOf(error);
    case "type":
    case "anyOf":
      return wrongType(error);
    case "enum":
    case "const":
      return notAllowed(error);
    case "pattern":
      return pattern(error, key);
    default:
      return outOfRange(error);
  }
}

function keyIn(error: ErrorObject): string | undefined {
  const name: unknown = error.params["additionalProperty"] ?? error.propertyName;
  return typeof name === "string" ? name : undefined;
}

function unknownKey(error: ErrorObject, key: string): Words {
  const message = `unknown key "${key}"`;
  if (key === "<<") {
    const remedy = "merge keys are not used here: put what is common into a profile";
    return { code: "UNKNOWN_KEY", message, remedy };
  }
  const known = Object.keys(coerceObject(error.parentSchema?.["properties"]));
  const remedy = didYouMean(key, known) || `known here: ${known.join(", ")}`;
  return { code: "UNKNOWN_KEY", message, remedy };
}

function missingKey(error: ErrorObject, key: string): Words {
  const schema = coerceObject(coerceObject(error.parentSchema?.["properties"])[key]);
  const about =
    typeof schema["description"] === "string" ? `: ${lowerFirst(schema["description"])}` : "";
  return { code: "MISSING_KEY", message: `"${key}" is missing`, remedy: `add it${about}` };
}

/** The only choices of the schemas are keys of which exactly one must stand. */
function oneOf(error: ErrorObject): Words {
  const keys = coerceObjects(error.schema).flatMap((branch) => coerceTexts(branch["required"]));
  const present = keys.filter((key) => isJsonObject(error.data) && key in error.data);
  if (present.length === 0) {
    return {
      code: "MISSING_KEY",
      message: `none of ${listed(keys)} is given`,
      remedy: "add one of them",
    };
  }
  return {
    code: "CONTRADICTION",
    message: `${listed(present)} exclude each other`,
    remedy: "keep one of them",
  };
}

function wrongType(error: ErrorObject): Words {
  const wanted = expectations(error);
  return {
    code: "WRONG_TYPE",
    message: `expected ${wanted.join(" or ")}, found ${shownIn(error)}`,
    remedy: instead(error.data, wanted),
  };
}

function expectations(error: ErrorObject): string[] {
  if (error.keyword === "anyOf") {
    return coerceObjects(error.schema).map((branch) => describe(branch));
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

/** What to write in place of `data`, where that can be guessed. */
function instead(data: unknown, wanted: readonly string[]): string {
  if (data === null) return "delete the key, or give it a value";
  if (typeof data === "string") return insteadOfText(data, wanted);
  const isSimple = typeof data === "number" || typeof data === "boolean";
  if (wanted.includes("text") && isSimple) return `put it in quotes: "${data}"`;
  if (!wanted.includes("a list")) return `write ${wanted.join(" or ")}`;
  return "write a list: a dash before each item, or brackets around them";
}

function insteadOfText(text: string, wanted: readonly string[]): string {
  const word = text.trim().toLowerCase();
  if (wanted.includes("true or false") && (yesWords.has(word) || noWords.has(word))) {
    // Only in quotes are true and false texts; yes and no are texts of themselves.
    const isQuoted = word === "true" || word === "false";
    return `write ${yesWords.has(word)}${isQuoted ? ", without quotes" : ""}`;
  }
  const isNumber = /^-?\d+(\.\d+)?$/.test(word) && wanted.some((name) => name.includes("number"));
  if (isNumber) return `write ${word}, without quotes`;
  if (wanted.includes("a list")) return `write a list: [${shown(text)}]`;
  return `write ${wanted.join(" or ")}`;
}

function notAllowed(error: ErrorObject): Words {
  const allowed = valuesIn(error.keyword === "const" ? [error.schema] : error.schema);
  const message =
    allowed.length === 1
      ? `expected ${allowed.join("")}, found ${shown(error.data)}`
      : `${shown(error.data)} is none of ${allowed.join(", ")}`;
  const guess = typeof error.data === "string" ? didYouMean(error.data, allowed) : "";
  const number = typeof error.data === "string" && allowed.includes(error.data);
  const remedy = number
    ? `write ${String(error.data)}, without quotes`
    : guess || "write one of these";
  return { code: "WRONG_VALUE", message, remedy: allowed.length === 1 && !number ? "" : remedy };
}

function pattern(error: ErrorObject, key: string | undefined): Words {
  const text = key ?? String(error.data);
  const says: unknown = error.parentSchema?.["patternErrorMessage"];
  const words = coerceTexts(error.parentSchema?.["examples"]).filter((word) =>
    /^[a-z_]+$/.test(word),
  );
  const rule = typeof says === "string" ? says : `it must match ${String(error.schema)}`;
  return {
    code: "WRONG_VALUE",
    message: `${isSecret(error) ? "what stands here" : shown(text)} cannot stand here`,
    remedy: didYouMean(text, words) || rule,
  };
}

function outOfRange(error: ErrorObject): Words {
  const limit = String(error.params["limit"]);
  const [message, remedy] = rangeWords(error, limit);
  return { code: "WRONG_VALUE", message, remedy };
}

function rangeWords({ keyword, data, message }: ErrorObject, limit: string): [string, string] {
  switch (keyword) {
    case "minimum":
      return [`${shown(data)} is too small`, `write a number from ${limit} up`];
    case "maximum":
      return [`${shown(data)} is too large`, `write a number up to ${limit}`];
    case "minLength":
      return ["the text is empty", "write something, or delete the key"];
    case "maxLength":
      return [`the text is longer than ${limit} characters`, "shorten it"];
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
  return keys
    .map((key) => `"${key}"`)
    .join(", ")
    .replace(/, (?=[^,]*$)/, " and ");
}

/** Where a secret is sometimes written by mistake, the value is not repeated. */
function isSecret(error: ErrorObject): boolean {
  return error.parentSchema?.["writeOnly"] === true;
}

function shownIn(error: ErrorObject): string {
  return isSecret(error) ? "something else" : shown(error.data);
}

/** A value as people recognise it: short, and never more than a glimpse of a map or list. */
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
