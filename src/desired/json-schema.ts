import { readFileSync } from "node:fs";

import {
  Ajv2020,
  type AnySchemaObject,
  type ErrorObject,
  type Options,
  type ValidateFunction,
} from "ajv/dist/2020.js";

import { isJsonObject, coerceObject } from "../syntax/json.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import type { ConfigFile } from "./config/config-file.ts";
import { maxProblems, problemOf } from "./diagnostics.ts";
import type { Sort } from "./file-kind.ts";
import { schemaWords } from "./json-schema-messages.ts";
import { type Located, keyOffset, valueOffset } from "./location.ts";
import type { Path } from "./yaml/path.ts";
import type { ManagedRules, PageShield, Profile, ZoneEntry, ZoneFile } from "./zones/zone-file.ts";

/** A schema as the program uses it: a guard, and what it complains of. */
export type Shape<T> = ValidateFunction<T>;

const manner: Options = { verbose: true, allowUnionTypes: true, strictRequired: false };

/** Ends at the first error: to go on is for those who tell of them. */
const ajv = withWords(new Ajv2020(manner));

/** Goes on to the last error, in a time that grows with their square. The other one has judged the schemas. */
const thorough = withWords(new Ajv2020({ ...manner, allErrors: true, validateSchema: false }));

/** Whatever holds more values than this is not gone through to the last error: no entry that people write does. */
const mostValues = 10_000;

/** The shape of a file with zone documents. */
export const zoneFileShape: Shape<ZoneFile> = ajv.compile<ZoneFile>(readSchema("zones"));

/** The shape of `zonewarden.yaml`. */
export const configFileShape: Shape<ConfigFile> = ajv.compile<ConfigFile>(readSchema("zonewarden"));

/** The shape of a profile by itself. */
export const isProfile: Shape<Profile> = part("profile");

/** The shape of an entry of `zones:` by itself. */
export const isZoneEntry: Shape<ZoneEntry> = part("zone_entry");

/** The shape of what a zone says of Page Shield, once merged. */
export const isPageShield: Shape<NonNullable<PageShield>> = part("page_shield");

/** The shape of what a zone says of managed rules, once merged. */
export const isManagedRules: Shape<NonNullable<ManagedRules>> = part("managed_rules");

/** Files with zone documents, as messages speak of them. */
export const zoneFileSort: Sort = {
  name: "a file with zone documents",
  keys: keysOf(zoneFileShape),
};

/** The configuration, as messages speak of it. */
export const configFileSort: Sort = {
  name: "a configuration of the program",
  keys: keysOf(configFileShape),
};

/** Text of a schema, as people and editors get it. */
export function schemaText(name: "zones" | "zonewarden"): string {
  return readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), "utf8");
}

/**
 * Everything in `value`, which stands at `path` of a document, that its schema does not allow; of what is larger than
 * anybody writes the first alone.
 */
export function shapeProblems(
  shape: Shape<unknown>,
  value: unknown,
  document: Located,
  path: Path,
): readonly Diagnostic[] {
  const errors = relevant(errorsIn(shape, value)).slice(0, maxProblems + 1);
  return errors.map((error) => {
    const at = [...path, ...pathOf(error.instancePath, value)];
    const words = schemaWords(error);
    const where = words.inside === undefined ? at : [...at, words.inside];
    const offset = words.inside === undefined ? valueOffset : keyOffset;
    return problemOf(document.source, words.code, offset(document, where), where, words);
  });
}

function errorsIn(shape: Shape<unknown>, value: unknown): readonly ErrorObject[] {
  if (shape(value)) return [];
  if (valuesIn(value, mostValues) > mostValues) return shape.errors ?? [];
  const all = thorough.compile(shape.schema);
  return all(value) ? [] : (all.errors ?? []);
}

/** How many values `value` is made of; it is not counted beyond `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const key in value) {
    if (count > most) break;
    count += valuesIn(Reflect.get(value, key), most - count);
  }
  return count;
}

function withWords(validator: Ajv2020): Ajv2020 {
  return validator.addVocabulary(["patternErrorMessage"]);
}

function part<T>(name: "profile" | "zone_entry" | "page_shield" | "managed_rules"): Shape<T> {
  return ajv.compile<T>({ $ref: `urn:zonewarden:schema:zones#/$defs/${name}` });
}

function readSchema(name: "zones" | "zonewarden"): AnySchemaObject {
  const schema: unknown = JSON.parse(schemaText(name));
  if (!isSchema(schema)) throw new Error(`schemas/${name}.schema.json is no schema`);
  thorough.addSchema(schema);
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
 * Of a choice (`anyOf`, `oneOf`) ajv reports each branch and then the choice itself. What counts is the branch
 * that was meant, where that can be told, else the choice.
 */
function relevant(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === "propertyNames") continue;
    if (error.keyword === "anyOf" || error.keyword === "oneOf") {
      const from = firstBranchError(kept, error);
      const branches = kept.splice(from);
      const meant = branches.filter(({ keyword, instancePath }) =>
        isMeant(keyword, instancePath, error),
      );
      kept.push(...(meant.length > 0 ? meant : [error]));
      continue;
    }
    kept.push(error);
  }
  return kept;
}

function firstBranchError(kept: readonly ErrorObject[], choice: ErrorObject): number {
  let from = kept.length;
  while (from > 0 && isWithin(kept[from - 1], choice)) from -= 1;
  return from;
}

function isWithin(error: ErrorObject | undefined, choice: ErrorObject): boolean {
  if (error === undefined) return false;
  if (choice.keyword === "oneOf") {
    return (
      error.schemaPath.startsWith(choice.schemaPath) && error.instancePath === choice.instancePath
    );
  }
  return `${error.instancePath}/`.startsWith(`${choice.instancePath}/`);
}

/** A branch whose type fits is the one that was meant. */
function isMeant(keyword: string, instancePath: string, choice: ErrorObject): boolean {
  if (choice.keyword === "oneOf") return false;
  return instancePath !== choice.instancePath || !(keyword === "type" || keyword === "enum");
}

/** A JSON pointer as path: whether a number is an index only the data can tell. */
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
