import { createRequire } from "node:module";
import { compileFunction } from "node:vm";

import * as fc from "fast-check";
import { describe, it } from "vitest";

import { validatorsText } from "../../src/desired/build-validators.ts";
import { schemaErrorsOf, schemaOf, shapeReferences } from "../../src/desired/schema-compiler.ts";
import { valuesOfSchema } from "../support/arbitrary-of-schema.ts";
import { cases } from "../support/properties.ts";

const text = validatorsText();

/** The module that the build writes, loaded as Node loads it. */
const built = { exports: {} as Record<string, unknown> };
const run: unknown = compileFunction(text, ["exports", "require", "module"]);
if (typeof run === "function") run(built.exports, createRequire(import.meta.url), built);

const shapes = [
  { name: "zones", file: "zones" },
  { name: "profile", file: "zones" },
  { name: "zone_entry", file: "zones" },
  { name: "page_shield", file: "zones" },
  { name: "custom_rules", file: "zones" },
  { name: "rate_limiting_rules", file: "zones" },
  { name: "managed_rules", file: "zones" },
  { name: "custom_rulesets", file: "zones" },
  { name: "zonewarden", file: "zonewarden" },
] as const;

describe("the validators of the build", () => {
  it("are the same text each time", ({ expect }) => {
    expect(validatorsText()).toBe(text);
  });

  it("are those of all shapes", ({ expect }) => {
    expect(shapes.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(shapeReferences).toSorted(),
    );
  });

  it.for(shapes)("of $name accept what the schema accepts", ({ name, file }, { expect }) => {
    const validate = built.exports[name];
    if (typeof validate !== "function") throw new Error(`there is no validator of ${name}`);
    const root = schemaOf(file);
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(valuesOfSchema({ $ref: shapeReferences[name] }, root), (value) => {
        const matches = schemaErrorsOf(name, value).length === 0;
        seen[`${matches}`] += 1;
        expect(validate(value)).toBe(matches);
      }),
      cases(400),
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(cases(5).numRuns);
  });
});
