import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { changesWith } from "../../src/plan/cause/cause.ts";
import type { Change } from "../../src/plan/change.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { control } from "../support/ask.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type EmulatedFleet, startFleet } from "../support/emulated-fleet.ts";
import { emulated, type Emulated } from "../support/emulated.ts";
import { declared, deployment, desiredZone, policy } from "../support/model.ts";
import { cases } from "../support/properties.ts";

const minuteMs = 60_000;
const zones = ["a.example.com", "b.example.com"] as const;
const content = desiredZone({
  settings: [
    { name: "enabled", value: true },
    { name: "use_connection_url_path", value: false },
  ],
  policies: declared([policy("site"), policy("shop")]),
  rules: declared([deployment("owasp")]),
}).content;

/** An edit that somebody made by hand, as the emulator knows it. */
interface Edit {
  readonly zone: string;
  readonly actor: string;
  readonly at: Date;
  readonly key: string;
  /** What it wrote, by field; `undefined`: it deleted the resource. */
  readonly wrote: JsonObject | undefined;
  readonly isLost: boolean;
}

const edits = {
  off: { key: "setting/enabled", body: { settings: { enabled: false } }, wrote: { value: false } },
  on: { key: "setting/enabled", body: { settings: { enabled: true } }, wrote: { value: true } },
  enabled: {
    key: "policy/site",
    body: { policy: "zonewarden:site", set: { enabled: true } },
    wrote: { enabled: true },
  },
  path: {
    key: "setting/use_connection_url_path",
    body: { settings: { use_connection_url_path: true } },
    wrote: { value: true },
  },
  disabled: {
    key: "policy/site",
    body: { policy: "zonewarden:site", set: { enabled: false } },
    wrote: { enabled: false },
  },
  expression: {
    key: "policy/site",
    body: { policy: "zonewarden:site", set: { expression: 'http.host eq "x.example.com"' } },
    wrote: { expression: 'http.host eq "x.example.com"' },
  },
  deleted: {
    key: "policy/shop",
    body: { policy: "zonewarden:shop", delete: true },
    wrote: undefined,
  },
  rule: {
    key: "rule/owasp",
    body: { rule: "zonewarden:owasp", set: { enabled: false } },
    wrote: { enabled: false },
  },
  tuned: {
    key: "rule/owasp",
    body: { rule: "zonewarden:owasp", set: { paranoia_level: 1 } },
    wrote: undefined,
  },
} as const satisfies Readonly<
  Record<
    string,
    { readonly key: string; readonly body: object; readonly wrote: JsonObject | undefined }
  >
>;

interface Step {
  readonly waitMs: number;
  readonly zone: (typeof zones)[number];
  readonly actor: string;
  readonly what: keyof typeof edits;
  readonly fate: object | undefined;
}

const fate = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constant({ fault: "audit_lost" }) },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 1, max: 3_600 })
      .map((seconds) => ({ fault: "audit_late", seconds })),
  },
  { weight: 1, arbitrary: fc.constant({ fault: "audit_duplicated" }) },
);

const step: fc.Arbitrary<Step> = fc.record({
  // Most edits come between two reads of the log.
  waitMs: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 * minuteMs }) },
  ),
  zone: fc.oneof(
    { weight: 4, arbitrary: fc.constant(zones[0]) },
    { weight: 1, arbitrary: fc.constant(zones[1]) },
  ),
  actor: fc.constantFrom("alice@example.com", "bob@example.com", "carol@example.com"),
  what: fc.constantFrom(
    ...Object.keys(edits).filter((name): name is keyof typeof edits => name in edits),
  ),
  fate,
});

/** Makes the edits of a history, and gives those that the service took. */
async function live(
  at: Emulated,
  fleet: EmulatedFleet,
  clock: SimulatedClock,
  history: readonly Step[],
): Promise<readonly Edit[]> {
  const made: Edit[] = [];
  for (const { waitMs, zone, actor, what, fate: order } of history) {
    await fleet.pass(waitMs);
    const { key, body, wrote } = edits[what];
    await fetch(`${at.emulator.url}/_emulator/faults`, { method: "DELETE" });
    if (order !== undefined) await at.fault({ ...order, count: 1 });
    try {
      await control(at.emulator, "/edit", { zone, actor, ...body });
    } catch {
      // What was deleted before cannot be edited.
      continue;
    }
    const isLost = order !== undefined && "fault" in order && order.fault === "audit_lost";
    made.push({ zone, actor, at: clock.now(), key, wrote, isLost });
  }
  return made;
}

/** Whoever is named for certain made an edit of this very resource that wrote what was found, and its entry was not lost. */
function wrongAuthors(reports: readonly ZoneReport[], made: readonly Edit[]): readonly string[] {
  return reports.flatMap((report) => {
    if (report.result === "error") return [];
    return changesWith("drift", report.plan.changes).flatMap((change) =>
      (change.authors ?? [])
        .filter((author) => {
          const fitting = made.filter(
            (each) =>
              each.zone === report.zone &&
              each.key === change.key &&
              each.actor === author.name &&
              Number(each.at) === Number(author.at) &&
              !each.isLost,
          );
          return (
            fitting.length === 0 ||
            (author.isCertain &&
              !fitting.some((edit) => isWhatWasFound(change, author.fields, edit)))
          );
        })
        .map(
          (author) =>
            `${report.zone} ${change.key} by ${author.name} at ${author.at.toISOString()}`,
        ),
    );
  });
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
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (history) => {
          const clock = new SimulatedClock();
          await using at = await emulated(
            {},
            { clock, timeoutMs: 1e9, seed: { zones: zones.map((name) => ({ name })) } },
          );
          await using fleet = startFleet(at, {
            clock,
            declared: new Map(zones.map((name) => [name, content])),
            audit: { everyMs: minuteMs, overlapMs: 10 * minuteMs },
          });
          for (const _ of ["applies", "sees it in sync"]) {
            fleet.reconciler.requestSweep("startup");
            await fleet.pass(minuteMs);
          }
          const before = fleet.reports.length;
          const made = await live(at, fleet, clock, history);
          await fleet.pass(2 * minuteMs);
          fleet.reconciler.requestSweep("schedule");
          await fleet.pass(minuteMs);
          fleet.reconciler.requestSweep("schedule");
          await fleet.pass(minuteMs);
          expect(wrongAuthors(fleet.reports, made)).toEqual([]);
          for (const zone of zones) {
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
        cases(10),
      );
      expect(named).toBeGreaterThan(0);
      expect(found).toBeGreaterThan(named);
    },
  );
});
