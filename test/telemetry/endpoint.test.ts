import { describe, it } from "vitest";

import { routes } from "../../src/api/routes.ts";
import { codeOf, endpointOf, endpoints, retryReasonOf } from "../../src/telemetry/endpoint.ts";

const zone = "023e105f4ecef8ad9ca31a8372d0c353";

describe("the label endpoint", () => {
  it.for(Object.values(routes))("knows the client's route %s", (route, { expect }) => {
    expect(Object.keys(endpoints)).toContain(route);
    expect(endpointOf(route)).toBe(route);
  });

  it.for([
    { path: "/client/v4/zones?name=shop.example.com&page=2", is: "/zones" },
    { path: `/zones/${zone}/page_shield`, is: "/zones/{zone_id}/page_shield" },
    {
      path: `/client/v4/zones/${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`,
      is: "/zones/{zone_id}/rulesets/phases/{phase_name}/entrypoint",
    },
    {
      path: `/zones/${zone}/page_shield/policies/c9ef84a6bf5e47138c75d95e2f933e8f`,
      is: "/zones/{zone_id}/page_shield/policies/{policy_id}",
    },
    { path: `/zones/${zone}/something/new`, is: "other" },
    { path: "", is: "other" },
  ])("of $path is $is", ({ path, is }, { expect }) => {
    expect(endpointOf(path)).toBe(is);
  });
});

describe("the labels code and reason", () => {
  it.for([
    { given: 200, code: "200", reason: "other" },
    { given: 408, code: "408", reason: "timeout" },
    { given: 409, code: "409", reason: "conflict" },
    { given: 418, code: "other", reason: "other" },
    { given: 429, code: "429", reason: "throttled" },
    { given: 503, code: "503", reason: "server_error" },
    { given: 599, code: "other", reason: "server_error" },
    { given: "reset", code: "reset", reason: "reset" },
  ] as const)("of $given are $code and $reason", ({ given, code, reason }, { expect }) => {
    expect(codeOf(given)).toBe(code);
    expect(retryReasonOf(given)).toBe(reason);
  });
});
