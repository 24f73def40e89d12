import { type WireMessage, wireCodes } from "../../api/wire.ts";

/** Codes of refusals whose status is known but whose code no public source tells; clients must not rely on them. */
export const unpublishedCodes = {
  ours: 1000,
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

/** A refusal in the service's own shape: status and error elements (SERVICE.md C.1). */
export class ServiceError extends Error {
  readonly status: number;
  readonly errors: readonly WireMessage[];

  constructor(status: number, errors: readonly WireMessage[]) {
    super(errors.map(({ message }) => message).join("; "));
    this.name = "ServiceError";
    this.status = status;
    this.errors = errors;
  }
}

/** A refusal with one error; `pointer` is the JSON pointer of the mistake in the body. */
export function refused(
  status: number,
  code: number,
  message: string,
  pointer?: string,
): ServiceError {
  const source = pointer === undefined ? {} : { source: { pointer } };
  return new ServiceError(status, [{ code, message, ...source }]);
}

/** What the service says to a path that leads nowhere or holds a malformed id (SERVICE.md C.2). */
export function noRoute(path: string): ServiceError {
  return new ServiceError(404, [
    {
      code: wireCodes.couldNotRoute,
      message: `Could not route to ${path}, perhaps your object identifier is invalid?`,
    },
    { code: wireCodes.noRoute, message: "No route for that URI" },
  ]);
}
