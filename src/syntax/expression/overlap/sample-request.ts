import type { FieldValue } from "../evaluate-expression.ts";

/** A request, as far as conditions on it can be decided. */
export interface SampleRequest {
  /** In lower case. */
  readonly host: string;
  /** Starts with a slash. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  readonly method: string;
  readonly ssl: boolean;
  /** Other fields, of which none depends on another. */
  readonly fields: ReadonlyMap<string, FieldValue>;
}

/** A part of a request that conditions name. */
type RequestPart = "host" | "path" | "query" | "method" | "ssl";

const parts: Readonly<Record<string, RequestPart>> = {
  "http.host": "host",
  "http.request.uri.path": "path",
  "raw.http.request.uri.path": "path",
  "http.request.uri.query": "query",
  "raw.http.request.uri.query": "query",
  "http.request.method": "method",
  ssl: "ssl",
};

/** Fields that are made of the parts of a request. */
const composed: Readonly<Record<string, (request: SampleRequest) => string>> = {
  "http.request.uri": uriOf,
  "http.request.full_uri": fullUriOf,
  "http.request.uri.path.extension": extensionOf,
};

/** Fields that depend on others in a way that a sample does not show. */
const entangled =
  /^(?:raw\.)?(?:cf\.zone\.|cf\.hostname\.|http\.request\.(?:headers|cookies|uri\.args|body))/;

/**
 * Whether a field is independent of all others, so that a sample may have any value of its type.
 */
export function isIndependent(field: string): boolean {
  return !(field in parts) && !(withoutRaw(field) in composed) && !entangled.test(field);
}

/** The value of a field in a request; `undefined` if the sample does not say. */
export function valueOfField(field: string, request: SampleRequest): FieldValue | undefined {
  const part = parts[field];
  if (part !== undefined) return request[part];
  const compose = composed[withoutRaw(field)];
  return compose === undefined ? request.fields.get(aliasOf(field)) : compose(request);
}

/** The name under which the value of a field is kept: old names of a field have the same value. */
export function aliasOf(field: string): string {
  return field.replace(/^ip\.geoip\./, "ip.src.");
}

function withoutRaw(field: string): string {
  return field.replace(/^raw\./, "");
}

function uriOf({ path, query }: SampleRequest): string {
  return query === "" ? path : `${path}?${query}`;
}

function fullUriOf(request: SampleRequest): string {
  return `${request.ssl ? "https" : "http"}://${request.host}${uriOf(request)}`;
}

function extensionOf({ path }: SampleRequest): string {
  return (/\.([^./]+)$/.exec(path)?.[1] ?? "").toLowerCase();
}
