import * as fc from "fast-check";
import { describe, it } from "vitest";

import { readAuditLog } from "../../src/api/read/read-audit-log.ts";
import type { Fetched, Get, GetCall } from "../../src/api/request/call.ts";
import { routes } from "../../src/api/routes.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import { cases } from "../support/properties.ts";

const window = { since: new Date(0), before: new Date(3_600_000) };

/** A service that answers with these pages, the last one again and again. */
function pages(...answers: readonly { readonly result: unknown; readonly info?: JsonObject }[]): {
  readonly get: Get;
  readonly calls: GetCall[];
} {
  const calls: GetCall[] = [];
  const get: Get = (call) => {
    const answer = answers[Math.min(calls.length, answers.length - 1)];
    calls.push(call);
    const fetched: Fetched = {
      digest: "",
      result: () => answer?.result,
      resultInfo: () => answer?.info,
      status: 200,
      ray: "",
      sentAt: 0,
      attempts: 1,
    };
    return Promise.resolve(fetched);
  };
  return { get, calls };
}

/** An entry as it is read. */
async function parsed(entry: unknown, signal: AbortSignal): Promise<AuditEntry | undefined> {
  const { get } = pages({ result: [entry] });
  return (await readAuditLog(get, "acc", window, {}, signal)).entries[0];
}

function wire(id: string): JsonObject {
  return { id, action: { time: "2026-11-20T12:00:00.123Z" } };
}

describe("reading an audit log", () => {
  it.for([
    { place: "cursor", info: (next: string) => ({ count: "1", cursor: next }) },
    { place: "cursors.after", info: (next: string) => ({ cursors: { after: next } }) },
  ])("follows the cursor in $place", async ({ info }, { expect, signal }) => {
    const { get, calls } = pages(
      { result: [wire("a")], info: info("next") },
      { result: [wire("b")], info: info("") },
    );
    const { entries, isCut } = await readAuditLog(
      get,
      "acc",
      window,
      { "actor_token_id.not": "own" },
      signal,
    );
    expect(entries.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(isCut).toBe(false);
    expect(calls.map(({ query }) => query["cursor"])).toEqual([undefined, "next"]);
    expect(calls[0]).toMatchObject({
      route: routes.auditLog,
      params: { account_id: "acc" },
      query: {
        since: "1970-01-01T00:00:00.000Z",
        before: "1970-01-01T01:00:00.000Z",
        direction: "desc",
        limit: "1000",
        "actor_token_id.not": "own",
      },
    });
  });

  it("ends with an empty page, and says so of a loop of cursors and of a flood", async ({
    expect,
    signal,
  }) => {
    const read = async (answers: ReturnType<typeof pages>): Promise<boolean> =>
      (await readAuditLog(answers.get, "acc", window, {}, signal)).isCut;
    const looping = pages({ result: [wire("a")], info: { cursor: "same" } });
    expect(await read(pages({ result: [], info: { cursor: "more" } }))).toBe(false);
    expect(await read(looping)).toBe(true);
    expect(looping.calls).toHaveLength(2);
    const flood = pages(
      ...Array.from({ length: 100 }, (_, index) => ({
        result: [wire(`${index}`)],
        info: { cursor: `${index}` },
      })),
    );
    expect(await read(flood)).toBe(true);
    expect(flood.calls).toHaveLength(5);
  });

  it("parses at most a hundred entries before others go on", async ({ expect, signal }) => {
    const pieces: number[] = [];
    let turn = 0;
    const result = Array.from({ length: 1_000 }, (_, nth) => ({
      get id() {
        pieces[turn] = (pieces[turn] ?? 0) + 1;
        return `${nth}`;
      },
      action: { time: "2026-11-20T12:00:00Z" },
    }));
    let others = setImmediate(function goOn() {
      turn += 1;
      others = setImmediate(goOn);
    });
    const { entries } = await readAuditLog(pages({ result }).get, "acc", window, {}, signal);
    clearImmediate(others);
    expect(entries.map(({ id }) => Number(id))).toEqual(result.map((_, nth) => nth));
    expect(Math.max(...pieces)).toBe(100);
    expect(pieces.length).toBeLessThanOrEqual(11);
  });

  it("rejects an answer that is no list", async ({ expect, signal }) => {
    const { get } = pages({ result: { id: "a" } });
    await expect(readAuditLog(get, "acc", window, {}, signal)).rejects.toThrow(
      `GET ${routes.auditLog}: not a list of entries`,
    );
  });

  it("ignores and counts what it does not understand", async ({ expect, signal }) => {
    const result = [
      null,
      "text",
      {},
      { id: "no time" },
      { action: { time: "2026-11-20T12:00:00Z" } },
      { id: "a wrong time", action: { time: "yesterday" } },
      // The example of the older documentation.
      { id: "older", action: "zone.settings.change", timestamp: "2026-11-20T12:00:00Z" },
      wire("good"),
    ];
    const { get } = pages({ result });
    const { entries, malformed } = await readAuditLog(get, "acc", window, {}, signal);
    expect(entries.map(({ id }) => id)).toEqual(["good"]);
    expect(malformed).toBe(7);
  });

  it.for([
    { uri: "/client/v4/zones/1/page_shield?x=1", path: "/zones/1/page_shield" },
    { uri: "https://api.example/client/v4/zones/1", path: "/zones/1" },
    { uri: "https://dash.example/api/v4/zones/1/rulesets#top", path: "/zones/1/rulesets" },
    { uri: "/zones/1", path: "/zones/1" },
    { uri: "http://api.example/zones/1", path: "/zones/1" },
    { uri: "/client/v4/urls/https://a.example/b", path: "/urls/https://a.example/b" },
    { uri: "/client/v4x/zones/1", path: "/client/v4x/zones/1" },
    { uri: "", path: "" },
  ])("reads the path of $uri", async ({ uri, path }, { expect, signal }) => {
    expect((await parsed({ ...wire("a"), raw: { uri } }, signal))?.path).toBe(path);
  });

  it.for([
    { result: "failure", status_code: 399, isRefused: false },
    { result: "failure", status_code: 400, isRefused: true },
    { result: "failure", status_code: 403, isRefused: true },
    { result: "failure", status_code: 499, isRefused: true },
    { result: "failure", status_code: 500, isRefused: false },
    { result: "failure", status_code: "403", isRefused: false },
    { result: "success", status_code: 400, isRefused: false },
  ])("takes $result with $status_code as refused: $isRefused", async (row, { expect, signal }) => {
    const { result, status_code, isRefused } = row;
    const entry = { ...wire("a"), raw: { status_code }, action: { result, time: "2026-11-20" } };
    expect((await parsed(entry, signal))?.isRefused).toBe(isRefused);
  });

  it("reads every field of an entry", async ({ expect, signal }) => {
    const entry = {
      id: "entry-1",
      action: { time: "2026-11-20T12:00:00.123Z", result: "success" },
      actor: {
        type: "account",
        context: "api_token",
        email: "a@example.com",
        token_id: "t1",
        token_name: "deploy",
      },
      raw: { method: "delete", uri: "/zones/1/page_shield/policies/2", cf_ray_id: "ray-1" },
      zone: { id: "1", name: "Shop.example.com" },
      resource: { id: "2" },
    };
    expect(await parsed(entry, signal)).toMatchObject({
      id: "entry-1",
      at: new Date("2026-11-20T12:00:00.123Z"),
      actor: {
        type: "account",
        context: "api_token",
        email: "a@example.com",
        tokenId: "t1",
        tokenName: "deploy",
      },
      method: "DELETE",
      path: "/zones/1/page_shield/policies/2",
      isRefused: false,
      zoneId: "1",
      zoneName: "shop.example.com",
      resourceId: "2",
      ray: "ray-1",
      wrote: { kind: "policy", verb: "delete", id: "2" },
    });
  });

  it("cuts texts after 512 characters", async ({ expect, signal }) => {
    const entry = { ...wire("a"), raw: { uri: `/${"x".repeat(600)}` } };
    expect((await parsed(entry, signal))?.path).toBe(`/${"x".repeat(511)}`);
  });

  it("reads what was created, and under which id", async ({ expect, signal }) => {
    const raw = { method: "POST", uri: "/zones/1/page_shield/policies" };
    const resource = { id: "2", request: { enabled: true } };
    const { wrote } = (await parsed({ ...wire("a"), raw, resource }, signal)) ?? {};
    expect(wrote).toMatchObject({ kind: "policy", verb: "create", id: "2" });
    expect([...(wrote?.values?.keys() ?? [])]).toEqual(["enabled"]);
  });

  it("takes any JSON, and keeps no text longer than a bound", async ({ expect, signal }) => {
    const long = fc.string({ minLength: 500, maxLength: 2_000 });
    const member = fc.oneof(fc.jsonValue(), long, fc.record({ id: long, time: long, uri: long }));
    const entry = fc.record({
      id: member,
      action: member,
      actor: member,
      raw: member,
      zone: member,
    });
    await fc.assert(
      fc.asyncProperty(entry, async (value) => {
        const found = await parsed(value, signal);
        const texts = Object.values({ ...found, ...found?.actor }).filter(
          (each) => typeof each === "string",
        );
        for (const text of texts) expect(text.length).toBeLessThanOrEqual(512);
      }),
      cases(300),
    );
  });
});
