import { describe, it } from "vitest";

import { createReader } from "../../src/api/service.ts";
import { SimulatedClock } from "../support/clock.ts";
import { refuse, startServer, succeed } from "../support/http-server.ts";
import { connect, zone } from "../support/service.ts";

const expires = new Date("2027-01-31T00:00:00.000Z");

describe("asking about a token", () => {
  it.for([
    { when: "of a user", path: "/user/tokens/verify", requests: 1 },
    { when: "of an account", path: "/accounts/acc1/tokens/verify", requests: 2 },
  ])("$when learns when it ends", async ({ path, requests }, { expect, signal }) => {
    await using server = await startServer((seen, response) => {
      if (seen.path !== path) refuse(response, 401, 1000, "Invalid API Token");
      else succeed(response, { id: "t1", status: "active", expires_on: "2027-01-31T00:00:00Z" });
    });
    await using connected = connect(server.baseUrl);
    await createReader(connected.service).verifyTokens([zone()], signal);
    const { state } = connected.session.credential;
    expect(state).toMatchObject({ valid: true, expiresAt: expires });
    expect(server.seen).toHaveLength(requests);
  });

  it.for(["disabled", "expired"])(
    "that is %s learns that it is not valid",
    async (status, context) => {
      await using server = await startServer((_seen, response) =>
        succeed(response, { id: "t1", status }),
      );
      await using connected = connect(server.baseUrl);
      await createReader(connected.service).verifyTokens([], context.signal);
      const { state } = connected.session.credential;
      context.expect(state).toMatchObject({ valid: false, expiresAt: undefined });
    },
  );

  it.for([{ id: "t1", status: "active" }, { id: "t1" }])(
    "that was refused before learns that it is valid again: %j",
    async (result, { expect, signal }) => {
      await using server = await startServer((_seen, response) => succeed(response, result));
      await using connected = connect(server.baseUrl);
      const { credential } = connected.session;
      credential.noteValid(false);
      await createReader(connected.service).verifyTokens([], signal);
      expect(credential.state.valid).toBe(true);
      expect(credential.tokenIds).toEqual(["t1"]);
    },
  );

  it("that neither path knows says nothing against it", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => refuse(response, 401, 1000));
    await using connected = connect(server.baseUrl);
    await createReader(connected.service).verifyTokens([zone()], signal);
    expect(connected.session.credential.state.valid).toBe(true);
  });

  it.for([
    { when: "an account is known", zones: [zone()], requests: [2, 2] },
    { when: "no account is known", zones: [], requests: [1, 2] },
  ])("that no path knows is not repeated where $when", async (row, { expect, signal }) => {
    await using server = await startServer((_seen, response) => refuse(response, 401, 1000));
    await using connected = connect(server.baseUrl);
    const seen: number[] = [];
    for (let nth = 0; nth < 2; nth += 1) {
      await createReader(connected.service).verifyTokens(row.zones, signal);
      seen.push(server.seen.length);
    }
    expect(seen).toEqual(row.requests);
  });

  it("is done for hours, but not for the token after it", async ({ expect, signal }) => {
    await using server = await startServer(({ authorization }, response) => {
      const ends = authorization.endsWith("first") ? { expires_on: expires.toISOString() } : {};
      succeed(response, { id: "t1", status: "active", ...ends });
    });
    const clock = new SimulatedClock();
    let token = "first";
    const source = { read: () => Promise.resolve(token) };
    await using connected = connect(server.baseUrl, { clock, credentials: [{ source }] });
    const { credential } = connected.session;
    const ask = (): Promise<void> => createReader(connected.service).verifyTokens([], signal);
    await ask();
    await clock.advance(6 * 3_600_000 - 1);
    await ask();
    expect(server.seen).toHaveLength(1);
    await clock.advance(1);
    await ask();
    expect(server.seen).toHaveLength(2);
    expect(credential.state.expiresAt).toEqual(expires);

    token = "second";
    await clock.advance(10_000);
    await credential.token();
    expect(credential.state.expiresAt).toBe(undefined);
    await ask();
    expect(server.seen).toHaveLength(3);
    expect(credential.state.expiresAt).toBe(undefined);
  });

  it("says nothing of the token that came while the service was asked", async ({
    expect,
    signal,
  }) => {
    let token = "first";
    await using server = await startServer((_seen, response, nth) => {
      if (nth === 1) refuse(response, 403);
      else succeed(response, { id: "t1", status: "active", expires_on: expires.toISOString() });
      token = "second";
    });
    const source = { read: () => Promise.resolve(token) };
    await using connected = connect(server.baseUrl, { credentials: [{ source }] });
    const ask = (): Promise<void> => createReader(connected.service).verifyTokens([], signal);
    await ask();
    expect(connected.session.credential.state.expiresAt).toBe(undefined);
    await ask();
    expect(connected.session.credential.state.expiresAt).toEqual(expires);
  });

  it("is due until the service has answered", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response, nth) => {
      if (nth <= 5) refuse(response, 503);
      else succeed(response, { id: "t1", status: "active", expires_on: expires.toISOString() });
    });
    await using connected = connect(server.baseUrl);
    const ask = (): Promise<void> => createReader(connected.service).verifyTokens([], signal);
    await expect(ask()).rejects.toMatchObject({ code: "API_SERVER" });
    await ask();
    expect(connected.session.credential.state.expiresAt).toEqual(expires);
  });

  it("ends when its caller gives up", async ({ expect }) => {
    const stop = new AbortController();
    await using server = await startServer(() => stop.abort(new Error("shutdown")));
    await using connected = connect(server.baseUrl);
    const asked = createReader(connected.service).verifyTokens([], stop.signal);
    await expect(asked).rejects.toMatchObject({ message: "shutdown" });
  });

  it("fails when the service does", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => refuse(response, 503));
    await using connected = connect(server.baseUrl);
    const asked = createReader(connected.service).verifyTokens([], signal);
    await expect(asked).rejects.toMatchObject({ code: "API_SERVER" });
  });
});
