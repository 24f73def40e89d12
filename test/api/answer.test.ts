import { describe, it } from "vitest";

import { answerOf, KnownBodies } from "../../src/api/request/answer.ts";
import { type Answer, get, type Call } from "../../src/api/request/call.ts";
import { routes } from "../../src/api/routes.ts";
import { bytesOf, clock, settings, token } from "../support/answer-parts.ts";

describe("a refusal is about the token, the room that is left, or what it asked for", () => {
  it.for([
    { status: 400, wire: 6003, says: "Invalid request headers", code: "API_UNAUTHORIZED" },
    { status: 401, wire: 1000, says: "Invalid API Token", code: "API_UNAUTHORIZED" },
    { status: 403, wire: 1000, says: "Invalid API Token", code: "API_UNAUTHORIZED" },
    { status: 401, wire: 10000, says: "Authentication error", code: "API_UNAUTHORIZED" },
    { status: 403, wire: 10000, says: "Authentication error", code: "API_FORBIDDEN" },
    { status: 403, wire: 9109, says: "Invalid access token", code: "API_UNAUTHORIZED" },
    {
      status: 403,
      wire: 9109,
      says: "Unauthorized to access requested resource",
      code: "API_FORBIDDEN",
    },
    { status: 400, wire: 1000, says: "bad value", code: "API_REFUSED" },
    { status: 400, wire: 50001, says: "too many", code: "API_QUOTA" },
    { status: 403, wire: 50001, says: "too many", code: "API_FORBIDDEN" },
    {
      status: 400,
      wire: 12000,
      says: "exceeded the maximum number of rules in the phase http_response_page_shield: 1 out of 0",
      code: "API_QUOTA",
    },
    {
      status: 400,
      wire: 20217,
      says: "'zone' is not a valid value for kind because exceeded maximum number of zone rulesets",
      code: "API_REFUSED",
    },
  ])(
    "$status with $wire ($says) is $code (SERVICE.md A.6, B.8, C.2)",
    ({ status, wire, says, code }, { expect }) => {
      const body = bytesOf({ success: false, errors: [{ code: wire, message: says }] });
      const about = { token, known: new KnownBodies(), clock };
      const answer = (): unknown =>
        answerOf(get("/zones", {}), { status, headers: {}, body }, about);
      expect(answer).toThrow(expect.objectContaining({ code, status, wireCodes: [wire] }));
    },
  );
});

describe("an error says what to do", () => {
  it.for([
    { status: 401, says: "check the token: it is unknown, disabled or expired" },
    { status: 404, says: "it may have been removed meanwhile" },
    { status: 408, says: "zonewarden retries" },
    { status: 409, says: "zonewarden retries" },
    { status: 500, says: "zonewarden retries" },
    {
      status: 429,
      says: "zonewarden waits and retries; lower the budget if others use the token too",
    },
    { status: 400, says: "change what is declared, or the plan of the zone" },
    { status: 300, says: "check that api.base_url is the service's" },
    { status: 399, says: "check that api.base_url is the service's" },
  ])("$status: $says", ({ status, says }, { expect }) => {
    const about = { token, known: new KnownBodies(), clock };
    const response = { status, headers: {}, body: bytesOf({ success: true }) };
    const answer = (): unknown => answerOf(settings, response, about);
    expect(answer).toThrow(
      expect.objectContaining({ message: `GET ${routes.settings}: ${status}; ${says}` }),
    );
  });

  it("about a quota: to declare fewer", ({ expect }) => {
    const errors = [{ code: 50001, message: "too many" }];
    const about = { token, known: new KnownBodies(), clock };
    const response = { status: 400, headers: {}, body: bytesOf({ success: false, errors }) };
    expect(() => answerOf(settings, response, about)).toThrow(
      `GET ${routes.settings}: 400: too many (code 50001); declare fewer, or have the quota of the zone raised`,
    );
  });

  it("about each reason, and the place in the request", ({ expect }) => {
    const errors = [
      { code: 1, message: "wrong", source: { pointer: "/value" } },
      { code: 2, message: "worse" },
    ];
    const about = { token, known: new KnownBodies(), clock };
    const response = { status: 400, headers: {}, body: bytesOf({ success: false, errors }) };
    expect(() => answerOf(settings, response, about)).toThrow(
      "400: wrong (code 1 at /value); worse (code 2); change",
    );
  });
});

describe("what the service says of an error", () => {
  it.for([
    { when: "it is long", says: "x".repeat(292), told: `${"x".repeat(292)} (code 7…` },
    { when: "it just fits", says: "x".repeat(291), told: `${"x".repeat(291)} (code 7); ` },
    { when: "it has lines and controls", says: "a\n\t\u001b[1mb", told: "a [1mb (code 7)" },
  ])("is told where $when", ({ says, told }, { expect }) => {
    const body = bytesOf({ success: false, errors: [{ code: 7, message: says }] });
    const about = { token, known: new KnownBodies(), clock };
    const answer = (): unknown =>
      answerOf(get("/zones", {}), { status: 400, headers: {}, body }, about);
    expect(answer).toThrow(told);
  });
});

describe("a 403 names the permission that the token lacks", () => {
  it.for([
    { route: routes.settings, method: "GET", says: "Page Shield: Read" },
    { route: routes.policies, method: "POST", says: "Page Shield: Edit" },
    { route: routes.entrypoint, method: "PUT", says: "Zone WAF: Edit" },
    { route: routes.accountRuleset, method: "GET", says: "Account WAF: Read" },
    { route: routes.auditLog, method: "GET", says: "Account Settings: Read" },
    { route: routes.zones, method: "GET", says: "Zone: Read" },
  ] as const)("$method $route: $says", ({ route, method, says }, { expect }) => {
    const call: Call = { ...get(route, {}), method, body: {} };
    const about = { token, known: new KnownBodies(), clock };
    const response = { status: 403, headers: {}, body: bytesOf("") };
    expect(() => answerOf(call, response, about)).toThrow(`give the token the permission ${says},`);
  });
});

describe("an answer that is not the service's", () => {
  it.for([
    { body: "<html>", says: "the answer is not JSON", transient: true },
    { body: "[]", says: "the answer has no envelope", transient: false },
    { body: '{"enabled":true}', says: "the answer has no envelope", transient: false },
    { body: '"ok"', says: "the answer has no envelope", transient: false },
  ])(
    "says what is wrong with $body, and what to check",
    ({ body, says, transient }, { expect }) => {
      const about = { token, known: new KnownBodies(), clock };
      const response = { status: 200, headers: {}, body: bytesOf(body) };
      expect(() => answerOf(settings, response, about)).toThrow(
        expect.objectContaining({
          code: "API_MALFORMED",
          message: `GET ${routes.settings}: ${says}; check that api.base_url is the service's`,
          transient,
          mayHaveHappened: false,
        }),
      );
    },
  );
});

describe("an answer without a body", () => {
  it.for([
    { method: "DELETE", status: 204, body: "", isDone: true },
    { method: "PUT", status: 204, body: "", isDone: true },
    { method: "DELETE", status: 200, body: "", isDone: true },
    { method: "DELETE", status: 200, body: "<html>", isDone: false },
    { method: "DELETE", status: 204, body: "<html>", isDone: false },
    { method: "PUT", status: 200, body: "", isDone: false },
    { method: "GET", status: 200, body: "", isDone: false },
  ] as const)("$status to $method, $body: done is $isDone", (row, { expect }) => {
    const call: Call = { ...settings, method: row.method };
    const response = { status: row.status, headers: {}, body: bytesOf(row.body) };
    const read = (): unknown =>
      answerOf(call, response, { token, known: new KnownBodies(), clock }).result();
    if (row.isDone) expect(read()).toBe(null);
    else expect(read).toThrow("the answer is not JSON");
  });
});

describe("a write that is not confirmed", () => {
  it.for([
    { status: 200, body: '{"success":false,"errors":[]}', mayHaveHappened: true },
    { status: 200, body: '{"success":"true"}', mayHaveHappened: true },
    { status: 200, body: "", mayHaveHappened: true },
    { status: 201, body: "<html>", mayHaveHappened: true },
    { status: 303, body: "", mayHaveHappened: true },
    { status: 399, body: "", mayHaveHappened: true },
    { status: 307, body: "", mayHaveHappened: true },
    { status: 408, body: "", mayHaveHappened: true },
    { status: 502, body: "<html>", mayHaveHappened: true },
    { status: 400, body: '{"success":false,"errors":[]}', mayHaveHappened: false },
    { status: 403, body: "", mayHaveHappened: false },
    { status: 409, body: "", mayHaveHappened: false },
    { status: 429, body: "", mayHaveHappened: false },
  ])("by $status and $body may have happened: $mayHaveHappened", (row, { expect }) => {
    const call: Call = { ...settings, method: "PUT", body: {} };
    const response = { status: row.status, headers: {}, body: bytesOf(row.body) };
    const about = { token, known: new KnownBodies(), clock };
    const { mayHaveHappened } = row;
    expect(() => answerOf(call, response, about)).toThrow(
      expect.objectContaining({ mayHaveHappened }),
    );
    // A read changes nothing.
    expect(() => answerOf(settings, response, about)).toThrow(
      expect.objectContaining({ mayHaveHappened: false }),
    );
  });
});

function nested(levels: number): string {
  return `{"success":true,"result":{"policies":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
}

function answerNested(levels: number, call: Call): Answer {
  const response = { status: 200, headers: {}, body: bytesOf(nested(levels)) };
  return answerOf(call, response, { token, known: new KnownBodies(), clock });
}

describe("an answer that is nested deeply", () => {
  it.for([
    { call: settings, mayHaveHappened: false },
    { call: { ...settings, method: "PUT" as const, body: {} }, mayHaveHappened: true },
  ])("is an error of its request: $call.method", ({ call, mayHaveHappened }, { expect }) => {
    expect(answerNested(62, call).status).toBe(200);
    const error = { code: "API_MALFORMED", fault: "parse", mayHaveHappened };
    for (const levels of [63, 3_000, 1_000_000]) {
      expect(() => answerNested(levels, call)).toThrow(expect.objectContaining(error));
    }
  });

  it.for([routes.zones, routes.auditLog, routes.policies])(
    "is refused before it is parsed, and takes no memory: %s",
    (route, { expect }) => {
      expect(answerNested(62, get(route, {})).status).toBe(200);
      // Not even JSON: only its beginning was looked at.
      const body = bytesOf(`{"success":true,"result":${"[".repeat(64)}`);
      const about = { token, known: new KnownBodies(), clock };
      expect(() => answerOf(get(route, {}), { status: 200, headers: {}, body }, about)).toThrow(
        "nested deeper than 64 levels",
      );
    },
  );

  it("keeps the status of an error", ({ expect }) => {
    const body = bytesOf(nested(3_000));
    const about = { token, known: new KnownBodies(), clock };
    expect(() => answerOf(settings, { status: 404, headers: {}, body }, about)).toThrow(
      expect.objectContaining({ code: "API_NOT_FOUND", status: 404 }),
    );
  });
});
