import { describe, it } from "vitest";

import { createReader } from "../../src/api/service.ts";
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

  it("that neither path knows says nothing against it", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => refuse(response, 401, 1000));
    await using connected = connect(server.baseUrl);
    await createReader(connected.service).verifyTokens([zone()], signal);
    expect(connected.session.credential.state.valid).toBe(true);
  });

  it("fails when the service does", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => refuse(response, 503));
    await using connected = connect(server.baseUrl);
    const asked = createReader(connected.service).verifyTokens([], signal);
    await expect(asked).rejects.toMatchObject({ code: "API_SERVER" });
  });
});
