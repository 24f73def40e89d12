import { readFileSync } from "node:fs";

import {
  Ajv2020,
  type AnySchemaObject,
  type ErrorObject,
  type Options,
  type ValidateFunction,
} from "ajv/dist/2020.js";

import { coerceObject, isJsonObject } from "../syntax/json.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import type { ConfigFile } from "./config/config-file.ts";
import { diagnosticIn, maxDiagnostics } from "./diagnostics.ts";
import type { FileKind } from "./file-kind.ts";
import { schemaDiagnostic } from "./json-schema-messages.ts";
import { homesOf, type KeyHomes, keyHomes } from "./key-homes.ts";
import type { Located, Path } from "./location.ts";
import type { ManagedRules, PageShield, Profile, ZoneEntry, ZoneFile } from "./zones/zone-file.ts";

/** A compiled schema, usable as a type guard. */
export type Shape<T> = ValidateFunction<T>;

/** A value of a zone file after merging, which removes every `null`. */
export type Merged<T> = T extends null | undefined
  ? never
  : T extends object
    ? { [K in keyof T]: Merged<T[K]> }
    : T;

const options: Options = { verbose: true, allowUnionTypes: true, strictRequired: false };

/** Stops at the first error. */
const ajv = withErrorMessages(new Ajv2020(options));

/** Finds all errors, in time quadratic in their number. `ajv` has validated the schemas already. */
const allErrors = withErrorMessages(
  new Ajv2020({ ...options, allErrors: true, validateSchema: false }),
);

/** For a larger value only the first error is reported: no hand-written entry has so many values. */
const maxValues = 10_000;

export const zoneFileShape: Shape<ZoneFile> = ajv.compile<ZoneFile>(readSchema("zones"));
export const configFileShape: Shape<ConfigFile> = ajv.compile<ConfigFile>(readSchema("zonewarden"));
export const isProfile: Shape<Profile> = part("profile");
export const isZoneEntry: Shape<ZoneEntry> = part("zone_entry");
export const isPageShield: Shape<Merged<PageShield>> = part("page_shield");
export const isManagedRules: Shape<Merged<ManagedRules>> = part("managed_rules");

const zoneFiles = { name: "a zone file", keys: keysOf(zoneFileShape) };
const configFiles = { name: "a configuration file", keys: keysOf(configFileShape) };

export const zoneFileKind: FileKind = {
  ...zoneFiles,
  other: {
    ...configFiles,
    remedy:
      "name the zone files, or name none: `zonewarden validate --config FILE` checks a configuration and its zone files",
  },
};
export const configFileKind: FileKind = {
  ...configFiles,
  other: {
    ...zoneFiles,
    remedy: "name the configuration with --config; its key desired.path names the zone files",
  },
};

/** The schema as JSON text, for people and editors. */
export function schemaText(name: "zones" | "zonewarden"): string {
  return readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), "utf8");
}

/**
 * The schema errors of `value`, which is at `path` of a document. A value larger than {@link maxValues} gets its first
 * error only.
 */
export function schemaErrors(
  shape: Shape<unknown>,
  value: unknown,
  document: Located,
  path: Path,
): readonly Diagnostic[] {
  const errors = relevant(errorsIn(shape, value)).slice(0, maxDiagnostics + 1);
  const homes = homesFor(shape);
  return errors.map((error) => {
    const found = schemaDiagnostic(error, homes);
    const whole = [...path, ...pathOf(error.instancePath, value), ...found.path];
    return diagnosticIn(document, { ...found, path: whole });
  });
}

const homesBySchema = new Map<string, KeyHomes>();

/** Where keys belong that are unknown at a place. */
function homesFor(shape: Shape<unknown>): (key: string, place: string) => readonly string[] {
  const name = shape === configFileShape ? "zonewarden" : "zones";
  const known =
    homesBySchema.get(name) ?? keyHomes(JSON.parse(schemaText(name)), shape !== configFileShape);
  homesBySchema.set(name, known);
  if (shape !== zoneFileShape) return (key, place) => homesOf(known, key, place);
  // The top level of a zone file: its keys are not those of a zone.
  return (key) =>
    known.get(key)?.includes("") === true
      ? ['into an entry of "zones"', "into a profile"]
      : homesOf(known, key, "");
}

function errorsIn(shape: Shape<unknown>, value: unknown): readonly ErrorObject[] {
  if (shape(value)) return [];
  if (valuesIn(value, maxValues) > maxValues) return shape.errors ?? [];
  const all = allErrors.compile(shape.schema);
  return all(value) ? [] : (all.errors ?? []);
}

/** How many values `value` contains, counted up to `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const key in value) {
    if (count > most) break;
    count += valuesIn(Reflect.get(value, key), most - count);
  }
  return count;
}

function withErrorMessages(validator: Ajv2020): Ajv2020 {
  return validator.addVocabulary(["patternErrorMessage", "hints"]);
}

function part<T>(name: "profile" | "zone_entry" | "page_shield" | "managed_rules"): Shape<T> {
  return ajv.compile<T>({ $ref: `urn:zonewarden:schema:zones#/$defs/${name}` });
}

function readSchema(name: "zones" | "zonewarden"): AnySchemaObject {
  const schema: unknown = JSON.parse(schemaText(name));
  if (!isSchema(schema)) throw new Error(`schemas/${name}.schema.json is not a schema`);
  allErrors.addSchema(schema);
  return schema;
}

function keysOf({ schema }: Shape<unknown>): readonly string[] {
  const properties: unknown = isSchema(schema) ? schema["properties"] : undefined;
  const keys = Object.keys(coerceObject(properties));
  return keys.filter((key) => key !== "$schema");
}

function isSchema(value: unknown): value is AnySchemaObject {
  return isJsonObject(value) && typeof value["$id"] === "string";
}

/**
 * For `anyOf` and `oneOf` ajv reports the errors of each branch and then one error for the whole. Keeps those of the
 * branch whose type matches the data, or the error for the whole if no branch does.
 */
function relevant(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === "propertyNames") continue;
    if (error.keyword !== "anyOf" && error.keyword !== "oneOf") {
      kept.push(error);
      continue;
    }
    const outside = kept.findLastIndex((each) => !isWithin(each, error));
    const matching = kept.splice(outside + 1).filter((each) => isMatchingBranch(each, error));
    kept.push(...(matching.length > 0 ? matching : [error]));
  }
  return kept;
}

function isWithin(error: ErrorObject, { keyword, schemaPath, instancePath }: ErrorObject): boolean {
  return keyword === "oneOf"
    ? error.schemaPath.startsWith(schemaPath) && error.instancePath === instancePath
    : `${error.instancePath}/`.startsWith(`${instancePath}/`);
}

/** Whether an error comes from a branch whose type matches the data. */
function isMatchingBranch({ keyword, instancePath }: ErrorObject, choice: ErrorObject): boolean {
  if (choice.keyword === "oneOf") return false;
  return instancePath !== choice.instancePath || !(keyword === "type" || keyword === "enum");
}

/** A JSON pointer as a path. Only the data tells whether a number is an index. */
function pathOf(pointer: string, root: unknown): Path {
  const path: (string | number)[] = [];
  let holder = root;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(holder) ? Number(name) : name);
    holder = typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined;
  }
  return path;
}
