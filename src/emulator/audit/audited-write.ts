import { isJsonObject, type JsonObject, parseJson } from "../../syntax/json.ts";
import type { EmulatedService } from "../emulated-service.ts";
import type { HandledRequest, RoutedRequest } from "../http/handle-request.ts";
import type { AccountState, Owner } from "../state.ts";
import type { WireAuditActor, WireAuditEntry } from "./audit-log.ts";

/** A write as the audit log sees it. */
interface EmulatedWrite {
  readonly owner: Owner;
  readonly actor: WireAuditActor;
  /** The token's name, or the person's e-mail address. */
  readonly credential: string;
  readonly method: string;
  /** Below the base path, without its query. */
  readonly path: string;
  readonly status: number;
  readonly ray: string;
  readonly userAgent: string;
  /** Id of the result; of a refusal there is none. */
  readonly resultId: string | undefined;
  /** Body of the request; `undefined` without one. */
  readonly body: JsonObject | undefined;
}

/** Longer bodies are not kept: the log has many entries. */
const maxBodyLength = 8_192;

/** Statuses of writes that the service refused after it had accepted the credential. */
const rejections = [400, 404];

/** A request of a token, as it came over the wire. */
interface AuditedRequest extends RoutedRequest {
  readonly method: string;
  readonly userAgent: string;
  readonly ray: string;
}

/**
 * Records the request of a credential in the audit log, if the log has such requests: reads, dry
 * runs and what was not authorized are not in it. Gives the id of the entry.
 */
export function recordRequest(
  service: EmulatedService,
  request: AuditedRequest,
  { reply: { status }, resultId }: HandledRequest,
): string | undefined {
  const { method, token, query, param } = request;
  if (method === "GET" || query.get("dry_run") === "true") return undefined;
  const { store } = service;
  const owner = store.zone(param("zone_id")) ?? store.account(param("account_id"));
  if (token === undefined || owner === undefined) return undefined;
  if (status >= 300 && !rejections.includes(status)) return undefined;
  const { id, name } = token;
  const actor = {
    type: "account",
    context: "api_token",
    ip_address: "192.0.2.20",
    token_id: id,
    token_name: name,
  } as const;
  const body = bodyOfRequest(request.body);
  return recordWrite(service, {
    ...request,
    owner,
    actor,
    credential: name,
    status,
    resultId,
    body,
  });
}

/** Records a write in the audit log of its account; gives the id of the entry. */
export function recordWrite(
  { audit, store, faults }: EmulatedService,
  { owner, actor, credential, method, path, status, ...write }: EmulatedWrite,
): string {
  const { noun, ...resource } = resourceOf(owner, path, write.resultId);
  const type = actionTypes[method] ?? "update";
  const account = owner.level === "account" ? owner : store.account(owner.accountId);
  const raw = {
    cf_ray_id: write.ray,
    method,
    status_code: status,
    uri: path,
    user_agent: write.userAgent,
  };
  const entry = {
    account: { id: account?.id ?? "", name: account?.name ?? "" },
    action: {
      description: `${type} ${noun}`,
      result: status < 300 ? "success" : "failure",
      // With milliseconds (SERVICE.md C.7).
      time: store.now().toISOString(),
      type,
    },
    actor,
    raw,
    resource: { ...resource, ...(write.body === undefined ? {} : { request: write.body }) },
    ...(owner.level === "zone" ? { zone: { id: owner.id, name: owner.name } } : {}),
  } as const;
  return audit.add(entry, store.now(), faults.auditEffectsOn({ method, path, credential }));
}

/** Records that the service moved a managed ruleset to another version, as it does by itself. */
export function recordManagedMove(
  { audit, store }: EmulatedService,
  account: AccountState,
  rulesetId: string,
): void {
  const now = store.now();
  const entry = {
    account: { id: account.id, name: account.name },
    action: {
      description: "update managed ruleset",
      result: "success",
      time: now.toISOString(),
      type: "update",
    },
    actor: { type: "system" },
    resource: { id: rulesetId, product: "rulesets", type: "managed_ruleset", scope: "accounts" },
  } as const;
  audit.add(entry, now);
}

/** The object that a request sent; `undefined` if it sent none. */
function bodyOfRequest(text: string): JsonObject | undefined {
  if (text === "" || text.length > maxBodyLength) return undefined;
  const body = parseJson(text);
  return isJsonObject(body) ? body : undefined;
}

const actionTypes: Readonly<Record<string, WireAuditEntry["action"]["type"]>> = {
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

/** Products and types are not published (SERVICE.md C.7): clients must go by path and zone. */
function resourceOf(
  owner: Owner,
  path: string,
  resultId: string | undefined,
): WireAuditEntry["resource"] & { readonly noun: string } {
  const scope = owner.level === "zone" ? "zones" : "accounts";
  const [, , , area, kind, id, ruleId] = path.split("/");
  if (area === "page_shield") {
    const type = kind === undefined ? "settings" : "policy";
    const own = kind === undefined ? owner.id : (id ?? resultId);
    return withId(own, { noun: type, product: "page_shield", type, scope });
  }
  const isRule = id === "rules" && ruleId !== undefined;
  const ownId = kind === "phases" ? resultId : (kind ?? resultId);
  const type = isRule ? "rule" : "ruleset";
  return withId(isRule ? ruleId : ownId, { noun: type, product: "rulesets", type, scope });
}

function withId<T extends object>(
  id: string | undefined,
  resource: T,
): T & { readonly id?: string } {
  return id === undefined ? resource : { ...resource, id };
}
