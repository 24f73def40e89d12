import { readFileSync } from "node:fs";
import path from "node:path";

import {
  canonicalJson,
  coerceObject,
  coerceText,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  withMembers,
} from "../../src/syntax/json.ts";

const schemaFile = path.resolve(import.meta.dirname, "../../schemas/zonewarden.schema.json");

/** What explains, and what draft 7 does not know. */
const explaining = new Set(
  "$schema $id $defs title description default examples hints writeOnly patternErrorMessage".split(
    " ",
  ),
);

/** What an object must have: the value `config` has only what differs. A list is replaced as a whole. */
const completing = new Set(["required", "oneOf"]);

/** The schema of zonewarden.yaml as the chart checks its value `config`, with a line for each key. */
export function chartConfigSchema(): string {
  const schema = coerceObject(JSON.parse(readFileSync(schemaFile, "utf8")));
  const definitions = namedIn(coerceObject(schema["$defs"]), true);
  const properties = namedIn(coerceObject(schema["properties"]), false);
  return `{
      "type": "object",
      "additionalProperties": false,
      "properties": ${linesOf(properties)},
      "definitions": ${linesOf(definitions)}
    }`;
}

function linesOf(named: JsonObject): string {
  const lines = Object.entries(named).map(
    ([name, value]) => `        ${canonicalJson(name)}: ${canonicalJson(value)}`,
  );
  return `{\n${lines.join(",\n")}\n      }`;
}

function namedIn(schemas: JsonObject, isWhole: boolean): JsonObject {
  return withMembers(schemas, (each) => checked(each, isWhole));
}

/** What a schema checks. */
function checked(schema: Json, isWhole: boolean): Json {
  if (isJsonList(schema)) return schema.map((each) => checked(each, isWhole));
  if (!isJsonObject(schema)) return schema;
  if ("$ref" in schema) {
    const name = coerceText(schema["$ref"]).replace("#/$defs/", "");
    return { $ref: `#/definitions/configuration/definitions/${name}` };
  }
  const kept = Object.entries(schema).filter(
    ([key]) => !explaining.has(key) && (isWhole || !completing.has(key)),
  );
  return withMembers(Object.fromEntries<Json>(kept), (value, key) => partOf(key, value, isWhole));
}

function partOf(key: string, value: Json, isWhole: boolean): Json {
  switch (key) {
    case "properties":
      return namedIn(coerceObject(value), isWhole);
    case "items":
      return checked(value, true);
    case "additionalProperties":
    case "propertyNames":
    case "anyOf":
      return checked(value, isWhole);
    default:
      return value;
  }
}
