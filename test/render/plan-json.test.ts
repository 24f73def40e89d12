import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";

import { reportJson } from "../../src/render/plan-json.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { applied, planned, runOf } from "../support/plan-stories.ts";
import { change, report } from "../support/reports.ts";

function complaints(document: unknown): unknown {
  const schema: unknown = JSON.parse(readFileSync("schemas/plan.schema.json", "utf8"));
  if (!isJsonObject(schema)) throw new Error("the schema is no object");
  const validate = new Ajv2020({ formats: { "date-time": true } }).compile(schema);
  validate(document);
  return validate.errors ?? [];
}

describe("a report as JSON", () => {
  it("reads as this to other programs", async ({ expect }) => {
    const some = planned.filter(({ zone }) => /^(brand|calm|locked)\./.test(zone));
    const json = JSON.stringify(reportJson(runOf(some)), null, 2);
    await expect(`${json}\n`).toMatchFileSnapshot("../golden/plan.json");
  });

  it.for([
    { what: "a plan", reports: planned },
    { what: "an apply", reports: applied },
    { what: "nothing", reports: [] },
  ] satisfies readonly { what: string; reports: readonly ZoneReport[] }[])(
    "fits its schema: $what",
    ({ reports }, { expect }) => {
      expect(complaints(JSON.parse(JSON.stringify(reportJson(runOf(reports)))))).toEqual([]);
    },
  );

  it("fits its schema with what was counted, and why it was not", ({ expect }) => {
    const effect = { before: "mixed", after: "pass", extent: "some", isEstimate: true } as const;
    const counts = { count: 7, requests: undefined, hours: 3, ofHours: 168 };
    const measured = [{ ...effect, ...counts }, { ...effect, ...counts, requests: 9 }, { why: "" }];
    const changes = measured.map((each) => ({ ...change("policy/checkout"), measured: each }));
    const came = { result: "planned", cause: "pending", changes } as const;
    const json = JSON.stringify(reportJson(runOf([report("shop.example.com", 1, came)])));
    expect(complaints(JSON.parse(json))).toEqual([]);
    expect(json).toContain('"requests":null');
    expect(json).toContain('"measured_effect":{"state":"unknown","reason":""}');
  });

  it("is not taken for one when something is missing or added", ({ expect }) => {
    const { revision: _left, ...partial } = reportJson(runOf(planned));
    expect(complaints(partial)).not.toEqual([]);
    expect(complaints({ ...partial, revision: "r", also: 1 })).not.toEqual([]);
  });
});
