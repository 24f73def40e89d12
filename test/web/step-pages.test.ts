import { describe, it } from "vitest";

import { textOfHtml } from "../../src/render/html.ts";
import type { ZoneStepsStatus } from "../../src/state/steps-status.ts";
import { zoneJson } from "../../src/web/json-view.ts";
import { renderZonePage } from "../../src/web/pages/page-zone.ts";
import type { Snapshot } from "../../src/web/snapshot.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { snapshotOf, wordsOf } from "../support/pages.ts";
import { at } from "../support/reports.ts";
import { steppedZone, waiting } from "../support/stepped.ts";

const now = at(28);

/** The pages of the shop with steps. */
function snapshotWith(steps: ZoneStepsStatus | undefined): Snapshot {
  return { ...snapshotOf(fleetOf()), now, stepsOf: (name) => (name === shop ? steps : undefined) };
}

function zonePage(steps: ZoneStepsStatus | undefined): string {
  const snapshot = snapshotWith(steps);
  const state = snapshot.fleet.zone(shop);
  if (state === undefined) throw new Error("not declared");
  return textOfHtml(renderZonePage(snapshot, state));
}

/** What a reader reads of an object, up to the next one. */
function itemOf(page: string, key: string): string {
  const items = page.split("<li><div>").map(wordsOf);
  return items.find((each) => each.startsWith(`${key} `)) ?? "";
}

describe("the steps on the page of a zone", () => {
  it("are not shown where nothing has steps", ({ expect }) => {
    expect(zonePage(undefined)).not.toContain("steps-title");
    expect(zonePage({ ...steppedZone(), objects: [] })).not.toContain("steps-title");
  });

  it("have the step in force, what was counted, and what the next one waits for", ({ expect }) => {
    const page = zonePage(steppedZone());
    const site = itemOf(page, "policy/site");
    expect(site).toContain("policy/site waiting log allow 1 day 7 h of 7 days measured");
    expect(site).toContain("at this step since 31 h ago");
    expect(site).toContain("counted: 3 in 1,200,000 requests, 0.025 per 10,000");
    expect(site).toContain("next after 7 days measured, with at most 1 per 10,000");
    expect(page).toContain('<h2 id="steps-title">Steps</h2>');
    expect(page).not.toContain("paused");
    expect(page).toContain('aria-label="policy/site: 18 % of the time at this step"');
    expect(itemOf(page, "managed_rule/owasp")).toContain(
      "watched paranoia_level 1 2 3 it is watched: 1 h of 1 day",
    );
    expect(itemOf(page, "policy/checkout")).toContain(
      "set back log allow set back from allow after 130 in 20,000 requests, 65 per 10,000; it stays",
    );
    expect(itemOf(page, "policy/checkout")).not.toContain("next after");
    const badges = page.matchAll(
      /<span class="status (\w+)">([^<]+)<\/span>\s*(?:<span class="note">.*?<\/span>\s*)?<\/p>/g,
    );
    expect([...badges].map(([, tone, state]) => `${tone}: ${state}`)).toEqual([
      "drifted: set back",
      "held: stuck",
      "suspended: watched",
      "unknown: unknown",
      "held: stopped",
      "pending: waiting",
      "in_sync: done",
    ]);
    expect(page).toContain('viewBox="0 0 1000 8"');
    expect(page).toContain('<rect class="suspended" x="0.0" width="41.7" height="8"');
    expect(itemOf(page, "policy/new")).toContain(
      "unknown log allow the step is not known: what is live stays next after",
    );
    expect(itemOf(page, "policy/slow")).toContain(
      "stuck log allow the token may not read the measurements",
    );
  });

  it("say that nothing is decided yet", ({ expect }) => {
    const objects = [{ ...waiting(1, now), wait: undefined }];
    expect(itemOf(zonePage({ pausedBy: undefined, objects }), "policy/site")).toContain(
      "log allow nothing is decided yet at this step since",
    );
  });

  it("have a full bar where no time has to pass", ({ expect }) => {
    const wait = {
      reason: "measuring",
      ms: 0,
      ofMs: 0,
      isMeasured: true,
      state: undefined,
    } as const;
    const page = zonePage({ pausedBy: undefined, objects: [waiting(1, now, wait)] });
    expect(page).toContain('aria-label="policy/site: 100 % of the time at this step"');
    expect(page).toContain('<rect class="pending" x="0.0" width="1000.0" height="8"');
  });

  it("mark the step in force, and none where it is not known", ({ expect }) => {
    const page = zonePage(steppedZone());
    const marked = [...page.matchAll(/<li aria-current="step">(\w+)<\/li>/g)].map(
      ([, step]) => step,
    );
    // As they are shown: what needs a person first.
    expect(marked).toEqual(["log", "log", "2", "log", "log", "allow"]);
    expect(page.match(/<ol class="ladder">/g)).toHaveLength(7);
  });

  it("say who paused the zone, and show names of others as text", ({ expect }) => {
    const page = zonePage({ ...steppedZone(), pausedBy: "<i>bob" });
    expect(wordsOf(page)).toContain("paused by &lt;i&gt;bob : nothing is promoted");
    expect(page).not.toContain("<i>bob");
    expect(page).not.toContain("<b>alice");
  });

  it("are cut after forty objects, those that wait last", ({ expect }) => {
    const many = Array.from({ length: 40 }, (_, nth) => ({
      ...waiting(1, now),
      key: `policy/p${nth}` as const,
    }));
    const slow = { ...waiting(999, now), key: "policy/slow" as const };
    const page = zonePage({ pausedBy: undefined, objects: [...many, slow] });
    expect(page.indexOf("policy/slow")).toBeLessThan(page.indexOf("policy/p0"));
    expect(page.match(/<li><div>/g)).toHaveLength(40);
    expect(wordsOf(page)).toContain("and 1 more object ");
  });
});

function jsonOf(steps: ZoneStepsStatus | undefined): unknown {
  const snapshot = snapshotWith(steps);
  const state = snapshot.fleet.zone(shop);
  return state && zoneJson(state, snapshot)["steps"];
}

describe("the steps in the JSON of a zone", () => {
  it("are null where nothing has steps", ({ expect }) => {
    expect(jsonOf(undefined)).toBe(null);
  });

  it("have the state, the step and the reason of each object", ({ expect }) => {
    const steps = jsonOf(steppedZone());
    expect(steps).toMatchObject({ paused_by: null });
    expect(steps).toHaveProperty("objects.5", {
      key: "policy/site",
      state: "waiting",
      field: "action",
      steps: ["log", "allow"],
      step: "log",
      since: new Date(at(28).getTime() - 31 * 3_600_000).toISOString(),
      counted: { count: 3, requests: 1_200_000 },
      after_seconds: 604_800,
      watch_seconds: 86_400,
      passed_seconds: 111_600,
      waits_for: { reason: "measuring", message: "1 day 7 h of 7 days measured" },
    });
    expect(steps).toHaveProperty("objects.0.passed_seconds", 3_600);
    expect(steps).toHaveProperty("objects.1.passed_seconds", null);
    expect(steps).toHaveProperty("objects.4.step", null);
    expect(steps).toHaveProperty("objects.4.waits_for", null);
  });
});
