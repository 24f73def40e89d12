import { wireCodes } from "../../api/wire.ts";
import { compareText } from "../../syntax/by-text.ts";
import { accountIn, permissions, reachesAccount, statusOfToken } from "../http/access.ts";
import {
  type EndpointAnswer,
  type EndpointCall,
  type Endpoint,
  endpoint,
} from "../http/api-endpoint.ts";
import { directionOf, pageOf } from "../http/query.ts";
import type { AccountState } from "../state.ts";

/** Accounts, and the verification of the request's own credential (SERVICE.md C.4). */
export const accountEndpoints: readonly Endpoint[] = [
  endpoint("GET", "/accounts", "List accounts", permissions.accountRead, listAccounts),
  endpoint("GET", "/accounts/:account_id", "Get an account", permissions.accountRead, (call) => ({
    result: accountResult(accountIn(call)),
  })),
  endpoint("GET", "/user/tokens/verify", "Verify a user token", permissions.none, verifyToken),
  endpoint(
    "GET",
    "/accounts/:account_id/tokens/verify",
    "Verify an account token",
    permissions.none,
    (call) => {
      accountIn(call);
      return verifyToken(call);
    },
  ),
];

function listAccounts({ store, token, query }: EndpointCall): EndpointAnswer {
  const name = query.get("name");
  const direction = directionOf(query);
  const accounts = store
    .accounts()
    .filter((account) => (name === null || account.name === name) && reachesAccount(token, account))
    .toSorted((a, b) => direction * compareText(a.name, b.name));
  const { items, info } = pageOf(accounts, query);
  return { result: items.map(accountResult), info };
}

function accountResult({ id, name, createdOn }: AccountState): unknown {
  return {
    id,
    name,
    type: "standard",
    created_on: createdOn,
    settings: { enforce_twofactor: false },
  };
}

function verifyToken({ token, now }: EndpointCall): EndpointAnswer {
  const status = statusOfToken(token, now);
  const message = "This API Token is valid and active";
  return {
    result: {
      id: token.id,
      status,
      expires_on: token.expiresOn ?? undefined,
      not_before: token.notBefore ?? undefined,
    },
    messages: status === "active" ? [{ code: wireCodes.authentication, message }] : [],
  };
}
