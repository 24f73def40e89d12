import { describe, it } from "vitest";

import { answerOf, KnownBodies } from "../../src/api/request/answer.ts";
import { type Answer, get, type Call } from "../../src/api/request/call.ts";
import { routes } from "../../src/api/routes.ts";
import { bytesOf, clock, settings, token } from "../support/answer-parts.ts";

describe("an answer that is that of the look before", () => {
  const known = new KnownBodies();
  const answer = (body: unknown, status = 200, call: Call = settings): Answer =>
    answerOf(
      call,
      { status, headers: { "cf-ray": "ray" }, body: bytesOf(body) },
      { token, known, clock },
    );
  const on = { success: true, result: { enabled: true } };

  it("says the same, under the same digest", ({ expect }) => {
    const [first, again] = [answer(on), answer(on)];
    expect(again.digest).toBe(first.digest);
    // All 256 bits of the hash: bodies of one digest are taken for one.
    expect(first.digest).toMatch(/^[\da-f]{64}$/);
    expect(again.result()).toEqual({ enabled: true });
    expect(again).toMatchObject({ status: 200, ray: "ray" });
    expect(answer({ ...on, result: { enabled: false } }).digest).not.toBe(first.digest);
  });

  it("has the same to say of its pages", ({ expect }) => {
    const pages = { ...on, result_info: { total_count: 7 } };
    expect(answer(pages).resultInfo()).toEqual({ total_count: 7 });
    expect(answer(pages).resultInfo()).toEqual({ total_count: 7 });
    expect(answer(on).resultInfo()).toBeUndefined();
    for (const result_info of [7, null, [7]]) {
      expect(answer({ ...on, result_info }).resultInfo()).toBeUndefined();
    }
  });

  it("is no success for having another status, or for coming to another request", ({ expect }) => {
    answer(on);
    expect(() => answer(on, 500)).toThrow("500");
    expect(() => answer(on, 403)).toThrow("403");
    expect(() => answer(on, 300)).toThrow("300");
    const scripts = get(routes.scripts, { zone_id: "z" });
    expect(answer(on, 200, scripts).digest).toBe("");
    expect(() => answer(on, 500, scripts)).toThrow("500");
    expect(answer(on, 200, { ...settings, method: "PUT" }).digest).toBe("");
  });

  it.for([routes.zones, routes.settings, routes.policies, routes.entrypoint])(
    "is told by its digest, since every sweep requests %s",
    (route, { expect }) => {
      expect(answer(on, 200, get(route, {})).digest).not.toBe("");
    },
  );

  it("has a digest of its own whatever the success is called", ({ expect }) => {
    const digests = [on, { ...on, result: { enabled: false } }].map(
      (body) => answer(body, 203).digest,
    );
    expect(new Set([...digests, ""]).size).toBe(3);
  });

  it("is known only where it was a success", ({ expect }) => {
    const digests = ["first", "second"].map((result) => answer({ ...on, result }).digest);
    expect(digests.map((digest) => known.has(digest))).toEqual([true, true]);
    const refused = { success: false, errors: [{ code: 1, message: "no" }] };
    for (const body of [refused, "{", "", { result: {} }]) {
      expect(() => answer(body)).toThrow("GET /zones/{zone_id}/page_shield");
      expect(() => answer(body)).toThrow("GET /zones/{zone_id}/page_shield");
    }
  });

  it("is forgotten, with all others, once there are too many to remember", ({ expect }) => {
    const bodies = new KnownBodies();
    for (let nth = 0; nth < 200_000; nth += 1) bodies.add(`${nth}`);
    expect(bodies.has("0")).toBe(true);
    bodies.add("next");
    expect([bodies.has("0"), bodies.has("next")]).toEqual([false, true]);
  });
});
