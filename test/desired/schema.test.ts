import { describe, it } from "vitest";

import { zoneFileShape } from "../../src/desired/json-schema.ts";
import { schemaOf, valueSchema } from "../../src/desired/schema-compiler.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/syntax/json.ts";
import { committedTypes, generated, typesFor } from "../support/generate-types.ts";

/** Every key of a schema, with its description. */
function keysIn(part: Json, root: JsonObject): readonly { key: string; facts: JsonObject }[] {
  if (Array.isArray(part)) return part.flatMap((item: Json) => keysIn(item, root));
  if (!isJsonObject(part)) return [];
  const { properties } = part;
  const own = isJsonObject(properties)
    ? Object.entries(properties).map(([key, facts]) => ({ key, facts: resolved(facts, root) }))
    : [];
  return [...own, ...Object.values(part).flatMap((inner) => keysIn(inner, root))];
}

/** A reference with the keys next to it. */
function resolved(facts: Json, root: JsonObject): JsonObject {
  if (!isJsonObject(facts)) return {};
  const reference = facts["$ref"];
  const definitions = root["$defs"];
  if (typeof reference !== "string" || !isJsonObject(definitions)) return facts;
  const target = definitions[reference.replace("#/$defs/", "")];
  return isJsonObject(target) ? { ...target, ...facts } : facts;
}

/** What an entry needs in addition to a key. */
function named(key: string): JsonObject {
  return /^(?:name|id|match)$/.test(key) ? {} : { name: "a.example" };
}

/** Editors suggest both values without an example. */
function isYesOrNo({ type }: JsonObject): boolean {
  return Array.isArray(type) ? type.includes("boolean") : type === "boolean";
}

describe("the schemas", () => {
  it.for(generated)(
    "of $schema yield the committed types",
    async ({ schema: file, types, filled }, { expect }) => {
      expect(committedTypes(types), "run npm run generate").toBe(await typesFor(file, filled));
    },
  );

  it.for(["zones", "zonewarden"] as const)("of %s describe every key", (name, { expect }) => {
    const root = schemaOf(name);
    const keys = keysIn(root, root);
    expect(keys.length).toBeGreaterThan(30);
    const unexplained = keys.filter(({ facts }) => typeof facts["description"] !== "string");
    expect(unexplained.map(({ key }) => key)).toEqual([]);
  });

  it.for(["zones", "zonewarden"] as const)(
    "of %s have values, an example or a default for each key",
    (name, { expect }) => {
      const root = valueSchema(name);
      const helps = ["enum", "const", "examples", "default", "properties", "items"];
      const bare = keysIn(root, root).filter(
        ({ facts }) => !helps.some((help) => help in facts) && !isYesOrNo(facts),
      );
      expect(bare.map(({ key }) => key)).toEqual(["$schema"]);
    },
  );

  it("of zones accept their own examples", ({ expect }) => {
    const root = schemaOf("zones");
    const definitions = isJsonObject(root["$defs"]) ? root["$defs"] : {};
    const entry = isJsonObject(definitions["zone_entry"]) ? definitions["zone_entry"] : {};
    const properties = isJsonObject(entry["properties"]) ? entry["properties"] : {};
    const examples = Object.entries(properties).flatMap(([key, facts]) => {
      const values = resolved(facts, root)["examples"];
      return Array.isArray(values) ? values.map((value: Json) => ({ key, value })) : [];
    });
    expect(examples.length).toBeGreaterThan(5);
    const refused = examples.filter(
      ({ key, value }) => !zoneFileShape({ zones: [{ ...named(key), [key]: value }] }),
    );
    expect(refused).toEqual([]);
  });

  it.for(["zones", "zonewarden"] as const)("of %s keep their name", (name, { expect }) => {
    expect(schemaOf(name)["$id"]).toBe(`urn:zonewarden:schema:${name}`);
    expect(schemaOf(name)["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
  });
});
