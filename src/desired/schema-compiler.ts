import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type * as AjvPackage from "ajv/dist/2020.js";
import type { Ajv2020, AnySchemaObject, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";

import {
  coerceObject,
  coerceObjects,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../syntax/json.ts";
import { ofEachPhase } from "../zone/rule-phase.ts";

/** By the name of a shape: its schema, or the part of a schema that is its schema. */
export const shapeReferences = {
  zones: "urn:zonewarden:schema:zones",
  zonewarden: "urn:zonewarden:schema:zonewarden",
  profile: "urn:zonewarden:schema:zones#/$defs/profile",
  zone_entry: "urn:zonewarden:schema:zones#/$defs/zone_entry",
  // What a zone has once its profiles are merged.
  page_shield: "urn:zonewarden:schema:merged#/$defs/page_shield",
  custom_rulesets: "urn:zonewarden:schema:merged#/$defs/custom_rulesets",
  ...ofEachPhase((phase) => `urn:zonewarden:schema:merged#/$defs/${phase}`),
} as const;

export type ShapeName = keyof typeof shapeReferences;

/** What ajv must know of our schemas. */
export const schemaOptions = { allowUnionTypes: true, strictRequired: false } as const;

/**
 * Loads packages when they are needed: ajv and what it compiles take longer than all other modules
 * of a plan.
 */
const load: (name: string) => unknown = createRequire(import.meta.url);

const schemas = { zones: readSchema("zones"), zonewarden: readSchema("zonewarden") };

/** The schema of a kind of files. */
export function schemaOf(name: "zones" | "zonewarden"): JsonObject {
  return schemas[name];
}

function readSchema(name: string): JsonObject {
  const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  return coerceObject(JSON.parse(readFileSync(file, "utf8")));
}

/** The schema of the values themselves, without the forms that only files have. */
export function valueSchema(name: "zones" | "zonewarden"): JsonObject {
  return coerceObject(withoutForms(schemaOf(name)));
}

/** Whether an alternative of a schema is a form of files that stands for a value. */
export function isFileForm(alternative: JsonObject): boolean {
  return fileForms.has(alternative["$ref"]);
}

const fileForms: ReadonlySet<unknown> = new Set(["#/$defs/list_change", "#/$defs/placeholder"]);

function withoutForms(schema: Json): Json {
  if (isJsonList(schema)) return schema.map(withoutForms);
  if (!isJsonObject(schema)) return schema;
  const { anyOf, ...others } = schema;
  const values = coerceObjects(anyOf).filter((each) => !isFileForm(each));
  const [only, ...more] = values;
  const isOne = only !== undefined && more.length === 0;
  const whole = isOne ? { ...others, ...only } : { ...others, ...(anyOf && { anyOf: values }) };
  return Object.fromEntries(Object.entries(whole).map(([key, part]) => [key, withoutForms(part)]));
}

/**
 * Whether a value matches a shape. The build has compiled it (`build-validators.ts`). If the program
 * runs from its sources, ajv compiles it when it is first called.
 */
export function validatorOf(name: ShapeName): (value: unknown) => boolean {
  let known: ((value: unknown) => boolean) | undefined;
  return (value) => {
    known ??= isBuilt ? builtValidator(name) : compiled(name);
    return known(value);
  };
}

export function schemaErrorsOf(name: ShapeName, value: unknown): readonly ErrorObject[] {
  const validate = compiled(name);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Adds our schemas to a validator. */
export function withSchemas(ajv: Ajv2020): Ajv2020 {
  ajv.addVocabulary(["patternErrorMessage", "hints"]);
  for (const name of ["zones", "zonewarden"] as const) {
    const schema = schemaOf(name);
    if (!isSchema(schema)) throw new Error(`schemas/${name}.schema.json is not a schema`);
    ajv.addSchema(schema);
  }
  ajv.addSchema({ ...valueSchema("zones"), $id: "urn:zonewarden:schema:merged" });
  return ajv;
}

const isBuilt = import.meta.url.endsWith(".js");

function builtValidator(name: ShapeName): (value: unknown) => boolean {
  const built = load("./schema-validators.cjs");
  if (hasValidators(built)) return built[name];
  throw new Error("this build has no validators: run `npm run build`");
}

function hasValidators(
  built: unknown,
): built is Readonly<Record<ShapeName, (value: unknown) => boolean>> {
  return coerceObject(built)["zones"] !== undefined;
}

let compiler: Ajv2020 | undefined;

/** The compiler keeps what it compiled, by the name. */
function compiled(name: ShapeName): ValidateFunction {
  compiler ??= newCompiler();
  const reference = shapeReferences[name];
  const validate = compiler.getSchema(reference);
  if (validate === undefined) throw new Error(`there is no schema ${reference}`);
  return validate;
}

function newCompiler(): Ajv2020 {
  const ajv = load("ajv/dist/2020.js");
  if (!isAjv(ajv)) throw new Error("the package ajv has no class Ajv2020");
  return withSchemas(new ajv.Ajv2020({ ...schemaOptions, verbose: true, allErrors: true }));
}

function isAjv(value: unknown): value is typeof AjvPackage {
  return typeof value === "function" && "Ajv2020" in value;
}

function isSchema(value: unknown): value is AnySchemaObject {
  return isJsonObject(value) && typeof value["$id"] === "string";
}
