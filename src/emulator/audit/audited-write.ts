import { coerceObject, isJsonObject, type JsonObject, parseJson } from "../../syntax/json.ts";
import type { EmulatedService } from "../emulated-service.ts";
import type { AccountState, Owner, TokenState } from "../state.ts";
import type { WireAuditActor, AuditEffects, WireAuditEntry } from "./audit-log.ts";

/** A write as the audit log sees it. */
export interface EmulatedWrite {
  readonly owner: Owner;
  readonly actor: WireAuditActor;
  readonly method: string;
  /** Below the base path, without its query. */
  readonly path: string;
  readonly status: number;
  readonly ray: string;
  readonly userAgent: string;
  /** Id of what was created; `undefined` if the path names it. */
  readonly created: string | undefined;
  /** Body of the request; `undefined` without one. */
  readonly body: JsonObject | undefined;
}

/** Longer bodies are not kept: the log has many entries. */
const maxBodyLength = 8_192;

/** Records a write in the audit log of its account; gives the id of the entry. */
export function recordWrite(
  { audit, store }: EmulatedService,
  write: EmulatedWrite,
  effects: AuditEffects,
): string {
  const { owner, actor, method, path, status } = write;
  const { noun, ...resource } = resourceOf(owner, path, write.created);
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
      time: timeOf(store.now()),
      type,
    },
    actor,
    raw,
    resource: { ...resource, ...requestOf(write.body) },
    ...(owner.level === "zone" ? { zone: { id: owner.id, name: owner.name } } : {}),
  } as const;
  return audit.add(entry, store.now(), effects);
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
      time: timeOf(now),
      type: "update",
    },
    actor: { type: "system" },
    resource: { id: rulesetId, product: "rulesets", type: "managed_ruleset", scope: "accounts" },
  } as const;
  audit.add(entry, now);
}

/** A person who works in the dashboard. */
export function dashboardUser(email: string, id: string): WireAuditActor {
  return { id, type: "user", context: "dash", email, ip_address: "192.0.2.10" };
}

/** An API token. */
export function tokenActor({ id, name }: TokenState): WireAuditActor {
  return {
    type: "account",
    context: "api_token",
    ip_address: "192.0.2.20",
    token_id: id,
    token_name: name,
  };
}

/** The id in the result of a response; `undefined` without one. */
export function idInReply(text: string | undefined): string | undefined {
  const body: unknown = text === undefined ? undefined : JSON.parse(text);
  const { id } = coerceObject(coerceObject(body)["result"]);
  return typeof id === "string" ? id : undefined;
}

/** The object that a request sent; `undefined` if it sent none. */
export function bodyOfRequest(text: string): JsonObject | undefined {
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
  created: string | undefined,
): WireAuditEntry["resource"] & { readonly noun: string } {
  const scope = owner.level === "zone" ? "zones" : "accounts";
  const [, , , area, kind, id, ruleId] = path.split("/");
  if (area === "page_shield" && kind === undefined) {
    return withId(owner.id, { noun: "settings", product: "page_shield", type: "settings", scope });
  }
  if (area === "page_shield") {
    const policy = { noun: "policy", product: "page_shield", type: "policy", scope } as const;
    return withId(id ?? created, policy);
  }
  const isRule = id === "rules" && ruleId !== undefined;
  const ownId = kind === "phases" ? created : (kind ?? created);
  const type = isRule ? "rule" : "ruleset";
  return withId(isRule ? ruleId : ownId, { noun: type, product: "rulesets", type, scope });
}

function requestOf(body: JsonObject | undefined): Pick<WireAuditEntry["resource"], "request"> {
  if (body === undefined || JSON.stringify(body).length > maxBodyLength) return {};
  return { request: body };
}

function withId<T extends object>(
  id: string | undefined,
  resource: T,
): T & { readonly id?: string } {
  return id === undefined ? resource : { ...resource, id };
}

/** Times of the audit log have milliseconds (SERVICE.md C.7). */
function timeOf(now: Date): string {
  return now.toISOString();
}
