import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import type { Setting } from "../../src/zone/resource.ts";
import { desiredZone, declared, liveZone, owner } from "../support/model.ts";

const live = {
  enabled: false,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};

describe("planning settings", () => {
  it.for<{
    readonly when: string;
    readonly given: readonly Setting[];
    readonly sends: readonly unknown[];
    readonly effects: readonly string[];
  }>([
    { when: "none is declared", given: [], sends: [], effects: [] },
    {
      when: "the declared one is as live",
      given: [{ name: "enabled", value: false }],
      sends: [],
      effects: [],
    },
    {
      when: "one differs: it is sent alone",
      given: [
        { name: "enabled", value: true },
        { name: "use_connection_url_path", value: false },
      ],
      sends: [{ enabled: true }],
      effects: ["strengthens"],
    },
    {
      when: "several differ: they are one request, in the order of the model",
      given: [
        { name: "use_connection_url_path", value: true },
        { name: "use_cloudflare_reporting_endpoint", value: false },
        { name: "enabled", value: true },
      ],
      sends: [
        {
          enabled: true,
          use_cloudflare_reporting_endpoint: false,
          use_connection_url_path: true,
        },
      ],
      effects: ["strengthens", "neutral", "neutral"],
    },
  ])("when $when", ({ given, sends, effects }, { expect }) => {
    const { changes, writes } = plan(
      desiredZone({ settings: given }),
      liveZone({ settings: live }),
      owner,
    );
    expect(writes.map((write) => ("body" in write ? write.body : undefined))).toEqual(sends);
    expect(changes.map(({ effect }) => effect.direction)).toEqual(effects);
  });

  it("calls it weaker to watch no longer", ({ expect }) => {
    const { changes } = plan(
      desiredZone({ settings: [{ name: "enabled", value: false }] }),
      liveZone({ settings: { ...live, enabled: true } }),
      owner,
    );
    expect(changes).toMatchObject([
      {
        effect: {
          direction: "weakens",
          reasons: ["scripts and connections are no longer watched"],
        },
      },
    ]);
  });
});

describe("planning what was not read", () => {
  it.for([
    { part: "settings", content: { settings: [{ name: "enabled", value: true }] } },
    { part: "policies", content: { policies: declared([]) } },
    { part: "entry point of managed_rules", content: { rules: { managed_rules: declared([]) } } },
  ] as const)("is a fault of the program: $part", ({ part, content }, { expect }) => {
    expect(() => plan(desiredZone(content), liveZone(), owner)).toThrow(
      `planned without having read the ${part} of the zone`,
    );
  });

  it("is not needed for what is not declared", ({ expect }) => {
    expect(plan(desiredZone(), liveZone(), owner)).toMatchObject({ changes: [], compared: 0 });
  });
});
