import type { ErrorObject } from "ajv/dist/2020.js";

import { coerceObject } from "../syntax/json.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import type { RulePhase } from "../zone/rule-phase.ts";
import type { ConfigFile } from "./config/config-file.ts";
import { diagnosticIn, maxDiagnostics } from "./diagnostics.ts";
import type { FileKind } from "./file-kind.ts";
import { schemaDiagnostic } from "./json-schema-messages.ts";
import { homesOf } from "./key-homes.ts";
import type { Located, Path } from "./location.ts";
import {
  isFileForm,
  schemaErrorsOf,
  schemaOf,
  type ShapeName,
  validatorOf,
} from "./schema-compiler.ts";
import type { Merged, RulesetInFile, RulesInFile } from "./zones/merged-values.ts";
import type { YamlPageShield, YamlProfile, YamlZoneEntry, ZoneFile } from "./zones/zone-file.ts";

/** Tells whether a value matches a schema. */
export interface Shape<T> {
  (value: unknown): value is T;
  readonly shape: ShapeName;
}

export const zoneFileShape: Shape<ZoneFile> = shapeOf<ZoneFile>("zones");
export const configFileShape: Shape<ConfigFile> = shapeOf<ConfigFile>("zonewarden");
export const isProfile: Shape<YamlProfile> = shapeOf<YamlProfile>("profile");
export const isZoneEntry: Shape<YamlZoneEntry> = shapeOf<YamlZoneEntry>("zone_entry");
export const isPageShield: Shape<Merged<YamlPageShield>> =
  shapeOf<Merged<YamlPageShield>>("page_shield");

export const isCustomRulesets: Shape<readonly RulesetInFile[]> =
  shapeOf<readonly RulesetInFile[]>("custom_rulesets");

export function rulesShape<P extends RulePhase>(phase: P): Shape<RulesInFile<P>> {
  return shapeOf<RulesInFile<P>>(phase);
}

const zoneFiles = { name: "a zone file", keys: keysOf("zones") };
const configFiles = { name: "a configuration file", keys: keysOf("zonewarden") };

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

/** The schema errors of `value`, which is at `path` of a document. */
export function schemaErrors(
  shape: Shape<unknown>,
  value: unknown,
  document: Located,
  path: Path,
): readonly Diagnostic[] {
  if (shape(value)) return [];
  const errors = relevant(schemaErrorsOf(shape.shape, value)).slice(0, maxDiagnostics + 1);
  return errors.map((error) => {
    const found = schemaDiagnostic(error, (key) => homesOf(shape.shape, key, error.instancePath));
    const whole = [...path, ...pathOf(error.instancePath, value), ...found.path];
    return diagnosticIn(document, { ...found, path: whole });
  });
}

/** What is wrong with a merged value, with the steps from that value on. */
export function valueErrors(
  { shape }: Shape<unknown>,
  value: unknown,
): readonly { readonly error: ErrorObject; readonly path: Path }[] {
  return relevant(schemaErrorsOf(shape, value)).map((error) => ({
    error,
    path: pathOf(error.instancePath, value),
  }));
}

function shapeOf<T>(name: ShapeName): Shape<T> {
  const validate = validatorOf(name);
  const isShape = (value: unknown): value is T => validate(value);
  return Object.assign(isShape, { shape: name });
}

function keysOf(name: "zones" | "zonewarden"): readonly string[] {
  const keys = Object.keys(coerceObject(schemaOf(name)["properties"]));
  // Both kinds of files have these.
  return keys.filter((key) => key !== "$schema" && key !== "version");
}

/**
 * For `anyOf` and `oneOf` ajv reports the errors of each branch and then one error for the whole.
 * Keeps those of the branch whose type matches the data, or the error for the whole if no branch
 * does.
 */
function relevant(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    // Of what is no placeholder, what the value must be says more.
    if (error.keyword === "propertyNames" || isOfPlaceholder(error)) continue;
    if (error.keyword !== "anyOf" && error.keyword !== "oneOf") {
      kept.push(error);
      continue;
    }
    const outside = kept.findLastIndex((each) => !isWithin(each, error));
    const within = kept.splice(outside + 1);
    const matching = within.filter((each) => isMatchingBranch(each, error));
    const [only, ...others] = within.filter((each) => !isOfFileForm(each));
    const inBest = only !== undefined && others.length === 0 ? [only] : [error];
    kept.push(...(matching.length > 0 ? matching : inBest));
  }
  return kept;
}

function isOfFileForm({ schemaPath }: ErrorObject): boolean {
  return isFileForm({ $ref: schemaPath.replace(/^[^#]*|\/\w+$/g, "") });
}

function isOfPlaceholder({ schemaPath }: ErrorObject): boolean {
  return schemaPath.includes("#/$defs/placeholder/");
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
