import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { Write } from "../../src/zone/write.ts";
import { fakeGet, sendWrite } from "../support/get.ts";
import { livePolicy, liveZone } from "../support/model.ts";
import {
  createPolicy,
  putEntrypoint,
  settings,
  shop,
  updateSettings,
  versionOf,
  wirePolicy,
} from "../support/sample-writes.ts";

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
    const live = {
      ...shop,
      entrypoints: row.before === undefined ? {} : { managed_rules: row.before },
    };
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
  const rows: readonly {
    write: Write;
    answer: JsonObject;
    read: unknown;
    after: Partial<LiveZone>;
  }[] = [
    {
      write: updateSettings,
      answer: { enabled: true },
      read: settings,
      after: { settings },
    },
    { write: createPolicy, answer: { id: "p2" }, read: [], after: { policies: [] } },
    {
      write: putEntrypoint,
      answer: { id: "e1", version: "5" },
      read: { id: "e1", version: "5", rules: [] },
      after: { entrypoints: { managed_rules: versionOf("5") } },
    },
  ];

  it.for(rows)("$write.call: that part is read again, and no other", async (row, context) => {
    const { expect, signal } = context;
    const { send, calls } = fakeGet(({ method }) =>
      method === "GET" ? { result: row.read, sentAt: 9 } : { result: row.answer, sentAt: 5 },
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

describe("the answer to a write that shows all of its part", () => {
  const rows: readonly { write: Write; answer: JsonObject; after: Partial<LiveZone> }[] = [
    { write: updateSettings, answer: settings, after: { settings } },
    {
      write: putEntrypoint,
      answer: { id: "e1", version: "5", rules: [] },
      after: { entrypoints: { managed_rules: versionOf("5") } },
    },
  ];

  it.for(rows)("$write.call: nothing is read", async (row, { expect, signal }) => {
    const { send, calls } = fakeGet(() => ({ result: row.answer, sentAt: 5 }));
    const written = await sendWrite(send, shop, row.write, signal);
    expect(written).toEqual({
      live: { ...shop, ...row.after },
      readAt: 5,
      shows: "part",
      ray: "ray-1",
      interleaved: false,
    });
    expect(calls).toHaveLength(1);
  });

  it.for([
    { what: "the single rule", answer: { id: "r1", version: "1", action: "skip" } },
    { what: "another ruleset", answer: { id: "e2", version: "5", rules: [] } },
    { what: "a ruleset without an id", answer: { version: "5", rules: [] } },
    { what: "nothing", answer: null },
  ])("is not believed where it shows $what", async ({ answer }, { expect, signal }) => {
    const whole = { id: "e1", version: "5", rules: [] };
    const { send, calls } = fakeGet(({ method }) => ({
      result: method === "GET" ? whole : answer,
    }));
    const { live } = await sendWrite(send, shop, putEntrypoint, signal);
    expect(live.entrypoints.managed_rules).toEqual(versionOf("5"));
    expect(calls.map(({ method }) => method)).toEqual(["PUT", "GET"]);
  });
});

describe("the answer to a write of one policy", () => {
  const three = { ...shop, policies: ["p1", "p2", "p3"].map((id) => livePolicy(id)) };
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
    expect(live).toEqual({ ...three, policies: live.policies });
    expect({ readAt, shows, requests: calls.length }).toEqual({
      readAt: 5,
      shows: "object",
      requests: 1,
    });
  });
});
