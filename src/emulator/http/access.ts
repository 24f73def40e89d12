import { wireCodes } from "../../api/wire.ts";
import type { AccountState, Owner, TokenState, ZoneState } from "../state.ts";
import type { Store } from "../store.ts";
import { statusOfToken } from "../zones/account-endpoints.ts";
import { noRoute, refused } from "./api-error.ts";
import type { Call } from "./endpoint.ts";
import { fits } from "./query.ts";

/** Permissions that allow an operation, any one of them (SERVICE.md A.9, B.9). */
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
  none: [],
} as const satisfies Record<string, readonly string[]>;

/** Every name of a permission. */
export const permissionNames: ReadonlySet<string> = new Set(Object.values(permissions).flat());

const identifier = /^[0-9a-f]{32}$/;

/** Whether a credential may do what any of `wanted` allows. */
export function isPermitted(token: TokenState, wanted: readonly string[]): boolean {
  if (token.permissions === "all" || wanted.length === 0) return true;
  const held = new Set(token.permissions);
  return wanted.some((permission) => held.has(permission));
}

/** Whether a credential was given this zone. */
export function reachesZone(store: Store, token: TokenState, zone: ZoneState): boolean {
  const account = store.account(zone.accountId);
  return (
    token.zones.some((pattern) => fits(pattern, zone.name)) &&
    account !== undefined &&
    reachesAccount(token, account)
  );
}

/** Whether a credential was given this account. */
export function reachesAccount(token: TokenState, account: AccountState): boolean {
  return token.accounts.some((pattern) => fits(pattern, account.name));
}

/** The identifier in a path; a malformed one leads nowhere. */
export function identifierIn(call: Call, name: string): string {
  const id = call.param(name);
  if (!identifier.test(id)) throw noRoute(call.path);
  return id;
}

/** The zone in the path: one that is foreign and one that does not exist are refused alike (SERVICE.md C.2). */
export function zoneIn(call: Call): ZoneState {
  const zone = call.store.zone(identifierIn(call, "zone_id"));
  if (zone === undefined || !reachesZone(call.store, call.token, zone)) throw unauthorized();
  return asSeen(call, zone);
}

/** The account in the path, on the same terms. */
export function accountIn(call: Call): AccountState {
  const account = call.store.account(identifierIn(call, "account_id"));
  if (account === undefined || !reachesAccount(call.token, account)) throw unauthorized();
  return asSeen(call, account);
}

function asSeen<T extends Owner>(call: Call, owner: T): T {
  return call.staleness === 0 ? owner : call.store.asOf(owner, call.now.getTime() - call.staleness);
}

function unauthorized(): Error {
  return refused(403, wireCodes.unauthorized, "Unauthorized to access requested resource");
}

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
