import { wireCodes } from "../../api/wire.ts";
import type { TokenState } from "../state.ts";
import type { Store } from "../store.ts";
import { statusOfToken } from "../zones/accounts.ts";
import { refused } from "./service-error.ts";

/** The credential that a request names, whatever it may do; `undefined` where it names none that is known. */
export function tokenNamedBy(
  store: Store,
  authorization: string | undefined,
): TokenState | undefined {
  const value = bearerIn(authorization);
  return value === undefined ? undefined : store.token(value);
}

/** The credential of a request, or the service's refusal (SERVICE.md C.2). */
export function authenticated(
  token: TokenState | undefined,
  authorization: string | undefined,
  path: string,
  now: Date,
): TokenState {
  if (bearerIn(authorization) === undefined) {
    throw refused(400, wireCodes.invalidHeaders, "Invalid request headers");
  }
  const isVerification = path.endsWith("/tokens/verify");
  if (token === undefined && isVerification) {
    throw refused(401, wireCodes.invalidToken, "Invalid API Token");
  }
  if (token === undefined) throw invalidAccessToken();
  // Verification tells of a disabled or expired credential what it is.
  if (isVerification) return token;
  const isEarly = token.notBefore !== null && now < new Date(token.notBefore);
  if (isEarly || statusOfToken(token, now) !== "active") throw invalidAccessToken();
  return token;
}

/** What the service says to a credential that is unknown, expired, disabled or revoked. */
export function invalidAccessToken(): Error {
  return refused(403, wireCodes.unauthorized, "Invalid access token");
}

function bearerIn(authorization: string | undefined): string | undefined {
  return /^Bearer +(?<value>\S+)$/i.exec(authorization ?? "")?.groups?.["value"];
}
