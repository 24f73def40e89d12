import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type * as AjvPackage from "ajv/dist/2020.js";
import type { Ajv2020, AnySchemaObject, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";

import { coerceObject, isJsonObject } from "../syntax/json.ts";

/** By the name of a shape: its schema, or the part of a schema that is its schema. */
export const shapeReferences = {
  zones: "urn:zonewarden:schema:zones",
  zonewarden: "urn:zonewarden:schema:zonewarden",
  profile: "urn:zonewarden:schema:zones#/$defs/profile",
  zone_entry: "urn:zonewarden:schema:zones#/$defs/zone_entry",
  page_shield: "urn:zonewarden:schema:zones#/$defs/page_shield",
  managed_rules: "urn:zonewarden:schema:zones#/$defs/managed_rules",
} as const;

export type ShapeName = keyof typeof shapeReferences;

/** Whether a value matches a schema. */
type Validator = (value: unknown) => boolean;

/** What ajv must know of our schemas. */
export const schemaOptions = { allowUnionTypes: true, strictRequired: false } as const;

/**
 * Loads packages when they are needed: ajv and what it compiles take longer than all other modules
 * of a plan.
 */
const load: (name: string) => unknown = createRequire(import.meta.url);

/** The schema as JSON text, for people and editors. */
export function schemaText(name: "zones" | "zonewarden"): string {
  return readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), "utf8");
}

/**
 * The validator of a shape. The build has compiled it (`build-validators.ts`). If the program runs
 * from its sources, ajv compiles it when it is first called.
 */
export function validatorOf(name: ShapeName): Validator {
  let known: Validator | undefined;
  return (value) => {
    known ??= isBuilt ? builtValidator(name) : compiled(name, "first");
    return known(value);
  };
}

/** The first error of `value`, or all of them, in time quadratic in their number. */
export function schemaErrorsOf(
  name: ShapeName,
  value: unknown,
  wanted: "first" | "all",
): readonly ErrorObject[] {
  const validate = compiled(name, wanted);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Adds our schemas to a validator. */
export function withSchemas(ajv: Ajv2020): Ajv2020 {
  ajv.addVocabulary(["patternErrorMessage", "hints"]);
  for (const name of ["zones", "zonewarden"] as const) {
    const schema: unknown = JSON.parse(schemaText(name));
    if (!isSchema(schema)) throw new Error(`schemas/${name}.schema.json is not a schema`);
    ajv.addSchema(schema);
  }
  return ajv;
}

const isBuilt = import.meta.url.endsWith(".js");

function builtValidator(name: ShapeName): Validator {
  const built = load("./schema-validators.cjs");
  if (hasValidators(built)) return built[name];
  throw new Error("this build has no validators: run `npm run build`");
}

function hasValidators(built: unknown): built is Readonly<Record<ShapeName, Validator>> {
  return coerceObject(built)["zones"] !== undefined;
}

const validators = new Map<string, ValidateFunction>();

function compiled(name: ShapeName, wanted: "first" | "all"): ValidateFunction {
  const key = `${name} ${wanted}`;
  const known = validators.get(key) ?? compilerOf(wanted).compile({ $ref: shapeReferences[name] });
  validators.set(key, known);
  return known;
}

const compilers = new Map<string, Ajv2020>();

function compilerOf(wanted: "first" | "all"): Ajv2020 {
  const known = compilers.get(wanted);
  if (known !== undefined) return known;
  const ajv = load("ajv/dist/2020.js");
  if (!isAjv(ajv)) throw new Error("the package ajv has no class Ajv2020");
  const options = { ...schemaOptions, verbose: true, allErrors: wanted === "all" };
  const made = withSchemas(new ajv.Ajv2020(options));
  compilers.set(wanted, made);
  return made;
}

function isAjv(value: unknown): value is typeof AjvPackage {
  return typeof value === "function" && "Ajv2020" in value;
}

function isSchema(value: unknown): value is AnySchemaObject {
  return isJsonObject(value) && typeof value["$id"] === "string";
}
