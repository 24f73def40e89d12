import { describe, it } from "vitest";

import { importedFiles } from "../../src/cli/session/import-zones.ts";
import { hostileFleet } from "../support/hostile-fleets.ts";
import { imported, plansOf, textsOf } from "../support/imported-zones.ts";

const [fleets, zonesEach, firstSeed] = [25, 200, 20_261_126];

describe(`${fleets} fleets of ${zonesEach} zones with odd content`, { timeout: 7_200_000 }, () => {
  it("are imported with profiles, and their plans are empty", async ({ expect }) => {
    for (let seed = firstSeed; seed < firstSeed + fleets; seed += 1) {
      const lives = hostileFleet(seed, zonesEach);
      const files = importedFiles(
        imported(lives),
        lives.map(({ zone }) => zone),
        "profiles",
      );
      const inProfiles = files.filter(({ text }) => text.includes("    profiles:"));
      const { errors, plans } = await plansOf(textsOf(files), lives);
      const changes = plans.flatMap((plan) => plan.changes);
      expect({ seed, errors, changes, plans: plans.length }).toEqual({
        seed,
        errors: [],
        changes: [],
        plans: zonesEach,
      });
      expect(inProfiles.length, `seed ${seed}`).toBeGreaterThan(zonesEach / 2);
    }
  });
});
