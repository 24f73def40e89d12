import { readFileSync } from "node:fs";

import { Ajv, type ValidateFunction } from "ajv";

import { type Json, type JsonObject, isJsonObject } from "../../src/syntax/json.ts";

/** One request and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string;
  /** Below the base path, with its query. */
  readonly path: string;
  /** The parsed body, `undefined` where there was none. */
  readonly sent: unknown;
  readonly status: number;
  readonly received: unknown;
}

type Direction = "request" | "response";

const file = new URL("api/openapi-subset.json", import.meta.url);
const document: unknown = JSON.parse(readFileSync(file, "utf8"));
const validators = new Map<string, ValidateFunction>();

/** What in an exchange contradicts the published schema; nothing where the service itself is known to. */
export function contradictionsOf(exchange: Exchange): readonly string[] {
  const template = templateOf(exchange.path);
  if (template === undefined) return [];
  const operation = `${exchange.method} ${template}`;
  return [...requestMistakes(operation, exchange), ...responseMistakes(operation, exchange)]
    .filter((mistake) => !isKnown(mistake, exchange))
    .map((mistake) => `${exchange.method} ${exchange.path} ${exchange.status}: ${mistake}`);
}

/** Where the service is known to differ from its own schema, or the schema from itself. */
function isKnown(mistake: string, exchange: Exchange): boolean {
  return knownDifferences.some(
    (known) => mistake.includes(known.mistake) && known.applies(exchange),
  );
}

interface KnownDifference {
  readonly mistake: string;
  applies(exchange: Exchange): boolean;
}

const knownDifferences: readonly KnownDifference[] = [
  // The documentation's example sends a string (SERVICE.md A.6).
  {
    mistake: "request /enabled must be boolean",
    applies: ({ path }) => path.includes("/policies"),
  },
  // A recorded list of policies has none (SERVICE.md A.6).
  { mistake: "'result_info'", applies: ({ path }) => path.endsWith("/policies") },
  // A dry run shows no result (SERVICE.md B.2).
  {
    mistake: "response /result must be object",
    applies: ({ path }) => path.includes("dry_run=true"),
  },
  // Managed rules come without an expression (SERVICE.md B.5).
  { mistake: "'expression'", applies: ({ received }) => isManaged(received) },
  // The code of throttling is below the least that the schema allows (SERVICE.md C.2).
  { mistake: "/errors/0/code must be >= 1000", applies: ({ status }) => status === 429 },
  // The alternatives of a position forbid nothing, so that each fits all of them.
  { mistake: "request /position must match exactly one schema in oneOf", applies: () => true },
  // The schema demands `success` to be both true and false.
  {
    mistake: "response /success must be equal to one of the allowed values",
    applies: ({ path, status }) => status >= 400 && path.endsWith("/tokens/verify"),
  },
];

function isManaged(received: unknown): boolean {
  const result = isJsonObject(received) ? received["result"] : undefined;
  return isJsonObject(result) && result["kind"] === "managed";
}

function requestMistakes(operation: string, { sent, status }: Exchange): readonly string[] {
  // What is refused may well be wrong: that is what the refusal says.
  if (sent === undefined || status >= 400) return [];
  const pointer = schemaPointer([...stepsTo(operation), "requestBody"]);
  return pointer === undefined ? [] : mistakesIn(pointer, "request", sent);
}

function responseMistakes(operation: string, { status, received }: Exchange): readonly string[] {
  if (status >= 500) return [];
  const steps = [...stepsTo(operation), "responses", status >= 400 ? "4XX" : String(status)];
  if (at(steps) === undefined) return [`status ${status} is not described`];
  const pointer = schemaPointer(steps);
  if (pointer !== undefined) return mistakesIn(pointer, "response", received);
  return received === undefined ? [] : ["a body is not described"];
}

/** Where the schema of a body stands, `undefined` where there is no body. */
function schemaPointer(steps: readonly string[]): string | undefined {
  const part = at(steps);
  const reference = isJsonObject(part) ? part["$ref"] : undefined;
  const own = typeof reference === "string" ? reference.slice(2).split("/") : steps;
  const whole = [...own, "content", "application/json", "schema"];
  if (at(whole) === undefined) return undefined;
  return `api#/${whole.map((step) => encodeURIComponent(step.replaceAll("/", "~1"))).join("/")}`;
}

function mistakesIn(pointer: string, direction: Direction, value: unknown): readonly string[] {
  const key = `${direction} ${pointer}`;
  const validate = validators.get(key) ?? readers[direction].compile({ $ref: pointer });
  validators.set(key, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${direction} ${instancePath} ${message}`,
  );
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const readers = { request: readerFor("request"), response: readerFor("response") } as const;

function readerFor(direction: Direction): Ajv {
  const formats = { hostname: true, "date-time": rfc3339 } as const;
  const ajv = new Ajv({ strict: false, allErrors: true, formats });
  return ajv.addSchema({ ...plainObject(adapted(root(), direction)), $id: "api" });
}

/** Turns OpenAPI 3.0's own dialect of JSON Schema into the one that ajv reads. */
function adapted(node: Json, direction: Direction): Json {
  if (Array.isArray(node)) return node.map((item: Json) => adapted(item, direction));
  if (!isJsonObject(node)) return node;
  const own = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, adapted(value, direction)]),
  );
  return withoutReadOnly(withBranches(withNull(own)), node, direction);
}

function withNull(node: JsonObject): JsonObject {
  const { nullable, ...rest } = node;
  return nullable === true && typeof rest["type"] === "string"
    ? { ...rest, type: [rest["type"], "null"] }
    : rest;
}

/** A discriminator becomes one condition for each name. */
function withBranches(node: JsonObject): JsonObject {
  const { discriminator, ...rest } = node;
  if (!isJsonObject(discriminator)) return node;
  const property = textOf(discriminator["propertyName"]);
  const branches = Object.entries(objectAt(discriminator, "mapping")).map(([name, reference]) => ({
    anyOf: [
      { not: { required: [property], properties: { [property]: { const: name } } } },
      { $ref: reference },
    ],
  }));
  return { ...rest, allOf: branches };
}

/** Requests need not state what the service makes itself. */
function withoutReadOnly(node: JsonObject, original: JsonObject, direction: Direction): JsonObject {
  const { required, ...rest } = node;
  const properties = original["properties"];
  const isRequest = direction === "request";
  if (!isRequest || !Array.isArray(required) || !isJsonObject(properties)) return node;
  const left = required.filter((name: Json) => !isReadOnly(properties[textOf(name)]));
  return left.length === 0 ? rest : { ...rest, required: left };
}

function isReadOnly(schema: Json | undefined): boolean {
  const own = resolved(schema);
  if (!isJsonObject(own)) return false;
  const parts = own["allOf"];
  return own["readOnly"] === true || (Array.isArray(parts) && parts.some(isReadOnly));
}

function resolved(node: Json | undefined): Json | undefined {
  const reference = isJsonObject(node) ? node["$ref"] : undefined;
  return typeof reference === "string" ? at(reference.slice(2).split("/")) : node;
}

function stepsTo(operation: string): readonly string[] {
  const [method = "", template = ""] = operation.split(" ");
  return ["paths", template, method.toLowerCase()];
}

function at(steps: readonly string[]): Json | undefined {
  let found: Json | undefined = root();
  for (const step of steps) found = isJsonObject(found) ? found[step] : undefined;
  return found;
}

/**
 * The template in the document that a path fits, `undefined` for what it does not describe. Rulesets of accounts are
 * described as those of zones.
 */
function templateOf(path: string): string | undefined {
  const [bare = ""] = path.split("?");
  if (/\/accounts\/[^/]+\/rulesets/.test(bare) && !bare.includes("/by_tag/")) {
    return templateOf(path.replace("/accounts/", "/zones/"));
  }
  const fitting = Object.keys(objectAt(root(), "paths")).filter((template) =>
    new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(bare),
  );
  // A literal step says more than a parameter.
  return fitting.toSorted((a, b) => a.split("{").length - b.split("{").length)[0];
}

function root(): JsonObject {
  return plainObject(document);
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function objectAt(node: JsonObject, name: string): JsonObject {
  return plainObject(node[name]);
}

function plainObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error("the document of the API is not what this reader expects");
}
