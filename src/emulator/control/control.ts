import type { Context } from "hono";

import { type JsonObject, isJsonObject } from "../../syntax/json.ts";
import { ServiceError, refused, unpublishedCodes } from "../http/api-error.ts";
import type { App } from "../http/app.ts";
import { type FieldReader, fieldsOf } from "../http/fields.ts";
import { operations } from "../http/operations.ts";
import { ageIn, isMoment } from "../http/time.ts";
import { reported } from "../page-shield/items.ts";
import { effectiveRules } from "../rulesets/managed-overrides.ts";
import { managedIds, managedRulesets } from "../rulesets/managed.ts";
import { executedBy } from "../rulesets/ruleset.ts";
import type { Service } from "../service.ts";
import type { Detected, Rule, ZoneState } from "../state.ts";
import { editedZone } from "./edit.ts";
import { faultKinds } from "./faults.ts";

const prefix = "/_emulator";

const help = `zonewarden's emulator: everything in it is synthetic.

  GET    /_emulator/operations    the operations of the service that are supported
  GET    /_emulator/journal       requests to the service, oldest first (?since=NUMBER, ?method=PUT)
  DELETE /_emulator/journal       forget them
  POST   /_emulator/reset         back to the seed
  GET    /_emulator/clock         the emulator's time
  POST   /_emulator/clock         {"advance":"8d"} or {"now":"2027-01-01T00:00:00Z"}
  POST   /_emulator/edit          change something as a person in the dashboard would:
           {"zone":"shop.example.com","settings":{"enabled":false}}
           {"zone":"shop.example.com","policy":"Scripts of the checkout","set":{"action":"log"}}
           {"zone":"shop.example.com","policy":"Scripts of the checkout","delete":true}
           {"zone":"shop.example.com","policy":{"description":"By hand","action":"log","expression":"true","enabled":true,"value":"script-src 'self'"}}
           {"zone":"shop.example.com","rule":"OWASP","set":{"paranoia_level":1,"score_threshold":60,"action":"log"}}
           {"zone":"shop.example.com","rule":"OWASP","delete":true}
         policies and rules are found by id, ref, description or its beginning
  POST   /_emulator/report        {"zone":"shop.example.com","url":"https://cdn.example.com/app.js","times":3}: browsers saw it again
  GET    /_emulator/effective     ?zone=shop.example.com&ruleset=owasp: managed rules as the overrides leave them
  GET    /_emulator/faults        faults in force
  POST   /_emulator/faults        {"fault":"status","status":503,"method":"POST","path":"*/policies","count":1}
           fault: ${faultKinds.join(", ")}
           with milliseconds (latency), status and retry_after (status), seconds (stale);
           only for method, path (* stands for anything), credential; after skip requests, count times,
           with a probability from 0 to 1 and a seed
  DELETE /_emulator/faults        end all faults; DELETE /_emulator/faults/NUMBER ends one
`;

/** Adds what steers the emulator: never part of the service, asks for no credential, stands in no journal. */
export function addControl(app: App, service: Service): void {
  app.get(prefix, (context) => context.text(help));
  app.get(`${prefix}/`, (context) => context.text(help));
  app.get(`${prefix}/operations`, (context) => context.json({ operations }));
  addJournal(app, service);
  addClock(app, service);
  addFaults(app, service);
  app.post(`${prefix}/reset`, async (context) => {
    service.reset();
    await service.saved();
    return context.json({ reset: true });
  });
  app.post(`${prefix}/edit`, (context) =>
    controlled(context, async (fields) => {
      const zone = zoneNamed(service, fields.required("zone", fields.text("zone")));
      const { next, shown } = editedZone(zone, fields, {
        now: service.store.now(),
        newId: () => service.store.newId(),
      });
      await service.commit(next);
      return shown;
    }),
  );
  app.post(`${prefix}/report`, (context) =>
    controlled(context, (fields) => report(service, fields)),
  );
  app.get(`${prefix}/effective`, (context) =>
    answered(() => effective(service, new URL(context.req.url).searchParams)),
  );
  app.all(`${prefix}/*`, (context) => context.text(`there is nothing here\n\n${help}`, 404));
}

function addJournal(app: App, { journal }: Service): void {
  app.get(`${prefix}/journal`, (context) => {
    const since = Number(context.req.query("since") ?? 0);
    const method = context.req.query("method")?.toUpperCase();
    const entries = journal
      .entries()
      .filter((entry) => entry.number > since && (method ?? entry.method) === entry.method);
    return context.json({ entries });
  });
  app.delete(`${prefix}/journal`, (context) => {
    journal.clear();
    return context.json({ cleared: true });
  });
}

function addClock(app: App, service: Service): void {
  const shown = (): JsonObject => ({ now: service.store.now().toISOString() });
  app.get(`${prefix}/clock`, (context) => context.json(shown()));
  app.post(`${prefix}/clock`, (context) =>
    controlled(context, async (fields) => {
      fields.only(["now", "advance"]);
      service.store.moveClock(clockMove(fields, service.store.now()));
      await service.saved();
      return shown();
    }),
  );
}

function clockMove(fields: FieldReader, now: Date): number {
  const advance = fields.text("advance");
  const name = advance === undefined ? "now" : "advance";
  const move =
    advance === undefined
      ? Date.parse(fields.required("now", fields.text("now"))) - now.getTime()
      : (ageIn(advance) ?? Number.NaN);
  if (isMoment(now.getTime() + move)) return move;
  throw fields.mistake(
    name,
    `${name} must be as in {"advance":"8d"} or {"now":"2027-01-01T00:00:00Z"}`,
  );
}

function addFaults(app: App, { faults }: Service): void {
  app.get(`${prefix}/faults`, (context) => context.json({ faults: faults.list() }));
  app.post(`${prefix}/faults`, (context) =>
    controlled(context, (fields) => faults.add(fields.body)),
  );
  app.delete(`${prefix}/faults`, (context) => {
    faults.clear();
    return context.json({ faults: [] });
  });
  app.delete(`${prefix}/faults/:id`, (context) =>
    answered(() => {
      const id = context.req.param("id");
      if (!faults.remove(Number(id))) throw notThere(`there is no fault ${id}`);
      return { faults: faults.list() };
    }),
  );
}

async function report(service: Service, fields: FieldReader): Promise<unknown> {
  fields.only(["zone", "url", "times"]);
  const zone = zoneNamed(service, fields.required("zone", fields.text("zone")));
  const url = fields.required("url", fields.text("url"));
  const times = fields.integer("times") ?? 1;
  let found = 0;
  const seen = (items: readonly Detected[]): readonly Detected[] =>
    items.map((item) => {
      if (item.facts["url"] !== url) return item;
      found += 1;
      return reported(item, times, service.store.now());
    });
  const next = { ...zone, scripts: seen(zone.scripts), connections: seen(zone.connections) };
  if (found === 0) throw notThere(`${zone.name} has no script or connection with this url`);
  await service.commit(next);
  return { reported: found };
}

function effective(service: Service, query: URLSearchParams): unknown {
  const zone = zoneNamed(service, query.get("zone") ?? "");
  const named = query.get("ruleset") ?? "owasp";
  const id = Object.entries(managedIds).find(([key]) => key === named)?.[1] ?? named;
  const ruleset = managedRulesets.get(id);
  if (ruleset === undefined) throw notThere(`there is no managed ruleset ${named}`);
  const deploying = deployingRule(zone, id);
  if (deploying === undefined) throw notThere(`${zone.name} does not deploy ${ruleset.name}`);
  return { rules: effectiveRules(ruleset, deploying.action_parameters?.["overrides"]) };
}

function deployingRule(zone: ZoneState, id: string): Rule | undefined {
  return zone.rulesets
    .flatMap(({ current }) => current.rules)
    .find((rule) => executedBy(rule) === id);
}

function zoneNamed({ store }: Service, name: string): ZoneState {
  const zone = store.zone(name) ?? store.zoneNamed(name);
  if (zone !== undefined) return zone;
  const names = store
    .zones()
    .slice(0, 10)
    .map((other) => other.name);
  throw notThere(`there is no zone "${name}"; there is ${names.join(", ")}`);
}

function notThere(message: string): ServiceError {
  return refused(404, unpublishedCodes.itemNotFound, message);
}

/** Reads the body as JSON, whatever its content type says: `curl -d` is enough. */
async function controlled(
  context: Context,
  act: (fields: FieldReader) => unknown,
): Promise<Response> {
  const text = await context.req.text();
  return answered(() => act(fieldsOf(bodyIn(text), "", unpublishedCodes.body)));
}

function bodyIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The refusal below says it in our words.
  }
  throw refused(400, unpublishedCodes.body, "the body must be a JSON object");
}

async function answered(act: () => unknown): Promise<Response> {
  try {
    return new Response(`${JSON.stringify(await act(), undefined, 2)}\n`, {
      headers: { "content-type": "application/json" },
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return new Response(`${JSON.stringify({ errors: error.errors }, undefined, 2)}\n`, {
      status: error.status,
      headers: { "content-type": "application/json" },
    });
  }
}
