import { accountIn, permissions } from "../http/access.ts";
import {
  type EndpointAnswer,
  type EndpointCall,
  type CursorInfo,
  type Endpoint,
  endpoint,
} from "../http/api-endpoint.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import { badQuery, directionOf, pageAfter, queryInteger } from "../http/query.ts";
import { momentOf } from "../http/time.ts";
import type { WireAuditEntry } from "./audit-log.ts";

const collection = "/accounts/:account_id/logs/audit";
const { auditRead } = permissions;

/** The audit log of an account (SERVICE.md C.7). */
export const auditEndpoints: readonly Endpoint[] = [
  endpoint("GET", collection, "List audit log entries", auditRead, (call) =>
    pageAnswer(call, selectedEntries(entriesOf(call), call.query), {}),
  ),
  endpoint(
    "GET",
    `${collection}/product_categories`,
    "List the product categories of the audit log",
    auditRead,
    (call) => {
      accountIn(call);
      const result = [...productCategories].map(([value, products]) => ({
        value,
        label: labelOf(value),
        products: products.map((product) => ({ value: product, label: labelOf(product) })),
      }));
      return { result };
    },
  ),
  endpoint(
    "GET",
    `${collection}/:audit_log_id/history`,
    "List earlier entries of the same resource",
    auditRead,
    historyOf,
  ),
];

function historyOf(call: EndpointCall): EndpointAnswer {
  const { query } = call;
  const all = entriesOf(call);
  const at = momentIn(query, "action_time");
  const id = call.param("audit_log_id");
  const source = all.find((each) => each.id === id && Date.parse(each.action.time) === at);
  if (source === undefined) {
    const message = "there is no audit log entry of this id and action_time";
    throw apiError(404, unpublishedCodes.itemNotFound, message);
  }
  const selected = selectedEntries(all, query);
  const place = placeOf(source);
  if (place !== undefined) {
    const same = selected.filter((each) => placeOf(each) === place);
    return pageAnswer(call, same, { history_status: "exact" });
  }
  const { id: resourceId } = source.resource;
  const history_status = resourceId === undefined ? "unavailable" : "approximate";
  const same = selected.filter(
    ({ resource }) => resourceId !== undefined && resource.id === resourceId,
  );
  return pageAnswer(call, same, { history_status });
}

/** The path of the resource itself: what is created is named by the response only. */
function placeOf({ raw, resource, action }: WireAuditEntry): string | undefined {
  if (raw === undefined || resource.id === undefined) return undefined;
  return action.type === "create" ? `${raw.uri}/${resource.id}` : raw.uri;
}

function entriesOf(call: EndpointCall): readonly WireAuditEntry[] {
  return call.audit.of(accountIn(call).id, call.now);
}

/**
 * The page that `cursor`, `limit` and `direction` select. The documentation has the cursor in
 * `result_info` and its count as a string; the official client reads `cursors.after`.
 */
function pageAnswer(
  { query, dialect }: EndpointCall,
  selected: readonly WireAuditEntry[],
  more: Pick<CursorInfo, "history_status">,
): EndpointAnswer {
  const limit = queryInteger(query, "limit", 1, maxLimit) ?? defaultLimit;
  const ordered = directionOf(query, "desc") === 1 ? selected : selected.toReversed();
  const { items, after } = pageAfter(ordered, query, limit, cursorText);
  const count = items.length;
  if (dialect === "specification") {
    return { result: items, info: { ...more, count: `${count}`, cursor: after ?? "" } };
  }
  const cursors = after === undefined ? {} : { cursors: { after } };
  return { result: items, info: { ...more, count, ...cursors } };
}

function cursorText({ id, action }: WireAuditEntry): string {
  return `${action.time} ${id}`;
}

function labelOf(name: string): string {
  const text = name.replaceAll("_", " ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Filters of the list; each also excludes, as `zone_id.not` (SERVICE.md C.7). */
const filters: Readonly<Record<string, (entry: WireAuditEntry) => string | undefined>> = {
  id: ({ id }) => id,
  audit_log_id: ({ id }) => id,
  account_name: ({ account }) => account.name,
  action_result: ({ action }) => action.result,
  action_type: ({ action }) => action.type,
  actor_context: ({ actor }) => actor.context,
  actor_email: ({ actor }) => actor.email,
  actor_id: ({ actor }) => actor.id,
  actor_ip_address: ({ actor }) => actor.ip_address,
  actor_token_id: ({ actor }) => actor.token_id,
  actor_token_name: ({ actor }) => actor.token_name,
  actor_type: ({ actor }) => actor.type,
  raw_cf_ray_id: ({ raw }) => raw?.cf_ray_id,
  raw_method: ({ raw }) => raw?.method,
  raw_status_code: ({ raw }) => raw?.status_code.toString(),
  raw_uri: ({ raw }) => raw?.uri,
  resource_id: ({ resource }) => resource.id,
  resource_product: ({ resource }) => resource.product,
  resource_scope: ({ resource }) => resource.scope,
  resource_type: ({ resource }) => resource.type,
  zone_id: ({ zone }) => zone?.id,
  zone_name: ({ zone }) => zone?.name,
};

/**
 * Product categories with the products that they stand for; the service's own are not published.
 */
const productCategories: ReadonlyMap<string, readonly string[]> = new Map([
  ["client_side_security", ["page_shield"]],
  ["application_security", ["page_shield", "rulesets"]],
  ["rules", ["rulesets"]],
]);

/** The default and the limit of `limit`. */
const defaultLimit = 100;
const maxLimit = 1_000;

/** The entries that a query's window and filters select, oldest first. */
function selectedEntries(
  all: readonly WireAuditEntry[],
  query: URLSearchParams,
): readonly WireAuditEntry[] {
  const since = momentIn(query, "since");
  const before = momentIn(query, "before");
  const isSelected = filterOf(query);
  return all.filter((entry) => {
    const at = Date.parse(entry.action.time);
    // `since` is inclusive (SERVICE.md C.7).
    return at >= since && at < before && isSelected(entry);
  });
}

/** A required date or time, in milliseconds since 1970. */
function momentIn(query: URLSearchParams, name: string): number {
  const moment = momentOf(query.get(name) ?? "");
  if (!Number.isNaN(moment)) return moment;
  throw badQuery(name, "is required: a date such as 2026-11-20, or an RFC 3339 time");
}

function filterOf(query: URLSearchParams): (entry: WireAuditEntry) => boolean {
  const tests = Object.entries(filters)
    .map(([name, valueOf]) => ({
      valueOf,
      wanted: query.getAll(name),
      unwanted: query.getAll(`${name}.not`),
    }))
    .filter(({ wanted, unwanted }) => wanted.length + unwanted.length > 0);
  const products = productsIn(query);
  return (entry) =>
    (products === undefined || products.has(entry.resource.product)) &&
    tests.every(({ valueOf, wanted, unwanted }) => {
      const value = valueOf(entry) ?? "";
      return (wanted.length === 0 || wanted.includes(value)) && !unwanted.includes(value);
    });
}

function productsIn(query: URLSearchParams): ReadonlySet<string> | undefined {
  const names = query.getAll("product_category");
  if (names.length === 0) return undefined;
  return new Set(
    names.flatMap((name) => {
      const products = productCategories.get(name);
      if (products !== undefined) return products;
      throw badQuery(
        "product_category",
        `must be one of ${[...productCategories.keys()].join(", ")}`,
      );
    }),
  );
}
