import * as fc from "fast-check";
import { describe, it } from "vitest";

import { hourUnit } from "../../src/measure/hours.ts";
import { answerIn, limitsIn, rowsIn } from "../../src/measure/measure-answer.ts";
import { sources } from "../../src/measure/measure-query.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import { countingZone } from "../support/counting-service.ts";
import { cases } from "../support/properties.ts";

const { id } = countingZone("shop.example", 1, {}).zone;
const from = Date.parse("2026-11-26T08:00:00Z");
const groups = "firewallEventsAdaptiveGroups";
const hourly = { source: groups, unit: hourUnit } as const;
const good = {
  count: 3,
  avg: { sampleInterval: 1 },
  dimensions: { ruleId: "r", rulesetId: "s", action: "log", datetimeHour: "2026-11-26T08:00:00Z" },
};

describe("an error of the analytics", () => {
  it.for([
    {
      message: "rate limiter budget depleted, try again after 5 minutes",
      code: "budget",
      result: "rate_limited",
    },
    {
      message: "quota exceeded, please repeat your request in the next minute",
      code: "quota",
      result: "rate_limited",
    },
    { message: "cannot request data older than 1w1d", code: "quota", result: "failed" },
    {
      message: "query time range is too large. Time range can't be wider than 86400s",
      code: "quota",
      result: "failed",
    },
    { message: "zones [a b] are not authorized", code: "authz", result: "refused" },
    { message: "zone 'a' does not have access to the path", code: "authz", result: "refused" },
  ])("$code: $message is $result", ({ message, code, result }, { expect }) => {
    const errors = [{ message, path: null, extensions: { code } }];
    const answer = answerIn({ data: null, errors }, [], () => undefined);
    expect(answer.result).toBe(result);
  });
});

describe("the rows of an answer", () => {
  it("are counts by hour, ids and action", ({ expect }) => {
    expect(rowsIn({ [groups]: [good] }, hourly, from, from + hourMs)).toEqual([
      { nth: from / hourMs, ids: ["r", "s"], action: "log", count: 3, sampleInterval: 1 },
    ]);
    expect(rowsIn({ [groups]: [] }, hourly, from, from + hourMs)).toEqual([]);
  });

  it.for(["", "x".repeat(100), "<b>", "__proto__"])(
    "name the action %s unknown",
    (action, context) => {
      const row = { ...good, dimensions: { ...good.dimensions, action } };
      const rows = rowsIn({ [groups]: [row] }, hourly, from, from + hourMs);
      context.expect(rows).toMatchObject([{ action: "unknown", count: 3 }]);
    },
  );

  it.for([
    { what: "nothing", rows: undefined },
    { what: "null", rows: null },
    { what: "a row that is no object", rows: [good, 1] },
    { what: "a count below 0", rows: [{ ...good, count: -1 }] },
    { what: "a part of a count", rows: [{ ...good, count: 1.5 }] },
    { what: "a count as a text", rows: [{ ...good, count: "3" }] },
    { what: "no sample interval", rows: [{ ...good, avg: {} }] },
    { what: "a sample interval below 1", rows: [{ ...good, avg: { sampleInterval: 0 } }] },
    { what: "no hour", rows: [{ ...good, dimensions: {} }] },
    { what: "a count that nobody has", rows: [{ ...good, count: Number.MAX_SAFE_INTEGER }] },
    { what: "a sample of one in 1e300", rows: [{ ...good, avg: { sampleInterval: 1e300 } }] },
    {
      what: "an hour that was not asked for",
      rows: [good, { ...good, dimensions: { datetimeHour: "2026-11-26T09:00:00Z" } }],
    },
  ])("count nothing with $what", ({ rows }, { expect }) => {
    const zone = rows === undefined ? {} : { [groups]: rows };
    expect(rowsIn(zone, hourly, from, from + hourMs)).toBe(undefined);
  });

  it("are none in any other answer, and nothing is thrown", ({ expect }) => {
    const part = fc.constantFrom("data", "viewer", "zones", "zoneTag", "settings", ...sources, id);
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(null, id, 1, -1, true, "", "x"),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(part, tie("tree"), { maxKeys: 4 }),
      ),
    }));
    const law = fc.property(tree, fc.constantFrom(...sources), (body, source) => {
      const counts = answerIn(body, [id], (zone) =>
        rowsIn(zone, { source, unit: hourUnit }, from, from + hourMs),
      );
      const rows = counts.result === "answered" ? (counts.zones.get(id) ?? []) : [];
      expect(rows).toEqual([]);
      const limits = answerIn(body, [id], limitsIn);
      if (limits.result !== "answered") return;
      for (const found of limits.zones.values()) expect(Object.keys(found)).toEqual([]);
    });
    fc.assert(law, cases(5_000));
  });
});
