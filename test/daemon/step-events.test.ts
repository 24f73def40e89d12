import { describe, it } from "vitest";

import { StepEvents } from "../../src/daemon/step-events.ts";
import { historyEntryFrom, historyJson } from "../../src/history/history-json.ts";
import { renderHistoryEntry } from "../../src/history/history-text.ts";
import type { HistoryEntry } from "../../src/history/history.ts";
import type { Notification } from "../../src/notify/notification.ts";
import { paintOf } from "../../src/render/format.ts";
import { parseJson } from "../../src/syntax/json.ts";
import { createLogger } from "../../src/telemetry/log/log.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { at, declared, load, named, report } from "../support/reports.ts";
import { historyOf } from "../support/scenes.ts";
import { promoted, setBack } from "../support/stepped.ts";

/** Events that were told, with what came of them. */
function telling(): {
  readonly events: StepEvents;
  readonly lines: unknown[];
  readonly notifications: Notification[];
} {
  const fleet = fleetOf(declared(shop, { labels: { team: "payments" } }));
  fleet.recordLoad(load({ commit: "5a40679" }));
  const [lines, notifications]: [unknown[], Notification[]] = [[], []];
  const logger = createLogger({
    level: "info",
    format: "json",
    color: false,
    destination: { write: (line) => lines.push(parseJson(line)) },
    clock: { now: () => at(3) },
    scrub: (line) => line,
  });
  const notify = (notification: Notification): void => void notifications.push(notification);
  const events = new StepEvents({ fleet, logger, notify, clock: { now: () => at(3) } });
  return { events, lines, notifications };
}

describe("what becomes of steps", () => {
  it("is logged, and told by a notification that is an error where counts set a step back", ({
    expect,
  }) => {
    const { events, lines, notifications } = telling();
    events.happened(promoted);
    events.happened(setBack);
    events.happened({ ...setBack, cause: { by: "alice" } });
    events.happened({ ...setBack, event: "stopped", from: "log", cause: { by: "alice" } });
    events.happened({ ...promoted, event: "watched", from: 2 });
    expect(lines).toMatchObject([
      {
        level: "info",
        msg: "promoted to the next step",
        resource: "managed_rule/owasp",
        from: 1,
        to: 2,
      },
      {
        level: "warn",
        msg: "set back to the step before: it stays there",
        zone: shop,
        count: 130,
        requests: 20_000,
      },
      { level: "warn", msg: "set back to the step before: it stays there", by: "alice" },
      { level: "warn", msg: "stays at its step", by: "alice" },
      { level: "info", msg: "watch of the step is over" },
    ]);
    expect(notifications).toMatchObject([
      {
        reason: "StepPromoted",
        severity: "info",
        revision: load().revision,
        commit: "5a40679",
        message: "managed_rule/owasp is promoted from 1 to 2",
      },
      {
        reason: "StepSetBack",
        severity: "error",
        zone: shop,
        at: at(3),
        labels: { team: "payments" },
        message:
          "policy/checkout is set back from allow to log: 130 in 20,000 requests, 65 per 10,000",
      },
      { reason: "StepSetBack", severity: "info" },
    ]);
  });

  it("is told to the history with the next run of the zone, once", ({ expect }) => {
    const { events } = telling();
    events.happened(promoted);
    events.happened(setBack);
    events.happened({ ...promoted, zone: named("blog.example.com") });
    expect(events.of({ zone: named(shop) })).toEqual([promoted, setBack]);
    expect(events.of({ zone: named(shop) })).toEqual([]);
    expect(events.of({ zone: named("blog.example.com") })).toHaveLength(1);
  });
});

function entryWith(events: readonly (typeof setBack)[]): HistoryEntry {
  const clear = { result: "in_sync" } as const;
  const runs = [report(shop, 1, clear), report(shop, 2, clear)];
  const history = historyOf(fleetOf(), runs, [], events);
  const entry = history.of(shop).at(-1);
  if (entry === undefined) throw new Error("no entry");
  return entry;
}

describe("an entry of the history with steps", () => {
  it("is kept, though nothing else is new, and is the same after it is read again", ({
    expect,
  }) => {
    const entry = entryWith([setBack, promoted]);
    expect(entry.stepEvents).toMatchObject([
      { key: "policy/checkout", event: "set_back", from: "allow", to: "log" },
      { key: "managed_rule/owasp", event: "promoted", from: 1, to: 2, cause: undefined },
    ]);
    expect(historyEntryFrom(parseJson(JSON.stringify(historyJson(entry))))).toEqual(entry);
    expect(renderHistoryEntry(entry, paintOf(false))).toContain(
      "\n  policy/checkout is set back from allow to log: 130 in 20,000 requests, 65 per 10,000\n",
    );
  });

  it.for([
    { event: "promoted", from: "log" },
    { event: "raised", from: "log", to: "allow" },
    { key: "", event: "promoted", from: "log", to: "allow" },
    { event: "promoted", from: {}, to: "allow" },
  ])("leaves out %j, which is none", (step, { expect }) => {
    const json = { ...historyJson(entryWith([setBack])), steps: [{ key: "policy/a", ...step }, 1] };
    expect(historyEntryFrom(json)?.stepEvents).toEqual([]);
  });
});
