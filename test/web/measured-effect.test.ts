import { describe, it } from "vitest";

import type { CountedEffect } from "../../src/plan/measured-effect.ts";
import { coerceObject, coerceObjects } from "../../src/syntax/json.ts";
import type { ServerOptions } from "../../src/web/server.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { measuredWeek } from "../support/measured-week.ts";
import { wordsOf } from "../support/pages.ts";
import { change, daemon, declared, hold, report } from "../support/reports.ts";
import { serveFleet } from "../support/web-server.ts";

const until = new Date("2026-11-27T10:00:00Z");
const since = { at: new Date("2026-11-01T00:00:00Z") };
const counted: CountedEffect = { before: "log", after: "block", extent: "all", since };

const changes = [
  { ...change("managed_rule/owasp"), counted },
  { ...change("policy/site"), counted },
  { ...change("policy/checkout"), counted: { why: "it is off, and then nothing is counted" } },
  change("setting/enabled"),
];

/** The page of a zone with a held plan, its changes in JSON, and how often the counts were read. */
async function shown(
  seriesOf: ServerOptions["seriesOf"],
  held = changes,
): Promise<{ words: string; effects: readonly unknown[]; readsOfJson: number }> {
  const fleet = fleetOf(declared(shop));
  const holds = [hold("weakening")];
  fleet.recordZone(report(shop, 1, { result: "held", cause: "pending", changes: held, holds }));
  let reads = 0;
  await using server = await serveFleet(fleet, {
    seriesOf: (...args) => {
      reads += 1;
      return seriesOf(...args);
    },
    facts: () => daemon({ measurements: { state: "collecting", reason: "" } }),
  });
  const json = coerceObject(await (await fetch(`${server.url}/api/v1/zones/${shop}`)).json());
  const readsOfJson = reads;
  const page = await fetch(`${server.url}/zones/${shop}`);
  return {
    words: wordsOf(await page.text()),
    effects: coerceObjects(json["differing"]).map((each) => each["measured_effect"]),
    readsOfJson,
  };
}

function aWeek(): ReturnType<ServerOptions["seriesOf"]> {
  return Promise.resolve(measuredWeek(until));
}

describe("the measured effect of a plan, on the page of its zone and in the API", () => {
  it("is what was counted, or why it is not known", async ({ expect }) => {
    const { words, effects } = await shown(aWeek);
    expect(words).toContain(
      "would now block: this rule logged about 61,060 requests of 1.4 million in 144 of 168 hours",
    );
    expect(words).toContain("not measured: the plan of the zone does not include the counts");
    expect(words).toContain("not measured: it is off, and then nothing is counted");
    expect(effects).toEqual([
      expect.objectContaining({ state: "measured", count: 61_060, hours: 144, of_hours: 168 }),
      { state: "unknown", reason: "the plan of the zone does not include the counts" },
      { state: "unknown", reason: "it is off, and then nothing is counted" },
      undefined,
    ]);
  });

  it("is not known where the counts cannot be read", async ({ expect }) => {
    const { words, effects } = await shown(() => Promise.reject(new Error("the disk <b>failed")));
    const why = "the measurements could not be read: the disk <b>failed";
    expect(words).toContain("not measured: the measurements could not be read: the disk &lt;b&gt;");
    expect(effects[0]).toEqual({ state: "unknown", reason: why });
  });

  it("is not said where nothing is measured", async ({ expect }) => {
    const { words, effects } = await shown(() => Promise.resolve(undefined));
    expect(words).not.toContain("not measured");
    expect(effects).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("costs no read where counts can say nothing", async ({ expect }) => {
    expect((await shown(aWeek, [change("policy/site")])).readsOfJson).toBe(0);
    expect((await shown(aWeek)).readsOfJson).toBe(1);
  });
});
