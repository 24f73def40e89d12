import type { Json, JsonObject } from "../../syntax/json.ts";
import type { AnalyticsAnswer } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { isServiceId } from "../../zone/service-id.ts";
import type { Method } from "../../zone/service-request.ts";
import { routes } from "../routes.ts";

/** One request, as data. */
export interface Call {
  readonly method: Method;
  /** Path template below the base address: `/zones/{zone_id}/page_shield`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** `undefined`: no body. */
  readonly body: Json | undefined;
}

/** A call that only reads. */
export interface GetCall extends Call {
  readonly method: "GET";
  readonly body: undefined;
}

/** Whether a call changes nothing at the service. */
export function isRead({ method, route }: Pick<Call, "method" | "route">): boolean {
  return method === "GET" || route === routes.graphql;
}

export interface Answer {
  /** Digest of the body, for the routes that every sweep requests; else "". */
  readonly digest: string;
  /** The `result` of the envelope, not validated. A known body is parsed only on demand. */
  readonly result: () => unknown;
  /** The `result_info` of a paged list. */
  readonly resultInfo: () => JsonObject | undefined;
  readonly status: number;
  /** The service's id of the request; "" without one. */
  readonly ray: string;
  /** Of a query of the analytics. */
  readonly document?: AnalyticsAnswer;
}

/**
 * An answer, when its request was sent (by the monotonic clock), and how often the request was sent
 * for it.
 */
export interface Fetched extends Answer {
  readonly sentAt: number;
  readonly attempts: number;
}

/** Sends a call that reads. Planning gets this capability only. */
export type Get = (call: GetCall, signal: AbortSignal) => Promise<Fetched>;

export type Send = (call: Call, signal: AbortSignal) => Promise<Fetched>;

/** What is read; `undefined` if the service refuses it, and would again. Throws transient errors. */
export async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ServiceError && !error.transient) return undefined;
    throw error;
  }
}

/** Makes a call that only reads. */
export function get(
  route: string,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): GetCall {
  return { method: "GET", route, params, query, body: undefined };
}

/** Makes a query of the analytics: a POST that only reads. */
export function graphql(query: string): Call {
  return { method: "POST", route: routes.graphql, params: {}, query: {}, body: { query } };
}

/**
 * The path of a call below `basePath`.
 *
 * @throws {ServiceError} where a parameter is no id: `..` for example would lead to another
 * resource.
 */
export function pathOf(basePath: string, { route, params, query }: Call): string {
  let path = basePath;
  for (const [index, part] of partsOf(route).entries()) {
    path += index % 2 === 0 ? part : parameter(route, params, part);
  }
  return Object.keys(query).length === 0
    ? path
    : `${path}?${new URLSearchParams(query).toString()}`;
}

function parameter(route: string, params: Call["params"], name: string): string {
  const value = params[name];
  if (value === undefined || value === "") throw new Error(`${route}: no value for ${name}`);
  if (isServiceId(value)) return value;
  const shown = JSON.stringify(value.slice(0, 64));
  throw new ServiceError("API_REFUSED", `${route}: ${shown} is not a ${name}: nothing was sent`);
}

/** Parsed routes: text at even indexes, parameter names at odd ones. */
const routeParts = new Map<string, readonly string[]>();

function partsOf(route: string): readonly string[] {
  const known = routeParts.get(route);
  if (known !== undefined) return known;
  const parts = route.split(/\{(\w+)\}/);
  routeParts.set(route, parts);
  return parts;
}
