import { type Context, Hono } from "hono";

import { parseDuration } from "../../syntax/duration.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../syntax/json.ts";
import { isSameOrigin } from "../../syntax/request-origin.ts";
import { trafficIn, trafficMembers } from "../analytics/traffic-fields.ts";
import { recordManagedMove } from "../audit/audited-write.ts";
import type { EmulatedService } from "../emulated-service.ts";
import { ApiError, apiError, unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import { operations } from "../http/operations.ts";
import { isTime, timestamp } from "../http/time.ts";
import { withReports } from "../page-shield/items.ts";
import {
  afterLoad,
  loadMembers,
  scriptLoadIn,
  scriptWithUrl,
} from "../page-shield/loaded-scripts.ts";
import { managedNow, managedRulesetId } from "../rulesets/managed.ts";
import type { InventoryItem, EmulatedZone } from "../state.ts";
import { editAsPerson, namesIn } from "./edit.ts";
import { faultKinds } from "./faults.ts";

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
           {"zone":"shop.example.com","rule":"Login attempts","set":{"enabled":false,"position":{"index":1}}}
           {"zone":"shop.example.com","rule":{"action":"block","expression":"ssl"},"ruleset":"http_request_firewall_custom"}
           {"zone":"shop.example.com","ruleset":{"name":"Payments","kind":"custom","phase":"http_request_firewall_custom"}}
           {"zone":"shop.example.com","ruleset":"Payments","delete":true}
           {"zone":"shop.example.com","settings":{"enabled":false},"actor":"alice@example.com"}: who the audit log names
         policies and rules are found by id, ref or description, or by a unique part of ref or description;
         rulesets by id or name, or by the phase of an entry point; a new rule goes to the managed rules
         unless a ruleset is named
  POST   /_emulator/managed       {"ruleset":"owasp","version":"88"}: the service moves a managed ruleset
  POST   /_emulator/report        {"zone":"shop.example.com","url":"https://cdn.example.com/app.js","times":3}: browsers reported it again
  POST   /_emulator/script        browsers load a script: it appears, with pages and content, or changes; score is that of its content
           {"zone":"shop.example.com","url":"https://pay.example.net/v3/pay.js","pages":["https://shop.example.com/checkout/pay"],"content":"version 2","score":90}
           {"zone":"shop.example.com","url":"https://pay.example.net/v3/pay.js","vanish":true}
  GET    /_emulator/traffic       ?zone=shop.example.com&hour=2026-11-20T12:00:00Z: the exact counts of that hour, which the analytics estimate;
           with &minutes=5: of the five minutes
  POST   /_emulator/traffic       {"zone":"shop.example.com","requests_per_hour":5000,"shares":{"Login attempts":0.02}}: from now on; shares are parts
           of the requests, from 0 to 1, of rules and policies, found as above; null: as before; also hosts, seed, sampled_above
  GET    /_emulator/faults        active faults
  POST   /_emulator/faults        {"fault":"status","status":503,"method":"POST","path":"*/policies","count":1}
           fault: ${faultKinds.join(", ")}
           with milliseconds (latency), status and retry_after (status), seconds (stale);
           denied: the credential lacks the permission, as for the audit log with the path */logs/audit;
           audit_late, audit_shuffled (with seconds: late by all, or by a random part of them), audit_lost and
           audit_duplicated concern the audit log's entries of the writes that they hit, edits included;
           analytics_late (with seconds), analytics_partial (with zone: its index) and analytics_error (with message, and
           status and code) concern queries of the analytics;
           filters: method, path (* matches any characters), credential; after skip requests, count times,
           with a probability from 0 to 1 and a seed
  DELETE /_emulator/faults        remove all faults; DELETE /_emulator/faults/NUMBER removes one
`;

/**
 * The control API. It is no part of the service, needs no credential and is not in the journal.
 */
export function controlApi(service: EmulatedService): Hono {
  const { faults, journal } = service;
  const api = new Hono();
  api.use((context, next) => {
    refuseForeignWrite(context);
    return next();
  });
  api.onError((error) => {
    if (!(error instanceof ApiError)) throw error;
    return shown({ errors: error.errors }, error.status);
  });
  const get = (path: string, act: (query: URLSearchParams) => unknown): void => {
    api.get(path, ({ req }) => shown(act(new URL(req.url).searchParams)));
  };
  const post = (path: string, act: (fields: FieldReader) => unknown): void => {
    api.post(path, async ({ req }) => {
      const body = objectIn(await req.text());
      return shown(await act(new FieldReader(body, "", unpublishedCodes.body)));
    });
  };
  const now = (): unknown => ({ now: service.store.now().toISOString() });

  api.get("/", (context) => context.text(help));
  get("/operations", () => ({ operations }));
  get("/journal", (query) => {
    const since = Number(query.get("since") ?? 0);
    const method = query.get("method")?.toUpperCase();
    const entries = journal
      .entries()
      .filter((entry) => entry.number > since && (method ?? entry.method) === entry.method);
    return { entries };
  });
  api.delete("/journal", () => {
    journal.clear();
    return shown({ cleared: true });
  });
  api.post("/reset", async () => {
    service.reset();
    await service.save();
    return shown({ reset: true });
  });
  get("/clock", now);
  post("/clock", async (fields) => {
    fields.only(["now", "advance"]);
    service.store.moveClock(clockMove(fields, service.store.now()));
    await service.save();
    return now();
  });
  post("/edit", (fields) => editAsPerson(service, zoneIn(service, fields), fields));
  post("/managed", (fields) => moveManaged(service, fields));
  post("/report", (fields) => report(service, zoneIn(service, fields), fields));
  post("/script", (fields) => loadScript(service, zoneIn(service, fields), fields));
  get("/traffic", (query) => trueCounts(service, query));
  post("/traffic", async (fields) => {
    fields.only(["zone", ...trafficMembers]);
    const zone = zoneIn(service, fields);
    const traffic = trafficIn(fields, zone.traffic, (name) => namesIn(zone, name));
    await service.commit({ ...zone, traffic });
    return { traffic };
  });
  get("/faults", () => ({ faults: faults.list() }));
  post("/faults", ({ body }) => faults.add(body));
  api.delete("/faults", () => {
    faults.clear();
    return shown({ faults: [] });
  });
  api.delete("/faults/:id", ({ req }) => {
    const id = req.param("id");
    if (!faults.remove(Number(id))) throw notFound(`there is no fault ${id}`);
    return shown({ faults: faults.list() });
  });
  api.all("/*", (context) =>
    context.req.path.endsWith("/_emulator/")
      ? context.text(help)
      : context.text(`not found\n\n${help}`, 404),
  );
  return api;
}

/** Throws on writes that a page of another site can make a browser send. */
function refuseForeignWrite({ req }: Context): void {
  if (req.method === "GET" || req.method === "HEAD") return;
  if (isSameOrigin((name) => req.header(name)) === false) {
    throw apiError(403, unpublishedCodes.body, "writes from a page of another site are refused");
  }
  const type = req.header("content-type");
  const hasBody = type !== undefined || Number(req.header("content-length") ?? 0) > 0;
  if (!hasBody || /^application\/json\s*(;|$)/i.test(type ?? "")) return;
  const message = "the body must be JSON: send Content-Type: application/json (curl --json)";
  throw apiError(415, unpublishedCodes.body, message);
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

/** Moves a managed ruleset to another version, as the service does by itself (SERVICE.md B.7). */
async function moveManaged(service: EmulatedService, fields: FieldReader): Promise<unknown> {
  fields.only(["ruleset", "version"]);
  const { store } = service;
  const name = fields.required("ruleset", fields.text("ruleset"));
  const id = managedRulesetId(name);
  const ruleset = managedNow(store).find(({ current }) => current.id === id)?.current;
  if (ruleset === undefined) throw notFound(`there is no managed ruleset ${name}`);
  const version = fields.text("version") ?? `${Number(ruleset.version) + 1}`;
  if (!/^[1-9]\d{0,8}$/.test(version)) {
    throw fields.error("version", 'version must be digits, as in "88"');
  }
  store.moveManaged(id, { version, last_updated: timestamp(store.now()) });
  for (const account of store.accounts()) recordManagedMove(service, account, id);
  await service.save();
  return { ruleset: ruleset.name, version };
}

async function report(
  service: EmulatedService,
  zone: EmulatedZone,
  fields: FieldReader,
): Promise<unknown> {
  fields.only(["zone", "url", "times"]);
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

/**
 * Browsers load a script: it appears, is on other pages, or has other content; or it is deleted.
 * Like the service, the emulator detects nothing while monitoring is off.
 */
async function loadScript(
  service: EmulatedService,
  zone: EmulatedZone,
  fields: FieldReader,
): Promise<unknown> {
  fields.only(["zone", ...loadMembers]);
  const load = scriptLoadIn(fields);
  if (load.vanish && scriptWithUrl(zone, load.url) === undefined) {
    throw notFound(`${zone.name} has no script with this url`);
  }
  if (!load.vanish && !zone.settings.enabled) {
    throw fields.error("zone", `monitoring of ${zone.name} is off: nothing is detected`);
  }
  const next = afterLoad(zone, load, service.store.now());
  await service.commit(next);
  if (load.vanish) return { vanished: load.url };
  const script = scriptWithUrl(next, load.url);
  return { script: { ...script?.facts, ...script?.detail } };
}

/** The exact counts of the hour that `hour` is in, or of as many minutes. */
function trueCounts(service: EmulatedService, query: URLSearchParams): unknown {
  const zone = zoneNamed(service, query.get("zone") ?? "");
  const at = Date.parse(query.get("hour") ?? "");
  if (!isTime(at)) {
    throw apiError(400, unpublishedCodes.query, "hour must be as in hour=2026-11-20T12:00:00Z");
  }
  const minutes = Number(query.get("minutes") ?? 60);
  if (![5, 60].includes(minutes)) {
    throw apiError(400, unpublishedCodes.query, "minutes must be 5 or 60");
  }
  return service.trueHour(zone, at, minutes * 60_000);
}

function zoneIn(service: EmulatedService, fields: FieldReader): EmulatedZone {
  return zoneNamed(service, fields.required("zone", fields.text("zone")));
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

function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw apiError(400, unpublishedCodes.body, "the body must be a JSON object");
}

function shown(body: unknown, status = 200): Response {
  const headers = { "content-type": "application/json" };
  return new Response(`${JSON.stringify(body, undefined, 2)}\n`, { status, headers });
}
