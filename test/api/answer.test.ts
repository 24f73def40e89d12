import { describe, it } from "vitest";

import { answerOf } from "../../src/api/answer.ts";
import { get } from "../../src/api/call.ts";
import { Token } from "../../src/api/token.ts";

describe("a refusal is about the token or about what it asked for", () => {
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
  ])(
    "$status with $wire ($says) is $code (api-facts C.2)",
    ({ status, wire, says, code }, { expect }) => {
      const token = Token.parse("token");
      if (token === undefined) throw new Error("no token");
      const text = JSON.stringify({ success: false, errors: [{ code: wire, message: says }] });
      const reply = { status, headers: {}, text };
      const answer = (): unknown => answerOf(get("/zones", {}), reply, token, new Date(0));
      expect(answer).toThrow(expect.objectContaining({ code, status, wireCodes: [wire] }));
    },
  );
});
