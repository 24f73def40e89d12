import * as fc from "fast-check";
import { describe, it } from "vitest";

import { importedFiles, importedText, layouts } from "../../src/cli/session/import-zones.ts";
import { writableCheck } from "../../src/desired/import/zone-text.ts";
import { deployingRules } from "../../src/plan/import/import-rulesets.ts";
import { importLiveZone } from "../../src/plan/import/import-zone.ts";
import { declaredRules } from "../../src/zone/desired-zone.ts";
import { type LiveZone, rulesIn } from "../../src/zone/live-zone.ts";
import { rulePhases } from "../../src/zone/rule-phase.ts";
import { zoneId, zoneName } from "../../src/zone/zone.ts";
import { liveZones } from "../support/arbitrary-live.ts";
import { hostileFleet } from "../support/hostile-fleets.ts";
import { imported, plansOf, textsOf } from "../support/imported-zones.ts";
import { owner } from "../support/model.ts";
import { cases } from "../support/properties.ts";

const whyNotWritable = writableCheck();

const runs = cases(15);
const timeout = 120_000;

/** Some zones with different names, or two with the same name, of which one has moved. */
const fleets: fc.Arbitrary<readonly LiveZone[]> = fc
  .array(liveZones, { minLength: 1, maxLength: 3 })
  .map((lives) =>
    lives.map((live, index) => {
      const [name, id] = [
        zoneName(["b.example", "a.example", "b.example"][index] ?? ""),
        zoneId(`${index}`.repeat(32)),
      ];
      if (name === undefined || id === undefined) throw new Error("no zone");
      const status = index === 2 ? "moved" : "active";
      return { ...live, zone: { ...live.zone, name, id, status } };
    }),
  );

describe("an import", { timeout }, () => {
  it.for(layouts)("is valid, and its plan is empty (layout: %s)", async (layout, { expect }) => {
    await fc.assert(
      fc.asyncProperty(fleets, async (lives) => {
        const zones = lives.map(({ zone }) => zone);
        const files = importedFiles(imported(lives), zones, layout);
        const whole = { "all.yaml": importedText(imported(lives), zones, layout) };
        const single = Object.fromEntries(files.map(({ file, text }) => [file, text]));
        for (const each of [single, whole]) {
          const { errors, plans } = await plansOf(each, lives);
          expect(errors).toEqual([]);
          expect(plans.flatMap(({ changes }) => changes)).toEqual([]);
          expect(plans).toHaveLength(lives.length);
        }
      }),
      runs,
    );
  });

  it("of a fleet is valid, has an empty plan, and finds what zones share", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const lives = hostileFleet(seed, 12);
        const zones = lives.map(({ zone }) => zone);
        const files = importedFiles(imported(lives), zones, "profiles");
        const { errors, plans } = await plansOf(textsOf(files), lives);
        expect(errors).toEqual([]);
        expect(plans.flatMap(({ changes }) => changes)).toEqual([]);
        expect(files.filter(({ file }) => file.startsWith("profiles/")).length).toBeGreaterThan(0);
        const turned = importedFiles(imported(lives.toReversed()), zones, "profiles");
        expect(textsOf(turned)).toEqual(textsOf(files));
      }),
      runs,
    );
  });

  it("yields the same bytes for policies in any order", ({ expect }) => {
    fc.assert(
      fc.property(fleets, (lives) => {
        const zones = lives.map(({ zone }) => zone);
        const turned = lives.map((live) => ({ ...live, policies: live.policies?.toReversed() }));
        expect(importedText(imported(turned), zones, "profiles")).toBe(
          importedText(imported(lives), zones, "profiles"),
        );
      }),
      runs,
    );
  });

  it("declares many rules of each phase", ({ expect }) => {
    let inRulesets = 0;
    const counts = { live: 0, custom_rules: 0, rate_limiting_rules: 0, managed_rules: 0 };
    for (const live of fc.sample(liveZones, 200)) {
      const { content } = importLiveZone(live, owner, whyNotWritable);
      for (const { rules } of content.customRulesets?.items ?? []) inRulesets += rules.length;
      for (const phase of rulePhases) {
        counts.live += rulesIn(live.entrypoints[phase]).length;
        counts[phase] += content.rules[phase]?.items.length ?? 0;
      }
    }
    for (const phase of rulePhases) expect(counts[phase]).toBeGreaterThan(counts.live / 20);
    expect(inRulesets).toBeGreaterThan(counts.live / 20);
  });

  it("has all resources, or lists those left out", ({ expect }) => {
    fc.assert(
      fc.property(liveZones, (live) => {
        const { content, leftOut } = importLiveZone(live, owner, whyNotWritable);
        const rules = rulePhases.flatMap((phase) => rulesIn(live.entrypoints[phase]));
        const deploying = deployingRules(live);
        const told = new Set(
          leftOut.filter(({ reason }) => !reason.startsWith("is declared")).map(({ id }) => id),
        );
        const rulesets = (live.customRulesets ?? []).filter((each) => each.rules !== undefined);
        const inside = rulesets.flatMap((each) => (told.has(each.id) ? [] : (each.rules ?? [])));
        const all = [
          ...(live.policies ?? []),
          ...rules.filter((rule) => !deploying.has(rule)),
          ...rulesets,
          ...inside,
        ];
        const items = content.customRulesets?.items ?? [];
        const declared =
          (content.policies?.items.length ?? 0) +
          declaredRules(content).length +
          items.reduce((sum, each) => sum + 1 + each.rules.length, 0);
        expect(declared + all.filter(({ id }) => told.has(id)).length).toBe(all.length);
      }),
      runs,
    );
  });
});
