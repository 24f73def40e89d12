import { describe, it } from "vitest";

import { get } from "../../src/api/request/call.ts";
import { connectionError, type ConnectionFailure } from "../../src/api/request/connection-error.ts";

const put = { ...get("/zones", {}), method: "PUT", body: {} } as const;

function faultOf(code: string): Error {
  return Object.assign(new Error("with a secret inside"), { code, headers: "secret" });
}

function broken(cause: Error): ConnectionFailure {
  return { cause, timedOut: false, timeoutMs: 30_000, ray: "" };
}

describe("a fault of the transport", () => {
  it.for([
    { code: "ECONNREFUSED", is: "API_UNREACHABLE", fault: "reset", happened: false },
    { code: "EHOSTUNREACH", is: "API_UNREACHABLE", fault: "reset", happened: false },
    { code: "ENETUNREACH", is: "API_UNREACHABLE", fault: "reset", happened: false },
    { code: "EADDRNOTAVAIL", is: "API_UNREACHABLE", fault: "reset", happened: false },
    { code: "UND_ERR_CONNECT_TIMEOUT", is: "API_UNREACHABLE", fault: "timeout", happened: false },
    { code: "ENOTFOUND", is: "API_UNREACHABLE", fault: "dns", happened: false },
    { code: "EAI_AGAIN", is: "API_UNREACHABLE", fault: "dns", happened: false },
    { code: "EAI_FAIL", is: "API_UNREACHABLE", fault: "dns", happened: false },
    { code: "EPROTO", is: "API_UNREACHABLE", fault: "tls", happened: false },
    { code: "ERR_SSL_WRONG_VERSION_NUMBER", is: "API_UNREACHABLE", fault: "tls", happened: false },
    { code: "CERT_HAS_EXPIRED", is: "API_UNREACHABLE", fault: "tls", happened: false },
    { code: "ERR_TLS_CERT_ALTNAME_INVALID", is: "API_UNREACHABLE", fault: "tls", happened: false },
    { code: "SELF_SIGNED_CERT_IN_CHAIN", is: "API_UNREACHABLE", fault: "tls", happened: false },
    { code: "ECONNRESET", is: "API_UNREACHABLE", fault: "reset", happened: true },
    { code: "EPIPE", is: "API_UNREACHABLE", fault: "reset", happened: true },
    { code: "UND_ERR_SOCKET", is: "API_UNREACHABLE", fault: "reset", happened: true },
    { code: "SOMETHING_NEW", is: "API_UNREACHABLE", fault: "reset", happened: true },
    { code: "UND_ERR_HEADERS_TIMEOUT", is: "API_TIMEOUT", fault: "timeout", happened: true },
    { code: "UND_ERR_BODY_TIMEOUT", is: "API_TIMEOUT", fault: "timeout", happened: true },
    { code: "HPE_INVALID_CONSTANT", is: "API_MALFORMED", fault: "parse", happened: true },
    { code: "HTTPParserError", is: "API_MALFORMED", fault: "parse", happened: true },
    { code: "UND_ERR_RES_EXCEEDED_MAX_SIZE", is: "API_TOO_LARGE", fault: "parse", happened: true },
  ])("$code is $is ($fault), may have happened: $happened", (row, { expect }) => {
    const error = connectionError(put, broken(faultOf(row.code)));
    expect(error).toMatchObject({ code: row.is, fault: row.fault, status: 0 });
    expect(error.mayHaveHappened).toBe(row.happened);
    expect(connectionError(get("/zones", {}), broken(faultOf(row.code))).mayHaveHappened).toBe(
      false,
    );
  });

  it.for([
    "NO_ECONNREFUSED",
    "ECONNREFUSED_2",
    "NO_ENOTFOUND",
    "ENOTFOUND_2",
    "NO_CERT_EXPIRED",
    "EPROTO_2",
    "NO_HPE_INVALID",
    "HTTPParserError2",
    "NO_UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_HEADERS_TIMEOUT_2",
  ])("of an unknown name that resembles a known one may have been a write: %s", (code, context) => {
    const error = connectionError(put, broken(faultOf(code)));
    const unknown = { code: "API_UNREACHABLE", fault: "reset", mayHaveHappened: true };
    context.expect(error).toMatchObject(unknown);
  });

  it.for([
    { cause: "a text", named: "unknown fault", kept: "unknown fault" },
    { cause: new TypeError("with a secret"), named: "TypeError", kept: "TypeError TypeError" },
    { cause: new AggregateError([]), named: "unknown fault", kept: "AggregateError unknown fault" },
  ])("without a code is named $named", ({ cause, named, kept }, { expect }) => {
    const error = connectionError(put, { ...broken(new Error("")), cause });
    expect(error.message).toBe(
      `PUT /zones: no answer (${named}); check api.base_url and the network`,
    );
    expect(error.cause).toEqual(new Error(kept));
  });

  it("says the time after which the request was given up", ({ expect }) => {
    const error = connectionError(put, { ...broken(new Error("")), timedOut: true });
    expect(error).toMatchObject({ code: "API_TIMEOUT", fault: "timeout", mayHaveHappened: true });
    expect(error.message).toBe(
      "PUT /zones: no whole answer within 30 s; raise api.timeout if the service is only slow",
    );
  });

  it.for([
    { code: "HPE_INVALID_CONSTANT", says: "the answer is not HTTP (HPE_INVALID_CONSTANT)" },
    { code: "UND_ERR_RES_EXCEEDED_MAX_SIZE", says: "the answer is longer than 32 MiB" },
  ])("says that the address may be wrong: $code", ({ code, says }, { expect }) => {
    const { message } = connectionError(put, broken(faultOf(code)));
    expect(message).toBe(`PUT /zones: ${says}; check that api.base_url is the service's`);
  });

  it("looks into the addresses that were tried one after the other", ({ expect }) => {
    const cause = new AggregateError([faultOf("ECONNREFUSED"), faultOf("ENETUNREACH")]);
    const error = connectionError(put, broken(cause));
    expect(error.message).toBe(
      "PUT /zones: no answer (ECONNREFUSED); check api.base_url and the network",
    );
  });

  it("keeps of its cause the name alone", ({ expect }) => {
    const { cause } = connectionError(put, broken(faultOf("ECONNRESET")));
    expect(cause).toEqual(new Error("Error ECONNRESET"));
  });
});
