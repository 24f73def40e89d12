import { describe, it } from "vitest";

import { operations } from "../../src/emulator/http/operations.ts";
import { contradictionsOf } from "../support/api-contract.ts";

const zone = "/zones/023e105f4ecef8ad9ca31a8372d0c353";
const good = { success: true, errors: [], messages: [] };
const rule = {
  id: "3a03d665bac047339bb530ecb439a90d",
  version: "1",
  last_updated: "2026-11-20T12:00:00.000000Z",
  ref: "a",
  enabled: true,
  expression: "true",
  action: "execute",
  action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" },
};
const ruleset = {
  id: "2f2feab2026849078ba485f918791bdc",
  name: "default",
  kind: "zone",
  phase: "http_request_firewall_managed",
  version: "1",
  last_updated: "2026-11-20T12:00:00.000000Z",
  rules: [rule],
};
const entrypoint = {
  method: "GET",
  path: `${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
  sent: undefined,
  status: 200,
};
const policies = `${zone}/page_shield/policies`;

describe("the operations", () => {
  it("have the right article", ({ expect }) => {
    const summaries = operations.map(({ summary }) => summary);
    expect(summaries.filter((text) => /\ba (?!user)[aeiou]|\ban [^aeiou]/.test(text))).toEqual([]);
  });
});

describe("the contract of responses", () => {
  it("finds nothing in a ruleset as the schema has it", ({ expect }) => {
    expect(contradictionsOf({ ...entrypoint, received: { ...good, result: ruleset } })).toEqual([]);
  });

  it.for([
    {
      what: "a rule without its id",
      exchange: {
        ...entrypoint,
        received: { ...good, result: { ...ruleset, rules: [{ ...rule, id: undefined }] } },
      },
    },
    {
      what: "parameters that do not fit the rule's action",
      exchange: {
        ...entrypoint,
        received: {
          ...good,
          result: { ...ruleset, rules: [{ ...rule, action_parameters: { id: "short" } }] },
        },
      },
    },
    {
      what: "a moment that is none",
      exchange: {
        ...entrypoint,
        received: { ...good, result: { ...ruleset, last_updated: "yesterday" } },
      },
    },
    {
      what: "a body where there must be none",
      exchange: {
        method: "DELETE",
        path: `${policies}/${rule.id}`,
        sent: undefined,
        status: 204,
        received: good,
      },
    },
    {
      what: "a status that is not described",
      exchange: { ...entrypoint, status: 201, received: good },
    },
    {
      what: "a policy in a request with a wrong action",
      exchange: {
        method: "POST",
        path: policies,
        sent: { description: "", action: "block", expression: "true", enabled: true, value: "" },
        status: 200,
        received: { ...good, result: null },
      },
    },
  ])("notices $what", ({ exchange }, { expect }) => {
    expect(contradictionsOf(exchange)).not.toEqual([]);
  });
});
