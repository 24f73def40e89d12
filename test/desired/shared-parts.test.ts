import { describe, it } from "vitest";

import { sharedParts } from "../../src/desired/import/shared-parts.ts";
import type { JsonObject } from "../../src/syntax/json.ts";

const owasp = { key: "owasp", deploy: "owasp", paranoia_level: 2, action: "block" };
const probes = { key: "probes", expression: "ssl", skip: { ruleset: "current" } };
const uploads = {
  key: "uploads",
  expression: 'http.request.uri.path eq "/uploads"',
  skip: { ruleset: "current" },
};
const cloudflare = { key: "cloudflare", deploy: "cloudflare", enabled: false };

function zone(name: string, rules: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { name, ...(rules.length > 0 && { managed_rules: { rules } }), ...more };
}

function checkoutOf(name: string): JsonObject {
  return {
    page_shield: {
      policies: {
        items: [
          {
            key: "checkout",
            description: `Checkout of ${name}`,
            action: "allow",
            expression: `http.host eq "${name}"`,
            value: { "script-src": ["'self'", `cdn.${name}`] },
          },
        ],
      },
    },
  };
}

describe("the parts that zones share", () => {
  it("are in profiles, by the zones that have them", ({ expect }) => {
    const names = Array.from({ length: 400 }, (_, index) => `z${index}.example`);
    const { profiles, entries } = sharedParts(
      names.map((name, index) =>
        zone(
          name,
          [probes, index === 77 ? { ...owasp, action: "log" } : owasp],
          index % 5 < 2 ? checkoutOf(name) : {},
        ),
      ),
    );
    const [policy] = [checkoutOf("${zone.name}")];
    expect(profiles).toEqual({
      baseline: { managed_rules: { rules: [probes] } },
      checkout: policy,
      owasp: { managed_rules: { rules: [owasp] } },
    });
    expect(entries[0]).toEqual({
      name: "z0.example",
      profiles: ["baseline", "owasp", "checkout"],
    });
    expect(entries[3]).toEqual({ name: "z3.example", profiles: ["baseline", "owasp"] });
    expect(entries[77]).toEqual({
      name: "z77.example",
      profiles: ["baseline"],
      managed_rules: { rules: [{ ...owasp, action: "log" }] },
    });
  });

  it("keep a zone's own rules where they are", ({ expect }) => {
    const { profiles, entries } = sharedParts([
      zone("a.example", [probes, owasp]),
      zone("b.example", [uploads, probes, owasp, cloudflare]),
      zone("c.example", [probes, owasp]),
    ]);
    expect(profiles).toEqual({ baseline: { managed_rules: { rules: [probes, owasp] } } });
    expect(entries[1]).toEqual({
      name: "b.example",
      profiles: ["baseline"],
      managed_rules: { rules: [{ before: "probes", ...uploads }, cloudflare] },
    });
  });

  it("are moved where the order of a zone differs", ({ expect }) => {
    const { entries } = sharedParts([
      zone("a.example", [probes, uploads, owasp]),
      zone("b.example", [probes, uploads, owasp]),
      zone("c.example", [owasp, uploads, probes]),
    ]);
    expect(entries[2]).toEqual({
      name: "c.example",
      profiles: ["baseline"],
      managed_rules: {
        rules: [
          { key: "uploads", before: "probes" },
          { key: "owasp", before: "uploads" },
        ].toReversed(),
      },
    });
  });

  it("are moved to the end where the rules of a zone end with them", ({ expect }) => {
    const rules = [probes, uploads, owasp, cloudflare];
    const others = ["a.example", "b.example"].map((name) => zone(name, rules));
    const { entries } = sharedParts([
      ...others,
      zone("c.example", [owasp, cloudflare, uploads, probes]),
    ]);
    expect(entries[2]).toEqual({
      name: "c.example",
      profiles: ["baseline"],
      managed_rules: {
        rules: [
          { key: "uploads", after: "cloudflare" },
          { key: "probes", after: "uploads" },
        ],
      },
    });
  });

  it("have no placeholder where more zones have the very text", ({ expect }) => {
    const shop = checkoutOf("shop.example");
    const { profiles } = sharedParts(
      ["a.example", "shop.example", "b.example"].map((name) => zone(name, [], shop)),
    );
    expect(profiles).toEqual({ baseline: shop });
  });

  it("have no placeholder in a zone that is declared by its id", ({ expect }) => {
    const rules = [probes, uploads, owasp, cloudflare];
    const id = "0".repeat(32);
    const { profiles, entries } = sharedParts([
      { id, managed_rules: { rules }, ...checkoutOf("twin.example") },
      zone("a.example", rules, checkoutOf("a.example")),
    ]);
    expect(profiles).toEqual({ baseline: { managed_rules: { rules } } });
    expect(entries[0]).toEqual({ id, profiles: ["baseline"], ...checkoutOf("twin.example") });
  });

  it("are no profile if they are little", ({ expect }) => {
    const zones = ["a.example", "b.example", "c.example"].map((name) =>
      zone(name, [], { page_shield: { settings: { enabled: true } } }),
    );
    expect(sharedParts(zones)).toEqual({ profiles: {}, entries: zones });
  });

  it("are found although a zone cannot be loaded, which stays as it is", ({ expect }) => {
    const broken = zone("c.example", [probes, uploads, { ...owasp, paranoia_level: 9 }]);
    const { profiles, entries } = sharedParts([
      zone("a.example", [probes, uploads, owasp]),
      broken,
      zone("b.example", [probes, uploads, owasp]),
    ]);
    expect(Object.keys(profiles)).toEqual(["baseline"]);
    expect(entries[1]).toEqual(broken);
  });
});
