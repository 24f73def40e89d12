import { wireCodes, type WireMessage } from "../../api/wire.ts";

/** Error codes for cases in which only the status is public; clients must not rely on them. */
export const unpublishedCodes = {
  internal: 1000,
  query: 1001,
  body: 1002,
  tooLarge: 1003,
  notEntitled: 1010,
  method: 7001,
  pageShield: 12000,
  itemNotFound: 12001,
  rulesetNotFound: 10002,
  ruleNotFound: 10004,
  versionNotFound: 10005,
  ruleset: 20000,
  rulesetInUse: 20001,
} as const;

/** An error response of the service: its status and the elements of `errors` (SERVICE.md C.1). */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: readonly WireMessage[];

  constructor(status: number, errors: readonly WireMessage[]) {
    super(errors.map(({ message }) => message).join("; "));
    this.name = "ApiError";
    this.status = status;
    this.errors = errors;
  }
}

/**
 * An error response with one error; `pointer` is the JSON pointer of the invalid member of the
 * body.
 */
export function apiError(
  status: number,
  code: number,
  message: string,
  pointer?: string,
): ApiError {
  const source = pointer === undefined ? {} : { source: { pointer } };
  return new ApiError(status, [{ code, message, ...source }]);
}

/** The response to a path that does not exist or contains a malformed id (SERVICE.md C.2). */
export function routeNotFound(path: string): ApiError {
  const message = `Could not route to ${path}, perhaps your object identifier is invalid?`;
  return new ApiError(404, [
    { code: wireCodes.couldNotRoute, message },
    { code: wireCodes.noRoute, message: "No route for that URI" },
  ]);
}
