import { type ConnectionFault, connectionFaults, type Method } from "../../zone/service-request.ts";

/** Routes of the service (SERVICE.md A.1, B.1, C.4) with their methods. */
export const endpoints: Readonly<Record<string, readonly Method[]>> = {
  "/zones": ["GET"],
  "/user/tokens/verify": ["GET"],
  "/accounts/{account_id}/tokens/verify": ["GET"],
  "/accounts/{account_id}/logs/audit": ["GET"],
  "/graphql": ["POST"],
  "/zones/{zone_id}/page_shield": ["GET", "PUT"],
  "/zones/{zone_id}/page_shield/scripts": ["GET"],
  "/zones/{zone_id}/page_shield/scripts/{script_id}": ["GET"],
  "/zones/{zone_id}/page_shield/connections": ["GET"],
  "/zones/{zone_id}/page_shield/connections/{connection_id}": ["GET"],
  "/zones/{zone_id}/page_shield/cookies": ["GET"],
  "/zones/{zone_id}/page_shield/cookies/{cookie_id}": ["GET"],
  "/zones/{zone_id}/page_shield/policies": ["GET", "POST"],
  "/zones/{zone_id}/page_shield/policies/{policy_id}": ["GET", "PUT", "DELETE"],
  "/zones/{zone_id}/rulesets": ["GET", "POST"],
  "/zones/{zone_id}/rulesets/phases/{phase_name}/entrypoint": ["GET", "PUT"],
  "/zones/{zone_id}/rulesets/{ruleset_id}": ["GET", "PUT", "DELETE"],
  "/zones/{zone_id}/rulesets/{ruleset_id}/versions": ["GET"],
  "/zones/{zone_id}/rulesets/{ruleset_id}/versions/{ruleset_version}": ["GET", "DELETE"],
  "/zones/{zone_id}/rulesets/{ruleset_id}/rules": ["POST"],
  "/zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}": ["PATCH", "DELETE"],
  "/accounts/{account_id}/rulesets": ["GET"],
  "/accounts/{account_id}/rulesets/{ruleset_id}": ["GET"],
  "/accounts/{account_id}/rulesets/{ruleset_id}/versions": ["GET"],
  "/accounts/{account_id}/rulesets/{ruleset_id}/versions/{ruleset_version}": ["GET", "DELETE"],
};

/** Label value of any other path and method: it bounds the number of series. */
export const other = "other";

const statuses =
  "200 201 204 304 400 401 403 404 405 408 409 422 429 500 502 503 504 520 521 522 523 524".split(
    " ",
  );

/** Values of the label `code`. */
export const codes: readonly string[] = [...statuses, ...connectionFaults, other];

/** Why a request is sent again. */
export const retryReasons = [
  "conflict",
  "rate_limited",
  "server_error",
  ...connectionFaults,
  other,
] as const;

export type RetryReason = (typeof retryReasons)[number];

/** The value of the label `endpoint` for a route of the client. */
export function endpointOf(route: string): string {
  return Object.hasOwn(endpoints, route) ? route : other;
}

/** The value of the label `code` for a status or a fault. */
export function codeOf(code: number | ConnectionFault): string {
  const text = String(code);
  return codes.includes(text) ? text : other;
}

/** The reason of a retry after a status or a fault. */
export function retryReasonOf(code: number | ConnectionFault): RetryReason {
  if (typeof code === "string") return code;
  if (code === 429) return "rate_limited";
  if (code === 409) return "conflict";
  if (code === 408) return "timeout";
  return code >= 500 ? "server_error" : other;
}
