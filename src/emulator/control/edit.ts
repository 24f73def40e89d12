import type { JsonObject } from "../../syntax/json.ts";
import { recordWrite } from "../audit/audited-write.ts";
import type { EmulatedService } from "../emulated-service.ts";
import type { Operation } from "../http/api-endpoint.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import { idOf } from "../http/handle-request.ts";
import { endpointsAt } from "../http/operations.ts";
import { policyMembers } from "../page-shield/policy-endpoints.ts";
import { settingMembers } from "../page-shield/settings-endpoints.ts";
import { parseTuning, tuningMembers, withTuning } from "../rulesets/managed-overrides.ts";
import { managedIds } from "../rulesets/managed.ts";
import { managedPhase, phases } from "../rulesets/phases.ts";
import { entryPointOf, executedRuleset } from "../rulesets/stored-ruleset.ts";
import { seededToken } from "../seed/seeded-parts.ts";
import type { EmulatedRule, EmulatedRuleset, EmulatedZone } from "../state.ts";
import { idFrom } from "../store.ts";

/** The request that the dashboard sends for an edit. */
interface EditRequest {
  readonly method: Operation["method"];
  /** Below the zone's path. */
  readonly path: string;
  readonly body?: JsonObject;
}

/** The person to whom an edit belongs that names nobody. */
const defaultActor = "dashboard@example.com";

/** A session of the dashboard may do everything. */
const session = seededToken({ name: "dashboard", value: "" });

/**
 * Changes a zone as somebody in the dashboard would, and records the change in the audit log as
 * that person's; what the service rejects is rejected here too. Gives what was edited.
 */
export async function editAsPerson(
  service: EmulatedService,
  zone: EmulatedZone,
  fields: FieldReader,
): Promise<unknown> {
  const { store, audit, protections } = service;
  const email = fields.text("actor") ?? defaultActor;
  const { method, body, ...request } = editRequest(zone, fields);
  const path = `/zones/${zone.id}${request.path}`;
  const route = endpointsAt(path).find(({ endpoint }) => endpoint.method === method);
  if (route === undefined) throw new Error(`the service has no ${method} ${path}`);
  const answer = route.endpoint.handle({
    store,
    audit,
    protections,
    token: session,
    dialect: "published",
    path,
    query: new URLSearchParams(),
    param: (name) => route.params[name] ?? "",
    body: () => body ?? {},
    staleMs: 0,
    analyticsFaults: {},
    takeQuery: () => true,
    now: store.now(),
  });
  if (answer.next !== undefined) await service.commit(answer.next);
  const id = idFrom(`user/${email}`);
  recordWrite(service, {
    owner: zone,
    actor: { id, type: "user", context: "dash", email, ip_address: "192.0.2.10" },
    credential: email,
    method,
    path,
    status: 200,
    ray: service.newRay(),
    userAgent: "Synthetic browser",
    resultId: idOf(answer),
    body,
  });
  return answer.result ?? { deleted: true };
}

function editRequest(zone: EmulatedZone, fields: FieldReader): EditRequest {
  fields.only(["zone", "actor", "settings", "policy", "rule", "ruleset", "set", "delete"]);
  const settings = fields.object("settings");
  if (settings !== undefined) {
    // The service ignores unknown members; here they are probably typing errors.
    settings.only(settingMembers);
    return { method: "PUT", path: "/page_shield", body: settings.body };
  }
  if (fields.body["policy"] !== undefined) return policyRequest(zone, fields);
  if (fields.body["rule"] !== undefined) return ruleRequest(zone, fields);
  if (fields.body["ruleset"] !== undefined) return rulesetRequest(zone, fields);
  throw fields.error("", "name what to edit: settings, policy, rule or ruleset");
}

function policyRequest({ policies }: EmulatedZone, fields: FieldReader): EditRequest {
  const collection = "/page_shield/policies";
  const name = fields.body["policy"];
  if (typeof name !== "string") {
    const added = fields.required("policy", fields.object("policy"));
    added.only(policyMembers);
    return { method: "POST", path: collection, body: added.body };
  }
  return itemRequest(`${collection}/${findNamed(policies, name, "policy").id}`, fields, (set) => {
    set.only(policyMembers);
    return { method: "PUT", body: set.body };
  });
}

/** A new rule goes to a ruleset, by default the managed rules; a named one is found in any. */
function ruleRequest(zone: EmulatedZone, fields: FieldReader): EditRequest {
  const name = fields.body["rule"];
  const place = fields.text("ruleset");
  if (typeof name !== "string") {
    const { body } = fields.required("rule", fields.object("rule"));
    return additionTo(zone, place ?? managedPhase, body);
  }
  const rulesets =
    place === undefined ? zone.rulesets.map(({ current }) => current) : [rulesetNamed(zone, place)];
  const rule = findNamed(
    rulesets.flatMap(({ rules }) => rules),
    name,
    "rule",
  );
  const owner = rulesets.find(({ rules }) => rules.includes(rule));
  return itemRequest(`/rulesets/${owner?.id ?? ""}/rules/${rule.id}`, fields, (set) => ({
    method: "PATCH",
    body: editedRule(rule, set),
  }));
}

/** The first rule of a phase makes its entry point. */
function additionTo(zone: EmulatedZone, place: string, body: JsonObject): EditRequest {
  const isFirst = phases.includes(place) && entryPointOf(zone, place) === undefined;
  if (isFirst) {
    const path = `/rulesets/phases/${place}/entrypoint`;
    return { method: "PUT", path, body: { rules: [body] } };
  }
  return { method: "POST", path: `/rulesets/${rulesetNamed(zone, place).id}/rules`, body };
}

function rulesetRequest(zone: EmulatedZone, fields: FieldReader): EditRequest {
  const name = fields.body["ruleset"];
  if (typeof name !== "string") {
    const { body } = fields.required("ruleset", fields.object("ruleset"));
    return { method: "POST", path: "/rulesets", body };
  }
  return itemRequest(`/rulesets/${rulesetNamed(zone, name).id}`, fields, ({ body }) => ({
    method: "PUT",
    body,
  }));
}

/** The request that deletes what is at `path`, or changes it. */
function itemRequest(
  path: string,
  fields: FieldReader,
  change: (set: FieldReader) => Omit<EditRequest, "path">,
): EditRequest {
  if (fields.boolean("delete") === true) return { method: "DELETE", path };
  return { path, ...change(fields.required("set", fields.object("set"))) };
}

/** The entry point of a phase, or a ruleset found by its id or name. */
function rulesetNamed(zone: EmulatedZone, name: string): EmulatedRuleset {
  const entryPoint = entryPointOf(zone, name)?.current;
  const all = zone.rulesets.map(({ current }) => current);
  return entryPoint ?? findNamed(all, name, "ruleset");
}

/** The complete body that a PATCH needs; the OWASP rule also takes the members of its tuning. */
function editedRule(
  { categories: _categories, logging, ...rest }: EmulatedRule,
  set: FieldReader,
): JsonObject {
  const before = { ...rest, ...(logging === undefined ? {} : { logging: { ...logging } }) };
  if (executedRuleset(rest) !== managedIds.owasp) return { ...before, ...set.body };
  const others = Object.entries(set.body).filter(([name]) => !tuningMembers.includes(name));
  const { overrides, ...parameters } = rest.action_parameters ?? {};
  return {
    ...before,
    action_parameters: { ...parameters, ...withTuning(overrides, parseTuning(set)) },
    ...Object.fromEntries(others),
  };
}

/** What can be edited by name. */
interface Item {
  readonly id: string;
  readonly description: string;
  readonly ref?: string;
  readonly name?: string;
}

function matching<T extends Item>(all: readonly T[], name: string): readonly T[] {
  const exact = all.filter((item) => item.id === name || namesOf(item).includes(name));
  if (exact.length > 0) return exact;
  return all.filter((item) =>
    namesOf(item).some((each) => each.toLowerCase().includes(name.toLowerCase())),
  );
}

/** Finds by id, ref, name or description, else by a part of one of the last three that only one has. */
function findNamed<T extends Item>(all: readonly T[], name: string, noun: string): T {
  const [match, ...more] = matching(all, name);
  if (match !== undefined && more.length === 0) return match;
  const found = match === undefined ? `no ${noun}` : `more than one ${noun}`;
  const names = all.map((item) => `"${namesOf(item)[0] ?? item.id}"`).join(", ");
  throw apiError(
    404,
    unpublishedCodes.itemNotFound,
    `"${name}" matches ${found}; there is ${names === "" ? "none" : names}`,
  );
}

/** The names of the policy or rule of a zone that a name, or a part of it, means; the name itself if there is none. */
export function namesIn({ policies, rulesets }: EmulatedZone, name: string): readonly string[] {
  const all: readonly Item[] = [...policies, ...rulesets.flatMap(({ current }) => current.rules)];
  if (matching(all, name).length === 0) return [name];
  const item = findNamed(all, name, "policy or rule");
  const names = namesOf(item);
  // An id would be another one when the item is made again.
  return [...(names.includes(name) ? [name] : []), ...names, item.id];
}

function namesOf({ description, ref = "", name = "" }: Item): readonly string[] {
  return [name, description, ref].filter((each) => each !== "");
}
