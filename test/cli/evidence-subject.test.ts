import { describe, it } from "vitest";

import { packIn, placeWith, run } from "../support/evidence-pack.ts";

/** A zone file whose only entry has these lines, and declares scripts on these pages. */
function file(target: string, pages: string): string {
  return `zones:\n  - ${target}\n    page_shield: { scripts: { pages: ["${pages}"] } }\n`;
}

const byName = "name: shop.example.com";
const needsListing = "it depends on what the service lists of the zone";

describe("the inventory in evidence, without asking the service", () => {
  it.for([
    { target: byName, pages: "shop.example.com/pay/*" },
    { target: byName, pages: "${zone.name}/pay/*", shown: "shop.example.com/pay/*" },
    { target: byName, pages: "${zone.id}.example/*", limit: needsListing },
    {
      target: 'match: { name: "*.example.com" }',
      pages: "${zone.name}/pay/*",
      shown: "shop.example.com/pay/*",
    },
    { target: "match: { plan: enterprise }", pages: "shop.example.com/*", limit: needsListing },
    {
      target: `id: ${"a".repeat(32)}`,
      pages: "shop.example.com/*",
      limit: "no file declares the zone by its name",
    },
    {
      target: "name: other.example",
      pages: "other.example/*",
      limit: "no file declares the zone by its name",
    },
  ])("of $target with pages $pages", async ({ target, pages, shown, limit }, { expect }) => {
    await using place = await placeWith(undefined);
    await place.write("zones/shop.yaml", file(target, pages));
    const { stderr } = await run(place, "out");
    const { zone } = await packIn(place);
    if (limit === undefined) {
      expect(zone["declared"], stderr).toMatchObject({ pages: [shown ?? pages] });
    } else {
      expect(zone["declared"]).toBe(null);
      expect(stderr).toContain(limit);
    }
  });
});
