/** Path under which the service's version 4 answers. */
export const basePath = "/client/v4";

/** An element of `errors` and `messages` (SERVICE.md C.1). */
export interface WireMessage {
  readonly code: number;
  readonly message: string;
  readonly documentation_url?: string;
  readonly source?: { readonly pointer: string };
}

/** `result_info` of a paged list. */
export interface WireResultInfo {
  readonly page?: number;
  readonly per_page?: number;
  readonly count?: number;
  readonly total_count?: number;
  readonly total_pages?: number;
  readonly cursors?: { readonly after?: string };
}

/** Codes of the service that a client must know apart (SERVICE.md B.8, B.10, B.11, C.2). */
export const wireCodes = {
  noEntrypoint: 10003,
  authentication: 10000,
  unauthorized: 9109,
  invalidToken: 1000,
  invalidHeaders: 6003,
  noRoute: 7000,
  couldNotRoute: 7003,
  rateLimited: 971,
  duplicateExecute: 20014,
  skipInRoot: 20016,
  wrongProduct: 20119,
  wrongSkippedPhase: 20120,
  missingColo: 20155,
  secondEntrypoint: 20217,
  wrongArgument: 20083,
  expressionTooLong: 20127,
  tooManyRules: 50001,
} as const;
