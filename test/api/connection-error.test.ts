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
    { code: "UND_ERR_CONNECT_TIMEOUT", is: "API_UNREACHABLE", fault: "timeout", happened: false },
    { code: "ENOTFOUND", is: "API_UNREACHABLE", fault: "dns", happened: false },
    { code: "EAI_AGAIN", is: "API_UNREACHABLE", fault: "dns", happened: false },
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
    { code: "UND_ERR_RES_EXCEEDED_MAX_SIZE", is: "API_TOO_LARGE", fault: "parse", happened: true },
  ])("$code is $is ($fault), may have happened: $happened", (row, { expect }) => {
    const error = connectionError(put, broken(faultOf(row.code)));
    expect(error).toMatchObject({ code: row.is, fault: row.fault, status: 0 });
    expect(error.mayHaveHappened).toBe(row.happened);
    expect(connectionError(get("/zones", {}), broken(faultOf(row.code))).mayHaveHappened).toBe(
      false,
    );
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
