import * as fc from "fast-check";
import { describe, it } from "vitest";

import { coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { checkAt, evil, hostile, pay, placeWith, shopInPack } from "../support/evidence-pack.ts";
import { historyOfChecks, type StoryCheck } from "../support/evidence-story.ts";
import { cases } from "../support/properties.ts";
import { day } from "../support/watched.ts";

/** What happens on a day at noon. */
const storyDay = fc.record({
  how: fc.constantFrom("read", "read", "read", "off", "unread", "down"),
  urls: fc.subarray([pay, evil, hostile]),
});

describe("a pack", () => {
  it("has each appearance, finding and gap of any story, and no other", async ({ expect }) => {
    await using place = await placeWith(undefined);
    await fc.assert(
      fc.asyncProperty(fc.array(storyDay, { minLength: 1, maxLength: 30 }), async (story) => {
        const checks = story.flatMap(({ how, urls }, days): readonly StoryCheck[] => {
          if (how === "down") return [];
          const found = checkAt(days, ...urls);
          if (how === "unread") return [{ ...found, reading: undefined }];
          const reading = found.reading && { ...found.reading, isMonitored: how === "read" };
          return [{ ...found, reading }];
        });
        const zone = await shopInPack(place, await historyOfChecks(checks), story.length);
        expect(shownIn(zone)).toEqual(truthOf(story));
      }),
      cases(30),
    );
  });
});

interface StoryDay {
  readonly how: string;
  readonly urls: readonly string[];
}

/** The days without a gap, and moments of scripts and of unauthorised ones. */
interface Shown {
  readonly checked: readonly number[];
  readonly scripts: readonly string[];
  readonly unauthorised: readonly string[];
}

function dayOf(at: unknown): number {
  return (Number(new Date(coerceText(at))) - Number(day(0))) / 86_400_000;
}

function shownIn(zone: JsonObject): Shown {
  return {
    checked: coerceObjects(zone["days"]).flatMap(({ status }, index) =>
      status === "checked" ? [index] : [],
    ),
    scripts: coerceObjects(zone["scripts"])
      .flatMap(({ url, steps }) =>
        coerceObjects(steps).map(
          (step) => `${dayOf(step["at"])} ${coerceText(step["event"])} ${coerceText(url)}`,
        ),
      )
      .toSorted(),
    unauthorised: coerceObjects(zone["findings"])
      .filter(({ kind }) => kind === "unauthorised")
      .map(({ subject, opened_at: from, closed_at: to }) => {
        const end = to === null ? "open" : String(dayOf(to));
        return `${dayOf(from)} to ${end} ${coerceText(subject)}`;
      })
      .toSorted(),
  };
}

/** What the story itself says. */
function truthOf(story: readonly StoryDay[]): Shown {
  const read = story.flatMap(({ how, urls }, days) =>
    how === "read" || how === "off" ? [{ days, isOn: how === "read", urls }] : [],
  );
  const changes = [pay, evil, hostile].flatMap((url) =>
    read.flatMap(({ days, urls }, index) => {
      const was = read[index - 1]?.urls.includes(url) ?? false;
      if (was === urls.includes(url)) return [];
      return [{ url, days, event: was ? "vanished" : "appeared" }];
    }),
  );
  const unauthorised = changes.flatMap(({ url, days, event }, index) => {
    if (event === "vanished" || url === pay) return [];
    const next = changes[index + 1];
    return [`${days} to ${next?.url === url ? next.days : "open"} ${url}`];
  });
  return {
    checked: read.flatMap(({ days, isOn }, index) =>
      isOn && read[index - 1]?.isOn !== false ? [days] : [],
    ),
    scripts: changes.map(({ url, days, event }) => `${days} ${event} ${url}`).toSorted(),
    unauthorised: unauthorised.toSorted(),
  };
}
