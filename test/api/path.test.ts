import { describe, it } from "vitest";

import { get, pathOf } from "../../src/api/request/call.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import { startServer, succeed } from "../support/http-server.ts";
import { connect } from "../support/service.ts";

function policy(policy_id: string): ReturnType<typeof get> {
  return get("/zones/{zone_id}/page_shield/policies/{policy_id}", { zone_id: "z1", policy_id });
}

describe("a path", () => {
  it("is built from ids", ({ expect }) => {
    expect(pathOf("/client/v4", policy("p-1_A"))).toBe(
      "/client/v4/zones/z1/page_shield/policies/p-1_A",
    );
  });

  it("is not built from a long text, of which the error shows the start", ({ expect }) => {
    const call = policy(`/${"x".repeat(64)}`);
    expect(() => pathOf("/client/v4", call)).toThrow(
      `: "/${"x".repeat(63)}" is not a policy_id: nothing was sent`,
    );
  });

  it.for([{}, { zone_id: "" }])("needs a value for each name: %j", (params, { expect }) => {
    const path = (): string => pathOf("/client/v4", get("/zones/{zone_id}/page_shield", params));
    expect(path).toThrow("/zones/{zone_id}/page_shield: no value for zone_id");
  });

  it.for(["..", ".", "%2e%2e", "a/b", "a?b", "a#b", "a\\b", " ", "a".repeat(129)])(
    "is not built from %j, and nothing is sent",
    async (id, { expect, signal }) => {
      await using server = await startServer((_seen, response) => succeed(response, {}));
      await using connected = connect(server.baseUrl);
      const sending = sendWithRetries(connected.session, "sweep", policy(id), signal);
      await expect(sending).rejects.toThrow("is not a policy_id: nothing was sent");
      await expect(sending).rejects.toMatchObject({ code: "API_REFUSED", transient: false });
      expect(server.seen).toEqual([]);
    },
  );
});
