import { describe, it } from "vitest";

import { routes } from "../../src/api/routes.ts";
import { requestFor } from "../../src/api/write/write-request.ts";
import {
  codeOf,
  endpointOf,
  endpoints,
  retryReasonOf,
} from "../../src/telemetry/metrics/api-labels.ts";
import type { Write } from "../../src/zone/write.ts";
import {
  createPolicy,
  deleteRule,
  putEntrypoint,
  shop,
  updateSettings,
} from "../support/sample-writes.ts";

const [body, changes, phase, id] = [{}, [], "custom_rules", "r1"] as const;
const rule = { phase, ruleset: "e1", id, changes } as const;
const team = { phase, custom_ruleset: "payments", changes } as const;
const samples: Readonly<Record<Write["call"], Write>> = {
  "update-settings": updateSettings,
  "create-policy": createPolicy,
  "update-policy": { call: "update-policy", id, body, changes },
  "delete-policy": { call: "delete-policy", id, changes },
  "create-rule": {
    ...rule,
    call: "create-rule",
    body,
    position: { after: "", behind: [], before: "" },
  },
  "update-rule": { ...rule, call: "update-rule", body, position: null },
  "delete-rule": deleteRule,
  "create-entrypoint": { call: "create-entrypoint", phase, rules: [], changes },
  "put-entrypoint": putEntrypoint,
  "create-ruleset": { call: "create-ruleset", ...team, body },
  "update-ruleset": { call: "update-ruleset", ...team, ruleset: "r1", body },
  "delete-ruleset": { call: "delete-ruleset", ...team, ruleset: "r1" },
};
const requestsOf = Object.fromEntries(
  Object.entries(samples).map(([name, write]) => [name, requestFor(shop, write)]),
);

describe("the label endpoint", () => {
  it("knows the client's routes, and no others", ({ expect }) => {
    expect(Object.keys(endpoints).toSorted()).toEqual(Object.values(routes).toSorted());
    expect(Object.keys(endpoints).map(endpointOf)).toEqual(Object.keys(endpoints));
  });

  it.for(Object.entries(requestsOf))(
    "has the method of the write %s, so that its series begins with 0",
    ([, { route, method }], { expect }) => {
      expect(endpoints[route]).toContain(method);
    },
  );

  it.for([
    "/zones/023e105f4ecef8ad9ca31a8372d0c353/page_shield",
    "/zones/{zone_id}/something/new",
    "toString",
    "",
  ])("of %j is other, so that no request makes a label of its own", (path, { expect }) => {
    expect(endpointOf(path)).toBe("other");
  });
});

describe("the labels code and reason", () => {
  it.for([
    { given: 200, code: "200", reason: "other" },
    { given: 408, code: "408", reason: "timeout" },
    { given: 409, code: "409", reason: "conflict" },
    { given: 418, code: "other", reason: "other" },
    { given: 429, code: "429", reason: "rate_limited" },
    { given: 503, code: "503", reason: "server_error" },
    { given: 599, code: "other", reason: "server_error" },
    { given: "reset", code: "reset", reason: "reset" },
  ] as const)("of $given are $code and $reason", ({ given, code, reason }, { expect }) => {
    expect(codeOf(given)).toBe(code);
    expect(retryReasonOf(given)).toBe(reason);
  });
});
