import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Author } from "../../src/plan/cause/author.ts";
import { changesWith } from "../../src/plan/cause/cause.ts";
import type { Change } from "../../src/plan/change.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { SimulatedClock } from "../support/clock.ts";
import {
  carryOutEdits,
  doneTwice,
  type Edit,
  editedZones,
  editHistory,
  writtenAgain,
} from "../support/edit-histories.ts";
import { startFleet } from "../support/emulated-fleet.ts";
import { emulated } from "../support/emulated.ts";
import { declared, deployment, desiredZone, policy } from "../support/model.ts";
import { cases } from "../support/properties.ts";

const minuteMs = 60_000;
const [everyMs, overlapMs] = [minuteMs, 10 * minuteMs];
const content = desiredZone({
  settings: [
    { name: "enabled", value: true },
    { name: "use_connection_url_path", value: false },
  ],
  policies: declared([policy("site"), policy("shop")]),
  rules: { managed_rules: declared([deployment("owasp")]) },
}).content;

/** Says of each author who is named wrongly why. */
function wrongAuthors(reports: readonly ZoneReport[], made: readonly Edit[]): readonly string[] {
  return reports.flatMap((report, index) => {
    if (report.result === "error") return [];
    const before = reports.slice(0, index).filter((each) => each.zone === report.zone);
    return report.plan.changes.flatMap((change) =>
      (change.authors ?? []).flatMap((author) => {
        const why = whyWrong(author, change, report, before, made);
        const when = author.at.toISOString();
        return why === undefined ? [] : [`${change.key} by ${author.name} at ${when}: ${why}`];
      }),
    );
  });
}

/**
 * Whoever is named made an edit of this very resource, and the log shows it. Whoever is named for certain wrote with it what
 * was found, after the resource was last seen as declared or written by us, and neither the log nor the version of the
 * resource shows that somebody else wrote it after that.
 */
function whyWrong(
  author: Author,
  change: Change,
  { zone, trigger, startedAt }: ZoneReport,
  before: readonly ZoneReport[],
  made: readonly Edit[],
): string | undefined {
  const ofResource = made.filter((edit) => edit.zone === zone && edit.key === change.key);
  const named = ofResource.findLast(
    ({ actor, at, shownAt }) =>
      actor === author.name && Number(at) === Number(author.at) && shownAt <= Number(startedAt),
  );
  if (named === undefined) return "no entry";
  if (!author.isCertain) return undefined;
  if (!isWhatWasFound(change, author.fields, named)) return "another value";
  const asDeclared = before.findLast((report) => isDeclaredAfter(report, change.key));
  if (asDeclared !== undefined && asDeclared.finishedAt >= author.at) {
    return "as declared since";
  }
  const later = ofResource
    .slice(ofResource.indexOf(named) + 1)
    .filter((edit) => edit.at < startedAt && edit.actor !== named.actor)
    .filter((edit) => author.fields.some((field) => concerns(edit, field)));
  // Who does again what somebody did since then changes nothing.
  const isNew = (edit: Edit): boolean =>
    !ofResource
      .slice(0, ofResource.indexOf(edit))
      .some(({ what, at }) => what === edit.what && !(asDeclared && at < asDeclared.finishedAt));
  if (change.kind === "managed_rule" && later.some(isNew)) {
    return "the version shows a later edit";
  }
  // A run that the log woke follows the read.
  const readAt = Number(startedAt) - (trigger === "audit" ? 0 : everyMs);
  const isRead = ({ at, shownAt }: Edit): boolean =>
    shownAt < readAt && shownAt - Number(at) < overlapMs;
  return later.some(isRead) ? "the log shows a later edit" : undefined;
}

/** Whether a resource was as declared after a run, or may have been: what was written and not confirmed may have been written. */
function isDeclaredAfter(report: ZoneReport, key: ResourceKey): boolean {
  if (report.result === "error") return false;
  if (!report.plan.changes.some((change) => change.key === key)) return true;
  return (
    report.result === "applied" &&
    report.outcomes.some(
      ({ status, write }) =>
        (status === "done" || status === "unknown") && write.changes.includes(key),
    )
  );
}

function concerns({ what, wrote }: Edit, field: string): boolean {
  if (what === "tuned") return field === "paranoia_level";
  return wrote === undefined || field in wrote;
}

function isWhatWasFound(change: Change, fields: readonly string[], { wrote }: Edit): boolean {
  if (wrote === undefined) return true;
  return fields.every((field) => {
    const found = change.fields.find((each) => each.field === field)?.before;
    return !(field in wrote) || wrote[field] === found;
  });
}

describe("the authors of drift", () => {
  it(
    "are never wrong, and every drift is found, where entries are lost, late, repeated and out of order",
    { timeout: 120_000 },
    async () => {
      let [named, found] = [0, 0];
      await fc.assert(
        fc.asyncProperty(editHistory, async (history) => {
          const clock = new SimulatedClock();
          await using at = await emulated(
            {},
            { clock, timeoutMs: 1e9, seed: { zones: editedZones.map((name) => ({ name })) } },
          );
          await using fleet = startFleet(at, {
            clock,
            declared: new Map(editedZones.map((name) => [name, content])),
            audit: { everyMs, overlapMs },
          });
          for (const _ of ["applies", "sees it in sync"]) {
            fleet.reconciler.requestSweep("startup");
            await fleet.pass(minuteMs);
          }
          const before = fleet.reports.length;
          const made = await carryOutEdits(history, at, fleet, clock);
          await fleet.pass(2 * minuteMs);
          fleet.reconciler.requestSweep("schedule");
          await fleet.pass(minuteMs);
          fleet.reconciler.requestSweep("schedule");
          await fleet.pass(minuteMs);
          expect(wrongAuthors(fleet.reports, made)).toEqual([]);
          for (const zone of editedZones) {
            expect(fleet.reports.findLast((report) => report.zone === zone)?.result).toBe(
              "in_sync",
            );
          }
          const drift = fleet.reports
            .slice(before)
            .flatMap((report) =>
              "plan" in report ? changesWith("drift", report.plan.changes) : [],
            );
          found += drift.length;
          named += drift.filter(({ authors = [] }) => authors.length > 0).length;
        }),
        { ...cases(15), examples: [[writtenAgain], [doneTwice]] },
      );
      expect(named).toBeGreaterThan(0);
      expect(found).toBeGreaterThan(named);
    },
  );
});
