import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import { savedPlan } from "../../src/plan/saved/saved-plan.ts";
import {
  type PlanFile,
  planFileErrors,
  planFileText,
  readPlanFile,
} from "../../src/render/plan-file.ts";
import { coerceList, isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
import { planFileOf } from "../support/forged-plan-file.ts";
import {
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";

const live = liveZone({
  settings: {
    enabled: false,
    use_cloudflare_reporting_endpoint: true,
    use_connection_url_path: false,
  },
  policies: [carriedOut("p1", policy("old")), carriedOut("p2", policy("cart"), { enabled: false })],
  entrypoints: { managed_rules: entrypoint(liveDeployment("r1", { ref: "zonewarden:owasp" })) },
});
const desired = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([policy("checkout"), policy("cart")]),
  rules: { managed_rules: declared([exception("uploads"), deployment("owasp")]) },
});
// What its writes wait for is not in the file: it is taken from the plan of today.
const proposal = { ...savedPlan(plan(desired, live, owner), live), waitsFor: new Map(), grown: [] };

const saved: PlanFile = {
  owner,
  service: "http://127.0.0.1:8787/client/v4",
  revision: "3f2c1d9",
  createdAt: new Date("2026-11-21T10:00:00.000Z"),
  expiresAt: new Date("2026-11-21T22:00:00.000Z"),
  zones: [proposal],
};
const text = planFileText(saved);
const here = { owner, service: saved.service, now: new Date("2026-11-21T11:00:00.000Z") };

function errorIn(file: string): string {
  const read = readPlanFile(file);
  return read.result === "read" ? "none" : `${read.error.code} ${read.error.message}`;
}

/** The saved plan with something done to its content, and a hash that fits. */
function forged(change: (content: Record<string, unknown>) => void): string {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error("no object");
  const { hash: _old, ...content } = structuredClone<JsonObject>(json);
  change(content);
  return planFileOf(content);
}

function firstPlan(content: Record<string, unknown>): Record<string, unknown> {
  const zones: unknown = content["zones"];
  const zone: unknown = Array.isArray(zones) ? zones[0] : undefined;
  if (!isJsonObject(zone) || !isJsonObject(zone["plan"])) throw new Error("no plan");
  return zone["plan"];
}

describe("a saved plan", () => {
  it("is read back as it was", ({ expect }) => {
    expect(readPlanFile(text)).toEqual({
      result: "read",
      file: {
        ...saved,
        zones: saved.zones.map((zone) => {
          return { ...zone, liveKeys: new Map(), policyForms: new Map(), placedBy: new Map() };
        }),
      },
      signedText: text.trimEnd(),
      signature: undefined,
    });
  });

  it("is read back also when somebody formatted it", ({ expect }) => {
    expect(errorIn(JSON.stringify(JSON.parse(text), null, 2))).toBe("none");
  });

  it("fits its schema", ({ expect }) => {
    const schema: unknown = JSON.parse(readFileSync("schemas/plan.schema.json", "utf8"));
    if (!isJsonObject(schema)) throw new Error("the schema is no object");
    const validate = new Ajv2020({ formats: { "date-time": true } }).compile(schema);
    validate(JSON.parse(text));
    expect(validate.errors ?? []).toEqual([]);
  });

  it.for([
    { when: "is empty", file: "", says: /^PLAN_NOT_JSON plan file: not a whole JSON object/ },
    { when: "was cut off", file: text.slice(0, 500), says: /^PLAN_NOT_JSON/ },
    { when: "is a list", file: "[]", says: /^PLAN_NOT_JSON/ },
    {
      when: "is nested without end",
      file: `${'{"a":['.repeat(200_000)}${"]}".repeat(200_000)}`,
      says: /^PLAN_NOT_JSON/,
    },
    {
      when: "is another document",
      file: '{"name":"zonewarden"}',
      says: /^PLAN_FORMAT plan file: not a plan that was saved with plan --out: make a new plan$/,
    },
    {
      when: "was made by an earlier version",
      file: text.replace("zonewarden-plan/2", "zonewarden-plan/1"),
      says: /its format is "zonewarden-plan\/1", and this program reads zonewarden-plan\/2: make a new/,
    },
    {
      when: "was edited",
      file: text.replace('"enabled":true', '"enabled":false'),
      says: /^PLAN_TAMPERED plan file: the content does not fit its hash: make a new plan$/,
    },
    {
      when: "has no hash",
      file: text.replace(/"hash":"[0-9a-f]{64}",/, ""),
      says: /^PLAN_TAMPERED/,
    },
    {
      when: "has a field that no plan has",
      file: forged((content) => (content["also"] = 1)),
      says: /^PLAN_MALFORMED plan file: plan --out writes no such file: make a new plan$/,
    },
    {
      when: "has a date that is none",
      file: forged((content) => (content["expires_at"] = "soon")),
      says: /^PLAN_MALFORMED plan file: a date or a zone is none/,
    },
    {
      when: "has a zone that is none",
      file: forged((content) => (firstPlan(content)["zone"] = { id: "../accounts" })),
      says: /^PLAN_MALFORMED plan file: a date or a zone is none/,
    },
    {
      when: "has no zones",
      file: forged((content) => delete content["zones"]),
      says: /^PLAN_MALFORMED plan file: plan --out writes no such file: make a new plan$/,
    },
    {
      // Both would be applied, and each would create the same policy.
      when: "has a zone twice",
      file: forged((content) => {
        const zones = coerceList(content["zones"]);
        content["zones"] = [...zones, ...zones];
      }),
      says: /^PLAN_MALFORMED plan file: it has more than one plan of a zone: make a new plan$/,
    },
    {
      when: "has a request that is none",
      file: forged((content) => (firstPlan(content)["writes"] = [{ call: "delete-zone" }])),
      says: /^PLAN_MALFORMED plan file: plan --out writes no such file: make a new plan$/,
    },
    {
      when: "has an id that leads to another resource",
      file: forged((content) => {
        const changes = ["policy/old"];
        firstPlan(content)["writes"] = [{ call: "delete-policy", id: "..", changes }];
      }),
      says: /^PLAN_MALFORMED plan file: plan --out writes no such file: make a new plan$/,
    },
    {
      when: "has other requests than it names by its hash",
      file: forged((content) => (firstPlan(content)["writes"] = [])),
      says: /^PLAN_MALFORMED plan file: plan --out writes no such file: make a new plan$/,
    },
  ])("that $when is held", ({ file, says }, { expect }) => {
    expect(errorIn(file)).toMatch(says);
  });

  it.for([
    { when: "everything fits", differs: {}, says: [] },
    {
      when: "the owner is another",
      differs: { owner: "team-b" },
      says: [
        {
          code: "PLAN_OTHER_OWNER",
          message: "plan file: made for the owner zonewarden, this one is team-b: make a new plan",
        },
      ],
    },
    {
      when: "the service is another",
      differs: { service: "https://api.example.com/client/v4" },
      says: [
        {
          code: "PLAN_OTHER_SERVICE",
          message:
            "plan file: made for http://127.0.0.1:8787/client/v4, this service is https://api.example.com/client/v4: make a new plan",
        },
      ],
    },
    {
      when: "its time is over",
      differs: { now: saved.expiresAt },
      says: [
        {
          code: "PLAN_EXPIRED",
          message: "plan file: it expired at 2026-11-21T22:00:00.000Z: make a new plan",
        },
      ],
    },
  ])("says what speaks against it when $when", ({ differs, says }, { expect }) => {
    expect(planFileErrors(saved, { ...here, ...differs })).toEqual(says);
  });
});
