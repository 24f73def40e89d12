import { describe, it } from "vitest";

import { scriptEnforcement } from "../../src/impact/script-enforcement.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import { script } from "../support/inventory.ts";
import { livePolicy } from "../support/model.ts";

const cdn = "https://cdn.example.net/lib.js";
const checkout = "shop.example.com/checkout/*";

/** An enforced policy of the whole shop, which blocks the script. */
const own = livePolicy("p1", {
  description: "Scripts of the shop [zonewarden:shop]",
  action: "allow",
  value: "script-src 'self'",
});
const allowsCdn = "script-src cdn.example.net";
const onPath = (path: string): string => `http.request.uri.path eq "${path}"`;

/** Blocks the script on one page of the shop. */
const blocksOn = (path: string): LivePolicy => ({ ...own, expression: onPath(path) });

/** A script that was seen on pages of the shop. */
function seenOn(...pages: readonly string[]): Script {
  const [firstPageUrl = "", ...pageUrls] = pages.map((page) => `https://shop.example.com${page}`);
  return script(cdn, { firstPageUrl, pageUrls });
}

/** The decisions in words: `shop blocks`. */
function enforcement(
  policies: readonly LivePolicy[],
  seen: Script,
  patterns: readonly string[] = [checkout],
): readonly string[] {
  const found = scriptEnforcement(policies, patterns)(seen);
  return found.map(({ policy, decision }) => `${policy} ${decision}`);
}

const pay = seenOn("/checkout/pay");

describe("a policy", () => {
  it.for<{ does: string; when: string; policy: LivePolicy }>([
    { does: "blocks", when: "its sources leave the script out", policy: own },
    { does: "allows", when: "a source matches the script", policy: { ...own, value: allowsCdn } },
    {
      does: "blocks",
      when: "its sources for all requests leave the script out",
      policy: { ...own, value: "default-src 'self'" },
    },
    {
      does: "unclear",
      when: "its expression depends on the visitor",
      policy: { ...own, expression: 'ip.src.country eq "DE"' },
    },
    {
      does: "unclear",
      when: "it trusts what trusted scripts load",
      policy: { ...own, value: "script-src 'strict-dynamic'" },
    },
  ])("$does a script when $when", ({ does, policy }, { expect }) => {
    expect(enforcement([policy], pay)).toEqual([`shop ${does}`]);
  });

  it.for<{ when: string; policy: LivePolicy; seen?: Script }>([
    { when: "it only reports", policy: { ...own, action: "log" } },
    { when: "it is off", policy: { ...own, enabled: false } },
    { when: "its action is unknown", policy: { ...own, action: "challenge" } },
    { when: "it is about frames alone", policy: { ...own, value: "frame-ancestors 'self'" } },
    { when: "it is about connections alone", policy: { ...own, value: "connect-src 'self'" } },
    { when: "it selects other pages", policy: { ...own, expression: onPath("/") } },
    { when: "the URL of the script is invalid", policy: own, seen: script("inline") },
  ])("is not told when $when", ({ policy, seen = pay }, { expect }) => {
    expect(enforcement([policy], seen)).toEqual([]);
  });

  it.for<{ has: string; description: string; name: string }>([
    { has: "a mark", description: "Scripts of the shop [zonewarden:shop]", name: "shop" },
    { has: "the mark of another owner", description: "[terraform:legacy]", name: "legacy" },
    { has: "a description alone", description: "  Made by hand ", name: "Made by hand" },
    { has: "an empty description", description: "", name: "p1" },
    { has: "a blank description", description: "  ", name: "p1" },
  ])("with $has is named $name", ({ description, name }, { expect }) => {
    expect(enforcement([{ ...own, description }], pay)).toEqual([`${name} blocks`]);
  });
});

it("tells each enforced policy that applies, in their order", ({ expect }) => {
  const policies = [
    { ...own, description: "b", value: allowsCdn },
    { ...own, description: "log", action: "log" },
    { ...own, description: "a" },
    { ...own, description: "elsewhere", expression: onPath("/") },
  ];
  expect(enforcement(policies, pay)).toEqual(["b allows", "a blocks"]);
  expect(enforcement([], pay)).toEqual([]);
});

describe("of several pages the strictest decision counts", () => {
  const visitor = 'ip.src.country eq "DE"';
  /** The first page is selected, the second one for some visitors, the third one never. */
  const expression = `${onPath("/checkout/1")} or (${onPath("/checkout/2")} and ${visitor})`;

  it.for([
    { pages: ["/checkout/1", "/checkout/2", "/checkout/3"], value: own.value, says: "blocks" },
    { pages: ["/checkout/3", "/checkout/2", "/checkout/1"], value: own.value, says: "blocks" },
    { pages: ["/checkout/3", "/checkout/2"], value: own.value, says: "unclear" },
    { pages: ["/checkout/1", "/checkout/3"], value: allowsCdn, says: "allows" },
  ])("$value on $pages: $says", ({ pages, value, says }, { expect }) => {
    expect(enforcement([{ ...own, expression, value }], seenOn(...pages))).toEqual([
      `shop ${says}`,
    ]);
  });

  it.for([
    { second: 'http.host eq "pay.example.com"', says: "blocks" },
    { second: `(http.host eq "pay.example.com" and ${visitor})`, says: "unclear" },
  ])("$says, where 'self' allows it on the first page alone", ({ second, says }, { expect }) => {
    const policy = { ...own, expression: `http.host eq "shop.example.com" or ${second}` };
    const app = script("https://shop.example.com/app.js", {
      firstPageUrl: "https://shop.example.com/checkout/1",
      pageUrls: ["https://pay.example.com/checkout/1"],
    });
    expect(enforcement([policy], app, ["*.example.com/checkout/*"])).toEqual([`shop ${says}`]);
  });
});

describe("the pages", () => {
  it.for<{
    which: string;
    pages: readonly string[];
    patterns?: readonly string[];
    at: string;
    told: boolean;
  }>([
    { which: "the first one", pages: ["/checkout/a"], at: "/checkout/a", told: true },
    { which: "the further ones", pages: ["/", "/checkout/a"], at: "/checkout/a", told: true },
    {
      which: "those of any of the patterns",
      pages: ["/basket"],
      patterns: ["shop.example.com/basket", checkout],
      at: "/basket",
      told: true,
    },
    {
      which: "those of one of the patterns",
      pages: ["/basket/a"],
      patterns: ["shop.example.com/basket/*", checkout],
      at: "/basket/a",
      told: true,
    },
    {
      which: "none that no pattern matches",
      pages: ["/checkout/a", "/basket"],
      at: "/basket",
      told: false,
    },
    {
      which: "the start of the pattern, where no known page matches it",
      pages: ["/basket"],
      at: "/checkout/",
      told: true,
    },
    {
      which: "a pattern without a *, where no known page matches it",
      pages: ["/basket"],
      patterns: ["shop.example.com/checkout"],
      at: "/checkout",
      told: true,
    },
    {
      which: "the starts of all patterns, where no known page matches them",
      pages: ["/basket"],
      patterns: ["shop.example.com/a/*", "shop.example.com/b/*"],
      at: "/b/",
      told: true,
    },
    {
      which: "not the start of the pattern, where a known page matches it",
      pages: ["/checkout/a"],
      at: "/checkout/",
      told: false,
    },
    {
      which: "none, where the hosts of the pattern are not known either",
      pages: ["/basket"],
      patterns: ["*/checkout"],
      at: "/checkout",
      told: false,
    },
    {
      which: "none, where a part of their host is not known",
      pages: ["/basket"],
      patterns: ["*.example.com/checkout"],
      at: "/checkout",
      told: false,
    },
  ])("are $which", ({ pages, patterns, at, told }, { expect }) => {
    const found = enforcement([blocksOn(at)], seenOn(...pages), patterns);
    expect(found).toEqual(told ? ["shop blocks"] : []);
  });

  it("are unknown where the service names none and every page is declared", ({ expect }) => {
    const unseen = script(cdn, { firstPageUrl: "" });
    expect(enforcement([own], unseen, ["*"])).toEqual([]);
    expect(enforcement([own], unseen, ["*", checkout])).toEqual(["shop blocks"]);
  });
});
