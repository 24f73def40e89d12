import { createHash } from "node:crypto";

import { describe, it } from "vitest";

import { coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import type { DeclaredScripts } from "../../src/zone/declared-scripts.ts";
import { packIn, pay, placeWith, run } from "../support/evidence-pack.ts";
import { EvidenceRuns } from "../support/evidence-runs.ts";
import { authorised, day, declaredScripts } from "../support/watched.ts";

const length = 90;
const others = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map(
  (each) => `https://cdn.example.net/${each}.js`,
);

/** The content of the pinned script changes twice; the first time, somebody approves it five days later. */
const [changedOn, approvedOn, changedAgainOn] = [30, 35, 60] as const;

/** Monitoring is switched off in the night before the first of these days, and on after the last one. */
const [offFrom, offTo] = [45, 46] as const;

function isOff(days: number): boolean {
  return days >= offFrom && days <= offTo;
}

function dateOf(days: number): string {
  return day(days).toISOString().slice(0, 10);
}

function declaredOn(days: number): DeclaredScripts {
  const approval = days < approvedOn ? "2026-11-02" : dateOf(approvedOn);
  const entry = authorised(pay, { approvedOn: approval, integrity: { by: "pinned" } });
  return declaredScripts([entry]);
}

/** The scripts that browsers load on a day, with their content: each comes, changes and goes in a rhythm of its own. */
function loadedOn(days: number): ReadonlyMap<string, string> {
  const present = others.flatMap((url, index): readonly [string, string][] => {
    const isHere = Math.floor(days / ((index % 5) + 2)) % 3 !== 0;
    return isHere ? [[url, `version ${Math.floor(days / ((index % 4) + 3))}`]] : [];
  });
  const version = days < changedOn ? 1 : days < changedAgainOn ? 2 : 3;
  return new Map([[pay, `pay ${version}`], ...present]);
}

const nothing: ReadonlyMap<string, string> = new Map();

/** The seed of the quarter: at six on each day, what differs from the day before. */
function seedEvents(): readonly JsonObject[] {
  const pages = ["https://shop.example.com/checkout/pay"];
  const scripts = quarter().flatMap((days) => {
    const before = days === 0 ? nothing : loadedOn(days - 1);
    const now = loadedOn(days);
    const after = `${days * 24 + 6}h`;
    const loaded = [...now].filter(([url, content]) => before.get(url) !== content);
    const gone = [...before.keys()].filter((url) => !now.has(url));
    return [
      ...loaded.map(([url, content]) => {
        return { after, every: "24h", script: { url, content, pages } };
      }),
      ...gone.map((url) => ({ after, script: { url, vanish: true } })),
    ];
  });
  return [
    ...scripts,
    { after: `${offFrom * 24 + 1}h`, monitoring: false },
    { after: `${(offTo + 1) * 24 + 1}h`, monitoring: true },
  ];
}

function quarter(): readonly number[] {
  return Array.from({ length }, (_, days) => days);
}

/** What the service can have detected on each day: nothing new while monitoring is off. */
function detected(): readonly ReadonlyMap<string, string>[] {
  const all: ReadonlyMap<string, string>[] = [];
  for (const days of quarter()) {
    const loaded = loadedOn(days);
    const before = all.at(-1) ?? nothing;
    const left = new Map([...before].filter(([url]) => loaded.has(url)));
    all.push(isOff(days) ? left : loaded);
  }
  return all;
}

function hashOf(content: string | undefined): string {
  return createHash("sha256")
    .update(content ?? "")
    .digest("hex");
}

/** What the seed makes happen with scripts, in the words of the pack. */
function scriptTruth(): readonly string[] {
  const all = detected();
  return all.flatMap((now, days) => {
    const before = all[days - 1] ?? nothing;
    return [pay, ...others].flatMap((url) => {
      const [was, is] = [before.get(url), now.get(url)];
      if (was === is) return [];
      const event = was === undefined ? "appeared" : is === undefined ? "vanished" : "changed";
      return [`${day(days).toISOString()} ${event} ${url} ${hashOf(is ?? was)}`];
    });
  });
}

function moment(days: number): string {
  return day(days).toISOString();
}

/** The findings of the quarter: from when to when, which, and of which content. */
function findingTruth(): readonly string[] {
  const all = detected();
  const unauthorised = others.flatMap((url) =>
    all.flatMap((now, days) => {
      if (!now.has(url) || all[days - 1]?.has(url) === true) return [];
      const end = all.findIndex((each, index) => index > days && !each.has(url));
      // As it was recorded last: when the finding was closed, or opened.
      const hash = hashOf((end < 0 ? now : all[end - 1])?.get(url));
      return [`${moment(days)} ${end < 0 ? "open" : moment(end)} unauthorised ${url} ${hash}`];
    }),
  );
  const changed = (from: number, to: string, version: number): string =>
    `${moment(from)} ${to} changed ${pay} ${hashOf(`pay ${version}`)}`;
  return [
    ...unauthorised,
    changed(changedOn, moment(approvedOn), 2),
    changed(changedAgainOn, "open", 3),
    `${moment(offFrom)} ${moment(offTo + 1)} unmonitored`,
  ];
}

/** Each day and its status: on the day when monitoring was switched on again, it was off until the check. */
function dayTruth(): readonly string[] {
  return quarter().map((days) => {
    const status = isOff(days) ? "monitoring_off" : days === offTo + 1 ? "partly_off" : "checked";
    return `${dateOf(days)} ${status}`;
  });
}

function scriptsShown(zone: JsonObject): readonly string[] {
  return coerceObjects(zone["scripts"]).flatMap(({ url, steps }) =>
    coerceObjects(steps).map((step) =>
      [step["at"], step["event"], url, step["hash"]].map((each) => coerceText(each)).join(" "),
    ),
  );
}

function findingsShown(zone: JsonObject): readonly string[] {
  return coerceObjects(zone["findings"]).map((each) => {
    const [version = {}] = coerceObjects(each["versions"]);
    const { opened_at: from, closed_at: to, kind, subject } = each;
    return [from, to ?? "open", kind, subject, version["hash"]]
      .map((text) => coerceText(text))
      .join(" ")
      .trim();
  });
}

/** The lines of a table as CSV, without its head. */
function rowsOf(csv: string): number {
  return csv.trimEnd().split("\r\n").length - 1;
}

describe("a quarter on the emulator", { timeout: 120_000 }, () => {
  it("is in the pack as the seed let it happen: each of more than 300 events, and no other", async ({
    expect,
  }) => {
    await using runs = await EvidenceRuns.start(...seedEvents());
    for (const days of quarter()) {
      await runs.moveTo(days);
      await runs.look(declaredOn(days));
    }
    await using place = await placeWith(await runs.history());
    await run(place, "out", "--until", dateOf(length - 1));
    const { json, zone } = await packIn(place);
    expect(json["limits"]).toEqual([]);
    const scripts = scriptTruth();
    expect(scripts.length).toBeGreaterThan(300);
    expect(scriptsShown(zone).toSorted()).toEqual(scripts.toSorted());
    const findings = findingTruth();
    expect(findingsShown(zone).toSorted()).toEqual(findings.toSorted());
    expect(
      coerceObjects(zone["days"]).map(({ day: date, status }) =>
        [date, status].map((each) => coerceText(each)).join(" "),
      ),
    ).toEqual(dayTruth());
    expect(rowsOf(await place.read("out/findings.csv"))).toBe(findings.length);
    expect(rowsOf(await place.read("out/days.csv"))).toBe(length);
    const seen = await place.read("out/seen-scripts.csv");
    for (const each of scripts) {
      const [at = "", event = "", , hash = ""] = each.split(" ");
      expect(seen).toContain(`${at} ${event} ${hash}`);
    }
  });
});
