import { isPermitted, permissions, reachesZone, zoneIn } from "./access.ts";
import { shown } from "./endpoint.ts";
import type { Answer, Call, Endpoint } from "./endpoint.ts";
import { pageOf } from "./paging.ts";
import { badQuery, queryList, queryOneOf, queryText } from "./query.ts";
import type { ZoneState } from "./state.ts";
import { idFrom } from "./store.ts";
import type { Store } from "./store.ts";

const zoneStatuses = ["initializing", "pending", "active", "moved"] as const;
const zoneTypes = ["full", "partial", "secondary", "internal"];
const orders = ["name", "status", "account.id", "account.name", "plan.id"] as const;

/** What `name` and `account.name` can be compared with (api-facts C.4). */
const comparisons: Readonly<Record<string, (text: string, wanted: string) => boolean>> = {
  equal: (text, wanted) => text.toLowerCase() === wanted.toLowerCase(),
  not_equal: (text, wanted) => text.toLowerCase() !== wanted.toLowerCase(),
  starts_with: (text, wanted) => text.toLowerCase().startsWith(wanted.toLowerCase()),
  ends_with: (text, wanted) => text.toLowerCase().endsWith(wanted.toLowerCase()),
  contains: (text, wanted) => text.toLowerCase().includes(wanted.toLowerCase()),
  starts_with_case_sensitive: (text, wanted) => text.startsWith(wanted),
  ends_with_case_sensitive: (text, wanted) => text.endsWith(wanted),
  contains_case_sensitive: (text, wanted) => text.includes(wanted),
};

/** The zone listing and single zones (api-facts C.4). */
export const zoneEndpoints: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/zones",
    summary: "List zones",
    permissions: permissions.zoneRead,
    dryRun: false,
    handle: listed,
  },
  {
    method: "GET",
    path: "/zones/:zone_id",
    summary: "Get a zone",
    permissions: permissions.zoneRead,
    dryRun: false,
    handle: (call) => shown(zoneShown(call.store, call, zoneIn(call))),
  },
];

/** A credential that may not read a zone does not see it listed: no error (api-facts C.4). */
function listed(call: Call): Answer {
  const { query, store, token } = call;
  const filters = zoneFilters(query, store);
  const anyOf = queryOneOf(query, "match", ["any", "all"]) === "any" && filters.length > 0;
  const internal = typeFilter(query);
  const zones = store
    .zones()
    .filter(
      (zone) =>
        internal(zone) &&
        (anyOf
          ? filters.some((filter) => filter(zone))
          : filters.every((filter) => filter(zone))) &&
        reachesZone(store, token, zone),
    );
  const { items, info } = pageOf(inOrder(zones, query, store), query, 5, 50, 20);
  return shown(
    items.map((zone) => zoneShown(store, call, zone)),
    info,
  );
}

type Filter = (zone: ZoneState) => boolean;

function zoneFilters(query: URLSearchParams, store: Store): readonly Filter[] {
  const name = comparisonIn(query, "name");
  const account = comparisonIn(query, "account.name");
  const accountId = query.get("account.id");
  const status = queryOneOf(query, "status", zoneStatuses);
  return [
    ...(name === undefined ? [] : [(zone: ZoneState) => name(zone.name)]),
    ...(account === undefined ? [] : [(zone: ZoneState) => account(accountName(store, zone))]),
    ...(accountId === null ? [] : [(zone: ZoneState) => zone.accountId === accountId]),
    ...(status === undefined ? [] : [(zone: ZoneState) => zone.status === status]),
  ];
}

/** Without a type, internal zones are left out. */
function typeFilter(query: URLSearchParams): Filter {
  const types = queryList(query, "type");
  if (types === undefined) return (zone) => zone.type !== "internal";
  if (types.every((type) => zoneTypes.includes(type))) return (zone) => types.includes(zone.type);
  throw badQuery("type", `must be a list of ${zoneTypes.join(", ")}`);
}

function comparisonIn(
  query: URLSearchParams,
  parameter: string,
): ((text: string) => boolean) | undefined {
  const value = queryText(query, parameter, 253);
  if (value === undefined) return undefined;
  const colon = value.indexOf(":");
  const compare = comparisons[value.slice(0, Math.max(colon, 0))];
  const equal = comparisons["equal"];
  if (compare !== undefined) return (text) => compare(text, value.slice(colon + 1));
  return (text) => equal?.(text, value) === true;
}

function inOrder(
  zones: readonly ZoneState[],
  query: URLSearchParams,
  store: Store,
): readonly ZoneState[] {
  const order = queryOneOf(query, "order", orders);
  const sign = queryOneOf(query, "direction", ["asc", "desc"]) === "desc" ? -1 : 1;
  // The store keeps its zones in the order of their names.
  if (order === undefined || order === "name") return sign === 1 ? zones : zones.toReversed();
  const by = {
    status: (zone: ZoneState) => zone.status,
    "account.id": (zone: ZoneState) => zone.accountId,
    "account.name": (zone: ZoneState) => accountName(store, zone),
    "plan.id": (zone: ZoneState) => zone.plan,
  }[order];
  return zones.toSorted((a, b) => sign * (by(a) < by(b) ? -1 : Number(by(a) > by(b))));
}

function accountName(store: Store, zone: ZoneState): string {
  return store.account(zone.accountId)?.name ?? "";
}

function zoneShown(store: Store, { token }: Call, zone: ZoneState): unknown {
  const account = { id: zone.accountId, name: accountName(store, zone) };
  const writable = isPermitted(token, permissions.zoneRulesetsWrite);
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
    meta: {
      step: 4,
      custom_certificate_quota: 0,
      page_rule_quota: 3,
      phishing_detected: false,
      cdn_only: false,
      dns_only: false,
      foundation_dns: false,
    },
    owner: { ...account, type: "organization" },
    account,
    permissions: ["#zone:read", "#waf:read", ...(writable ? ["#waf:edit"] : [])],
    plan: { id: idFrom(`plan/${zone.plan}`), name: zone.plan, legacy_id: zone.plan },
  };
}
