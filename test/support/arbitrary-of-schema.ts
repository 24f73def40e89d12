import * as fc from "fast-check";

import { coerceList, coerceObject, coerceTexts, type JsonObject } from "../../src/syntax/json.ts";

/** Texts that are at or beyond a limit of our schemas. */
const texts = [
  "",
  "a",
  "A b",
  "*",
  "30s",
  "50%",
  "x".repeat(64),
  "x".repeat(2_000),
  "é",
  "0".repeat(32),
];

const numbers = [-1, 0, 0.5, 1, 4, 5, 1_000, 70_000, 1e12];

/** Values that often match a schema, and often differ from one that matches in one place. */
export function valuesOfSchema(schema: JsonObject, root: JsonObject): fc.Arbitrary<unknown> {
  const matching = matchingValues(schema, root);
  return fc.oneof(
    { weight: 25, arbitrary: matching },
    { weight: 1, arbitrary: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(...texts)) },
  );
}

function matchingValues(schema: JsonObject, root: JsonObject): fc.Arbitrary<unknown> {
  const { $ref: reference, const: only, items, properties } = schema;
  if (typeof reference === "string") {
    const [, name] = reference.split("#/$defs/");
    const part = name === undefined ? root : coerceObject(root["$defs"])[name];
    return valuesOfSchema(coerceObject(part), root);
  }
  if (only !== undefined) return fc.constant(only);
  const allowed = coerceList(schema["enum"]);
  if (allowed.length > 0) return fc.constantFrom(...allowed);
  const branches = [...coerceList(schema["anyOf"]), ...coerceList(schema["oneOf"])];
  if (branches.length > 0) {
    const { anyOf: _any, oneOf: _one, ...common } = schema;
    return fc.oneof(
      ...branches.map((branch) => matchingValues({ ...common, ...coerceObject(branch) }, root)),
    );
  }
  const types = [schema["type"] ?? (properties === undefined ? "string" : "object")].flat();
  return fc.constantFrom(...types).chain((type) => {
    if (type === "object") return maps(schema, root);
    if (type === "array") {
      return fc.array(valuesOfSchema(coerceObject(items), root), { maxLength: 3 });
    }
    if (type === "boolean") return fc.boolean();
    if (type === "null") return fc.constant(null);
    const examples = coerceList(schema["examples"]).filter(
      (example) => typeof example !== "object",
    );
    const others = fc.constantFrom<unknown>(...(type === "string" ? texts : numbers));
    if (examples.length === 0) return others;
    return fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom<unknown>(...examples) },
      { weight: 1, arbitrary: others },
    );
  });
}

/** A map with its required keys and up to two others. */
function maps(schema: JsonObject, root: JsonObject): fc.Arbitrary<unknown> {
  const known = Object.entries(coerceObject(schema["properties"]));
  const required = new Set(coerceTexts(schema["required"]));
  const optional = known.map(([name]) => name).filter((name) => !required.has(name));
  const own = fc
    .subarray(optional, { maxLength: Math.min(2, optional.length) })
    .chain((names) =>
      fc.record(
        Object.fromEntries(
          known
            .filter(([name]) => required.has(name) || names.includes(name))
            .map(([name, part]) => [name, valuesOfSchema(coerceObject(part), root)]),
        ),
      ),
    );
  const other = coerceObject(schema["additionalProperties"]);
  const keys = fc.constantFrom("a", "default-src", "UNKNOWN_KEY", "A b", "constructor");
  const others =
    Object.keys(other).length > 0
      ? fc.dictionary(keys, valuesOfSchema(other, root), { maxKeys: 2 })
      : fc.oneof(
          { weight: 40, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: fc.constant({ unknown: 1 }) },
        );
  return fc.tuple(own, others).map(([a, b]) => ({ ...b, ...a }));
}
