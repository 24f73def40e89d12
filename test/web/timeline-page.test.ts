import { describe, it } from "vitest";

import { textOfHtml } from "../../src/render/html.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { StepEvent } from "../../src/state/step-wait.ts";
import { renderZonePage } from "../../src/web/pages/page-zone.ts";
import { a, b, drifted, fleetOf, held, shop, stateAfter } from "../support/fleets.ts";
import { snapshotOf, wordsOf } from "../support/pages.ts";
import { at, author, type Came, report } from "../support/reports.ts";
import { historyOf } from "../support/scenes.ts";
import { promoted } from "../support/stepped.ts";

/** A run of the shop, so many days after the start. */
function run(days: number, came: Came): ZoneReport {
  return report(shop, days * 1_440, came);
}

/** What the page of the shop says of its last week, nine days after the start. */
function weekAfter(runs: readonly ZoneReport[], stepEvents: readonly StepEvent[] = []): string {
  const fleet = fleetOf();
  const history = historyOf(fleetOf(), runs, [], stepEvents);
  const state = stateAfter(fleet, ...runs);
  const snapshot = { ...snapshotOf(fleet), history, now: at(9 * 1_440 + 0.5) };
  const page = textOfHtml(renderZonePage(snapshot, state));
  return /<section aria-labelledby="timeline-title".*?<\/section>/s.exec(page)?.[0] ?? "";
}

describe("the last week on the page of a zone", () => {
  const week = weekAfter([
    run(1, { result: "applied", cause: "drift", changes: [a] }),
    run(3, { result: "applied", cause: "pending", changes: [b] }),
    run(4, { result: "applied", cause: "drift", changes: [{ ...a, authors: [author()] }] }),
    run(5, drifted),
    run(6, { result: "in_sync" }),
    run(7, held("weakening")),
    run(8, { result: "error" }),
  ]);

  it("marks each status, and drift that was corrected by the run that found it", ({ expect }) => {
    const parts = week.matchAll(/<rect class="(\w+)" x="([-\d.]+)" width="([\d.]+)"/g);
    expect([...parts].map(([, ...part]) => part.join(" "))).toEqual([
      "in_sync 0.0 428.5",
      "drifted 428.5 142.9",
      "in_sync 571.3 142.9",
      "held 714.2 142.9",
      "error 857.0 143.0",
      ...["142.9", "285.7", "428.6", "571.4", "714.3", "857.1"].map((x) => `day ${x} 1.0`),
      "drifted 285.6 3.0",
    ]);
    expect(week).toContain(
      'aria-label="The zone drifted 3 times, 3 days seen, at most 6 days, still drifting; now error"',
    );
    expect(wordsOf(week)).toContain(
      "drift corrected 2026-11-25T10:00:00.000Z 7 days ago in sync drifted held error now",
    );
  });

  it("lists the runs with what they did, who made drift and why nothing was done", ({ expect }) => {
    const runs = [
      "24 h ago error schedule: GET page_shield: 503",
      "2 days ago held after drift schedule, policy/a strengthens, found; somebody lowered the protection: held: weakening",
      "3 days ago in sync schedule",
      "4 days ago planned after drift schedule, policy/a strengthens, found; somebody lowered the protection",
      "5 days ago applied after drift schedule, policy/a strengthens, done; somebody lowered the protection; changed by alice@example.com in the dashboard",
      "6 days ago applied after a new declaration schedule, policy/b strengthens, done",
      "8 days ago applied after drift schedule, policy/a strengthens, done; somebody lowered the protection",
    ];
    expect(wordsOf(week)).toContain(`History (7 runs) ${runs.join(" ")} JSON`);
  });

  it("lists no more than twelve runs, and what became of steps", ({ expect }) => {
    const runs = Array.from({ length: 13 }, (_, nth) =>
      run(nth / 2, nth % 2 === 0 ? { result: "error" } : { result: "in_sync" }),
    );
    const words = wordsOf(weekAfter(runs, [promoted]));
    expect(words.match(/managed_rule\/owasp is promoted from 1 to 2 schedule/g)).toHaveLength(12);
    expect(words).toContain("History (13 runs) 3 days ago error");
  });

  it("has a record after the first run", ({ expect }) => {
    expect(wordsOf(weekAfter([run(5, drifted)]))).toMatch(
      /^Last 7 days drifted once.* History \(1 run\)/,
    );
  });

  it("has no record of a zone without runs", ({ expect }) => {
    expect(wordsOf(weekAfter([]))).toBe(
      "Last 7 days no record unknown from 2026-11-23T10:01:00.000Z to 2026-11-30T10:01:00.000Z 7 days ago unknown now",
    );
  });
});
