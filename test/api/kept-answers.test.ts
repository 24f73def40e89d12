import { describe, it } from "vitest";

import { KeptAnswers } from "../../src/api/read/kept-answers.ts";
import { type Fetched, get, type Get } from "../../src/api/request/call.ts";
import { routes } from "../../src/api/routes.ts";
import { maxJsonLevels } from "../../src/syntax/json.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { zoneNamed } from "../support/model.ts";

const zone = zoneNamed("shop.example.com");
const settings = get(routes.settings, { zone_id: zone.id });
const { signal } = new AbortController();
const other = { ...zone, id: zoneId("b".repeat(32)) ?? zone.id };

/** A service that answers with how often it was asked. */
function counting(clock: SimulatedClock): { readonly send: Get; readonly asked: () => number } {
  let asked = 0;
  const send: Get = () => {
    asked += 1;
    const result = { asked };
    const answer: Fetched = {
      digest: `d${asked}`,
      result: () => result,
      resultInfo: () => ({ count: 1 }),
      status: 200,
      ray: "",
      sentAt: clock.monotonicMs(),
      attempts: 1,
    };
    return Promise.resolve(answer);
  };
  return { send, asked: () => asked };
}

describe("kept answers", () => {
  it("are requested once, and taken up elsewhere within an hour", async ({ expect }) => {
    const clock = new SimulatedClock();
    const lines: string[] = [];
    const first = new KeptAnswers(clock, (line) => lines.push(line));
    const service = counting(clock);
    expect(first.has(zone, ["settings"])).toBe(false);
    await first.through(service.send)(settings, signal);
    const again = await first.through(service.send)(settings, signal);
    expect(again.result()).toEqual({ asked: 1 });
    expect(lines).toHaveLength(1);

    await clock.advance(3_599_000);
    const second = new KeptAnswers(clock);
    for (const line of lines) second.restore(line);
    expect(second.has(zone, ["settings"])).toBe(true);
    const taken = await second.through(service.send)(settings, signal);
    expect(taken).toMatchObject({ digest: "d1", status: 200 });
    expect([taken.result(), taken.resultInfo()]).toEqual([{ asked: 1 }, { count: 1 }]);
    expect(clock.monotonicMs() - taken.sentAt).toBe(3_599_000);
    expect(service.asked()).toBe(1);

    await clock.advance(1_000);
    const third = new KeptAnswers(clock);
    for (const line of lines) third.restore(line);
    expect(third.has(zone, ["settings"])).toBe(false);
  });

  it("know which parts of a zone they have", async ({ expect }) => {
    const clock = new SimulatedClock();
    const kept = new KeptAnswers(clock);
    const send = kept.through(counting(clock).send);
    await send(get(routes.zoneRulesets, { zone_id: zone.id }, { per_page: "50" }), signal);
    expect(kept.has(zone, ["rules"])).toBe(true);
    expect(kept.has(zone, ["settings"])).toBe(false);
    expect(kept.has(zone, ["settings", "rules"])).toBe(false);
    await send(settings, signal);
    expect(kept.has(zone, ["settings", "rules"])).toBe(true);
    expect(kept.has(other, ["rules"])).toBe(false);
  });

  it("ignore a line that is none of theirs", ({ expect }) => {
    const clock = new SimulatedClock();
    const path = `/zones/${zone.id}/page_shield`;
    const at = clock.now().toISOString();
    const deep = `${'{"a":'.repeat(maxJsonLevels + 1)}1${"}".repeat(maxJsonLevels + 1)}`;
    const lines = [
      "",
      "{",
      "null",
      JSON.stringify([path, at, ""]),
      JSON.stringify({ path, at: "soon", digest: "", result: {} }),
      JSON.stringify({ path, at: 5, digest: "", result: {} }),
      JSON.stringify({ path, at, result: {} }),
      JSON.stringify({ path: [path], at, digest: "", result: {} }),
      `{"path":"${path}","at":"${at}","digest":"","result":${deep}}`,
    ];
    const kept = new KeptAnswers(clock);
    for (const line of lines) kept.restore(line);
    expect(kept.has(zone, ["settings"])).toBe(false);
    kept.restore(JSON.stringify({ path, at, digest: "", result: {} }));
    expect(kept.has(zone, ["settings"])).toBe(true);
  });
});
