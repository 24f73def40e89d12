import type { Json } from "../syntax/json.ts";
import type { Fetched } from "./answer.ts";

/** The methods of the service. */
export type Method = "GET" | "PUT" | "PATCH" | "POST" | "DELETE";

/** Who goes first where the budget is short; a class waits behind those before it until it has aged. */
export const priorities = ["write", "changed", "sweep", "inventory"] as const;

/** One of {@link priorities}. */
export type Priority = (typeof priorities)[number];

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

/** The address of a call: parameters filled in and encoded. */
export function urlOf(baseUrl: string, call: Call): string {
  const path = call.route.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => {
    const value = call.params[name];
    if (value === undefined || value === "") throw new Error(`${call.route}: no value for ${name}`);
    return encodeURIComponent(value);
  });
  const base = baseUrl.endsWith("/") ? baseUrl.replace(/\/+$/, "") : baseUrl;
  if (Object.keys(call.query).length === 0) return `${base}${path}`;
  return `${base}${path}?${new URLSearchParams(call.query).toString()}`;
}
