import type { WireMessage, WireResultInfo } from "../../api/wire.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { Owner, TokenState } from "../state.ts";
import type { Store } from "../store.ts";
import type { Dialect } from "./dialect.ts";

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
