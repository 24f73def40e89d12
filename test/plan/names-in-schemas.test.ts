import { readFileSync } from "node:fs";

import { describe, it } from "vitest";

import { authorContexts, authorKinds } from "../../src/plan/cause/author.ts";
import { causes, deleteReasons, directions, verbs } from "../../src/plan/change.ts";
import { holdReasons } from "../../src/plan/guard/hold.ts";
import { coerceObject, isJsonObject, type Json } from "../../src/syntax/json.ts";

/** The value at a path of a schema. */
function schemaValue(schema: "plan" | "status", ...path: readonly string[]): Json | undefined {
  const whole: unknown = JSON.parse(readFileSync(`schemas/${schema}.schema.json`, "utf8"));
  if (!isJsonObject(whole)) throw new Error(`no schema of ${schema}`);
  return path.reduce<Json | undefined>((value, name) => coerceObject(value)[name], whole);
}

describe("names that saved plans, the history and metrics rely on", () => {
  it.for([
    { what: "reasons of holds", names: holdReasons, schema: "status", path: ["reason"] },
    { what: "causes", names: causes, schema: "plan", path: ["cause"] },
    {
      what: "directions of an effect",
      names: directions,
      schema: "plan",
      path: ["effect", "properties", "direction"],
    },
    {
      what: "verbs of a change",
      names: verbs,
      schema: "plan",
      path: ["change", "properties", "verb"],
    },
    {
      what: "reasons of a delete",
      names: deleteReasons,
      schema: "plan",
      path: ["change", "properties", "reason"],
    },
    {
      what: "kinds of authors",
      names: authorKinds,
      schema: "plan",
      path: ["author", "properties", "kind"],
    },
    {
      what: "ways in which an author changed the service",
      names: authorContexts,
      schema: "plan",
      path: ["author", "properties", "context"],
    },
  ] as const)("are those of the schema: $what", ({ names, schema, path }, { expect }) => {
    expect(schemaValue(schema, "$defs", ...path, "enum")).toEqual(names);
  });
});
