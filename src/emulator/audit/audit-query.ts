import { badQuery, directionOf, queryInteger } from "../http/query.ts";
import type { WireAuditEntry } from "./audit-log.ts";

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
export const productCategories: ReadonlyMap<string, readonly string[]> = new Map([
  ["client_side_security", ["page_shield"]],
  ["application_security", ["page_shield", "rulesets"]],
  ["rules", ["rulesets"]],
]);

/** The default and the limit of `limit`. */
const defaultLimit = 100;
const maxLimit = 1_000;

/** A page of entries, and where the next begins; `undefined` after the last. */
interface AuditPage {
  readonly entries: readonly WireAuditEntry[];
  readonly cursor: string | undefined;
}

/** The entries that a query's window and filters select, oldest first. */
export function selectedEntries(
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

/** The page that `cursor`, `limit` and `direction` select. */
export function auditPage(selected: readonly WireAuditEntry[], query: URLSearchParams): AuditPage {
  const limit = queryInteger(query, "limit", 1, maxLimit) ?? defaultLimit;
  const ordered = directionOf(query, "desc") === 1 ? selected : selected.toReversed();
  const cursor = query.get("cursor") ?? "";
  const start = cursor === "" ? 0 : ordered.findLastIndex((each) => cursorOf(each) === cursor) + 1;
  if (cursor !== "" && start === 0) throw badQuery("cursor", "must be one that an answer gave");
  const entries = ordered.slice(start, start + limit);
  const last = entries.at(-1);
  const hasMore = last !== undefined && start + entries.length < ordered.length;
  return { entries, cursor: hasMore ? cursorOf(last) : undefined };
}

/** Milliseconds since 1970 of a required date or time; a date begins at midnight UTC. */
export function momentIn(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  const isValid =
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(text) &&
    !Number.isNaN(Date.parse(text));
  if (isValid) return Date.parse(text);
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

function cursorOf({ id, action }: WireAuditEntry): string {
  return Buffer.from(`${action.time} ${id}`).toString("base64url");
}
