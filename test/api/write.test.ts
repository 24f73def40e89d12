import { describe, it } from "vitest";

import { writeSender } from "../../src/api/service.ts";
import { createWriter } from "../../src/api/write/send-write.ts";
import { type Dialect, dialects } from "../../src/emulator/http/api-endpoint.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import type { Write } from "../../src/zone/write.ts";
import { emulated } from "../support/emulated.ts";
import { fakeGet, sendWrite } from "../support/get.ts";
import { startServer, succeed } from "../support/http-server.ts";
import { liveZone } from "../support/model.ts";
import { connect, zone } from "../support/service.ts";
import {
  deployOwasp,
  deployTwice,
  kinds,
  rulesetOf,
  shop,
  shopFor,
  writes,
} from "../support/writes.ts";

const everyWay = dialects.flatMap((dialect) => kinds.map((call) => ({ dialect, call })));

const settings = {
  enabled: true,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};

describe("a write", () => {
  it.for(everyWay)("$call ($dialect): what it gives back is what is live", async (row, context) => {
    const { expect, signal } = context;
    await using shopAt = await shopFor(row.call, row);
    const before = await shopAt.look(signal);
    shopAt.journal();

    const written = await shopAt.writer.write(before, writes[row.call](before), signal, signal);

    const requests = shopAt.journal();
    expect(requests.filter((request) => !request.startsWith("GET"))).toHaveLength(1);
    expect(requests).toHaveLength(rereads(row) ? 2 : 1);
    expect(written).toMatchObject({ interleaved: false });
    expect(written.ray).not.toBe("");
    const isObject = /-(policy|ruleset)$/.test(row.call) && requests.length === 1;
    expect(written.shows).toBe(isObject ? "object" : "part");
    expect(written.live).not.toEqual(before);
    expect(written.live).toEqual(await shopAt.look(signal));
  });

  it("creates the entry point where there is none", async ({ expect, signal }) => {
    await using bare = await emulated({});
    const before = await bare.look(signal);
    expect(before.entrypoints.managed_rules).toEqual({ state: "absent" });
    const write: Write = {
      call: "put-entrypoint",
      phase: "managed_rules",
      rules: [deployOwasp],
      changes: [],
    };
    const { live, interleaved } = await bare.writer.write(before, write, signal, signal);
    expect(rulesetOf(live).rules).toHaveLength(1);
    expect(interleaved).toBe(false);
    expect(live).toEqual(await bare.look(signal));
  });

  it("notices that somebody wrote in between", async ({ expect, signal }) => {
    await using shopAt = await shop();
    const before = await shopAt.look(signal);
    await shopAt.edit({ rule: "OWASP", set: { paranoia_level: 1 } });
    const write = writes["create-rule"](before);
    expect(await shopAt.writer.write(before, write, signal, signal)).toMatchObject({
      interleaved: true,
    });
  });

  it("of an object that is gone already is done when it was to delete it", async ({
    expect,
    signal,
  }) => {
    await using shopAt = await shop();
    const before = await shopAt.look(signal);
    for (const call of ["delete-policy", "delete-rule"] as const) {
      const write = writes[call](before);
      await shopAt.writer.write(before, write, signal, signal);
      const again = await shopAt.writer.write(before, write, signal, signal);
      expect(again.live).not.toEqual(before);
    }
  });

  it("that the service refuses changes nothing and says why", async ({ expect, signal }) => {
    await using shopAt = await shop();
    const before = await shopAt.look(signal);
    await expect(shopAt.writer.write(before, deployTwice, signal, signal)).rejects.toMatchObject({
      code: "API_REFUSED",
      transient: false,
      mayHaveHappened: false,
    });
    expect(await shopAt.look(signal)).toEqual(before);
  });

  it("that succeeded is unknown, not failed, where its zone cannot be read afterwards", async ({
    expect,
    signal,
  }) => {
    const denied = new ServiceError("API_FORBIDDEN", "no", { status: 403 });
    const { send } = fakeGet(({ method }) => {
      if (method === "GET") throw denied;
      return { result: {} };
    });
    const live = liveZone({ settings: { ...settings, enabled: false } });
    const write: Write = { call: "update-settings", body: { enabled: true }, changes: [] };
    await expect(sendWrite(send, live, write, signal)).rejects.toMatchObject({
      code: "API_UNKNOWN_OUTCOME",
      mayHaveHappened: true,
    });
  });

  it("that was sent is completed by a read, although no more writes are", async ({
    expect,
    signal,
  }) => {
    const stop = new AbortController();
    await using server = await startServer(({ method }, response) => {
      if (method === "PUT") stop.abort(new Error("a freeze begins"));
      succeed(response, method === "PUT" ? { enabled: true } : settings);
    });
    await using connected = connect(server.baseUrl);
    const live = liveZone({ zone: zone(), settings: { ...settings, enabled: false } });
    const write: Write = { call: "update-settings", body: { enabled: true }, changes: [] };
    const writer = createWriter(writeSender(connected.service));
    const written = await writer.write(live, write, signal, stop.signal);
    expect(written.live.settings).toEqual(settings);
    const again = writer.write(live, write, signal, stop.signal);
    await expect(again).rejects.toMatchObject({ message: "a freeze begins" });
    expect(server.seen.map(({ method }) => method)).toEqual(["PUT", "GET"]);
  });

  it("is asked about before each attempt, and not before its reads", async ({ expect, signal }) => {
    let puts = 0;
    await using server = await startServer(({ method }, response) => {
      if (method === "PUT") puts += 1;
      if (method === "PUT" && puts < 2) response.writeHead(503).end("{}");
      else succeed(response, method === "PUT" ? { enabled: true } : settings);
    });
    await using connected = connect(server.baseUrl);
    const live = liveZone({ zone: zone(), settings: { ...settings, enabled: false } });
    const write: Write = { call: "update-settings", body: { enabled: true }, changes: [] };
    const writer = createWriter(writeSender(connected.service));
    let asked = 0;
    await writer.write(live, write, signal, signal, () => (asked += 1));
    expect(server.seen.map(({ method }) => method)).toEqual(["PUT", "PUT", "GET"]);
    expect(asked).toBe(2);

    const stop = new AbortController();
    puts = 0;
    const writing = writer.write(live, write, signal, stop.signal, () => {
      if (puts === 1) stop.abort(new Error("the read has expired"));
    });
    // The first attempt may have been carried out.
    await expect(writing).rejects.toMatchObject({ code: "API_UNKNOWN_OUTCOME" });
    expect(puts).toBe(1);
    const again = writer.write(live, write, signal, stop.signal, () => undefined);
    await expect(again).rejects.toMatchObject({ message: "the read has expired" });
  });
});

/** In that dialect the answer to a change of the settings leaves two of them out (SERVICE.md A.2). */
function rereads({ dialect, call }: { dialect: Dialect; call: Write["call"] }): boolean {
  return dialect === "specification" && call === "update-settings";
}
