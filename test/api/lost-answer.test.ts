import { describe, it } from "vitest";

import { writeSender } from "../../src/api/service.ts";
import { createWriter } from "../../src/api/write/send-write.ts";
import { requestFor } from "../../src/api/write/write-request.ts";
import { refuse, startServer } from "../support/http-server.ts";
import { livePolicy, liveZone } from "../support/model.ts";
import { connect, zone } from "../support/service.ts";
import { kinds, shop, shopFor, writes } from "../support/writes.ts";

describe("a lost answer", () => {
  const faults = ["lost_request", "lost_answer", "cut_body", "malformed_json"] as const;
  const cases = faults.flatMap((fault) => kinds.map((call) => ({ fault, call })));

  it.for(cases)(
    "$call after $fault is known to be done or not",
    async ({ fault, call }, context) => {
      const { expect, signal } = context;
      await using shopAt = await shopFor(call);
      const before = await shopAt.look(signal);
      const write = writes[call](before);
      const isPost = call.startsWith("create");
      const { method } = requestFor(before, write);
      await shopAt.fault({ fault, method, count: 1 });
      shopAt.journal();

      const outcome = await shopAt.writer.write(before, write, signal, signal).then(
        ({ live }) => live,
        (error: unknown) => error,
      );

      const now = await shopAt.look(signal);
      if (isPost && fault === "lost_request") {
        expect(outcome).toMatchObject({ code: "API_UNKNOWN_OUTCOME", transient: true });
        expect(now).toEqual(before);
      } else {
        expect(outcome).toEqual(now);
      }
      expect(shopAt.journal().filter((request) => request.startsWith("POST")).length).toBe(
        isPost ? 1 : 0,
      );
    },
  );

  it("of a PUT that never comes is an unknown outcome", async ({ expect, signal }) => {
    await using shopAt = await shop({ retry: { maxAttempts: 2 } });
    const before = await shopAt.look(signal);
    await shopAt.fault({ fault: "lost_answer", method: "PUT" });
    const write = writes["update-settings"](before);
    await expect(shopAt.writer.write(before, write, signal, signal)).rejects.toMatchObject({
      code: "API_UNKNOWN_OUTCOME",
      transient: true,
      message:
        "PUT /zones/{zone_id}/page_shield: whether it took effect is unknown (API_UNREACHABLE); the next read of the zone decides",
    });
  });
});

describe("a 200 that says success: false", () => {
  it.for(kinds.filter((call) => /settings|policy/.test(call)))(
    "leaves the outcome of %s unknown, and sends it once",
    async (call, { expect, signal }) => {
      await using server = await startServer((_seen, response) => refuse(response, 200, 1234));
      await using connected = connect(server.baseUrl);
      const live = liveZone({ zone: zone(), policies: [livePolicy("old")] });
      const write = writes[call](live);
      const writing = createWriter(writeSender(connected.service)).write(
        live,
        write,
        signal,
        signal,
      );
      await expect(writing).rejects.toMatchObject({
        code: "API_UNKNOWN_OUTCOME",
        status: 200,
        transient: true,
      });
      expect(server.seen.filter(({ method }) => method !== "GET")).toHaveLength(1);
    },
  );
});
