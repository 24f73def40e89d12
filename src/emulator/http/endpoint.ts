import type { WireMessage, WireResultInfo } from "../../api/wire.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { Owner, Policy, Settings, TokenState } from "../state.ts";
import type { Store } from "../store.ts";

/** How answers are written: as either of two descriptions has them (SERVICE.md, Two descriptions). */
export const dialects = ["published", "specification"] as const;

/** One of {@link dialects}. */
export type Dialect = (typeof dialects)[number];

/** Settings as GET shows them. */
export function settingsShown(settings: Settings, dialect: Dialect): JsonObject {
  switch (dialect) {
    case "published":
      return { ...settings };
    case "specification": {
      const { use_cloudflare_reporting_endpoint: endpoint, ...others } = settings;
      return { ...others, use_service_reporting_endpoint: endpoint };
    }
  }
}

/** Settings as PUT answers them: the specification page shows two members only (SERVICE.md A.2). */
export function settingsStored(settings: Settings, dialect: Dialect): JsonObject {
  switch (dialect) {
    case "published":
      return { ...settings };
    case "specification":
      return { enabled: settings.enabled, updated_at: settings.updated_at };
  }
}

/** A policy as answers show it: the specification page has `enabled` as a string (SERVICE.md A.6). */
export function policyShown(policy: Policy, dialect: Dialect): JsonObject {
  switch (dialect) {
    case "published":
      return { ...policy };
    case "specification":
      return { ...policy, enabled: String(policy.enabled) };
  }
}

/** An operation of the service, as `--operations` and docs/emulator.md list it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base path, with parameters as `:zone_id`. */
  readonly path: string;
  readonly summary: string;
}

/** An operation together with what carries it out. */
export interface Endpoint extends Operation {
  /** The request is allowed to a credential that has any of these; none: to every credential. */
  readonly permissions: readonly string[];
  /** Whether `dry_run=true` is understood (SERVICE.md B.2). */
  readonly dryRun: boolean;
  /** Works out the answer and what is to be stored; stores nothing itself, so that a refusal leaves no trace. */
  readonly handle: (call: Call) => Answer;
}

/** A request on its way to an endpoint. */
export interface Call {
  readonly store: Store;
  readonly token: TokenState;
  readonly dialect: Dialect;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parameter of the path; "" where the path has none of that name. */
  param(name: string): string;
  /** The body as an object; refuses anything else. */
  body(): JsonObject;
  /** How long ago the state was that this request sees, in milliseconds; 0 is now. */
  readonly staleness: number;
  readonly now: Date;
}

/** `result_info` of a list, with the member in which the official client looks for the next page of rulesets. */
export interface CursorInfo extends WireResultInfo {
  readonly cursor?: string;
}

/** What an endpoint answers; `next` is stored before it is sent. */
export type Answer =
  | {
      readonly form: "json";
      readonly result: unknown;
      readonly info: CursorInfo | undefined;
      readonly messages: readonly WireMessage[];
      readonly next: Owner | undefined;
    }
  | { readonly form: "empty"; readonly next: Owner | undefined }
  | { readonly form: "csv"; readonly text: string; readonly next: undefined };

/** 200 with a result. */
export function shown(result: unknown, info?: CursorInfo): Answer {
  return { form: "json", result, info, messages: [], next: undefined };
}

/** 200 with a result, after `next` is stored. */
export function stored(result: unknown, next: Owner): Answer {
  return { form: "json", result, info: undefined, messages: [], next };
}

/** 204 without a body. */
export function emptied(next: Owner | undefined): Answer {
  return { form: "empty", next };
}
