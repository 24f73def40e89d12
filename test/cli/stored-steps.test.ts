import { describe, it } from "vitest";

import { checkText } from "../../src/desired/load/check-text.ts";
import { offlineFleet } from "../../src/desired/zones/offline-fleet.ts";
import { dayRecordText, emptyDay, withRead } from "../../src/measure/day-record.ts";
import { firstHourOf } from "../../src/measure/hours.ts";
import { datasets } from "../../src/measure/measurement.ts";
import { lineOf } from "../../src/memory/directory/journal-line.ts";
import { zoneKeys } from "../../src/memory/state-keys.ts";
import { policyForm } from "../../src/plan/policies/policy-form.ts";
import { atStep, type StepState } from "../../src/reconcile/steps/step-state.ts";
import {
  policyAtStep,
  type PromotedObject,
  promotedObjects,
} from "../../src/zone/promoted-objects.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type Example, exampleWithEmulator } from "../support/example.ts";

const [shop, blog] = ["shop.example.com", "blog.example.com"] as const;
const [checkout, everywhere] = ["policy/checkout", "policy/everywhere"] as const;
const now = new Date("2026-11-20T12:00:00Z");
const hoursAgo = (hours: number): number => Number(now) - hours * 3_600_000;

function zoneFile(zone: string, promote: string): string {
  const items = ["checkout", "everywhere"].map(
    (key) => `          - key: ${key}
            action: allow
            promote: ${promote}
            expression: http.host eq "${key}.${zone}"
            value: script-src 'self'
`,
  );
  return `zones:\n  - name: ${zone}\n    page_shield:\n      policies:\n        items:\n${items.join("")}`;
}

/** How an object stands; what is left out is as it is at a first step. */
type Known = Partial<Omit<StepState, "of">>;

/** The example with two policies in two zones, and a store of the daemon, which has ended, that says where they stand. */
async function storedExample(
  promote: string,
  known: Readonly<Record<string, Readonly<Record<string, Known>>>>,
  rollout = "",
): Promise<Example> {
  const example = await exampleWithEmulator({
    config: `store: { path: state }\nmeasurements: {}\n${rollout}`,
    ports: { clock: new SimulatedClock(now) },
  });
  const { place, emulator } = example;
  await place.write("zones/shop.yaml", zoneFile(shop, promote));
  await place.write("zones/sites.yaml", zoneFile(blog, promote));
  await place.run("apply", "--yes");
  const identity = { owner: "zonewarden", service: emulator.baseUrl };
  const lines = [lineOf({ format: "zonewarden-state", version: 1, ...identity })];
  for (const zone of [shop, blog]) {
    const objects = promotedOf(zone, promote).map(([key, object]) => {
      const state = { ...atStep(object, "log"), isLive: true, ...known[zone]?.[key] };
      return [key, state] as const;
    });
    const text = zoneKeys.steps.encode({ objects: new Map(objects), pausedBy: undefined });
    lines.push(lineOf([[`steps/${zone}`, text]]));
  }
  await place.write("state/state.jsonl", lines.join(""));
  await place.write("state/measurements/2026-11-20.jsonl", measuredDay(promote));
  return example;
}

function promotedOf(zone: string, promote: string): readonly [ResourceKey, PromotedObject][] {
  const [entry] = offlineFleet(checkText("a.yaml", zoneFile(zone, promote)).documents);
  return entry?.content === undefined ? [] : [...promotedObjects(entry.content)];
}

/** The day of the shop, in each hour of which its policies were live at their first step and nothing was counted. */
function measuredDay(promote: string): string {
  const nths = Array.from({ length: 11 }, (_, nth) => nth);
  const first = firstHourOf("2026-11-20");
  const objects = promotedOf(shop, promote).map(([key, object]) => ({
    key,
    ids: [key],
    since: first,
    until: first + 24,
    form: "value" in object ? policyForm(policyAtStep(object, 0)) : "",
    formSince: first,
  }));
  let record = emptyDay(shop, "2026-11-20");
  for (const dataset of datasets) {
    const count = { ids: [], action: "any", count: 5_000, sampleInterval: 1 };
    const rows = dataset === "requests" ? nths.map((nth) => ({ nth: first + nth, ...count })) : [];
    record = withRead(record, dataset, nths, { result: "measured", rows }, objects);
  }
  return `${dayRecordText(record)}\n`;
}

const daemonKnows = "only the running daemon knows what it waits for";

describe("what the store tells of steps", () => {
  it("is that one of two watched policies waits for the other", async ({ expect }) => {
    await using example = await storedExample("{ from: log, after: 7d, when: time_only }", {
      [shop]: {
        [checkout]: { step: "allow", isWatched: true, since: hoursAgo(1) },
        [everywhere]: { step: "allow", isWatched: true, since: hoursAgo(2) },
      },
    });
    const { stdout } = await example.place.run("plan", shop);
    expect(stdout).toContain("note: policy/everywhere: allow (watched for 1 day)\n");
    expect(stdout).toContain(
      `note: policy/checkout: allow (${everywhere} is promoted or watched)\n`,
    );
  });

  it.for([
    {
      what: "hours",
      promote: "after: 7d, when: { requests_at_least: 1 }",
      waits: "10 h of 7 days measured",
    },
    {
      what: "minutes",
      promote: "after: 30m, force: true, when: { requests_at_least: 1 }",
      waits: daemonKnows,
    },
    { what: "scripts", promote: "after: 2h, when: { unknown_scripts: 0 }", waits: daemonKnows },
    {
      what: "an earlier wave",
      promote: "after: 2h, when: { requests_at_least: 1 }",
      waits: `it waits for wave 1, in which ${blog} does not keep the next step yet`,
      waves: [blog],
    },
    {
      what: "the other policy, in the first wave",
      promote: "after: 2h, when: { requests_at_least: 1 }",
      waits: `${checkout} is promoted or watched`,
      waves: [shop],
    },
  ])("is told by explain: $what", async ({ promote, waits, waves }, { expect }) => {
    const rollout =
      waves && `rollout: { waves: [{ zones: [${waves.join(", ")}] }, { share: 100% }] }`;
    const known = { since: hoursAgo(11) };
    const of = { [checkout]: { since: hoursAgo(11.5) }, [everywhere]: known };
    await using example = await storedExample(`{ from: log, ${promote} }`, { [shop]: of }, rollout);
    const { stdout, stderr } = await example.place.run("explain", "zone", shop);
    const line = stdout.split("\n").find((each) => each.startsWith(everywhere));
    expect(line, stderr).toContain(`(${waits})`);
  });
});
