import { describe, it } from "vitest";

import type { ZoneReport } from "../../src/state/run-report.ts";
import { SimulatedClock } from "../support/clock.ts";
import { startFleet } from "../support/emulated-fleet.ts";
import { emulated } from "../support/emulated.ts";
import { block, customRuleset, declared, desiredZone } from "../support/model.ts";

const minuteMs = 60_000;
const content = desiredZone({
  customRulesets: declared([
    customRuleset("payments"),
    customRuleset("search", { rules: [block("bots")] }),
  ]),
  rules: { custom_rules: declared([block("admin")]) },
}).content;

/** Who is named for the drift of each resource in reports. */
function namedIn(reports: readonly ZoneReport[]): readonly string[] {
  return reports.flatMap((report) =>
    report.result === "error"
      ? [report.failure.message]
      : report.plan.changes.map(({ verb, key, authors = [] }) => {
          const names = authors.map(
            ({ name, isCertain, fields }) =>
              `${isCertain ? "" : "possibly "}${name} (${fields.join(" ")})`,
          );
          return `${verb} ${key}: ${names.join(", ")}`;
        }),
  );
}

describe("a custom ruleset that somebody", () => {
  it("edits, no longer executes, and deletes has them as the author of its drift", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await using at = await emulated({}, { clock, timeoutMs: 1e9 });
    await using fleet = startFleet(at, {
      clock,
      declared: new Map([["shop.example.com", content]]),
      audit: { everyMs: minuteMs, overlapMs: 10 * minuteMs },
    });
    /** What the runs that follow edits find. */
    const finds = async (...edits: readonly object[]): Promise<readonly string[]> => {
      const before = fleet.reports.length;
      for (const each of edits) {
        clock.step(1_000);
        await at.edit(each);
      }
      await fleet.pass(3 * minuteMs);
      return namedIn(fleet.reports.slice(before));
    };
    for (const _ of ["applies", "sees it in sync"]) {
      fleet.reconciler.requestSweep("startup");
      await fleet.pass(minuteMs);
    }
    const [alice, bob, carol] = ["alice@example.com", "bob@example.com", "carol@example.com"];
    const set = { description: "Mine [zonewarden:payments]" };
    expect(await finds({ ruleset: "payments", set, actor: alice })).toEqual([
      `update custom_ruleset/payments: ${alice} (description)`,
    ]);
    const unmarked = { ruleset: "payments", set: { description: "Without a mark" } };
    expect(await finds({ ...unmarked, actor: carol })).toEqual([
      `update custom_ruleset/payments: ${carol} (description)`,
    ]);
    const off = { rule: "zonewarden:custom_ruleset/payments", set: { enabled: false } };
    expect(await finds({ ...off, actor: bob })).toEqual([
      `update custom_ruleset/payments: ${bob} (enabled)`,
    ]);
    const executor = { rule: "zonewarden:custom_ruleset/payments", delete: true };
    expect(await finds({ ...executor, actor: carol })).toEqual([
      `update custom_ruleset/payments: ${carol} (expression enabled)`,
    ]);
    const gone = [executor, { ruleset: "payments", delete: true }];
    expect(await finds(...gone.map((each) => ({ ...each, actor: bob })))).toEqual([
      `create custom_ruleset/payments: ${bob} (expression enabled description)`,
      `create custom_rule/payments/amounts: possibly ${bob} (action expression enabled description)`,
      `create custom_rule/payments/bots: possibly ${bob} (action expression enabled description)`,
    ]);
  });
});
