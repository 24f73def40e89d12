import { compareText } from "../../syntax/by-text.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { isPermitted, permissions, reachesZone, zoneIn } from "../http/access.ts";
import { type Answer, type Call, type Endpoint, shown } from "../http/endpoint.ts";
import { badQuery, pageOf, queryList, queryOneOf, queryText } from "../http/query.ts";
import type { TokenState, ZoneState } from "../state.ts";
import { type Store, idFrom } from "../store.ts";

const zoneStatuses = ["initializing", "pending", "active", "moved"] as const;
const zoneTypes = ["full", "partial", "secondary", "internal"];
const orders = ["name", "status", "account.id", "account.name", "plan.id"] as const;

/** What `name` and `account.name` can be compared with (SERVICE.md C.4). */
const comparisons = new Map<string, (text: string, wanted: string) => boolean>([
  ["equal", (text, wanted) => text.toLowerCase() === wanted.toLowerCase()],
  ["not_equal", (text, wanted) => text.toLowerCase() !== wanted.toLowerCase()],
  ["starts_with", (text, wanted) => text.toLowerCase().startsWith(wanted.toLowerCase())],
  ["ends_with", (text, wanted) => text.toLowerCase().endsWith(wanted.toLowerCase())],
  ["contains", (text, wanted) => text.toLowerCase().includes(wanted.toLowerCase())],
  ["starts_with_case_sensitive", (text, wanted) => text.startsWith(wanted)],
  ["ends_with_case_sensitive", (text, wanted) => text.endsWith(wanted)],
  ["contains_case_sensitive", (text, wanted) => text.includes(wanted)],
]);

/** The zone listing and single zones (SERVICE.md C.4). */
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

/** A credential that may not read a zone does not see it listed: no error (SERVICE.md C.4). */
function listed(call: Call): Answer {
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
  const { items, info } = pageOf(inOrder(zones, query, store), query, 5, 50, 20);
  return shown(
    items.map((zone) => zoneShown(store, call, zone)),
    info,
  );
}

interface Visible {
  readonly all: readonly ZoneState[];
  readonly withoutInternal: readonly ZoneState[];
}

/** Worked out once for each credential: nothing that a listing shows or filters ever changes in a running emulator. */
const visibleTo = new WeakMap<TokenState, Visible>();

/** The zones that a credential sees, of the types that the query wants; without a type, internal ones are left out. */
function visibleZones({ query, store, token }: Call): readonly ZoneState[] {
  const { all, withoutInternal } = visibleTo.get(token) ?? remembered(store, token);
  const types = queryList(query, "type");
  if (types === undefined) return withoutInternal;
  const isKnown = types.every((type) => zoneTypes.includes(type));
  if (isKnown) return all.filter(({ type }) => types.includes(type));
  throw badQuery("type", `must be a list of ${zoneTypes.join(", ")}`);
}

function remembered(store: Store, token: TokenState): Visible {
  const all = store.zones().filter((zone) => reachesZone(store, token, zone));
  const visible = { all, withoutInternal: all.filter(({ type }) => type !== "internal") };
  visibleTo.set(token, visible);
  return visible;
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

function comparisonIn(
  query: URLSearchParams,
  parameter: string,
): ((text: string) => boolean) | undefined {
  const value = queryText(query, parameter, 253);
  if (value === undefined) return undefined;
  const colon = value.indexOf(":");
  const compare = comparisons.get(value.slice(0, Math.max(colon, 0)));
  if (compare !== undefined) return (text) => compare(text, value.slice(colon + 1));
  return (text) => text.toLowerCase() === value.toLowerCase();
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
  return zones.toSorted((a, b) => sign * compareText(by(a), by(b)));
}

function accountName(store: Store, zone: ZoneState): string {
  return store.account(zone.accountId)?.name ?? "";
}

/** Zones as answers show them, made once: nothing in them ever changes. */
const shownZones = new WeakMap<ZoneState, JsonObject>();

function zoneShown(store: Store, { token }: Call, zone: ZoneState): JsonObject {
  const facts = shownZones.get(zone) ?? zoneFacts(store, zone);
  shownZones.set(zone, facts);
  const isWritable = isPermitted(token, permissions.zoneRulesetsWrite);
  return { ...facts, permissions: isWritable ? writablePermissions : readablePermissions };
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

function zoneFacts(store: Store, zone: ZoneState): JsonObject {
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
