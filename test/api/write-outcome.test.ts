import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { fakeGet, sendWrite } from "../support/get.ts";
import {
  createPolicy,
  createRule,
  deleteRule,
  putEntrypoint,
  shop,
  updateSettings,
  wirePolicy,
} from "../support/sample-writes.ts";

/** The error of a write whose answer was lost. */
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

describe("a create whose answer was lost", () => {
  it("is done where a new policy has its mark", async ({ expect, signal }) => {
    const found = wirePolicy("p2", "Checkout [zonewarden:checkout]");
    const { send } = losing(() => [wirePolicy("p1", "Made by hand"), found]);
    const written = await sendWrite(send, shop, createPolicy, signal);
    expect(written.live).toMatchObject({ ...shop, policies: [{ id: "p1" }, { id: "p2" }] });
    const facts = { readAt: 9, shows: "part", ray: "ray-7", interleaved: false };
    expect(written).toMatchObject(facts);
  });

  it("is done where a rule has its ref", async ({ expect, signal }) => {
    const rule = { id: "r9", ref: "zonewarden:health", version: "1", action: "skip" };
    const { send } = losing(() => ({ id: "e1", version: "5", rules: [rule] }));
    const written = await sendWrite(send, shop, createRule, signal);
    expect(written.live).toMatchObject({
      ...shop,
      entrypoints: { managed_rules: { version: "5", rules: [{ id: "r9" }] } },
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
      transient: true,
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
