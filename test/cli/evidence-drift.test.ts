import * as fc from "fast-check";
import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { pay, placeWith, shopInPack, unknownScript } from "../support/evidence-pack.ts";
import { EvidenceRuns } from "../support/evidence-runs.ts";
import { script } from "../support/inventory.ts";
import { cases } from "../support/properties.ts";
import { authorised, check, day, declaredScripts, readingOf } from "../support/watched.ts";

/** Two acknowledgements, one of which ends within the story. */
const acceptances = {
  short: { until: day(5), reason: "The vendor removes it this week.", by: "Alex Doe" },
  long: { until: day(60), reason: "It is a test of the agency.", by: "Sam Roe" },
} as const;

/** What happens on a day: by hand in the morning, in the files, and on the pages. */
const storyDay = fc.record({
  hand: fc.constantFrom("nothing", "nothing", "alice@example.com", "bob@example.com", "mended"),
  mode: fc.constantFrom("enforce", "observe"),
  isThere: fc.boolean(),
  acceptance: fc.constantFrom(undefined, "short", "long"),
});

type StoryDay = typeof storyDay extends fc.Arbitrary<infer T> ? T : never;

const quarterDayMs = 6 * 3_600_000;

/** Lets the story happen on the emulator, and gives the history. */
async function historyOf(story: readonly StoryDay[]): Promise<Buffer> {
  await using runs = await EvidenceRuns.start();
  let isOff = false;
  for (const [days, { hand, mode, isThere, acceptance }] of story.entries()) {
    await runs.moveTo(days - 0.25);
    const isEdit: boolean = days > 0 && hand.includes("@") && !isOff;
    const isMend = hand === "mended" && isOff;
    if (isEdit || isMend) {
      const actor = isEdit ? hand : "carol@example.com";
      await runs.at.edit({ actor, settings: { enabled: isMend } });
      isOff = isEdit;
    }
    await runs.moveTo(days);
    await runs.run(mode);
    if (mode === "enforce") isOff = false;
    const acknowledged =
      acceptance === undefined ? [] : [{ id: findingId, ...acceptances[acceptance] }];
    const declared = declaredScripts([authorised(pay)], { acknowledged });
    const urls = isThere ? [pay, unknownScript] : [pay];
    runs.check(declared, readingOf(urls.map((url) => script(url, { lastSeenAt: day(days) }))));
  }
  return runs.history();
}

const [finding] = check(
  declaredScripts([authorised(pay)]),
  readingOf([script(unknownScript)]),
  day(0),
).watch.findings;
const findingId = finding?.id ?? "";

/** Periods of drift: since when it can be there, when it was detected, when it was gone, and who made it. */
function driftTruth(story: readonly StoryDay[]): readonly (readonly unknown[])[] {
  const found: unknown[][] = [];
  let by: string | undefined;
  let open: unknown[] | undefined;
  for (const [days, { hand, mode }] of story.entries()) {
    if (days > 0 && hand.includes("@")) by ??= hand;
    if (hand === "mended") by = undefined;
    if (by !== undefined && open === undefined) {
      open = [days - 1, days, undefined, `${by} in the dashboard`];
      found.push(open);
    }
    if (mode === "enforce") by = undefined;
    if (by === undefined && open !== undefined) {
      open[2] = days;
      open = undefined;
    }
  }
  return found;
}

/** What happened to the finding: the day, the step, and who acknowledged it until when and why. */
function findingTruth(story: readonly StoryDay[]): readonly string[] {
  const steps: string[] = [];
  let isOpen = false;
  let known: keyof typeof acceptances | undefined;
  for (const [days, { isThere, acceptance }] of story.entries()) {
    if (!isThere) {
      if (isOpen) steps.push(`${days} closed`);
      isOpen = false;
      known = undefined;
      continue;
    }
    if (!isOpen) steps.push(`${days} opened`);
    isOpen = true;
    const isValid = acceptance !== undefined && acceptances[acceptance].until > day(days);
    const now = isValid ? acceptance : undefined;
    if (now === undefined && known !== undefined) steps.push(`${days} reopened`);
    if (now !== undefined && now !== known) {
      const { until, reason, by } = acceptances[now];
      const event = known === undefined ? "acknowledged" : "renewed";
      steps.push(`${days} ${event} ${until.toISOString()} ${reason} ${by}`);
    }
    known = now;
  }
  return steps;
}

function dayIn(at: unknown): number | undefined {
  if (at === null) return undefined;
  return (Number(new Date(coerceText(at))) - Number(day(0))) / (4 * quarterDayMs);
}

function driftShown(zone: JsonObject): readonly (readonly unknown[])[] {
  return coerceObjects(zone["drift"]).map((each) => [
    dayIn(each["earliest"]),
    dayIn(each["detected"]),
    dayIn(each["gone"]),
    each["authors"],
  ]);
}

function stepsShown(zone: JsonObject): readonly string[] {
  return coerceObjects(zone["findings"]).flatMap(({ kind, steps }) =>
    kind !== "unauthorised"
      ? []
      : coerceObjects(steps).flatMap(({ at, event, acknowledged }) => {
          const { until, reason, by } = coerceObject(acknowledged);
          const isNew = event === "acknowledged" || event === "renewed";
          const more = isNew ? [until, reason, by].map((each) => coerceText(each)) : [];
          return [[String(dayIn(at)), coerceText(event), ...more].join(" ")];
        }),
  );
}

describe("a pack of any story on the emulator", () => {
  it("has each drift with its author and its end, and each acknowledgement", async ({ expect }) => {
    await using place = await placeWith(undefined);
    await fc.assert(
      fc.asyncProperty(fc.array(storyDay, { minLength: 2, maxLength: 15 }), async (story) => {
        const zone = await shopInPack(place, await historyOf(story), story.length);
        expect(driftShown(zone)).toEqual(driftTruth(story));
        expect(stepsShown(zone)).toEqual(findingTruth(story));
        for (const { resources } of coerceObjects(zone["drift"])) {
          expect(resources).toEqual(["setting/enabled"]);
        }
      }),
      cases(12),
    );
  });
});
