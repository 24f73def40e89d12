import { accountIn, permissions } from "../http/access.ts";
import {
  type EndpointAnswer,
  type EndpointCall,
  type CursorInfo,
  type Endpoint,
  endpoint,
  found,
} from "../http/api-endpoint.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import type { WireAuditEntry } from "./audit-log.ts";
import { auditPage, momentIn, productCategories, selectedEntries } from "./audit-query.ts";

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
      return found(
        [...productCategories].map(([value, products]) => ({
          value,
          label: labelOf(value),
          products: products.map((product) => ({ value: product, label: labelOf(product) })),
        })),
      );
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
 * The documentation has the cursor in `result_info` and its count as a string; the official client
 * reads `cursors.after`.
 */
function pageAnswer(
  { query, dialect }: EndpointCall,
  selected: readonly WireAuditEntry[],
  more: Pick<CursorInfo, "history_status">,
): EndpointAnswer {
  const { entries, cursor } = auditPage(selected, query);
  if (dialect === "specification") {
    return found(entries, { ...more, count: `${entries.length}`, cursor: cursor ?? "" });
  }
  const cursors = cursor === undefined ? {} : { cursors: { after: cursor } };
  return found(entries, { ...more, count: entries.length, ...cursors });
}

function labelOf(name: string): string {
  const text = name.replaceAll("_", " ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
