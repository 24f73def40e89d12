import { describe, it } from "vitest";

import { scriptMemory } from "../../src/daemon/script-checks.ts";
import { MemoryStore } from "../../src/memory/memory-store.ts";
import { remembered, zoneKeys } from "../../src/memory/state-keys.ts";
import type { Notification } from "../../src/notify/notification.ts";
import { lastScriptCheck } from "../../src/state/scripts/check-scripts.ts";
import type { ScriptRecord } from "../../src/state/scripts/script-watch.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { book } from "../support/log-book.ts";
import { declared, load, named } from "../support/reports.ts";
import {
  authorised,
  check,
  day,
  declaredScripts,
  firstDay,
  here,
  pay,
  readingOf,
} from "../support/watched.ts";

/** A memory of checks of the shop, and what it tells. */
function remembering(fleet = fleetOf(declared(shop, { labels: { team: "payments" } }))) {
  const store = new MemoryStore();
  const { logger, lines } = book();
  const recorded: ScriptRecord[] = [];
  const told: Notification[] = [];
  const memory = scriptMemory({
    store,
    fleet,
    logger,
    history: { recordScripts: (record) => recorded.push(record) },
    notify: (notification) => told.push(notification),
  });
  const stored = () => remembered(store, zoneKeys.scripts, shop);
  return { memory, recorded, told, lines, stored };
}

describe("a check of the scripts of a zone", () => {
  const zone = named(shop);
  const declaredPages = declaredScripts([]);

  it("is remembered, and told to the history, the log and the notifications", ({ expect }) => {
    const fleet = fleetOf(declared(shop, { labels: { team: "payments" } }));
    fleet.recordLoad(load({ commit: "c0ffee" }));
    const { memory, recorded, told, lines, stored } = remembering(fleet);
    const first = check(declaredPages, readingOf([here(pay)]), firstDay);
    memory.checked(zone, first, firstDay, false);
    const { revision, commit } = load({ commit: "c0ffee" });
    expect(recorded).toMatchObject([{ zone: shop, at: firstDay, revision, commit, open: 1 }]);
    expect(told).toMatchObject([{ zone: shop, revision, labels: { team: "payments" } }]);
    expect(lines()).toMatchObject([{ msg: "script finding opened" }]);
    const watch = { ...first.watch, recordedAt: firstDay };
    expect(memory.earlier(zone)).toEqual(watch);
    expect(stored()).toEqual(watch);
  });

  it("without news is remembered, and recorded once a day", ({ expect }) => {
    const { memory, recorded, told, stored } = remembering();
    const moments = [firstDay, day(0.2), day(0.4), day(1)];
    for (const now of moments) {
      const next = check(declaredPages, readingOf([here(pay)]), now, memory.earlier(zone));
      memory.checked(zone, next, now, false);
      expect(stored()?.readAt).toEqual(now);
    }
    expect(recorded.map(({ at }) => at)).toEqual([firstDay, day(1)]);
    expect(told).toHaveLength(1);
  });

  it("that could not read the inventory is none of the day", ({ expect }) => {
    const { memory, recorded, stored } = remembering();
    memory.checked(zone, check(declaredPages, undefined, firstDay), firstDay, false);
    expect(recorded).toEqual([]);
    // Its news is recorded nevertheless.
    const incomplete = declaredScripts([authorised(pay, { owner: "" })]);
    memory.checked(zone, check(incomplete, undefined, firstDay), firstDay, false);
    expect(recorded).toMatchObject([{ read: undefined, events: [{ event: "opened" }] }]);
    expect(stored()).toMatchObject({ recordedAt: undefined });
  });

  it("of a zone that left the files meanwhile is told without labels", ({ expect }) => {
    const { memory, recorded, told } = remembering();
    const gone = named("gone.example");
    expect(memory.earlier(gone)).toBeUndefined();
    memory.checked(gone, check(declaredPages, readingOf([here(pay)]), firstDay), firstDay, false);
    expect(recorded).toMatchObject([{ zone: gone, revision: "" }]);
    expect(told).toMatchObject([{ zone: gone, labels: undefined }]);
  });

  it("is forgotten with the last one, which closes what was found", ({ expect }) => {
    const { memory, recorded, stored } = remembering();
    const first = check(declaredPages, readingOf([here(pay)]), firstDay);
    memory.checked(zone, first, firstDay, false);
    memory.checked(zone, lastScriptCheck(first.watch), day(1), true);
    expect(recorded.at(-1)?.events).toMatchObject([{ event: "closed" }]);
    expect([memory.earlier(zone), stored()]).toEqual([undefined, undefined]);
  });
});
