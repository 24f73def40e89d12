import type { ServiceErrorCode } from "../../zone/service-error.ts";
import type { Call } from "./call.ts";

/** What a person can do about a refusal, in words that end its message. */
export function remedyFor(code: ServiceErrorCode, call: Call): string {
  if (code === "API_FORBIDDEN") {
    return `give the token the permission ${permissionFor(call)}, or the zone another credential`;
  }
  return remedies[code] ?? "check that api.base_url is the service's";
}

const itself = "it is tried again by itself";

const remedies: Readonly<Partial<Record<ServiceErrorCode, string>>> = {
  API_UNAUTHORIZED: "check the token: it is unknown, disabled or expired",
  API_NOT_FOUND: "it may have been removed or moved meanwhile",
  API_CONFLICT: itself,
  API_SERVER: itself,
  API_TIMEOUT: itself,
  API_RATE_LIMITED: "it goes on by itself; lower the budget where others use the token too",
  API_QUOTA: "declare fewer, or have the quota of the zone raised",
  API_REFUSED: "change what is declared, or the plan of the zone",
};

/** Name of the permission in the dashboard (SERVICE.md A.9, B.9, C.4). */
function permissionFor({ method, route }: Call): string {
  const level = method === "GET" ? "Read" : "Edit";
  if (route.startsWith("/accounts")) return `Account WAF: ${level}`;
  if (route.includes("/page_shield")) return `Page Shield: ${level}`;
  if (route.includes("/rulesets")) return `Zone WAF: ${level}`;
  return `Zone: ${level}`;
}
