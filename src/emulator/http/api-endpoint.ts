import type { WireMessage, WireResultInfo } from "../../api/wire.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { AnalyticsEffects } from "../control/faults.ts";
import type { EmulatedZone, Owner, Protection, TokenState } from "../state.ts";
import type { Store } from "../store.ts";

/** Which of two descriptions of the service responses follow (SERVICE.md, Two descriptions). */
export const dialects = ["published", "specification"] as const;

export type Dialect = (typeof dialects)[number];

/** An operation of the service, as `--operations` lists it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base path, with parameters as `:zone_id`. */
  readonly path: string;
  readonly summary: string;
}

export interface Endpoint extends Operation {
  /** A credential needs one of these; every credential may call an endpoint without any. */
  readonly permissions: readonly string[];
  /** Whether `dry_run=true` is understood (SERVICE.md B.2). */
  readonly dryRun: boolean;
  /**
   * Computes the response and the state to store. It stores nothing, so an error leaves no trace.
   */
  readonly handle: (call: EndpointCall) => EndpointAnswer;
}

/** An authorized request. */
export interface EndpointCall {
  readonly store: Store;
  readonly audit: Pick<AuditLog, "of">;
  /** What was in force for a zone, oldest first. */
  readonly protections: { of(zone: EmulatedZone): readonly Protection[] };
  readonly token: TokenState;
  readonly dialect: Dialect;
  /** Below the base path, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parameter of the path; "" if the path has none of that name. */
  readonly param: (name: string) => string;
  /** The body; throws an error response unless it is a JSON object. */
  body(): JsonObject;
  /** Age of the state that this request reads, in milliseconds; 0 is now. */
  readonly staleMs: number;
  /** What faults do to a query of the analytics. */
  readonly analyticsFaults: AnalyticsEffects;
  /** Counts a query of the analytics; gives whether it is within the limit. */
  takeQuery(): boolean;
  readonly now: Date;
}

/** `result_info` of a list; the official client reads `cursor` to page through rulesets. */
export interface CursorInfo extends Omit<WireResultInfo, "count"> {
  readonly cursor?: string;
  /** A text in the audit log's documentation. */
  readonly count?: number | string;
  /** Of the audit log's history only. */
  readonly history_status?: "exact" | "approximate" | "unavailable";
}

/**
 * Answer of an endpoint: a result in the envelope, CSV, a document without the envelope, or else
 * 204 without a body.
 */
export interface EndpointAnswer {
  readonly result?: unknown;
  readonly info?: CursorInfo | undefined;
  readonly messages?: readonly WireMessage[];
  readonly csv?: string;
  readonly document?: { readonly status: number; readonly body: unknown };
  /** Is stored before the response is sent. */
  readonly next?: Owner;
}

/** An endpoint without `dry_run`, as all but those that write rulesets are. */
export function endpoint(
  method: Operation["method"],
  path: string,
  summary: string,
  permissions: readonly string[],
  handle: Endpoint["handle"],
): Endpoint {
  return { method, path, summary, permissions, dryRun: false, handle };
}
