import { describe, it } from "vitest";

import { get, pathOf } from "../../src/api/request/call.ts";
import { routes } from "../../src/api/routes.ts";
import { wireCodes } from "../../src/api/wire.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { emulated } from "../support/emulated.ts";
import { plantedToken } from "../support/service.ts";

describe("a route of the client", () => {
  it.for(Object.values(routes))("is one of the service: %s", async (route, { expect, signal }) => {
    await using at = await emulated({});
    const known: Readonly<Record<string, string>> = {
      zone_id: at.zone.id,
      account_id: at.zone.accountId,
      phase_name: "http_request_firewall_managed",
      ruleset_version: "1",
    };
    const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const params = names.map((name) => [name, known[name] ?? "0".repeat(32)] as const);
    const path = pathOf("", get(route, Object.fromEntries(params)));
    const headers = { authorization: `Bearer ${plantedToken}` };
    const response = await fetch(`${at.emulator.baseUrl}${path}`, { headers, signal });
    const body: unknown = await response.json();
    // "Could not route to …" and "No route for that URI" (SERVICE.md C.2).
    const codes = isJsonObject(body) ? JSON.stringify(body["errors"]) : "no envelope";
    expect(codes).not.toMatch(/no envelope|7000|7003/);
  });
});

it("knows the codes of the service by number (SERVICE.md B.8, B.10, B.11, C.2)", ({ expect }) => {
  expect(wireCodes).toEqual({
    noEntrypoint: 10_003,
    authentication: 10_000,
    unauthorized: 9_109,
    invalidToken: 1_000,
    invalidHeaders: 6_003,
    noRoute: 7_000,
    couldNotRoute: 7_003,
    rateLimited: 971,
    duplicateExecute: 20_014,
    skipInRoot: 20_016,
    wrongProduct: 20_119,
    wrongSkippedPhase: 20_120,
    missingColo: 20_155,
    secondEntrypoint: 20_217,
    wrongArgument: 20_083,
    expressionTooLong: 20_127,
    tooManyRules: 50_001,
  });
});
