import { describe, it } from "vitest";

import { requestFor } from "../../src/api/write/write-request.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { Write } from "../../src/zone/write.ts";
import { fakeGet, sendWrite } from "../support/get.ts";
import { entrypoint, liveRule, liveZone } from "../support/model.ts";
import { zone } from "../support/service.ts";

const body = { enabled: true };
const changes = [] as const;
const place = { after: "", behind: [], before: "ref-r1" };

const twoRules = liveZone({
  zone: zone(),
  entrypoints: {
    managed_rules: entrypoint(liveRule("r1", { ref: "ref-r1" }), liveRule("r2", { ref: "ref-r2" })),
  },
});

const rows: readonly { write: Write; sends: string; body: unknown }[] = [
  {
    write: { call: "update-settings", body, changes },
    sends: "PUT /zones/{zone_id}/page_shield",
    body,
  },
  { write: { call: "create-policy", body, changes }, sends: "POST …/policies", body },
  { write: { call: "update-policy", id: "p1", body, changes }, sends: "PUT …/policies/p1", body },
  {
    write: { call: "delete-policy", id: "p1", changes },
    sends: "DELETE …/policies/p1",
    body: undefined,
  },
  {
    write: {
      call: "create-rule",
      phase: "managed_rules",
      ruleset: "e1",
      body,
      position: place,
      changes,
    },
    sends: "POST …/e1/rules",
    body: { ...body, position: { before: "" } },
  },
  {
    write: {
      call: "update-rule",
      phase: "managed_rules",
      ruleset: "e1",
      id: "r2",
      body,
      position: { after: "ref-r1", behind: [], before: "" },
      changes,
    },
    sends: "PATCH …/e1/rules/r2",
    body: { ...body, position: { after: "r1" } },
  },
  {
    write: {
      call: "update-rule",
      phase: "managed_rules",
      ruleset: "e1",
      id: "r1",
      body,
      position: null,
      changes,
    },
    sends: "PATCH …/e1/rules/r1",
    body,
  },
  {
    write: { call: "delete-rule", phase: "managed_rules", ruleset: "e1", id: "r1", changes },
    sends: "DELETE …/e1/rules/r1",
    body: undefined,
  },
  {
    write: { call: "create-entrypoint", phase: "custom_rules", rules: [body], changes },
    sends: "POST …/rulesets",
    body: {
      name: "default",
      kind: "zone",
      phase: "http_request_firewall_custom",
      rules: [body],
    },
  },
  {
    write: { call: "put-entrypoint", phase: "managed_rules", rules: [body], changes },
    sends: "PUT …/phases/http_request_firewall_managed/entrypoint",
    body: { rules: [body] },
  },
];

describe("the request of a write", () => {
  it.for(rows)("$sends with its whole body, and the position of a rule", (row, { expect }) => {
    const { method, route, params, body: sent } = requestFor(twoRules, row.write);
    const path = route.replaceAll(/\{(\w+)\}/g, (name, key: string) =>
      key === "zone_id" ? name : (params[key] ?? ""),
    );
    const [expectedMethod, end = ""] = row.sends.split(" ");
    expect(method).toBe(expectedMethod);
    expect(path.endsWith(end.replace("…", ""))).toBe(true);
    expect(params["zone_id"]).toBe(zone().id);
    expect(sent).toEqual(row.body);
  });
});

describe("the answer to the update of a policy", () => {
  const old = {
    description: "A",
    action: "log",
    expression: "true",
    enabled: true,
    value: "img-src a",
  };
  const live: LiveZone = {
    zone: zone(),
    settings: undefined,
    policies: [{ id: "p1", ...old, rest: {} }],
    entrypoints: {},
    scoreRule: undefined,
  };
  const write: Write = { call: "update-policy", id: "p1", body: old, changes };
  const whole = { id: "p1", ...old, value: "img-src b" };

  it.for(Object.keys(whole))(
    "is read again where it lacks %s",
    async (field, { expect, signal }) => {
      const part = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));
      const fake = fakeGet(({ method }) => ({ result: method === "GET" ? [whole] : part }));
      const { live: after, shows } = await sendWrite(fake.send, live, write, signal);
      expect([after.policies?.[0]?.value, shows]).toEqual(["img-src b", "part"]);
      expect(fake.calls.map(({ method }) => method)).toEqual(["PUT", "GET"]);
    },
  );
});
