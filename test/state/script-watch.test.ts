import * as fc from "fast-check";
import { describe, it } from "vitest";

import { lastScriptCheck } from "../../src/state/scripts/check-scripts.ts";
import { openOf, scriptRecordOf } from "../../src/state/scripts/script-watch.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import {
  authorised,
  check,
  day,
  declaredScripts,
  eventsIn,
  findingsIn,
  firstDay,
  hashA,
  hashB,
  hashC,
  here,
  pay,
  pinned,
  readingOf,
  version,
  withVersions,
} from "../support/watched.ts";

/** The script of the payment provider, as it was last seen so many days after the first one. */
function fresh(days: number): Script {
  return here(pay, { lastSeenAt: day(days) });
}

/** Another script, as it was last seen so many days after the first one. */
function other(days: number): Script {
  return here("https://a.example/a.js", { lastSeenAt: day(days), status: "inactive" });
}

describe("checks of the scripts on declared pages, one after the other", () => {
  it("keeps what it found, with its id and its first day, until it is corrected", ({ expect }) => {
    const declared = declaredScripts([]);
    const first = check(declared, readingOf([here(pay)]), firstDay);
    const [finding] = first.watch.findings;
    expect(finding?.versions).toEqual([{ hash: "", fetchedAt: undefined }]);
    expect(eventsIn(first)).toEqual([`appeared ${pay}`, `opened unauthorised ${pay}`]);
    const unasked = readingOf([here(pay)], { onPages: undefined });
    const second = check(declared, unasked, day(1), first.watch);
    expect(eventsIn(second)).toEqual([]);
    expect(second.watch.findings).toEqual([{ ...finding, lastSeenAt: day(1) }]);
    expect(second.watch.pagesAt).toEqual(firstDay);
    const approved = check(
      declaredScripts([authorised(pay)]),
      readingOf([here(pay)]),
      day(2),
      second.watch,
    );
    expect(eventsIn(approved)).toEqual([`closed unauthorised ${pay}`]);
    const gone = check(declared, readingOf([]), day(2), second.watch);
    expect(eventsIn(gone)).toEqual([`vanished ${pay}`, `closed unauthorised ${pay}`]);
  });

  it("takes an acknowledgement until its end", ({ expect }) => {
    const first = check(declaredScripts([]), readingOf([here(pay)]), firstDay);
    const [finding] = first.watch.findings;
    const acceptance = { until: day(2), reason: "test", by: "Alex" };
    const declared = declaredScripts([], {
      acknowledged: [{ id: finding?.id ?? "", ...acceptance }],
    });
    expect(eventsIn(check(declared, readingOf([here(pay)]), day(1)))).toEqual([
      `appeared ${pay}`,
      `opened unauthorised ${pay}`,
      `acknowledged unauthorised ${pay}`,
    ]);
    const second = check(declared, readingOf([here(pay)]), day(1), first.watch);
    expect(findingsIn(second)).toEqual([`(unauthorised ${pay})`]);
    expect(eventsIn(second)).toEqual([`acknowledged unauthorised ${pay}`]);
    const renewed = declaredScripts([], {
      acknowledged: declared.acknowledged.map((each) => ({ ...each, by: "Sam Roe" })),
    });
    const again = check(renewed, readingOf([here(pay)]), day(1), second.watch);
    expect(eventsIn(again)).toEqual([`renewed unauthorised ${pay}`]);
    expect(eventsIn(check(renewed, undefined, day(1), again.watch))).toEqual([]);
    expect(second.watch.findings[0]?.acceptance).toEqual(acceptance);
    expect(openOf(second.watch, "unauthorised")).toBe(0);
    expect(openOf(first.watch, "malicious")).toBe(0);
    const head = { zone: "shop.example.com", revision: "r", commit: undefined };
    expect(scriptRecordOf(first, { ...head, at: firstDay })).toMatchObject({
      open: 1,
      acknowledged: 0,
    });
    expect(scriptRecordOf(second, { ...head, at: day(1) })).toMatchObject({
      open: 0,
      acknowledged: 1,
    });
    const third = check(declared, undefined, day(2), second.watch);
    expect(eventsIn(third)).toEqual([`reopened unauthorised ${pay}`]);
  });

  it("does not take an inventory that could not be read for an empty one", ({ expect }) => {
    const declared = declaredScripts([authorised("https://a.example/a.js")]);
    const first = check(declared, readingOf([here(pay)]), firstDay);
    const second = check(declared, undefined, day(1), first.watch);
    expect(eventsIn(second)).toEqual([]);
    expect(findingsIn(second)).toEqual([`unauthorised ${pay}`]);
    expect(second.watch.readAt).toEqual(firstDay);
  });

  it("reports a gap of more than seven days, also one that only its end shows", ({ expect }) => {
    const declared = declaredScripts([authorised(pay)]);
    const first = check(declared, readingOf([fresh(0)]), firstDay);
    expect(eventsIn(check(declared, undefined, day(7), first.watch))).toEqual([]);
    const unread = check(declared, undefined, day(7.1), first.watch);
    expect(eventsIn(unread)).toEqual(["opened gap"]);
    expect(eventsIn(check(declared, readingOf([fresh(8)]), day(8), unread.watch))).toEqual([
      "closed gap",
    ]);
    const down = check(declared, readingOf([fresh(8)]), day(8), first.watch);
    expect(eventsIn(down)).toEqual(["opened gap", "closed gap"]);
    expect(down.events[0]).toMatchObject({
      finding: { detail: "the inventory was not read since 2026-11-02T12:00:00.000Z" },
    });
  });

  it("reports monitoring that is off, and pages without any report", ({ expect }) => {
    const declared = declaredScripts([]);
    const off = check(declared, readingOf([here(pay)], { isMonitored: false }), firstDay);
    expect(findingsIn(off)).toEqual([`unauthorised ${pay}`, "unmonitored"]);
    const unknown = check(declared, readingOf([], { isMonitored: undefined }), day(1), off.watch);
    expect(findingsIn(unknown)).toEqual(["unmonitored"]);
    let watch = unknown.watch;
    for (const days of [2, 4, 6]) watch = check(declared, readingOf([]), day(days), watch).watch;
    const silent = check(declared, readingOf([]), day(8), watch);
    expect(findingsIn(silent)).toEqual(["gap"]);
    expect(eventsIn(silent)).toEqual(["opened gap"]);
    expect(silent.watch.findings[0]?.detail).toContain("browsers reported no script");
  });

  it("reports an authorised script that was not seen for as many days as declared", ({
    expect,
  }) => {
    const declared = declaredScripts([authorised(pay)], { goneAfterDays: 3 });
    const seen = readingOf([here(pay), other(0)]);
    let watch = check(declared, seen, firstDay).watch;
    const second = check(declared, readingOf([other(2.9)]), day(2.9), watch);
    expect(findingsIn(second)).toEqual([]);
    const third = check(declared, readingOf([other(3)]), day(3), second.watch);
    expect(findingsIn(third)).toEqual([`gone ${pay}`]);
    // What was never seen waits from the day on which it was declared.
    watch = check(declared, readingOf([other(0)]), firstDay).watch;
    expect(findingsIn(check(declared, readingOf([other(3)]), day(3), watch))).toEqual([
      `gone ${pay}`,
    ]);
  });

  it("remembers the newest moment at which a script of an entry was seen", ({ expect }) => {
    const declared = declaredScripts([authorised("https://pay.example.net/*")], {
      goneAfterDays: 3,
    });
    const older = here("https://pay.example.net/old.js", { lastSeenAt: day(-2) });
    const newer = fresh(2);
    const first = check(declared, readingOf([older]), firstDay);
    expect([...first.watch.seen.values()]).toEqual([day(-2)]);
    const second = check(declared, readingOf([newer, older]), day(2), first.watch);
    const third = check(declared, readingOf([older]), day(4.9), second.watch);
    expect(findingsIn(third)).toEqual([]);
    const fourth = check(declared, readingOf([older]), day(5), third.watch);
    expect(findingsIn(fourth)).toEqual(["gone https://pay.example.net/*"]);
  });

  it("does not believe that a script was seen in the future", ({ expect }) => {
    const declared = declaredScripts([authorised(pay)], { goneAfterDays: 3 });
    const first = check(declared, readingOf([fresh(6), other(0)]), firstDay);
    expect(findingsIn(check(declared, readingOf([other(3)]), day(3), first.watch))).toEqual([
      `gone ${pay}`,
    ]);
  });

  it("judges entries also where the inventory cannot be read", ({ expect }) => {
    const wrong = authorised(pay, { owner: "", reviewBy: "2026-11-01" });
    const first = check(declaredScripts([wrong]), undefined, firstDay);
    expect(eventsIn(first)).toEqual([`opened review_overdue ${pay}`, `opened unjustified ${pay}`]);
    const corrected = check(declaredScripts([authorised(pay)]), undefined, day(1), first.watch);
    expect(eventsIn(corrected)).toEqual([
      `closed review_overdue ${pay}`,
      `closed unjustified ${pay}`,
    ]);
    const nothing = { readAt: undefined, known: "", scripts: [], moreScripts: 0 };
    expect(corrected.watch).toMatchObject({ since: firstDay, ...nothing });
  });

  it("takes moments of the future for none when the clock was set back", ({ expect }) => {
    const declared = declaredScripts([authorised(pay)]);
    const ahead = check(declared, readingOf([here(pay)]), day(400));
    const back = check(declared, readingOf([here(pay)]), firstDay, ahead.watch);
    expect(findingsIn(back)).toEqual([]);
    const ended = ahead.watch.findings.map(({ kind, subject }) => `closed ${kind} ${subject}`);
    expect(eventsIn(back)).toEqual(ended);
    expect(back.watch.since).toEqual(firstDay);
    // The same where nothing can be read.
    const unread = check(declared, undefined, firstDay, ahead.watch).watch;
    expect(unread).toMatchObject({ since: firstDay, readAt: firstDay, pagesAt: undefined });
    expect(unread.seen).toEqual(new Map([[pay, firstDay]]));
    expect(findingsIn(check(declared, undefined, day(6.9), back.watch))).toEqual([]);
  });

  it("remembers versions that the service no longer lists", ({ expect }) => {
    const declared = declaredScripts([pinned]);
    const before = withVersions(pay, version(hashA, -9), version(hashB, 0));
    const first = check(declared, readingOf([before]), firstDay);
    const after = { ...withVersions(pay, version(hashC, 1)), firstSeenAt: day(-9) };
    const second = check(declared, readingOf([after]), day(1), first.watch);
    expect(eventsIn(second)).toEqual([`changed ${pay}`, `opened changed ${pay}`]);
    const hashes = second.watch.findings.map(({ versions }) => versions[0]?.hash);
    expect(new Set(hashes)).toEqual(new Set([hashB, hashC]));
  });

  it("remembers the pages of a script where a later read does not name them", ({ expect }) => {
    const declared = declaredScripts([]);
    const cart = "https://shop.example.com/cart";
    const listed = here(pay, { firstPageUrl: "" });
    const details = new Map([[listed.id, { ...listed, pageUrls: [cart] }]]);
    const first = check(declared, readingOf([listed], { details }), firstDay);
    const unread = readingOf([listed], { details: new Map() });
    const second = check(declared, unread, day(1), first.watch);
    expect(second.watch.scripts.map(({ pageUrls }) => pageUrls)).toEqual([[cart]]);
  });

  it("has one finding of a script that is on record for two hosts, with the pages of both", ({
    expect,
  }) => {
    const cart = "https://shop.example.com/cart";
    const articles = Array.from({ length: 22 }, (_, nth) => `https://help.shop.example.com/${nth}`);
    const reading = readingOf([
      here(pay, { id: "1", firstPageUrl: cart }),
      here(pay, { id: "2", firstPageUrl: "", pageUrls: articles }),
    ]);
    const { watch } = check(declaredScripts([]), reading, firstDay);
    expect(watch.scripts.map(({ pageUrls }) => pageUrls.length)).toEqual([1, 20]);
    expect(watch.findings).toHaveLength(1);
    expect(watch.findings[0]?.pageUrls).toEqual([cart, ...articles.slice(0, 19)]);
  });

  it("takes a script without a moment of its last report for no report", ({ expect }) => {
    const declared = declaredScripts([authorised(pay)]);
    const undated = readingOf([here(pay, { lastSeenAt: undefined })]);
    let { watch } = check(declared, undated, firstDay);
    for (const days of [3, 6]) watch = check(declared, undated, day(days), watch).watch;
    expect(watch.findings).toEqual([]);
    const silent = check(declared, undated, day(8), watch);
    expect(silent.watch.findings.map(({ detail }) => detail)).toEqual([
      `browsers reported no script since ${firstDay.toISOString()}`,
    ]);
  });

  it("closes all findings of a zone that no longer declares scripts", ({ expect }) => {
    const { watch } = check(declaredScripts([]), readingOf([here(pay)]), firstDay);
    const last = lastScriptCheck(watch);
    expect(eventsIn(last)).toEqual([`closed unauthorised ${pay}`]);
    expect(last.watch).toMatchObject({ since: firstDay, scripts: [], findings: [] });
  });

  it("is bounded by a page with random URLs, and counts the rest", ({ expect }) => {
    const many = Array.from({ length: 3_000 }, (_, nth) => here(`https://x.example/${nth}.js`));
    const first = check(declaredScripts([]), readingOf(many), firstDay);
    const { watch } = first;
    expect(watch.scripts.length + watch.moreScripts).toBe(3_000);
    expect([watch.scripts.length, watch.findings.length]).toEqual([1_000, 500]);
    expect(openOf(watch, "unauthorised")).toBe(3_000);
    expect(openOf(watch, "malicious")).toBe(0);
    const head = { at: firstDay, zone: "shop.example.com", revision: "r", commit: undefined };
    expect(scriptRecordOf(first, head)).toMatchObject({
      read: { scripts: 3_000, authorised: 0 },
      open: 3_000,
    });
  });

  it("goes on with the findings that it knows, where new ones are too many", ({ expect }) => {
    const declared = declaredScripts([]);
    const known = Array.from({ length: 30 }, (_, nth) => here(`https://a.example/${nth}.js`));
    const first = check(declared, readingOf(known), firstDay);
    const many = Array.from({ length: 700 }, (_, nth) =>
      here(`https://x.example/${nth}.js`, { firstSeenAt: day(0.5) }),
    );
    const second = check(declared, readingOf([...many, ...known]), day(1), first.watch);
    expect(second.watch.findings.slice(0, 30).map(({ subject }) => subject)).toEqual(
      known.map(({ url }) => url),
    );
    expect(eventsIn(second).filter((each) => each.startsWith("closed"))).toEqual([]);
    expect(second.watch).toMatchObject({ moreFindings: 230 });
  });

  it("is recorded with each event, and the first of each day (UTC) without", ({ expect }) => {
    const declared = declaredScripts([authorised(pay)]);
    const first = check(declared, readingOf([here(pay)]), firstDay);
    const head = { zone: "shop.example.com", revision: "r", commit: undefined };
    expect(scriptRecordOf(first, { ...head, at: firstDay })).toMatchObject({
      read: { scripts: 1, authorised: 1 },
      open: 0,
    });
    const recorded = { ...first.watch, recordedAt: firstDay };
    const later = check(declared, readingOf([here(pay)]), day(0.49), recorded);
    expect(scriptRecordOf(later, { ...head, at: day(0.49) })).toBeUndefined();
    const unread = check(declared, undefined, day(1), recorded);
    expect(scriptRecordOf(unread, { ...head, at: day(1) })).toBeUndefined();
    const next = check(declared, readingOf([here(pay)]), day(0.5), recorded);
    expect(scriptRecordOf(next, { ...head, at: day(0.5) })?.events).toEqual([]);
    const gap = check(declared, undefined, day(8), recorded);
    const ofGap = scriptRecordOf(gap, { ...head, at: day(8) });
    expect(ofGap?.events.length).toBeGreaterThan(0);
    expect(ofGap?.read).toBeUndefined();
  });

  it("finds in each order of rounds what the last one shows, and opens and closes in turn", ({
    expect,
  }) => {
    const urls = ["https://a.example/1.js", "https://a.example/2.js", pay];
    const round = fc.record({
      scripts: fc.subarray(urls),
      approved: fc.subarray(urls),
      isRead: fc.boolean(),
      hours: fc.integer({ min: -30, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 8 }), (rounds) => {
        let watch: ReturnType<typeof check>["watch"] | undefined;
        let now = 0;
        const open = new Set<string>();
        for (const { scripts, approved, isRead, hours } of rounds) {
          now += hours / 24;
          // Approved before any round, also one after the clock was set back.
          const approvedOn = "2026-01-01";
          const declared = declaredScripts(approved.map((url) => authorised(url, { approvedOn })));
          const seen = scripts.map((url) => here(url, { lastSeenAt: day(now) }));
          const result = check(declared, isRead ? readingOf(seen) : undefined, day(now), watch);
          watch = result.watch;
          for (const each of result.events) {
            if (!("finding" in each)) continue;
            if (each.event === "opened") {
              expect(open.has(each.finding.id)).toBe(false);
              open.add(each.finding.id);
            }
            if (each.event === "closed") expect(open.delete(each.finding.id)).toBe(true);
          }
          expect(open).toEqual(new Set(watch.findings.map(({ id }) => id)));
          if (!isRead) continue;
          const wanted = scripts.filter((url) => !approved.includes(url)).toSorted();
          const found = watch.findings.filter(({ kind }) => kind === "unauthorised");
          expect(found.map(({ subject }) => subject).toSorted()).toEqual(wanted);
        }
      }),
    );
  });
});
