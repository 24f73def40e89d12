import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { compile } from "json-schema-to-typescript";

import { valueSchema } from "../../src/desired/schema-compiler.ts";
import {
  coerceObject,
  coerceText,
  coerceTexts,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../src/syntax/json.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Schemas and the types that are made from them: of zone files as they are written, of the configuration with its defaults. */
export const generated = [
  { schema: "zones", types: "src/desired/zones/zone-file.ts", filled: false },
  {
    schema: "zonewarden",
    types: "src/desired/config/config-file.ts",
    filled: true,
  },
] as const;

/** The text that a file with types must have. Only the type of the whole file has no prefix: parts have the names of other types. */
export async function typesFor(schema: "zones" | "zonewarden", filled: boolean): Promise<string> {
  const json = valueSchema(schema);
  const types = await compile(
    structure(json, filled ? coerceObject(json["$defs"]) : undefined),
    "Root",
    {
      additionalProperties: false,
      ignoreMinAndMaxItems: true,
      bannerComment: `// Made from schemas/${schema}.schema.json by \`npm run generate\`; a test compares them.`,
      style: { printWidth: 100, trailingComma: "all", bracketSpacing: true },
    },
  );
  const parts = [...types.matchAll(/^export (?:type|interface) (\w+)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => !name.endsWith("File"));
  return types
    .replaceAll(new RegExp(`\\b(?:${parts.join("|")})\\b`, "g"), "Yaml$&")
    .replaceAll(/ *\/\*\*\n(?: *\* @\w+ \d+\n)+ *\*\/\n/g, "");
}

/** The committed text of a file with types. */
export function committedTypes(types: string): string {
  return readFileSync(path.join(root, types), "utf8");
}

/**
 * The schema without what makes types long or strange: descriptions stand in the schema, "one of" is checked there. A key of
 * a file can be called `not` too.
 */
function structure(schema: JsonObject, definitions: JsonObject | undefined): JsonObject {
  const parts = Object.entries(schema).filter(
    ([key, value]) =>
      !(
        key === "oneOf" ||
        (key === "not" && coerceObject(value)["type"] === undefined) ||
        (key === "description" && typeof value === "string")
      ),
  );
  const inner = Object.fromEntries(parts.map(([key, value]) => [key, within(value, definitions)]));
  if (definitions === undefined || !isJsonObject(schema["properties"])) return inner;
  const filled = Object.entries(schema["properties"])
    .filter(([, property]) => hasDefault(coerceObject(property), definitions))
    .map(([key]) => key);
  return { ...inner, required: [...coerceTexts(schema["required"]), ...filled] };
}

function hasDefault({ $ref: reference, default: own }: JsonObject, definitions: JsonObject) {
  const name = coerceText(reference).replace("#/$defs/", "");
  return own !== undefined || coerceObject(definitions[name])["default"] !== undefined;
}

function within(value: Json, definitions: JsonObject | undefined): Json {
  if (Array.isArray(value)) return value.map((item: Json) => within(item, definitions));
  return isJsonObject(value) ? structure(value, definitions) : value;
}

if (process.argv[1] === import.meta.filename) {
  for (const { schema, types, filled } of generated) {
    writeFileSync(path.join(root, types), await typesFor(schema, filled));
  }
}
