import type { RoutedRequest } from "../http/handle-request.ts";
import type { Exchange, Reply } from "../http/reply.ts";
import { bodyOfRequest, idInReply, recordWrite, tokenActor } from "./audited-write.ts";

/** Statuses of writes that the service refused after it had accepted the credential. */
const rejections = [400, 404];

/**
 * Records the request of a credential in the audit log, if the log has such requests: reads, dry
 * runs and what was not authorized are not in it. Gives the id of the entry.
 */
export function recordRequest(
  { service, context, ray }: Exchange,
  request: RoutedRequest & { readonly method: string },
  reply: Reply,
): string | undefined {
  const { method, path, token, query, param } = request;
  const { status } = reply;
  const { store, faults } = service;
  const owner = store.zone(param("zone_id")) ?? store.account(param("account_id"));
  if (method === "GET" || query.get("dry_run") === "true") return undefined;
  if (token === undefined || owner === undefined) return undefined;
  if (status >= 300 && !rejections.includes(status)) return undefined;
  return recordWrite(
    service,
    {
      owner,
      actor: tokenActor(token),
      method,
      path,
      status,
      ray,
      userAgent: context.req.header("user-agent") ?? "",
      created: status < 300 ? idInReply(reply.text) : undefined,
      body: bodyOfRequest(request.body),
    },
    faults.auditEffectsOn({ method, path, credential: token.name }),
  );
}
