import * as fc from "fast-check";
import { describe, it } from "vitest";

import { extractProfile } from "../../src/desired/import/extract-profile.ts";
import { zoneFileText } from "../../src/desired/import/zone-text.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { loadText } from "../support/desired.ts";
import { cases } from "../support/properties.ts";

function zone(name: string, rules: readonly JsonObject[], settings: JsonObject = {}): JsonObject {
  return { name, page_shield: { settings }, managed_rules: { rules } };
}

const probes = { key: "probes", skip: { ruleset: "current" }, expression: "ssl" };
const owasp = { key: "owasp", deploy: "owasp", paranoia_level: 2 };
const uploads = {
  key: "uploads",
  skip: { ruleset: "current" },
  acknowledge: ["every-request"],
};

function withRules(name: string): JsonObject {
  return {
    name,
    custom_rules: {
      rules: [
        {
          key: "admin",
          action: "block",
          expression: `http.host eq "${name}"`,
          response: { status_code: 403, content_type: "text/plain", content: `Not at ${name}` },
        },
      ],
    },
    rate_limiting_rules: {
      rules: [
        {
          key: "login",
          action: "block",
          ratelimit: { characteristics: [`http.request.headers["${name}"]`, "cf.colo.id"] },
        },
      ],
    },
  };
}

describe("a profile of what zones have in common", () => {
  it("takes common values, and leaves those of each zone", ({ expect }) => {
    const { profile, entries } = extractProfile(
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

  it("keeps a zone's own rule before the rule of the profile that it precedes", ({ expect }) => {
    const { entries } = extractProfile([zone("a", [owasp]), zone("b", [uploads, owasp])], "base");
    expect(entries[1]).toMatchObject({
      managed_rules: { rules: [{ key: "uploads", before: "owasp" }] },
    });
  });

  it("has rules of each list, with the name of the zone where placeholders work", ({ expect }) => {
    const { profile, entries } = extractProfile(
      [withRules("a.example"), withRules("b.example")],
      "base",
    );
    expect(profile).toEqual({
      custom_rules: {
        rules: [
          {
            key: "admin",
            action: "block",
            expression: 'http.host eq "${zone.name}"',
            response: {
              status_code: 403,
              content_type: "text/plain",
              content: "Not at ${zone.name}",
            },
          },
        ],
      },
      rate_limiting_rules: { rules: [{ key: "login", action: "block" }] },
    });
    expect(entries[1]).toEqual({
      name: "b.example",
      profiles: ["base"],
      rate_limiting_rules: {
        rules: [
          {
            key: "login",
            ratelimit: { characteristics: ['http.request.headers["b.example"]', "cf.colo.id"] },
          },
        ],
      },
    });
  });

  it("leaves out rules whose order differs", ({ expect }) => {
    const { profile, entries } = extractProfile(
      [zone("a", [probes, owasp]), zone("b", [owasp, probes])],
      "base",
    );
    expect(profile).toEqual({ managed_rules: { rules: [probes] } });
    expect(entries).toMatchObject([
      { managed_rules: { rules: [owasp] } },
      { managed_rules: { rules: [{ ...owasp, before: "probes" }] } },
    ]);
  });

  it("leaves out rules that share only their key", ({ expect }) => {
    const other = { key: "owasp", deploy: "cloudflare", paranoia_level: 2 };
    expect(
      extractProfile([zone("a", [owasp]), zone("b", [other])], "base").profile,
    ).toBeUndefined();
  });

  it("is undefined if they have nothing in common", ({ expect }) => {
    const zones = [zone("a", [owasp]), zone("b", [])];
    expect(extractProfile(zones, "base")).toEqual({ profile: undefined, entries: zones });
  });
});

const someRules = fc
  .shuffledSubarray([probes, uploads, owasp, { key: "free", deploy: "free" }])
  .chain((rules) =>
    fc.tuple(
      ...rules.map((rule) =>
        fc.constantFrom<JsonObject>(
          rule,
          rule,
          { ...rule, enabled: false },
          { ...rule, description: "x" },
        ),
      ),
    ),
  );

const somePolicies = fc.subarray(["a", "b", "c"]).chain((keys) =>
  fc.tuple(
    ...keys.map((key) =>
      fc.record({
        key: fc.constant(key),
        action: fc.constantFrom("log", "allow"),
        expression: fc.constantFrom("ssl", "true"),
        value: fc.constantFrom<JsonObject>({ "img-src": ["'self'"] }, { "img-src": ["'none'"] }),
      }),
    ),
  ),
);

const someZones: fc.Arbitrary<readonly JsonObject[]> = fc
  .array(fc.tuple(someRules, somePolicies, fc.boolean(), fc.boolean()), {
    minLength: 1,
    maxLength: 4,
  })
  .map((zones) =>
    zones.map(([rules, items, enabled, isSparse], index) => ({
      name: `${index}.example`,
      page_shield: { settings: { enabled }, ...(isSparse ? {} : { policies: { items } }) },
      managed_rules: { rules },
    })),
  );

describe("extracting a profile", { timeout: 900_000 }, () => {
  it("does not change what zones declare", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(someZones, async (zones) => {
        const { profile, entries } = extractProfile(zones, "base");
        const profiles = profile === undefined ? {} : { profiles: { base: profile } };
        const plain = await loadText(zoneFileText({ zones }, ""));
        const extracted = await loadText(zoneFileText({ ...profiles, zones: entries }, ""));
        const contentOf = ({ documents }: typeof plain) =>
          documents.map(({ content: { settings, policies, rules } }) => ({
            settings,
            rules: rules.managed_rules?.items ?? [],
            policies: (policies?.items ?? []).toSorted((a, b) => (a.key < b.key ? -1 : 1)),
          }));
        expect(contentOf(extracted)).toHaveLength(zones.length);
        expect(contentOf(extracted)).toEqual(contentOf(plain));
      }),
      cases(250),
    );
  });
});
