import type { Json } from "../../syntax/json.ts";
import type { Method } from "../../zone/service-request.ts";
import type { Fetched } from "./answer.ts";

/** One request, as data. */
export interface Call {
  readonly method: Method;
  /** Path below the base address with its parameters in braces: `/zones/{zone_id}/page_shield`. */
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

/** Sends a call that reads. What plans holds this and nothing that could write. */
export type Get = (call: GetCall, signal: AbortSignal) => Promise<Fetched>;

/** Sends any call. */
export type Send = (call: Call, signal: AbortSignal) => Promise<Fetched>;

/** A call that reads. */
export function get(
  route: string,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): GetCall {
  return { method: "GET", route, params, query, body: undefined };
}

/** The path of a call below `basePath`: parameters filled in and encoded. */
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
  return encodeURIComponent(value);
}

/** Routes are few, and taken apart once: texts at even places, names of parameters between them. */
const routeParts = new Map<string, readonly string[]>();

function partsOf(route: string): readonly string[] {
  const known = routeParts.get(route);
  if (known !== undefined) return known;
  const parts = route.split(/\{(\w+)\}/);
  routeParts.set(route, parts);
  return parts;
}
