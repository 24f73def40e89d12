import * as fc from "fast-check";
import { describe, it } from "vitest";

import { analyticsErrors, documentFor, query, rowsOf, zonesOf } from "../support/analytics.ts";
import {
  goodSeed,
  type Got,
  listIn,
  objectIn,
  testEmulator,
  testStart,
  textIn,
} from "../support/emulator.ts";
import { cases } from "../support/properties.ts";

const requests = "httpRequestsAdaptiveGroups";
const events = "firewallEventsAdaptiveGroups";
const violations = "pageShieldReportsAdaptiveGroups";

const seed = goodSeed(`
zones:
  - { name: free.example, plan: free }
  - { name: pro.example, plan: pro }
  - { name: business.example, plan: business }
  - { name: big.example }
`);

/** The filter of a time that ends some hours before the start, and that is some hours long. */
function hours(back: number, length: number): string {
  const from = new Date(testStart.getTime() - back * 3_600_000);
  const to = new Date(from.getTime() + length * 3_600_000);
  return `datetime_geq: "${from.toISOString()}", datetime_lt: "${to.toISOString()}"`;
}

/** The first error of an answer that has no data. */
function refusal(answer: Got): Refusal {
  const [error] = analyticsErrors(answer);
  return { data: answer.body["data"], status: answer.status, message: textIn(error, "message") };
}

interface Refusal {
  readonly data: unknown;
  readonly status: number;
  readonly message: string;
}

describe("the limits of the analytics", () => {
  it.for<
    readonly [zone: string, length: number, dataset: string, back: number, says: string | undefined]
  >([
    ["free", 24, requests, 168, undefined],
    ["free", 24, requests, 169, "cannot request data older than 1w"],
    ["free", 25, requests, 168, "can't be wider than 86400s"],
    ["pro", 168, requests, 168, undefined],
    ["pro", 24, events, 24, undefined],
    ["pro", 1, events, 25, "cannot request data older than 1d"],
    ["business", 72, events, 72, undefined],
    ["business", 1, events, 73, "cannot request data older than 3d"],
    ["business", 1, requests, 745, "cannot request data older than 4w3d"],
    ["big", 720, events, 720, undefined],
    ["big", 744, requests, 2_160, undefined],
    ["big", 745, requests, 2_160, "can't be wider than 2678400s"],
    ["big", 1, violations, 721, "cannot request data older than 4w2d"],
  ])(
    "let a %s zone read %i hours of %s, %i hours back: %s",
    async ([zone, length, dataset, back, says], context) => {
      const { expect } = context;
      await using world = await testEmulator(context, { seed });
      const id = await world.zoneId(`${zone}.example`);
      const answer = await query(
        world,
        documentFor([id], dataset, { filter: hours(back, length) }),
      );
      if (says === undefined) expect(answer.body["errors"]).toBeNull();
      else {
        expect(refusal(answer)).toMatchObject({ data: null, status: 200 });
        expect(refusal(answer).message).toContain(says);
        const [error] = analyticsErrors(answer);
        expect(objectIn(error?.["extensions"])["code"]).toBe("quota");
      }
    },
  );

  it("are those that the settings of the zone tell", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const id = await world.zoneId("pro.example");
    const document = `{ viewer { zones(filter: { zoneTag: "${id}" }) { settings { ${events} { notOlderThan availableFields } } } } }`;
    const [zone] = zonesOf(await query(world, document));
    const settings = objectIn(objectIn(zone?.["settings"])[events]);
    expect(settings["notOlderThan"]).toBe(86_400);
    expect(settings["availableFields"]).toContain("dimensions_ruleId");
    expect(settings["availableFields"]).toContain("avg_sampleInterval");
    const single = `{ viewer { zones(filter: { zoneTag: "${id}" }) { settings { firewallEventsAdaptive { availableFields } } } } }`;
    const [other] = zonesOf(await query(world, single));
    const { availableFields } = objectIn(objectIn(other?.["settings"])["firewallEventsAdaptive"]);
    expect(availableFields).toContain("ruleId");
    expect(availableFields).toContain("sampleInterval");
  });

  it("allow thirty fields", async (context) => {
    await using world = await testEmulator(context, { seed });
    const fields = Array.from({ length: 30 }, (_, index) => `c${index}: count`).join(" ");
    const more = { filter: hours(2, 1), selection: fields };
    const document = documentFor([await world.zoneId("free.example")], requests, more);
    context.expect(rowsOf(await query(world, document), requests)).toHaveLength(1);
  });

  it("can differ from those of the plan by contract", async (context) => {
    const { expect } = context;
    const datasets = {
      [events]: { enabled: true, notOlderThan: 50 * 3_600, maxDuration: 7_200, maxPageSize: 3 },
      [requests]: { enabled: false },
    };
    const zones = [{ name: "free.example", plan: "free", entitlements: { datasets } }];
    await using world = await testEmulator(context, { seed: { zones } });
    const id = await world.zoneId("free.example");
    const said = async (dataset: string, filter: string, limit: number): Promise<unknown> => {
      const { body } = await query(world, documentFor([id], dataset, { filter, limit }));
      return body["errors"] === null ? undefined : listIn(body["errors"])[0]?.["message"];
    };
    expect(await said(events, hours(50, 2), 3)).toBeUndefined();
    expect(await said(events, hours(51, 1), 3)).toBe("cannot request data older than 2d2h");
    expect(await said(events, hours(50, 3), 3)).toMatch(/can't be wider than 7200s$/);
    expect(await said(events, hours(50, 2), 4)).toMatch(/not greater than 3$/);
    expect(await said(requests, hours(2, 1), 1)).toMatch(/does not have access to the path$/);
  });

  it("void the whole document when one dataset of it is refused", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const [free, pro] = [await world.zoneId("free.example"), await world.zoneId("pro.example")];
    const filter = `limit: 10, filter: { ${hours(2, 1)} }`;
    const answer = await query(
      world,
      `{ viewer { zones(filter: { zoneTag_in: ["${pro}", "${free}"] }) {
        ${requests}(${filter}) { count } ${events}(${filter}) { count } } } }`,
    );
    expect(answer.body).toEqual({
      data: null,
      errors: [
        {
          message: `zone '${free}' does not have access to the path`,
          path: ["viewer", "zones", "1", events],
          extensions: { timestamp: testStart.toISOString(), code: "authz" },
        },
      ],
    });
  });

  it.for<readonly [asked: Parameters<typeof documentFor>[2] & { dataset?: string }, says: RegExp]>([
    [{ dataset: events }, /^zone '[0-9a-f]{32}' does not have access to the path$/],
    [{ dataset: violations }, /does not have access to the path$/],
    [
      { selection: "count dimensions { clientAsn }" },
      /does not have access to the field 'clientasn' from the path$/,
    ],
    [{ selection: "count dimensions { ja4 datetimeHour }" }, /to the field 'ja4'/],
    [{ orderBy: "clientRefererHost_ASC" }, /to the field 'clientrefererhost'/],
    [{ filter: 'botScore: "1"' }, /to the field 'botscore'/],
    [{ limit: 10_001 }, /^limit must be positive number and not greater than 10000$/],
    [{ limit: 0 }, /^limit must be positive/],
    [{ selection: "sum { visits }" }, /^unknown field "sum"$/],
    [{ selection: "count { all }" }, /^scalar fields must have no selections$/],
    [{ selection: "dimensions" }, /^object field must have selections$/],
    [{ filter: "colour: 1" }, /^error parsing args/],
    [
      { filter: 'datetime_geq: "yesterday"' },
      /^error parsing args for "httpRequestsAdaptiveGroups": datetime_geq/,
    ],
    [{ filter: "clientRequestHTTPHost: 3" }, /^error parsing args/],
    [{ orderBy: "colour_ASC" }, /^error parsing args/],
    [{ selection: "count }" }, /^query contains error/],
    [{ selection: "count".padEnd(5 * 32, " a: b") }, /^unknown field/],
    [
      { selection: Array.from({ length: 31 }, (_, index) => `c${index}: count`).join(" ") },
      /^number of fields can't be more than 30$/,
    ],
  ])(
    "refuse of a free zone %j",
    async ([{ dataset = requests, filter = "", ...more }, says], context) => {
      const { expect } = context;
      await using world = await testEmulator(context, { seed });
      const id = await world.zoneId("free.example");
      const all = filter.startsWith("datetime") ? filter : `${hours(2, 1)} ${filter}`;
      const answer = await query(world, documentFor([id], dataset, { ...more, filter: all }));
      expect(refusal(answer)).toMatchObject({ data: null, status: 200 });
      expect(refusal(answer).message).toMatch(says);
    },
  );

  it("are ten zones, and ten of zones times datasets", async (context) => {
    const { expect } = context;
    const names = Array.from({ length: 11 }, (_, index) => `zone-${index}.example`);
    const many = { zones: names.map((name) => ({ name })) };
    await using world = await testEmulator(context, { seed: many });
    const ids = await Promise.all(names.map((name) => world.zoneId(name)));
    const filter = hours(2, 1);
    const asked = (count: number, datasets: number): Promise<Got> =>
      query(
        world,
        `{ viewer { zones(filter: { zoneTag_in: ${JSON.stringify(ids.slice(0, count))} }) { ${Array.from(
          { length: datasets },
          (_, index) => `a${index}: ${requests}(limit: 1, filter: { ${filter} }) { count }`,
        ).join(" ")} zoneTag } } }`,
      );
    const message = "in combination, your request queries too many nodes, zones and accounts";
    expect(zonesOf(await asked(10, 1))).toHaveLength(10);
    expect(zonesOf(await asked(5, 2))).toHaveLength(5);
    expect(refusal(await asked(4, 3))).toMatchObject({ data: null, message });
    expect(refusal(await asked(11, 0))).toMatchObject({ data: null, message });
  });

  it("are 300 queries in five minutes for each token", async (context) => {
    const { expect } = context;
    const tokens = ["emulator-token", "other"].map((value) => ({ name: value, value }));
    await using world = await testEmulator(context, { seed: { ...seed, tokens } });
    const document = "{ viewer { __typename } }";
    for (let count = 0; count < 300; count += 1) {
      expect((await query(world, document)).body["errors"]).toBeNull();
    }
    expect((await query(world, document)).body["errors"]).toMatchObject([
      {
        message: "rate limiter budget depleted, try again after 5 minutes",
        extensions: { code: "budget" },
      },
    ]);
    expect((await query(world, document, {}, "other")).body["errors"]).toBeNull();
    expect((await world.call("GET", "/zones")).status).toBe(200);
    await world.control("POST", "/clock", { advance: "5m" });
    expect((await query(world, document)).body["errors"]).toBeNull();
  });

  it("come with the documented status where a seed says so", async (context) => {
    const { expect } = context;
    const undocumented = { analytics_errors: "status" } as const;
    await using world = await testEmulator(context, { seed: { ...seed, undocumented } });
    const id = await world.zoneId("free.example");
    const status = async (dataset: string, filter: string): Promise<number> =>
      (await query(world, documentFor([id], dataset, { filter }))).status;
    expect(await status(requests, hours(2, 1))).toBe(200);
    expect(await status(requests, hours(200, 1))).toBe(400);
    expect(await status(events, hours(2, 1))).toBe(403);
  });
});

describe("a token", () => {
  const tokens = [
    { name: "emulator", value: "emulator-token" },
    { name: "weak", value: "weak", permissions: ["Zone Read", "Zone WAF Read"] },
    { name: "reader", value: "reader", permissions: ["Analytics Read"] },
    { name: "narrow", value: "narrow", zones: ["pro.example"] },
  ];

  it.for([
    { token: "weak", isAllowed: false },
    { token: "reader", isAllowed: true },
    { token: "narrow", isAllowed: false },
  ])("$token can read the analytics: $isAllowed", async ({ token, isAllowed }, context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: { ...seed, tokens } });
    const ids = [await world.zoneId("pro.example"), await world.zoneId("big.example")];
    const document = documentFor(ids, requests, { filter: hours(2, 1) });
    const answer = await query(world, document, {}, token);
    if (isAllowed) expect(zonesOf(answer)).toHaveLength(2);
    else {
      expect(refusal(answer).data).toBeNull();
      expect(refusal(answer).message).toMatch(/^zones \[[0-9a-f ]+\] are not authorized$/);
    }
  });

  it("that is unknown is refused as everywhere", async (context) => {
    await using world = await testEmulator(context, { seed });
    const answer = await query(world, "{ viewer { __typename } }", {}, "unknown");
    context.expect(answer.status).toBe(403);
    context.expect(answer.body).toMatchObject({ success: false, errors: [{ code: 9109 }] });
  });
});

describe("a fault of the analytics", () => {
  it("analytics_late keeps the newest events back until later", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const id = await world.zoneId("pro.example");
    const count = async (): Promise<unknown> => {
      const [row] = rowsOf(
        await query(world, documentFor([id], requests, { filter: hours(1, 1) })),
        requests,
      );
      return row?.["count"];
    };
    const whole = await count();
    await world.control("POST", "/faults", { fault: "analytics_late", seconds: 900 });
    const early = await count();
    expect(Number(early)).toBeGreaterThan(0);
    expect(Number(early)).toBeLessThan(Number(whole));
    await world.control("POST", "/clock", { advance: "14m" });
    expect(await count()).not.toBe(whole);
    await world.control("POST", "/clock", { advance: "1m" });
    expect(await count()).toBe(whole);
  });

  it("analytics_partial leaves out one zone, with its index in the path", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const ids = await Promise.all(
      ["free", "pro", "big"].map((name) => world.zoneId(`${name}.example`)),
    );
    await world.control("POST", "/faults", { fault: "analytics_partial", zone: 1, count: 1 });
    const document = documentFor(ids, requests, { filter: hours(2, 1) });
    const { status, body } = await query(world, document);
    expect(status).toBe(200);
    expect(body["errors"]).toMatchObject([
      {
        message: "unable to execute query, please try again later",
        path: ["viewer", "zones", "1", requests],
      },
    ]);
    const zones = listIn(objectIn(objectIn(body["data"])["viewer"])["zones"]);
    expect(zones.map((zone) => zone[requests] === null)).toEqual([false, true, false]);
    expect(zonesOf(await query(world, document))).toHaveLength(3);
  });

  it.for([
    { status: undefined, code: undefined, shown: 500 },
    { status: 429, code: "quota", shown: 429 },
  ])(
    "analytics_error has its message, code $code and status $status",
    async ({ shown, ...given }, context) => {
      const { expect } = context;
      const message = "query consumed excessive resources";
      for (const analytics_errors of ["in_200", "status"] as const) {
        await using world = await testEmulator(context, {
          seed: { ...seed, undocumented: { analytics_errors } },
        });
        await world.control("POST", "/faults", { fault: "analytics_error", message, ...given });
        const { status, body } = await query(world, "{ viewer { __typename } }");
        expect(status).toBe(analytics_errors === "in_200" ? 200 : shown);
        expect(body).toMatchObject({ data: null, errors: [{ message, path: null }] });
        const [error] = listIn(body["errors"]);
        expect(objectIn(error?.["extensions"])["code"]).toBe(given.code);
      }
    },
  );

  it.for([
    { fault: { fault: "status", status: 503 }, status: 503 },
    { fault: { fault: "denied" }, status: 403 },
  ])("$fault.fault hits queries too", async ({ fault, status }, context) => {
    await using world = await testEmulator(context, { seed });
    await world.control("POST", "/faults", { ...fault, path: "/graphql", count: 1 });
    const document = "{ viewer { __typename } }";
    context.expect((await query(world, document)).status).toBe(status);
    context.expect((await query(world, document)).status).toBe(200);
    const [entry] = world.emulator.journal();
    context.expect(textIn({ path: entry?.path ?? "" }, "path")).toBe("/client/v4/graphql");
  });
});

describe("a document", () => {
  it("with variables and a fragment is understood as others send it", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const document = `
      query Events($zoneTag: string, $filter: FirewallEventsAdaptiveFilter_InputObject) {
        viewer {
          zones(filter: { zoneTag: $zoneTag }) {
            events: firewallEventsAdaptive(filter: $filter, limit: 2, orderBy: [datetime_DESC]) { ...event }
          }
        }
      }
      fragment event on ZoneFirewallEventsAdaptive { datetime action clientIP }`;
    const filter = { datetime_geq: "2026-11-20T11:00:00Z", datetime_leq: "2026-11-20T12:00:00Z" };
    const zoneTag = await world.zoneId("shop.example.com");
    const rows = rowsOf(await query(world, document, { zoneTag, filter }), "events");
    expect(rows).toHaveLength(2);
    expect(Object.keys(rows[0] ?? {})).toEqual(["datetime", "action", "clientIP"]);
    const early = { ...filter, datetime_geq: 1 };
    expect(refusal(await query(world, document, { zoneTag, filter: early })).message).toMatch(
      /^error parsing args/,
    );
    expect(refusal(await query(world, document, { filter })).message).toMatch(
      /^error parsing args for "zones"/,
    );
  });

  it("can ask for the schema", async (context) => {
    await using world = await testEmulator(context, { seed });
    const { body } = await query(world, '{ __type(name: "zone") { fields { name } } }');
    const { fields } = objectIn(objectIn(body["data"])["__type"]);
    const names = listIn(fields).map((field) => textIn(field, "name"));
    context
      .expect(names)
      .toEqual(["zoneTag", "settings", violations, events, "firewallEventsAdaptive", requests]);
  });

  it("of any form gets data or errors", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed: { ...seed, rate_limit: false } });
    const id = await world.zoneId("pro.example");
    const good = documentFor([id], events, {
      filter: hours(2, 1),
      selection: "count avg { sampleInterval } dimensions { datetimeHour ruleId }",
      orderBy: "datetimeHour_ASC",
    });
    const words = good.split(/(?<=\W)|(?=\W)/);
    const spoilt = fc
      .tuple(
        fc.nat(words.length - 1),
        fc.constantFrom(
          ...words,
          "",
          "...",
          "$a",
          "@skip(if: true)",
          "-1",
          "1.5",
          '"',
          "null",
          "fragment",
        ),
      )
      .map(([at, word]) => words.with(at, word).join(""));
    const bodies = fc.oneof(
      spoilt.map((text) => ({ query: text })),
      fc.record({
        query: fc.jsonValue(),
        variables: fc.jsonValue(),
        operationName: fc.jsonValue(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await world.call("POST", "/graphql", body);
        expect(answer.status).toBe(200);
        expect(answer.body["errors"] === null).toBe(answer.body["data"] !== null);
      }),
      cases(500),
    );
    expect((await world.call("POST", "/graphql", "no JSON")).status).toBe(400);
  });
});
