import { describe, it } from "vitest";

import { rethrow } from "../../src/cli/session/session.ts";
import { planZone } from "../../src/reconcile/run/plan-zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import {
  declared,
  desiredZone,
  livePolicy,
  liveZone,
  owner,
  policy,
  readAllAt,
} from "../support/model.ts";

describe("planning a zone", () => {
  it.for([
    { adoptOnly: true, titles: ["policy/site"] },
    { adoptOnly: false, titles: ["policy/new", "policy/site"] },
  ])("to adopt only ($adoptOnly)", async ({ adoptOnly, titles }, { expect, signal }) => {
    const site = policy("site");
    const { description, action, expression, enabled, value } = site;
    const byHand = livePolicy("p1", { description, action, expression, enabled, value });
    const live = liveZone({ policies: [byHand] });
    const { report } = await planZone(
      {
        desired: desiredZone({ policies: declared([site, policy("new")]) }),
        owner,
        ownership: { adopt: true, rules: [] },
        adoptOnly,
        trigger: "manual",
        priority: "changed",
        revision: "r1",
        impact: { maliciousBelow: 50, freshMs: 0 },
        unchangedPlan: () => undefined,
        explain: (planned) => planned,
        holdsAt: () => [],
      },
      {
        reader: {
          readAnswers: () =>
            Promise.resolve({ readAt: readAllAt(0), digest: "", live: () => live }),
          readScripts: () => Promise.resolve([]),
        },
        clock: new SimulatedClock(),
        runId: () => "run",
        bug: rethrow,
      },
      signal,
    );
    if (report.result !== "planned") throw new Error(report.result);
    expect(report.plan.changes.map(({ key }) => key).toSorted()).toEqual(titles);
  });
});
