import type { Context } from "hono";

import { isJsonObject, type JsonObject, parseJson } from "../../syntax/json.ts";
import { isSameOrigin } from "../../syntax/request-origin.ts";
import type { EmulatedService } from "../emulated-service.ts";
import { ApiError, apiError, unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import { operations } from "../http/operations.ts";
import type { Router } from "../http/reply.ts";
import { isTime, parseDuration } from "../http/time.ts";
import { withReports } from "../page-shield/items.ts";
import { effectiveRules } from "../rulesets/managed-overrides.ts";
import { managedRulesetId, managedRulesets } from "../rulesets/managed.ts";
import { executedRuleset } from "../rulesets/stored-ruleset.ts";
import type { InventoryItem, EmulatedZone } from "../state.ts";
import { editAsPerson, moveManaged } from "./audited-edits.ts";
import { loadScript } from "./browser-scripts.ts";
import { faultKinds } from "./faults.ts";

const prefix = "/_emulator";

const help = `zonewarden's emulator: everything in it is synthetic.

  GET    /_emulator/operations    the supported operations of the service
  GET    /_emulator/journal       requests to the service, oldest first (?since=NUMBER, ?method=PUT)
  DELETE /_emulator/journal       clear the journal
  POST   /_emulator/reset         return to the seed
  GET    /_emulator/clock         the emulator's time
  POST   /_emulator/clock         {"advance":"8d"} or {"now":"2027-01-01T00:00:00Z"}
  POST   /_emulator/edit          change something as in the dashboard:
           {"zone":"shop.example.com","settings":{"enabled":false}}
           {"zone":"shop.example.com","policy":"Scripts of the checkout","set":{"action":"log"}}
           {"zone":"shop.example.com","policy":"Scripts of the checkout","delete":true}
           {"zone":"shop.example.com","policy":{"description":"By hand","action":"log","expression":"true","enabled":true,"value":"script-src 'self'"}}
           {"zone":"shop.example.com","rule":"OWASP","set":{"paranoia_level":1,"score_threshold":60,"action":"log"}}
           {"zone":"shop.example.com","rule":"OWASP","delete":true}
           {"zone":"shop.example.com","settings":{"enabled":false},"actor":"alice@example.com"}: who the audit log names
         policies and rules are found by id, ref or description, or by a unique part of ref or description
  POST   /_emulator/managed       {"ruleset":"owasp","version":"88"}: the service moves a managed ruleset
  POST   /_emulator/report        {"zone":"shop.example.com","url":"https://cdn.example.com/app.js","times":3}: browsers reported it again
  POST   /_emulator/script        browsers load a script: it appears, with pages and content, or changes; score is that of its content
           {"zone":"shop.example.com","url":"https://pay.example.net/v3/pay.js","pages":["https://shop.example.com/checkout/pay"],"content":"version 2","score":90}
           {"zone":"shop.example.com","url":"https://pay.example.net/v3/pay.js","vanish":true}
  GET    /_emulator/effective     ?zone=shop.example.com&ruleset=owasp: managed rules after overrides
  GET    /_emulator/faults        active faults
  POST   /_emulator/faults        {"fault":"status","status":503,"method":"POST","path":"*/policies","count":1}
           fault: ${faultKinds.join(", ")}
           with milliseconds (latency), status and retry_after (status), seconds (stale);
           denied: the credential lacks the permission, as for the audit log with the path */logs/audit;
           audit_late, audit_shuffled (with seconds: late by all, or by a random part of them), audit_lost and
           audit_duplicated concern the audit log's entries of the writes that they hit, edits included;
           filters: method, path (* matches any characters), credential; after skip requests, count times,
           with a probability from 0 to 1 and a seed
  DELETE /_emulator/faults        remove all faults; DELETE /_emulator/faults/NUMBER removes one
`;

/**
 * Adds the control API. It is no part of the service, needs no credential and is not in the
 * journal.
 */
export function addControl(router: Router, service: EmulatedService): void {
  router.use(`${prefix}/*`, (context: Context, next) => {
    const refusal = writeRefusal(context);
    return refusal === undefined ? next() : handle(() => Promise.reject(refusal));
  });
  router.get(prefix, (context) => context.text(help));
  router.get(`${prefix}/`, (context) => context.text(help));
  router.get(`${prefix}/operations`, (context) => context.json({ operations }));
  addJournal(router, service);
  addClock(router, service);
  addFaults(router, service);
  router.post(`${prefix}/reset`, async (context) => {
    service.reset();
    await service.save();
    return context.json({ reset: true });
  });
  router.post(`${prefix}/edit`, (context) =>
    handleBody(context, (fields) => {
      const zone = zoneNamed(service, fields.required("zone", fields.text("zone")));
      return editAsPerson(service, zone, fields);
    }),
  );
  router.post(`${prefix}/managed`, (context) =>
    handleBody(context, (fields) => moveManaged(service, fields)),
  );
  router.post(`${prefix}/report`, (context) =>
    handleBody(context, (fields) => report(service, fields)),
  );
  router.post(`${prefix}/script`, (context) =>
    handleBody(context, (fields) => {
      const zone = zoneNamed(service, fields.required("zone", fields.text("zone")));
      return loadScript(service, zone, fields);
    }),
  );
  router.get(`${prefix}/effective`, (context) =>
    handle(() => effective(service, new URL(context.req.url).searchParams)),
  );
  router.all(`${prefix}/*`, (context) => context.text(`not found\n\n${help}`, 404));
}

/** Refuses writes that a page of another site can make a browser send. */
function writeRefusal({ req }: Context): ApiError | undefined {
  if (req.method === "GET" || req.method === "HEAD") return undefined;
  if (isSameOrigin((name) => req.header(name)) === false) {
    return apiError(403, unpublishedCodes.body, "writes from a page of another site are refused");
  }
  const type = req.header("content-type");
  const hasBody = type !== undefined || Number(req.header("content-length") ?? 0) > 0;
  if (!hasBody || /^application\/json\s*(;|$)/i.test(type ?? "")) return undefined;
  const message = "the body must be JSON: send Content-Type: application/json (curl --json)";
  return apiError(415, unpublishedCodes.body, message);
}

function addJournal(router: Router, { journal }: EmulatedService): void {
  router.get(`${prefix}/journal`, (context) => {
    const since = Number(context.req.query("since") ?? 0);
    const method = context.req.query("method")?.toUpperCase();
    const entries = journal
      .entries()
      .filter((entry) => entry.number > since && (method ?? entry.method) === entry.method);
    return context.json({ entries });
  });
  router.delete(`${prefix}/journal`, (context) => {
    journal.clear();
    return context.json({ cleared: true });
  });
}

function addClock(router: Router, service: EmulatedService): void {
  const now = (): JsonObject => ({ now: service.store.now().toISOString() });
  router.get(`${prefix}/clock`, (context) => context.json(now()));
  router.post(`${prefix}/clock`, (context) =>
    handleBody(context, async (fields) => {
      fields.only(["now", "advance"]);
      service.store.moveClock(clockMove(fields, service.store.now()));
      await service.save();
      return now();
    }),
  );
}

function clockMove(fields: FieldReader, now: Date): number {
  const advance = fields.text("advance");
  const name = advance === undefined ? "now" : "advance";
  const move =
    advance === undefined
      ? Date.parse(fields.required("now", fields.text("now"))) - now.getTime()
      : (parseDuration(advance) ?? Number.NaN);
  if (isTime(now.getTime() + move)) return move;
  const example = '{"advance":"8d"} or {"now":"2027-01-01T00:00:00Z"}';
  throw fields.error(name, `${name} must be as in ${example}`);
}

function addFaults(router: Router, { faults }: EmulatedService): void {
  router.get(`${prefix}/faults`, (context) => context.json({ faults: faults.list() }));
  router.post(`${prefix}/faults`, (context) =>
    handleBody(context, (fields) => faults.add(fields.body)),
  );
  router.delete(`${prefix}/faults`, (context) => {
    faults.clear();
    return context.json({ faults: [] });
  });
  router.delete(`${prefix}/faults/:id`, (context) =>
    handle(() => {
      const id = context.req.param("id");
      if (!faults.remove(Number(id))) throw notFound(`there is no fault ${id}`);
      return { faults: faults.list() };
    }),
  );
}

async function report(service: EmulatedService, fields: FieldReader): Promise<unknown> {
  fields.only(["zone", "url", "times"]);
  const zone = zoneNamed(service, fields.required("zone", fields.text("zone")));
  const url = fields.required("url", fields.text("url"));
  const times = fields.integer("times") ?? 1;
  let reported = 0;
  const update = (items: readonly InventoryItem[]): readonly InventoryItem[] =>
    items.map((item) => {
      if (item.facts["url"] !== url) return item;
      reported += 1;
      return withReports(item, times, service.store.now());
    });
  const next = { ...zone, scripts: update(zone.scripts), connections: update(zone.connections) };
  if (reported === 0) throw notFound(`${zone.name} has no script or connection with this url`);
  await service.commit(next);
  return { reported };
}

function effective(service: EmulatedService, query: URLSearchParams): unknown {
  const zone = zoneNamed(service, query.get("zone") ?? "");
  const name = query.get("ruleset") ?? "owasp";
  const id = managedRulesetId(name);
  const ruleset = managedRulesets.get(id);
  if (ruleset === undefined) throw notFound(`there is no managed ruleset ${name}`);
  const deployment = zone.rulesets
    .flatMap(({ current }) => current.rules)
    .find((rule) => executedRuleset(rule) === id);
  if (deployment === undefined) throw notFound(`${zone.name} does not deploy ${ruleset.name}`);
  return { rules: effectiveRules(ruleset, deployment.action_parameters?.["overrides"]) };
}

function zoneNamed({ store }: EmulatedService, name: string): EmulatedZone {
  const zone = store.zone(name) ?? store.zoneNamed(name);
  if (zone !== undefined) return zone;
  const names = store.zones().slice(0, 10);
  const known = names.map((other) => other.name).join(", ");
  throw notFound(`there is no zone "${name}"; there is ${known}`);
}

function notFound(message: string): ApiError {
  return apiError(404, unpublishedCodes.itemNotFound, message);
}

async function handleBody(
  context: Context,
  act: (fields: FieldReader) => unknown,
): Promise<Response> {
  const text = await context.req.text();
  return handle(() => act(new FieldReader(parseBody(text), "", unpublishedCodes.body)));
}

function parseBody(text: string): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw apiError(400, unpublishedCodes.body, "the body must be a JSON object");
}

async function handle(act: () => unknown): Promise<Response> {
  try {
    return jsonResponse(200, await act());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return jsonResponse(error.status, { errors: error.errors });
  }
}

function jsonResponse(status: number, body: unknown): Response {
  const headers = { "content-type": "application/json" };
  return new Response(`${JSON.stringify(body, undefined, 2)}\n`, { status, headers });
}
