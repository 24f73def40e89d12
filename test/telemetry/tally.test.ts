import * as fc from "fast-check";
import { Counter, Histogram, Registry } from "prom-client";
import { describe, it } from "vitest";

import { CountTally, TimeTally } from "../../src/telemetry/metrics/tally.ts";

const bounds = [0.025, 0.1, 1, 2.5];
const labels = { endpoint: "/zones/{zone_id}", method: "GET" };
const others = { endpoint: 'odd "one"\n\\', method: "PUT" };
const labelNames = ["endpoint", "method"];
const definition = { name: "zonewarden_told", help: "Told.", labels: {} } as const;

/** Lines of an exposition without their order, which says nothing. */
function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();
}

describe("what is tallied is exposed as the metrics client does it", () => {
  const seconds = fc.oneof(
    fc.constantFrom(0, ...bounds),
    fc.double({ min: 0, max: 10, noNaN: true }),
  );
  const observed = fc.array(fc.tuple(fc.constantFrom(labels, others), seconds), { maxLength: 30 });

  it("histograms", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(observed, async (all) => {
        const registry = new Registry();
        const { name, help } = definition;
        const theirs = new Histogram({
          name,
          help,
          labelNames,
          buckets: bounds,
          registers: [registry],
        });
        const ours = new TimeTally({ ...definition, type: "histogram" }, bounds);
        for (const known of [labels, others]) {
          theirs.zero(known);
          ours.at(known);
        }
        for (const [known, value] of all) {
          theirs.observe(known, value);
          ours.at(known).observe(value);
        }
        expect(linesOf(ours.render())).toEqual(linesOf(labelsFirst(await registry.metrics())));
      }),
      { numRuns: 300 },
    );
  });

  it("counters", async ({ expect }) => {
    const registry = new Registry();
    const { name, help } = definition;
    const theirs = new Counter({ name, help, labelNames, registers: [registry] });
    const ours = new CountTally({ ...definition, type: "counter" });
    for (const known of [labels, others, labels]) {
      theirs.inc(known);
      ours.at(known).count += 1;
    }
    expect(linesOf(ours.render())).toEqual(linesOf(await registry.metrics()));
  });
});

/** The client writes the bound before the labels. */
function labelsFirst(text: string): string {
  return text.replaceAll(/\{(le="[^"]*"),(.*)\} /g, "{$2,$1} ");
}
