import { wireCodes } from "../../api/wire.ts";
import { compareText } from "../../syntax/by-text.ts";
import type { JsonObject } from "../../syntax/json.ts";
import {
  accountIn,
  isPermitted,
  permissions,
  reachesAccount,
  reachesZone,
  statusOfToken,
  zoneIn,
} from "../http/access.ts";
import {
  type EndpointAnswer,
  type EndpointCall,
  type Endpoint,
  endpoint,
} from "../http/api-endpoint.ts";
import { badQuery, directionOf, pageOf, queryList, queryOneOf, queryText } from "../http/query.ts";
import type { AccountState, TokenState, EmulatedZone } from "../state.ts";
import { type Store, idFrom } from "../store.ts";

const zoneStatuses = ["initializing", "pending", "active", "moved"] as const;
const zoneTypes = ["full", "partial", "secondary", "internal"];
const orders = ["name", "status", "account.id", "account.name", "plan.id"] as const;

/** How a text is compared by the `name` and `account.name` filters (SERVICE.md C.4). */
const comparisons = new Map<string, (text: string, wanted: string) => boolean>([
  ["equal", (text, wanted) => text === wanted],
  ["not_equal", (text, wanted) => text !== wanted],
  ["starts_with", (text, wanted) => text.startsWith(wanted)],
  ["ends_with", (text, wanted) => text.endsWith(wanted)],
  ["contains", (text, wanted) => text.includes(wanted)],
]);

/** The end of an operator that tells capitals apart. */
const caseSensitive = "_case_sensitive";

/** The zone listing and single zones (SERVICE.md C.4). */
export const zoneEndpoints: readonly Endpoint[] = [
  endpoint("GET", "/zones", "List zones", permissions.zoneRead, listZones),
  endpoint("GET", "/zones/:zone_id", "Get a zone", permissions.zoneRead, (call) => ({
    result: zoneResult(call, zoneIn(call)),
  })),
];

/** Zones out of a credential's scope are left out: no error (SERVICE.md C.4). */
function listZones(call: EndpointCall): EndpointAnswer {
  const { query, store } = call;
  const visible = visibleZones(call);
  const filters = zoneFilters(query, store);
  const anyOf = queryOneOf(query, "match", ["any", "all"]) === "any";
  const zones =
    filters.length === 0
      ? visible
      : visible.filter((zone) =>
          anyOf ? filters.some((filter) => filter(zone)) : filters.every((filter) => filter(zone)),
        );
  const { items, info } = pageOf(inOrder(zones, query, store), query);
  return { result: items.map((zone) => zoneResult(call, zone)), info };
}

/**
 * Cached for each credential: what a listing returns or filters by never changes in a running
 * emulator.
 */
const visibleTo = new WeakMap<TokenState, readonly EmulatedZone[]>();

/**
 * The zones that a credential can see, of the types in the query; without a type, internal ones are
 * left out.
 */
function visibleZones({ query, store, token }: EndpointCall): readonly EmulatedZone[] {
  const visible =
    visibleTo.get(token) ?? store.zones().filter((zone) => reachesZone(store, token, zone));
  visibleTo.set(token, visible);
  const types = queryList(query, "type");
  if (types === undefined) return visible.filter(({ type }) => type !== "internal");
  const isKnown = types.every((type) => zoneTypes.includes(type));
  if (isKnown) return visible.filter(({ type }) => types.includes(type));
  throw badQuery("type", `must be a list of ${zoneTypes.join(", ")}`);
}

type Filter = (zone: EmulatedZone) => boolean;

function zoneFilters(query: URLSearchParams, store: Store): readonly Filter[] {
  const name = textFilter(query, "name");
  const account = textFilter(query, "account.name");
  const accountId = query.get("account.id");
  const status = queryOneOf(query, "status", zoneStatuses);
  const filters: readonly (Filter | false | undefined)[] = [
    name && ((zone) => name(zone.name)),
    account && ((zone) => account(accountName(store, zone))),
    accountId !== null && ((zone) => zone.accountId === accountId),
    status && ((zone) => zone.status === status),
  ];
  return filters.filter((filter) => typeof filter === "function");
}

function textFilter(
  query: URLSearchParams,
  parameter: string,
): ((text: string) => boolean) | undefined {
  const value = queryText(query, parameter, 253);
  if (value === undefined) return undefined;
  const [, operator = "", operand = ""] = /^(\w+):(.*)$/s.exec(value) ?? [];
  const compare = comparisons.get(operator.replace(caseSensitive, ""));
  if (compare === undefined) return (text) => text.toLowerCase() === value.toLowerCase();
  if (operator.endsWith(caseSensitive)) return (text) => compare(text, operand);
  return (text) => compare(text.toLowerCase(), operand.toLowerCase());
}

function inOrder(
  zones: readonly EmulatedZone[],
  query: URLSearchParams,
  store: Store,
): readonly EmulatedZone[] {
  const order = queryOneOf(query, "order", orders);
  const direction = directionOf(query);
  // The store returns its zones ordered by name.
  if (order === undefined || order === "name") return direction === 1 ? zones : zones.toReversed();
  const by = {
    status: (zone: EmulatedZone) => zone.status,
    "account.id": (zone: EmulatedZone) => zone.accountId,
    "account.name": (zone: EmulatedZone) => accountName(store, zone),
    "plan.id": (zone: EmulatedZone) => zone.plan,
  }[order];
  return zones.toSorted((a, b) => direction * compareText(by(a), by(b)));
}

function accountName(store: Store, zone: EmulatedZone): string {
  return store.account(zone.accountId)?.name ?? "";
}

/** Results without permissions, cached because nothing in them ever changes. */
const cachedResults = new WeakMap<EmulatedZone, JsonObject>();

function zoneResult({ store, token }: EndpointCall, zone: EmulatedZone): JsonObject {
  const result = cachedResults.get(zone) ?? zoneMembers(store, zone);
  cachedResults.set(zone, result);
  const isWritable = isPermitted(token, permissions.zoneRulesetsWrite);
  return { ...result, permissions: isWritable ? writablePermissions : readablePermissions };
}

const readablePermissions = ["#zone:read", "#waf:read"];
const writablePermissions = [...readablePermissions, "#waf:edit"];
const zoneMeta = {
  step: 4,
  custom_certificate_quota: 0,
  page_rule_quota: 3,
  phishing_detected: false,
  cdn_only: false,
  dns_only: false,
  foundation_dns: false,
};

function zoneMembers(store: Store, zone: EmulatedZone): JsonObject {
  const account = { id: zone.accountId, name: accountName(store, zone) };
  return {
    id: zone.id,
    name: zone.name,
    status: zone.status,
    paused: zone.paused,
    type: zone.type,
    development_mode: 0,
    name_servers: ["ns1.synthetic.example", "ns2.synthetic.example"],
    original_name_servers: null,
    original_registrar: null,
    original_dnshost: null,
    created_on: zone.createdOn,
    modified_on: zone.createdOn,
    activated_on: zone.status === "active" ? zone.createdOn : null,
    meta: zoneMeta,
    owner: { ...account, type: "organization" },
    account,
    plan: { id: idFrom(`plan/${zone.plan}`), name: zone.plan, legacy_id: zone.plan },
  };
}

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
