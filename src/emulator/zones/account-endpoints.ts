import { wireCodes } from "../../api/wire.ts";
import { compareText } from "../../syntax/by-text.ts";
import { accountIn, permissions, reachesAccount } from "../http/access.ts";
import { type Answer, type Call, type Endpoint, shown } from "../http/endpoint.ts";
import { pageOf, queryOneOf } from "../http/query.ts";
import type { AccountState, TokenState } from "../state.ts";

const common = { method: "GET", dryRun: false } as const;

/** Accounts and the check of the request's own credential (SERVICE.md C.4). */
export const accountEndpoints: readonly Endpoint[] = [
  {
    ...common,
    path: "/accounts",
    summary: "List accounts",
    permissions: permissions.accountRead,
    handle: listed,
  },
  {
    ...common,
    path: "/accounts/:account_id",
    summary: "Get an account",
    permissions: permissions.accountRead,
    handle: (call) => shown(accountShown(accountIn(call))),
  },
  {
    ...common,
    path: "/user/tokens/verify",
    summary: "Verify a user token",
    permissions: permissions.none,
    handle: verified,
  },
  {
    ...common,
    path: "/accounts/:account_id/tokens/verify",
    summary: "Verify an account token",
    permissions: permissions.none,
    handle: (call) => {
      accountIn(call);
      return verified(call);
    },
  },
];

function listed({ store, token, query }: Call): Answer {
  const name = query.get("name");
  const sign = queryOneOf(query, "direction", ["asc", "desc"]) === "desc" ? -1 : 1;
  const accounts = store
    .accounts()
    .filter((account) => (name === null || account.name === name) && reachesAccount(token, account))
    .toSorted((a, b) => sign * compareText(a.name, b.name));
  const { items, info } = pageOf(accounts, query, 5, 50, 20);
  return shown(items.map(accountShown), info);
}

function accountShown({ id, name, createdOn }: AccountState): unknown {
  return {
    id,
    name,
    type: "standard",
    created_on: createdOn,
    settings: { enforce_twofactor: false },
  };
}

function verified({ token, now }: Call): Answer {
  const status = statusOfToken(token, now);
  return {
    form: "json",
    result: {
      id: token.id,
      status,
      ...(token.expiresOn === null ? {} : { expires_on: token.expiresOn }),
      ...(token.notBefore === null ? {} : { not_before: token.notBefore }),
    },
    info: undefined,
    messages:
      status === "active"
        ? [{ code: wireCodes.authentication, message: "This API Token is valid and active" }]
        : [],
    next: undefined,
  };
}

/** What a credential is at a moment. */
export function statusOfToken(token: TokenState, now: Date): "active" | "disabled" | "expired" {
  if (token.status === "disabled") return "disabled";
  return token.expiresOn !== null && new Date(token.expiresOn) <= now ? "expired" : "active";
}
