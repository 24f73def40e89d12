import { ageIn } from "../http/time.ts";
import { timestamp } from "../http/timestamp.ts";
import type { AccountState, Entitlements, RateLimit, TokenState, ZoneState } from "../state.ts";
import { idFrom } from "../store.ts";
import type { SeedAccount, SeedEntitlements, SeedRateLimit, SeedToken, SeedZone } from "./seed.ts";

/** The credential of a seed that names none. */
export const everything: SeedToken = {
  name: "emulator",
  value: "emulator-token",
  permissions: "all",
};

/** The account of a seed that names none. */
export const onlyAccount: SeedAccount = { name: "Synthetic account" };

const usualLimit = { requests: 1_200, window: "5m", lockout: "5m" } as const;

/** What lets a seed say anything, as a contract that has changed since would. */
export const unlimited: Entitlements = {
  policies: 1_000,
  rules: 1_000,
  connection_url_path: true,
  reporting_endpoint: true,
};

/** A zone with nothing in it yet. */
export function bareZone(seed: SeedZone, account: AccountState, now: Date): ZoneState {
  const plan = seed.plan ?? "enterprise";
  return {
    level: "zone",
    id: seed.id ?? idFrom(`zone/${seed.name.toLowerCase()}`),
    name: seed.name.toLowerCase(),
    accountId: account.id,
    status: seed.status ?? "active",
    type: seed.type ?? "full",
    paused: seed.paused ?? false,
    plan,
    createdOn: timestamp(now),
    entitlements: entitlementsFrom(seed.entitlements ?? {}, plan),
    settings: {
      enabled: false,
      updated_at: timestamp(now),
      use_cloudflare_reporting_endpoint: true,
      use_connection_url_path: false,
    },
    policies: [],
    rulesets: [],
    scripts: [],
    connections: [],
    cookies: [],
  };
}

/** What a plan brings; the paid quota of policies is not published (SERVICE.md A.6). */
function entitlementsFrom(seed: SeedEntitlements, plan: string): Entitlements {
  const isPaid = plan !== "free";
  return {
    policies: seed.policies ?? (isPaid ? 20 : 0),
    rules: seed.rules ?? 100,
    connection_url_path: seed.connection_url_path ?? isPaid,
    reporting_endpoint: seed.reporting_endpoint ?? isPaid,
  };
}

/** A credential with its defaults. */
export function tokenFrom(seed: SeedToken): TokenState {
  return {
    id: idFrom(`token/${seed.value}`),
    name: seed.name,
    value: seed.value,
    permissions: seed.permissions ?? "all",
    zones: seed.zones ?? ["*"],
    accounts: seed.accounts ?? ["*"],
    status: seed.status ?? "active",
    expiresOn: seed.expires_on ?? null,
    notBefore: seed.not_before ?? null,
  };
}

/** The quota with its defaults; `null`: none. */
export function limitFrom(seed: SeedRateLimit | false | undefined): RateLimit | null {
  if (seed === false) return null;
  return {
    requests: seed?.requests ?? usualLimit.requests,
    windowMs: ageIn(seed?.window ?? usualLimit.window) ?? 0,
    lockoutMs: ageIn(seed?.lockout ?? usualLimit.lockout) ?? 0,
  };
}
