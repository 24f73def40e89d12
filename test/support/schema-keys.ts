import { isDeepStrictEqual } from "node:util";

import { valueSchema } from "../../src/desired/schema-compiler.ts";
import {
  isJsonList,
  isJsonObject,
  isObjectList,
  type Json,
  type JsonObject,
} from "../../src/syntax/json.ts";

/** One key of a file, with what its JSON Schema says about it. */
interface Key {
  /** `limits.accept[]`, `profiles.NAME.extends[]` */
  readonly path: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Every key that a JSON Schema allows, as a Markdown list; a definition is expanded where it is used first. */
export function keyList(schemaName: "zones" | "zonewarden", order: readonly string[] = []): string {
  const root = valueSchema(schemaName);
  const expanded = new Set<string>();
  const keys = propertiesOf(root)
    .toSorted(([a], [b]) => rank(order, a) - rank(order, b))
    .flatMap(([name, schema]) => keysBelow(root, keyOf(name, schema, root), expanded));
  const listed = keys.filter((key) => isListed(key, keys));
  return listed
    .filter((key) => listed.find((other) => isSame(key, other)) === key)
    .map((key) =>
      lineOf(
        key,
        listed.filter((other) => isSame(key, other)).map(({ path: at }) => at),
      ),
    )
    .join("\n");
}

/** Whether the schema says the same about two keys of one name: they share a line. */
function isSame(a: Key, b: Key): boolean {
  return nameOf(a.path) === nameOf(b.path) && wordsOf(a) === wordsOf(b);
}

/** Whether the list has a line for a key; the page says in words what the other keys are. */
function isListed({ path: at, schema }: Key, keys: readonly Key[]): boolean {
  if (at === "$schema" || at.endsWith("]") || at.endsWith("].remove")) return false;
  // The directives of a policy are those of CSP, and the page says what a position names.
  if (/\.(?:value|position)\.[a-z]/.test(at)) return false;
  // A profile has the same keys as an entry of `zones`.
  const ofZone = at.replace("profiles.NAME.", "zones[].");
  return !keys.some(
    (key) => key.path !== at && key.path === ofZone && isDeepStrictEqual(key.schema, schema),
  );
}

/** Every key that a JSON Schema allows: `limits.accept`, `credentials[].name`. */
export function keyPaths(schemaName: "zones" | "zonewarden"): readonly string[] {
  return keysOf(schemaName).map(({ path: at }) => at);
}

/** The default of a key, as it is written in YAML. Throws if the schema has none. */
export function defaultOf(schemaName: "zones" | "zonewarden", at: string): string {
  const key = keysOf(schemaName).find(({ path: known }) => known === at);
  const usual = key?.schema["default"];
  if (usual === undefined) throw new Error(`${schemaName} has no default of ${at}`);
  return typeof usual === "string" ? usual : JSON.stringify(usual);
}

function keysOf(schemaName: "zones" | "zonewarden"): readonly Key[] {
  const root = valueSchema(schemaName);
  const expanded = new Set<string>();
  return propertiesOf(root).flatMap(([name, schema]) =>
    keysBelow(root, keyOf(name, schema, root), expanded),
  );
}

function rank(order: readonly string[], name: string): number {
  return order.includes(name) ? order.indexOf(name) : order.length;
}

function keyOf(at: string, schema: JsonObject, parent: JsonObject): Key {
  const { required } = parent;
  return { path: at, schema, isRequired: Array.isArray(required) && required.includes(nameOf(at)) };
}

function keysBelow(root: JsonObject, key: Key, expanded: Set<string>): readonly Key[] {
  const reference = referenceIn(key.schema);
  const target = reference === undefined ? key.schema : resolved(root, reference, key.schema);
  const own = { ...key, schema: target };
  if (reference !== undefined && propertiesOf(target).length > 0) {
    if (expanded.has(reference)) return [own];
    expanded.add(reference);
  }
  const { items, additionalProperties: values } = target;
  const children = [
    ...[target, ...variantsOf(target)].flatMap((variant) =>
      propertiesOf(variant).map(([name, schema]) => keyOf(`${key.path}.${name}`, schema, variant)),
    ),
    ...(isJsonObject(items) ? [keyOf(`${key.path}[]`, items, target)] : []),
    ...(isJsonObject(values) ? [keyOf(`${key.path}.NAME`, values, target)] : []),
  ];
  return [own, ...children.flatMap((child) => keysBelow(root, child, expanded))];
}

function propertiesOf({ properties }: JsonObject): readonly (readonly [string, JsonObject])[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) ? [[name, schema] as const] : [],
  );
}

function variantsOf({ anyOf }: JsonObject): readonly JsonObject[] {
  return isObjectList(anyOf) ? anyOf : [];
}

function referenceIn({ $ref }: JsonObject): string | undefined {
  return typeof $ref === "string" ? $ref.replace("#/$defs/", "") : undefined;
}

/** A definition, under what is said where it is used. */
function resolved(root: JsonObject, name: string, use: JsonObject): JsonObject {
  const definitions = root["$defs"];
  const definition = isJsonObject(definitions) ? definitions[name] : undefined;
  if (!isJsonObject(definition)) throw new Error(`there is no definition ${name}`);
  return { title: name, ...definition, ...use };
}

/** The last part of the path of a key. */
function nameOf(at: string): string {
  return at.slice(at.lastIndexOf(".") + 1);
}

function lineOf(key: Key, paths: readonly string[]): string {
  return `- ${withPattern(paths)
    .map((at) => code(at))
    .join(", ")}${wordsOf(key)}`;
}

/** Keys that every list of rules has share one path. */
function withPattern(paths: readonly string[]): readonly string[] {
  const alike = Map.groupBy(paths, (at) => at.replace(/[a-z_]+_rules/, "*_rules"));
  return [...alike].flatMap(([pattern, same]) => (same.length === 3 ? [pattern] : same));
}

function wordsOf({ schema, isRequired }: Key): string {
  const { default: usual, description } = schema;
  // Of an empty map, each key says what it is without a value.
  const isShown = usual !== undefined && !isDeepStrictEqual(usual, {});
  const type = typeIn(schema);
  const facts = [
    ...(type === "map" || type === "string" ? [] : [type]),
    ...(isRequired ? ["required"] : []),
    ...(isShown && !isRequired ? [`default \`${JSON.stringify(usual)}\``] : []),
  ];
  const words = typeof description === "string" ? `: ${description}` : "";
  return `${facts.length > 0 ? ` (${facts.join("; ")})` : ""}${words}`;
}

const namedTypes = new Set(["duration", "listen", "share", "cron", "timezone", "expression"]);

function typeIn({ enum: values, type, title, anyOf, const: only }: JsonObject): string {
  if (isJsonList(values)) {
    const allowed = values.filter((each) => each !== null);
    return allowed.map((each) => code(each)).join(", ");
  }
  if (only !== undefined) return code(only);
  if (typeof title === "string" && namedTypes.has(title)) return title;
  if (isObjectList(anyOf)) return anyOf.map((each) => variantIn(each)).join(" or ");
  const types = [type].flat().filter((each) => typeof each === "string" && each !== "null");
  return types.map((each) => typeNames.get(each) ?? "").join(" or ");
}

const typeNames: ReadonlyMap<unknown, string> = new Map([
  ["array", "list"],
  ["object", "map"],
  ["string", "string"],
  ["boolean", "boolean"],
  ["integer", "integer"],
  ["number", "number"],
]);

function variantIn(schema: JsonObject): string {
  return referenceIn(schema) ?? typeIn(schema);
}

function code(value: Json): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
