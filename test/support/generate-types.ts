import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { compile } from "json-schema-to-typescript";

import { type Json, type JsonObject, isJsonObject } from "../../src/syntax/json.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Schemas and the types that are made from them. */
export const generated = [
  { schema: "schemas/zones.schema.json", types: "src/desired/zones/zone-file.ts" },
  { schema: "schemas/zonewarden.schema.json", types: "src/desired/config/config-file.ts" },
] as const;

/** The text that a file with types must have. Only the type of the whole file has no prefix: parts have the names of other types. */
export async function typesFor(schema: string): Promise<string> {
  const json: unknown = JSON.parse(readFileSync(path.join(root, schema), "utf8"));
  if (!isJsonObject(json)) throw new Error(`${schema} is no schema`);
  const types = await compile(structure(json), "Root", {
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    bannerComment: `// Made from ${schema} by \`npm run generate\`; a test compares them.`,
    style: { printWidth: 100, trailingComma: "all", bracketSpacing: true },
  });
  const parts = [...types.matchAll(/^export (?:type|interface) (\w+)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => !name.endsWith("File"));
  return types.replaceAll(new RegExp(`\\b(?:${parts.join("|")})\\b`, "g"), "Yaml$&");
}

/** The committed text of a file with types. */
export function committedTypes(types: string): string {
  return readFileSync(path.join(root, types), "utf8");
}

/** The schema without what makes types long or strange: descriptions stand in the schema, "one of" is checked there. */
function structure(schema: JsonObject): JsonObject {
  const parts = Object.entries(schema).filter(
    ([key, value]) => !(key === "oneOf" || (key === "description" && typeof value === "string")),
  );
  return Object.fromEntries(parts.map(([key, value]) => [key, inner(value)]));
}

function inner(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => inner(item));
  return isJsonObject(value) ? structure(value) : value;
}

if (process.argv[1] === import.meta.filename) {
  for (const { schema, types } of generated) {
    writeFileSync(path.join(root, types), await typesFor(schema));
  }
}
