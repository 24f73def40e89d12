import { describe, it } from "vitest";

import { sendWrite } from "../../src/api/write/send-write.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import type { LiveEntrypoint, LiveZone } from "../../src/zone/live-zone.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import type { Write } from "../../src/zone/write.ts";
import { fakeGet } from "../support/get.ts";
import { livePolicy, liveZone } from "../support/model.ts";

const settings = {
  enabled: true,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};

function versionOf(version: string): LiveEntrypoint {
  return { state: "present", id: "e1", version, rules: [] };
}

/** All parts of a zone, so that a part that gets lost shows. */
const shop = liveZone({
  settings: { ...settings, enabled: false },
  policies: [livePolicy("p1")],
  entrypoint: versionOf("4"),
});

const updateSettings: Write = { call: "update-settings", body: { enabled: true }, changes: [] };

const createPolicy: Write = {
  call: "create-policy",
  body: { description: "Checkout [zonewarden:checkout]" },
  changes: [],
};

const createRule: Write = {
  call: "create-rule",
  ruleset: "e1",
  body: { ref: "zonewarden:health" },
  position: { before: "r1" },
  changes: [],
};

const deleteRule: Write = { call: "delete-rule", ruleset: "e1", id: "r1", changes: [] };

const putEntrypoint: Write = { call: "put-entrypoint", rules: [], changes: [] };

/** A request that was sent at 5 ms and whose answer was lost. */
const lost = new ServiceError("API_TIMEOUT", "no whole answer", {
  ray: "ray-7",
  transient: true,
  mayHaveHappened: true,
});

/** The service loses the answer to every write, and answers every read. */
function losing(read: () => JsonObject | readonly JsonObject[]): ReturnType<typeof fakeGet> {
  return fakeGet(({ method }) => {
    if (method !== "GET") throw lost;
    return { result: read(), sentAt: 9 };
  });
}

function wirePolicy(id: string, description: string): JsonObject {
  return { id, description, action: "log", expression: "true", enabled: true, value: "img-src a" };
}

describe("a write between two versions of the entry point", () => {
  it.for([
    { before: versionOf("4"), attempts: 1, after: "5", interleaved: false },
    { before: versionOf("4"), attempts: 1, after: "4", interleaved: false },
    { before: versionOf("4"), attempts: 1, after: "6", interleaved: true },
    { before: versionOf("4"), attempts: 2, after: "6", interleaved: false },
    { before: versionOf("4"), attempts: 2, after: "7", interleaved: true },
    { before: versionOf("4"), attempts: 1, after: "3", interleaved: true },
    { before: { state: "absent" } as const, attempts: 1, after: "1", interleaved: false },
    { before: { state: "absent" } as const, attempts: 1, after: "2", interleaved: true },
    { before: undefined, attempts: 1, after: "9", interleaved: false },
  ])("$after after $before.version, in $attempts attempts: $interleaved", async (row, context) => {
    const { expect, signal } = context;
    const result = { id: "e1", version: row.after, rules: [] };
    const { send } = fakeGet(() => ({ result, attempts: row.attempts }));
    const live = { ...shop, entrypoint: row.before };
    const written = await sendWrite(send, live, putEntrypoint, signal);
    expect(written.interleaved).toBe(row.interleaved);
  });

  it("is no question for a part that has no versions", async ({ expect, signal }) => {
    const { send } = fakeGet(() => ({ result: settings }));
    const live = liveZone({ settings });
    const written = await sendWrite(send, live, updateSettings, signal);
    expect(written.interleaved).toBe(false);
  });
});

describe("the answer to a write that leaves something out", () => {
  const rows: readonly { write: Write; read: unknown; after: Partial<LiveZone> }[] = [
    { write: updateSettings, read: settings, after: { settings } },
    { write: createPolicy, read: [], after: { policies: [] } },
    {
      write: putEntrypoint,
      read: { id: "e1", version: "5", rules: [] },
      after: { entrypoint: versionOf("5") },
    },
  ];

  it.for(rows)("$write.call: that part is read again, and no other", async (row, context) => {
    const { expect, signal } = context;
    const { send, calls } = fakeGet(({ method }) =>
      method === "GET" ? { result: row.read, sentAt: 9 } : { result: {}, sentAt: 5 },
    );
    const written = await sendWrite(send, shop, row.write, signal);
    expect(written).toEqual({
      live: { ...shop, ...row.after },
      readAt: 9,
      shows: "part",
      ray: "ray-1",
      interleaved: false,
    });
    expect(calls).toHaveLength(2);
  });
});

describe("the answer to a write of one policy", () => {
  const three = liveZone({ policies: ["p1", "p2", "p3"].map((id) => livePolicy(id)) });
  const body = { description: "A" };

  it.for<{ write: Write; result: unknown; after: readonly string[] }>([
    {
      write: { call: "delete-policy", id: "p2", changes: [] },
      result: null,
      after: ["p1 Made by hand", "p3 Made by hand"],
    },
    {
      write: { call: "update-policy", id: "p2", body, changes: [] },
      result: wirePolicy("p2", "A"),
      after: ["p1 Made by hand", "p2 A", "p3 Made by hand"],
    },
    {
      write: { call: "create-policy", body, changes: [] },
      result: wirePolicy("p4", "A"),
      after: ["p1 Made by hand", "p2 Made by hand", "p3 Made by hand", "p4 A"],
    },
  ])("$write.call leaves the others as they are", async ({ write, result, after }, context) => {
    const { expect, signal } = context;
    const { send, calls } = fakeGet(() => ({ result, sentAt: 5 }));
    const { live, readAt, shows } = await sendWrite(send, three, write, signal);
    expect(live.policies?.map(({ id, description }) => `${id} ${description}`)).toEqual(after);
    expect({ readAt, shows, requests: calls.length }).toEqual({
      readAt: 5,
      shows: "object",
      requests: 1,
    });
  });
});

describe("a create whose answer was lost", () => {
  it("is done where a new policy has its mark", async ({ expect, signal }) => {
    const found = wirePolicy("p2", "Checkout [zonewarden:checkout]");
    const { send } = losing(() => [found]);
    const written = await sendWrite(send, shop, createPolicy, signal);
    expect(written.live).toMatchObject({ ...shop, policies: [{ id: "p2" }] });
    const facts = { readAt: 9, shows: "part", ray: "ray-7", interleaved: false };
    expect(written).toMatchObject(facts);
  });

  it("is done where a rule has its ref", async ({ expect, signal }) => {
    const rule = { id: "r9", ref: "zonewarden:health", version: "1", action: "skip" };
    const { send } = losing(() => ({ id: "e1", version: "5", rules: [rule] }));
    const written = await sendWrite(send, shop, createRule, signal);
    expect(written.live).toMatchObject({
      ...shop,
      entrypoint: { version: "5", rules: [{ id: "r9" }] },
    });
    expect(written).toMatchObject({ readAt: 9, shows: "part", ray: "ray-7" });
  });

  it.for([
    {
      when: "somebody else created another policy meanwhile",
      write: createPolicy,
      read: [wirePolicy("p2", "Fonts [zonewarden:fonts]")],
    },
    {
      when: "the policy with its mark was there before",
      write: createPolicy,
      read: [wirePolicy("p1", "Checkout [zonewarden:checkout]")],
    },
    {
      when: "no rule has its ref",
      write: createRule,
      read: { id: "e1", version: "5", rules: [{ id: "r9", ref: "other", version: "1" }] },
    },
  ])("is unknown where $when", async ({ write, read }, { expect, signal }) => {
    const { send, calls } = losing(() => read);
    await expect(sendWrite(send, shop, write, signal)).rejects.toMatchObject({
      code: "API_UNKNOWN_OUTCOME",
      mayHaveHappened: true,
      ray: "ray-7",
      cause: lost,
    });
    expect(calls.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it.for([
    {
      when: "the entry point is gone",
      write: createRule,
      error: new ServiceError("API_NOT_FOUND", "no entry point", {
        status: 404,
        wireCodes: [10003],
        sentAt: 9,
      }),
    },
    {
      when: "the service does not answer the read",
      write: createPolicy,
      error: new ServiceError("API_UNREACHABLE", "no answer"),
    },
  ])("is unknown where $when", async ({ write, error }, { expect, signal }) => {
    const { send } = losing(() => {
      throw error;
    });
    const writing = sendWrite(send, shop, write, signal);
    await expect(writing).rejects.toMatchObject({ code: "API_UNKNOWN_OUTCOME", cause: lost });
  });

  it("is the refusal where it was refused: nothing is looked up", async ({ expect, signal }) => {
    const refusal = new ServiceError("API_REFUSED", "no", { status: 400 });
    const { send, calls } = fakeGet(() => {
      throw refusal;
    });
    await expect(sendWrite(send, shop, createPolicy, signal)).rejects.toBe(refusal);
    expect(calls).toHaveLength(1);
  });

  it("does not hide a defect of the program", async ({ expect, signal }) => {
    const { send } = losing(() => {
      throw new TypeError("a defect");
    });
    await expect(sendWrite(send, shop, createPolicy, signal)).rejects.toThrow(TypeError);
  });
});

describe("another write whose answer was lost", () => {
  it.for([updateSettings, deleteRule, putEntrypoint])(
    "$call is unknown at once: nothing of it can be looked up",
    async (write, { expect, signal }) => {
      const { send, calls } = losing(() => ({ id: "e1", version: "5", rules: [{ id: "r1" }] }));
      const writing = sendWrite(send, shop, write, signal);
      await expect(writing).rejects.toMatchObject({ code: "API_UNKNOWN_OUTCOME", cause: lost });
      expect(calls).toHaveLength(1);
    },
  );

  it("says where the run was given up while it was under way", async ({ expect }) => {
    const stop = new AbortController();
    const { send, calls } = fakeGet(() => {
      stop.abort(new Error("shutdown"));
      throw new Error("shutdown");
    });
    await expect(sendWrite(send, shop, createPolicy, stop.signal)).rejects.toMatchObject({
      code: "API_UNKNOWN_OUTCOME",
      status: 0,
      ray: "",
      retryAfterMs: 0,
      message:
        "POST /zones/{zone_id}/page_shield/policies: whether it took effect is unknown (aborted in flight); the next read of the zone decides",
    });
    expect(calls).toHaveLength(1);
  });
});
