import { describe, it } from "vitest";

import { outsidePolicies } from "../../src/impact/outside-policies.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import type { PolicyBehavior } from "../../src/zone/resource.ts";
import { script } from "../support/inventory.ts";
import { policy } from "../support/model.ts";

const cdn = "https://cdn.example.net/lib.js";
const onShop = 'http.host eq "shop.example.com"';
const own = policy("own", { action: "allow", expression: onShop, value: "script-src 'self'" });

describe("a script is outside every enforced policy", () => {
  it.for<{ when: string; policies: readonly PolicyBehavior[]; seen: Script; outside: boolean }>([
    { when: "the only one keeps it out", policies: [own], seen: script(cdn), outside: true },
    {
      when: "none selects its page",
      policies: [{ ...own, expression: 'http.host eq "blog.example.com"', value: "script-src *" }],
      seen: script(cdn),
      outside: true,
    },
    {
      when: "a policy that lets it in only reports",
      policies: [own, { ...own, action: "log", value: "script-src *" }],
      seen: script(cdn),
      outside: true,
    },
    {
      when: "one of two lets it in",
      policies: [own, { ...own, value: "script-src cdn.example.net" }],
      seen: script(cdn),
      outside: false,
    },
    {
      when: "the only one that selects its page says nothing of scripts",
      policies: [
        { ...own, value: "frame-ancestors 'self'" },
        { ...own, expression: 'http.host eq "blog.example.com"' },
      ],
      seen: script(cdn),
      outside: true,
    },
    {
      when: "it is let in on one page of several",
      policies: [{ ...own, expression: 'http.request.uri.path eq "/pay"', value: "script-src *" }],
      seen: script(cdn, {
        pageUrls: ["https://shop.example.com/", "https://shop.example.com/pay"],
      }),
      outside: false,
    },
  ])("$when: $outside", ({ policies, seen, outside }, { expect }) => {
    const found = outsidePolicies([seen], policies);
    expect(found).toEqual({ scripts: outside ? [seen] : [], unclear: 0 });
  });
});

describe("is reported as unclear", () => {
  const clever = { ...own, expression: "cf.bot_management.score lt 30" };

  it.for([
    { does: "keeps it out", policy: clever },
    { does: "lets it in", policy: { ...clever, value: "script-src cdn.example.net" } },
  ])(
    "where the address of the page does not decide whether the policy $does",
    ({ policy: only }, { expect }) => {
      expect(outsidePolicies([script(cdn)], [only])).toEqual({ scripts: [], unclear: 1 });
    },
  );

  it("when the script has an invalid URL", ({ expect }) => {
    expect(outsidePolicies([script("???")], [own])).toEqual({ scripts: [], unclear: 1 });
  });
});

it.for<{ what: string; policies: readonly PolicyBehavior[] }>([
  { what: "no policy", policies: [] },
  { what: "one that only reports", policies: [{ ...own, action: "log" }] },
  { what: "one on frames alone", policies: [{ ...own, value: "frame-ancestors 'self'" }] },
  { what: "one that is off", policies: [{ ...own, enabled: false }] },
])("nothing is outside of $what: the zone enforces none", ({ policies }, { expect }) => {
  expect(outsidePolicies([script(cdn)], policies)).toBeUndefined();
});
