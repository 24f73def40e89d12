import type { FieldValue } from "./evaluate-expression.ts";
import { aliasOf } from "./expression-fields.ts";

/** What is known of a request; `undefined`: it is not known. */
export interface RequestFacts {
  /** In lower case, with the port if it is not the usual one. */
  readonly host: string;
  /** Starts with a slash. */
  readonly path?: string | undefined;
  /** Without its question mark. */
  readonly query?: string | undefined;
  readonly method?: string | undefined;
  readonly ssl?: boolean | undefined;
  /** Other fields, of which none depends on another. */
  readonly fields?: ReadonlyMap<string, FieldValue> | undefined;
}

/** The fields that are parts of a request, or made of them. */
const values = new Map<string, (request: RequestFacts) => FieldValue | undefined>([
  ["http.host", ({ host }) => host],
  ["http.request.uri.path", ({ path }) => path],
  ["http.request.uri.query", ({ query }) => query],
  ["http.request.method", ({ method }) => method],
  ["http.request.uri", uriOf],
  ["http.request.full_uri", fullUriOf],
  [
    "http.request.uri.path.extension",
    ({ path }) =>
      path === undefined ? undefined : (/\.([^./]+)$/.exec(path)?.[1] ?? "").toLowerCase(),
  ],
  ["ssl", ({ ssl }) => ssl],
]);

/** Fields that depend on others in a way that the facts of a request do not show. */
const entangled =
  /^(?:raw\.)?(?:cf\.zone\.|cf\.hostname\.|http\.request\.(?:headers|cookies|uri\.args|body))/;

/** Whether a field is independent of all others, so that it may have any value of its type. */
export function isIndependent(field: string): boolean {
  return !values.has(withoutRaw(field)) && !entangled.test(field);
}

/** The value of a field in a request; `undefined` if what is known of it does not say. */
export function valueOfField(field: string, request: RequestFacts): FieldValue | undefined {
  const own = values.get(withoutRaw(field));
  return own === undefined ? request.fields?.get(aliasOf(field)) : own(request);
}

function withoutRaw(field: string): string {
  return field.replace(/^raw\./, "");
}

function uriOf({ path, query }: RequestFacts): string | undefined {
  if (path === undefined || query === undefined) return undefined;
  return query === "" ? path : `${path}?${query}`;
}

function fullUriOf(request: RequestFacts): string | undefined {
  const uri = uriOf(request);
  if (uri === undefined || request.ssl === undefined) return undefined;
  return `${request.ssl ? "https" : "http"}://${request.host}${uri}`;
}
