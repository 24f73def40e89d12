import { describe, it } from "vitest";

import { lift } from "../../src/desired/lift.ts";
import type { JsonObject } from "../../src/syntax/json.ts";

function zone(name: string, rules: readonly JsonObject[], settings: JsonObject = {}): JsonObject {
  return { name, page_shield: { settings }, managed_rules: { rules } };
}

const probes = { key: "probes", skip: { ruleset: "current" }, expression: "ssl" };
const owasp = { key: "owasp", deploy: "owasp", paranoia_level: 2 };
const uploads = { key: "uploads", skip: { ruleset: "current" } };

describe("what zones have in common", () => {
  it("goes into the profile, and what is their own stays", ({ expect }) => {
    const { profile, entries } = lift(
      [
        zone("a", [owasp], { enabled: true, use_connection_url_path: true }),
        zone("b", [{ ...owasp, action: "log" }], { enabled: true, use_connection_url_path: false }),
      ],
      "base",
    );
    expect(profile).toEqual({
      page_shield: { settings: { enabled: true } },
      managed_rules: { rules: [owasp] },
    });
    expect(entries).toEqual([
      {
        name: "a",
        profiles: ["base"],
        page_shield: { settings: { use_connection_url_path: true } },
      },
      {
        name: "b",
        profiles: ["base"],
        page_shield: { settings: { use_connection_url_path: false } },
        managed_rules: { rules: [{ key: "owasp", action: "log" }] },
      },
    ]);
  });

  it("keeps a zone's own rule before the rule of the profile that it stood before", ({
    expect,
  }) => {
    const { entries } = lift([zone("a", [owasp]), zone("b", [uploads, owasp])], "base");
    expect(entries[1]).toMatchObject({
      managed_rules: { rules: [{ key: "uploads", before: "owasp" }] },
    });
  });

  it("leaves rules that stand in different orders where they are", ({ expect }) => {
    const { profile, entries } = lift(
      [zone("a", [probes, owasp]), zone("b", [owasp, probes])],
      "base",
    );
    expect(profile).toEqual({ managed_rules: { rules: [probes] } });
    expect(entries).toMatchObject([
      { managed_rules: { rules: [owasp] } },
      { managed_rules: { rules: [{ ...owasp, before: "probes" }] } },
    ]);
  });

  it("does not lift what shares a key and nothing that makes it what it is", ({ expect }) => {
    const other = { key: "owasp", deploy: "cloudflare", paranoia_level: 2 };
    expect(lift([zone("a", [owasp]), zone("b", [other])], "base").profile).toBeUndefined();
  });

  it("is nothing where they have nothing in common: no profile, and nothing moves", ({
    expect,
  }) => {
    const zones = [zone("a", [owasp]), zone("b", [])];
    expect(lift(zones, "base")).toEqual({ profile: undefined, entries: zones });
  });
});
