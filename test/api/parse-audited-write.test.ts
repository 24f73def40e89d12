import { describe, it } from "vitest";

import { auditedWriteOf } from "../../src/api/read/parse-audited-write.ts";
import type { Json } from "../../src/syntax/json.ts";
import type { AuditedWrite } from "../../src/zone/audit-entry.ts";

const id = "a".repeat(32);
const zone = "/zones/023e105f4ecef8ad9ca31a8372d0c353";
const policy = { action: "log", value: "script-src 'self'", enabled: true };
const rule = { id, ref: "own", action: "log", expression: "true", enabled: false };

/** What a request wrote: verb, kind, id, then the names of the fields, or of the rules with theirs. */
function told(method: string, path: string, body?: Json, resourceId = ""): string | undefined {
  const write = auditedWriteOf({ method, path, resourceId, body });
  if (write === undefined) return undefined;
  const { verb, kind, values, rules } = write;
  const fields = values === undefined ? "?" : [...values.keys()].toSorted().join(",");
  const named = rules === undefined ? [] : [`rules ${[...rules.keys()].join(",")}`];
  return [verb, kind, write.id || "-", fields, ...named].join(" ");
}

describe("an entry of the audit log", () => {
  it.for<{
    readonly method: string;
    readonly path: string;
    readonly body?: Json;
    readonly resource?: string;
    readonly yields: string | undefined;
  }>([
    { method: "PUT", path: "/accounts/a/page_shield", body: {}, yields: undefined },
    { method: "PUT", path: `${zone}/settings`, body: {}, yields: undefined },
    {
      method: "PUT",
      path: `${zone}/page_shield`,
      body: { enabled: false },
      yields: "update setting - enabled",
    },
    {
      method: "PATCH",
      path: `${zone}/page_shield`,
      body: '{"enabled":false}',
      yields: "update setting - enabled",
    },
    {
      method: "PUT",
      path: `${zone}/page_shield`,
      body: { enabled: "no", other: true },
      yields: "update setting - ",
    },
    { method: "PUT", path: `${zone}/page_shield`, yields: "update setting - ?" },
    { method: "PUT", path: `${zone}/page_shield`, body: "not JSON", yields: "update setting - ?" },
    { method: "PUT", path: `${zone}/page_shield`, body: "[1]", yields: "update setting - ?" },
    { method: "PUT", path: `${zone}/page_shield`, body: [1], yields: "update setting - ?" },
    {
      method: "PUT",
      path: `${zone}/page_shield`,
      body: "[".repeat(65) + "]".repeat(65),
      yields: "update setting - ?",
    },
    {
      method: "PUT",
      path: `${zone}/page_shield`,
      body: `{"enabled":true,"deep":${"[".repeat(64)}${"]".repeat(64)}}`,
      yields: "update setting - ?",
    },
    {
      method: "PUT",
      path: `${zone}/page_shield`,
      body: `{"enabled":true,"deep":${"[".repeat(63)}${"]".repeat(63)}}`,
      yields: "update setting - enabled",
    },
    { method: "POST", path: `${zone}/page_shield`, body: {}, yields: undefined },
    { method: "PUT", path: `${zone}/page_shield/scripts`, body: {}, yields: undefined },
    {
      method: "POST",
      path: `${zone}/page_shield/policies`,
      body: policy,
      resource: id,
      yields: `create policy ${id} action,enabled,value`,
    },
    {
      method: "PUT",
      path: `${zone}/page_shield/policies/${id}`,
      body: { enabled: true },
      resource: "other",
      yields: `update policy ${id} enabled`,
    },
    {
      method: "PATCH",
      path: `${zone}/page_shield/policies/${id}`,
      yields: `update policy ${id} ?`,
    },
    {
      method: "DELETE",
      path: `${zone}/page_shield/policies/${id}`,
      yields: `delete policy ${id} ?`,
    },
    { method: "GET", path: `${zone}/page_shield/policies/${id}`, yields: undefined },
    {
      method: "POST",
      path: `${zone}/rulesets/${id}/rules`,
      body: rule,
      yields: "create rule - action,description,enabled,expression,overrides",
    },
    {
      method: "PATCH",
      path: `${zone}/rulesets/${id}/rules/${id}`,
      body: rule,
      yields: `update rule ${id} action,description,enabled,expression,overrides`,
    },
    {
      method: "PATCH",
      path: `${zone}/rulesets/${id}/rules/${id}`,
      body: { position: { index: 1 } },
      yields: `update rule ${id} `,
    },
    {
      method: "PATCH",
      path: `${zone}/rulesets/${id}/rules/${id}`,
      body: { ...rule, position: { index: 1 } },
      yields: `update rule ${id} action,description,enabled,expression,overrides`,
    },
    {
      method: "PATCH",
      path: `${zone}/rulesets/${id}/rules/${id}`,
      body: {},
      yields: `update rule ${id} `,
    },
    { method: "DELETE", path: `${zone}/rulesets/${id}/rules/${id}`, yields: `delete rule ${id} ?` },
    { method: "GET", path: `${zone}/rulesets/${id}/rules/${id}`, yields: undefined },
    { method: "PATCH", path: `${zone}/rulesets/${id}/versions/1`, body: rule, yields: undefined },
    {
      method: "PUT",
      path: `${zone}/rulesets/${id}`,
      body: { rules: [rule] },
      yields: `replace rule -  rules ${id},own`,
    },
    {
      method: "PUT",
      path: `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
      body: { rules: [{ ...rule, ref: "" }, { action: "log" }] },
      yields: `replace rule - ? rules ${id}`,
    },
    {
      method: "PUT",
      path: `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
      body: { rules: [] },
      yields: "replace rule - ? rules ",
    },
    {
      method: "PUT",
      path: `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
      body: { rules: [1] },
      yields: "replace rule - ?",
    },
    {
      method: "PUT",
      path: `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
      body: {},
      yields: "replace rule - ?",
    },
    {
      method: "PUT",
      path: `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
      yields: "replace rule - ?",
    },
    {
      method: "PUT",
      path: `${zone}/rulesets/${id}`,
      body: { description: "Payments [zonewarden:payments]", rules: [rule] },
      yields: `replace rule - description,key rules ${id},own`,
    },
    { method: "PUT", path: `${zone}/rulesets/${id}`, yields: "replace rule - ?" },
    {
      method: "PUT",
      path: `${zone}/rulesets/${id}`,
      body: { description: "Payments" },
      yields: `update ruleset ${id} description,key`,
    },
    {
      method: "PUT",
      path: `${zone}/rulesets/${id}`,
      body: { name: "payments" },
      yields: `update ruleset ${id} `,
    },
    { method: "DELETE", path: `${zone}/rulesets/${id}`, yields: `delete ruleset ${id} ? rules ` },
    { method: "PATCH", path: `${zone}/rulesets/${id}`, yields: undefined },
    {
      method: "POST",
      path: `${zone}/rulesets`,
      body: { kind: "zone", phase: "http_ratelimit", rules: [rule] },
      yields: `replace rule - ? rules ${id},own`,
    },
    {
      method: "POST",
      path: `${zone}/rulesets`,
      body: { kind: "zone", phase: "http_request_firewall_custom" },
      yields: "replace rule - ? rules ",
    },
    {
      method: "POST",
      path: `${zone}/rulesets`,
      body: { kind: "custom", phase: "http_request_firewall_custom", rules: [rule] },
      resource: "new",
      yields: `create ruleset new  rules ${id},own`,
    },
    {
      method: "POST",
      path: `${zone}/rulesets`,
      body: { kind: "custom", phase: "http_request_firewall_custom", description: "Payments" },
      yields: "create ruleset - description,key rules ",
    },
    {
      method: "POST",
      path: `${zone}/rulesets`,
      body: { kind: "root", phase: "http_request_firewall_custom", rules: [rule] },
      yields: undefined,
    },
    {
      method: "POST",
      path: `${zone}/rulesets`,
      body: { kind: "zone", phase: "http_request_transform", rules: [rule] },
      yields: undefined,
    },
    { method: "POST", path: `${zone}/rulesets`, yields: "replace rule - ?" },
    {
      method: "PUT",
      path: `${zone}/rulesets/phases/p/versions`,
      body: { rules: [] },
      yields: undefined,
    },
  ])(
    "$method $path with $body: $yields",
    ({ method, path, body, resource, yields }, { expect }) => {
      expect(told(method, path, body, resource)).toBe(yields);
    },
  );
});

/** The values that a PUT wrote below a zone. */
function written(path: string, body: Json): AuditedWrite {
  const write = auditedWriteOf({ method: "PUT", path: `${zone}/${path}`, resourceId: "", body });
  if (write === undefined) throw new Error(`${path} is not told`);
  return write;
}

describe("the values of a write", () => {
  it.for([
    {
      path: `page_shield/policies/${id}`,
      body: { ...policy, value: "script-src b.example a.example" },
      respelled: { ...policy, value: "Script-Src  a.example b.example", enabled: "true" },
      other: { ...policy, value: "script-src a.example" },
    },
    {
      path: `rulesets/${id}/rules/${id}`,
      body: { ...rule, expression: 'http.host eq "a"' },
      respelled: { ...rule, expression: ' http.host eq "a"\n' },
      other: { ...rule, expression: 'http.host eq "b"' },
    },
    {
      path: "page_shield",
      body: { enabled: true },
      respelled: { enabled: "true" },
      other: { enabled: false },
    },
  ])("of $path are the same however they are written", (row, { expect }) => {
    const { values } = written(row.path, row.body);
    expect(values?.size).toBeGreaterThan(0);
    expect(written(row.path, row.respelled).values).toEqual(values);
    expect(written(row.path, row.other).values).not.toEqual(values);
  });

  it("of each rule of a ruleset are those of the rule, by id and by ref", ({ expect }) => {
    const { values } = written(`rulesets/${id}/rules/${id}`, rule);
    const { rules } = written(`rulesets/${id}`, { rules: [rule, { action: "log" }] });
    expect(rules).toEqual(
      new Map([
        [id, values],
        ["own", values],
      ]),
    );
  });
});
