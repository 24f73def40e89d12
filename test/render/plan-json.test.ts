import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";

import { reportJson } from "../../src/render/plan-json.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { applied, planned, runOf } from "../support/plan-stories.ts";

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

  it("is not taken for one when something is missing or added", ({ expect }) => {
    const { revision: _left, ...partial } = reportJson(runOf(planned));
    expect(complaints(partial)).not.toEqual([]);
    expect(complaints({ ...partial, revision: "r", also: 1 })).not.toEqual([]);
  });
});
