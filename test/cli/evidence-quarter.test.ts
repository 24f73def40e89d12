import { describe, it } from "vitest";

import { everythingSeen } from "../../src/api/read/item-query.ts";
import { createInventory } from "../../src/api/service.ts";
import type { ScriptReading } from "../../src/state/scripts/watched-scripts.ts";
import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { control } from "../support/ask.ts";
import { type Emulated, emulated } from "../support/emulated.ts";
import { pay, placeWith, run } from "../support/evidence-pack.ts";
import { historyOfChecks, type StoryCheck } from "../support/evidence-story.ts";
import { authorised, day, declaredScripts, readingOf } from "../support/watched.ts";

const others = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map(
  (each) => `https://cdn.example.net/${each}.js`,
);
const pages = ["shop.example.com/checkout/*"];
const declared = declaredScripts([authorised(pay)]);

/** The scripts of a day with their content: each comes, changes and goes in a rhythm of its own. */
function scriptsOn(days: number): ReadonlyMap<string, string> {
  const present = others.flatMap((url, index): readonly [string, string][] => {
    const isHere = Math.floor(days / ((index % 5) + 2)) % 3 !== 0;
    return isHere ? [[url, `version ${Math.floor(days / ((index % 4) + 3))}`]] : [];
  });
  return new Map([[pay, "version 1"], ...present]);
}

/** What the story makes happen, in the words of the pack. */
function truth(length: number): readonly string[] {
  return Array.from({ length }, (_, days) => days).flatMap((days) => {
    const [before, now] = [
      days === 0 ? new Map<string, string>() : scriptsOn(days - 1),
      scriptsOn(days),
    ];
    return [pay, ...others].flatMap((url) => {
      const [was, is] = [before.get(url), now.get(url)];
      if (was === is) return [];
      const event = was === undefined ? "appeared" : is === undefined ? "vanished" : "changed";
      return [`${day(days).toISOString()} ${event} ${url}`];
    });
  });
}

/** Lets browsers load the scripts of a day, and reads the inventory over the sockets. */
async function readDay(at: Emulated, days: number, signal: AbortSignal): Promise<ScriptReading> {
  const zone = at.zone.name;
  const now = scriptsOn(days);
  const before = days === 0 ? new Map<string, string>() : scriptsOn(days - 1);
  for (const [url, content] of now) {
    const page = "https://shop.example.com/checkout/pay";
    await control(at.emulator, "/script", { zone, url, content, pages: [page] });
  }
  for (const url of before.keys()) {
    if (!now.has(url)) await control(at.emulator, "/script", { zone, url, vanish: true });
  }
  const inventory = createInventory(at.service);
  const items = await inventory.list(at.zone, "script", everythingSeen, signal);
  const scripts = items.filter((item) => item.kind === "script");
  const onPages = await inventory.listScriptsOn(at.zone, pages, signal);
  return readingOf(scripts, { onPages: new Set(onPages.map(({ id }) => id)) });
}

describe("a quarter on the emulator", { timeout: 120_000 }, () => {
  it("is in the pack as it happened: each of more than 300 events, and no other", async ({
    expect,
    signal,
  }) => {
    const length = 90;
    let days = 0;
    const clock = { now: () => day(days) };
    await using at = await emulated({ settings: { enabled: true } }, { emulatorClock: clock });
    const checks: StoryCheck[] = [];
    for (; days < length; days += 1) {
      checks.push({ days, declared, reading: await readDay(at, days, signal) });
    }
    await using place = await placeWith(await historyOfChecks(checks));
    const last = day(length - 1)
      .toISOString()
      .slice(0, 10);
    await run(place, "out", "--until", last);
    const json = coerceObject(JSON.parse(await place.read("out/evidence.json")));
    const [zone = {}] = coerceObjects(json["zones"]);
    const shown = coerceObjects(zone["scripts"]).flatMap(({ url, steps }) =>
      coerceObjects(steps).map((step) =>
        [step["at"], step["event"], url].map((each) => coerceText(each)).join(" "),
      ),
    );
    const expected = truth(length);
    expect(expected.length).toBeGreaterThan(300);
    expect(shown.toSorted()).toEqual(expected.toSorted());
    const findings = coerceObjects(zone["findings"]).flatMap(
      ({ kind, subject, opened_at: opened, closed_at: closed }) => {
        expect(kind).toBe("unauthorised");
        const moments = [[opened, "appeared"], ...(closed === null ? [] : [[closed, "vanished"]])];
        return moments.map(
          ([moment, event]) => `${coerceText(moment)} ${coerceText(event)} ${coerceText(subject)}`,
        );
      },
    );
    const unauthorised = expected.filter(
      (each) => !each.endsWith(pay) && !each.includes("changed"),
    );
    expect(findings.toSorted()).toEqual(unauthorised.toSorted());
    expect(new Set(coerceObjects(zone["days"]).map(({ status }) => status))).toEqual(
      new Set(["checked"]),
    );
  });
});
