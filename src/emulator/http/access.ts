import { wireCodes } from "../../api/wire.ts";
import type { AccountState, Owner, TokenState, EmulatedZone } from "../state.ts";
import type { Store } from "../store.ts";
import type { EndpointCall } from "./api-endpoint.ts";
import { type ApiError, apiError, routeNotFound } from "./api-error.ts";
import { matchesPattern } from "./query.ts";

/** Permissions for an operation, any one of which is enough (SERVICE.md A.9, B.9). */
export const permissions = {
  pageShieldRead: [
    "Page Shield Read",
    "Page Shield",
    "Domain Page Shield Read",
    "Domain Page Shield",
    "Zone Settings Read",
    "Zone Settings Write",
  ],
  pageShieldWrite: ["Page Shield", "Domain Page Shield", "Zone Settings Write"],
  zoneRulesetsRead: ["Zone WAF Read", "Zone WAF Write"],
  zoneRulesetsWrite: ["Zone WAF Write"],
  accountRulesetsRead: [
    "Account WAF Read",
    "Account WAF Write",
    "Account Rulesets Read",
    "Account Rulesets Write",
  ],
  accountRulesetsWrite: ["Account WAF Write", "Account Rulesets Write"],
  zoneRead: ["Zone Read"],
  accountRead: ["Account Settings Read"],
  auditRead: ["Account Settings Read", "Account Settings Write"],
  analyticsRead: ["Analytics Read", "Account Analytics Read"],
  none: [],
} as const satisfies Record<string, readonly string[]>;

export const permissionNames: ReadonlySet<string> = new Set(Object.values(permissions).flat());

/**
 * The credential in the `authorization` header; `undefined` if the store has none of that value.
 */
export function tokenIn(store: Store, authorization: string | undefined): TokenState | undefined {
  const value = bearerIn(authorization);
  return value === undefined ? undefined : store.token(value);
}

/** The credential of a request, or an error response (SERVICE.md C.2). */
export function authenticated(
  token: TokenState | undefined,
  authorization: string | undefined,
  path: string,
  now: Date,
): TokenState {
  if (bearerIn(authorization) === undefined) {
    throw apiError(400, wireCodes.invalidHeaders, "Invalid request headers");
  }
  const isVerification = path.endsWith("/tokens/verify");
  if (token === undefined && isVerification) {
    throw apiError(401, wireCodes.invalidToken, "Invalid API Token");
  }
  if (token === undefined) throw invalidAccessToken();
  // Verification reports the status of a disabled or expired credential.
  if (isVerification) return token;
  const isEarly = token.notBefore !== null && now < new Date(token.notBefore);
  if (isEarly || statusOfToken(token, now) !== "active") throw invalidAccessToken();
  return token;
}

function bearerIn(authorization: string | undefined): string | undefined {
  return /^Bearer +(?<value>\S+)$/i.exec(authorization ?? "")?.groups?.["value"];
}

/** The response to a credential that is unknown, expired, disabled or revoked. */
export function invalidAccessToken(): ApiError {
  return apiError(403, wireCodes.unauthorized, "Invalid access token");
}

export function statusOfToken(token: TokenState, now: Date): "active" | "disabled" | "expired" {
  if (token.status === "disabled") return "disabled";
  return token.expiresOn !== null && new Date(token.expiresOn) <= now ? "expired" : "active";
}

export function isPermitted(token: TokenState, accepted: readonly string[]): boolean {
  if (token.permissions === "all" || accepted.length === 0) return true;
  const granted = new Set(token.permissions);
  return accepted.some((permission) => granted.has(permission));
}

export function reachesZone(store: Store, token: TokenState, zone: EmulatedZone): boolean {
  const account = store.account(zone.accountId);
  return (
    token.zones.some((pattern) => matchesPattern(pattern, zone.name)) &&
    account !== undefined &&
    reachesAccount(token, account)
  );
}

export function reachesAccount(token: TokenState, account: AccountState): boolean {
  return token.accounts.some((pattern) => matchesPattern(pattern, account.name));
}

export function isIdentifier(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** The identifier in a path; a malformed one is a path without a route. */
export function identifierIn(call: EndpointCall, name: string): string {
  const id = call.param(name);
  if (!isIdentifier(id)) throw routeNotFound(call.path);
  return id;
}

/**
 * The zone in the path; one out of scope and one that does not exist get the same error
 * (SERVICE.md C.2).
 */
export function zoneIn(call: EndpointCall): EmulatedZone {
  const zone = call.store.zone(identifierIn(call, "zone_id"));
  if (zone === undefined || !reachesZone(call.store, call.token, zone)) throw unauthorized();
  return asOfRead(call, zone);
}

/** The account in the path; errors as for {@link zoneIn}. */
export function accountIn(call: EndpointCall): AccountState {
  const account = call.store.account(identifierIn(call, "account_id"));
  if (account === undefined || !reachesAccount(call.token, account)) throw unauthorized();
  return asOfRead(call, account);
}

function asOfRead<T extends Owner>({ store, staleMs, now }: EndpointCall, owner: T): T {
  return staleMs === 0 ? owner : store.asOf(owner, now.getTime() - staleMs);
}

function unauthorized(): ApiError {
  return apiError(403, wireCodes.unauthorized, "Unauthorized to access requested resource");
}
