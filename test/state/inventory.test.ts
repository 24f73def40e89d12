import { describe, it } from "vitest";

import type { OutsideScripts } from "../../src/impact/outside-policies.ts";
import {
  afterInventory,
  type InventoryFacts,
  inventoryFacts,
  type InventoryReport,
  laterFirst,
  neverRead,
  newlyMalicious,
  shortened,
} from "../../src/state/inventory.ts";
import type { Item } from "../../src/zone/inventory-item.ts";
import { cookie, harmless, script } from "../support/inventory.ts";
import { shopZone } from "../support/model.ts";

const zone = shopZone.name;
const at = new Date("2026-11-20T12:00:00Z");
const bad = (url: string, firstSeenAt = new Date("2026-11-01T00:00:00Z")): Item =>
  script(url, { scores: { ...harmless, integrity: 1 }, firstSeenAt });

function factsOf(items: readonly Item[], outside?: OutsideScripts): InventoryFacts {
  const reading = {
    items: new Map([["script", items] as const]),
    notPermitted: new Map(),
    outside,
    impact: [],
  };
  return inventoryFacts(reading, { maliciousBelow: 50, now: at });
}

function read(...items: readonly Item[]): Extract<InventoryReport, { readonly result: "read" }> {
  return { result: "read", zone, at, facts: factsOf(items) };
}

const failure = { code: "API_SERVER", message: "500", transient: true, ray: "", retryAfterMs: 0 };
const unreadable = { result: "error", zone, at, failure } as const;

describe("a text that is kept", () => {
  it.for([
    { length: 500, kept: "x".repeat(500) },
    { length: 501, kept: `${"x".repeat(500)}…` },
  ])("is as long as it was up to 500 characters: $length", ({ length, kept }, { expect }) => {
    expect(shortened("x".repeat(length))).toBe(kept);
  });
});

describe("what is known of an inventory", () => {
  it("is unknown before the first read, not zero", ({ expect }) => {
    expect(neverRead).toMatchObject({
      readAt: undefined,
      facts: undefined,
      found: { script: 0, connection: 0, cookie: 0 },
    });
    const failed = afterInventory(neverRead, unreadable);
    expect(failed).toMatchObject({ facts: undefined, failure, failingSince: at });
  });

  it("stays when a read fails, with the time of the first failure", ({ expect }) => {
    const known = afterInventory(neverRead, read(bad("https://a.example/")));
    const failed = afterInventory(known, unreadable);
    const later = new Date(Number(at) + 1);
    const again = afterInventory(failed, { ...unreadable, at: later });
    expect(again).toEqual({ ...known, failure, failingSince: at });
    expect(afterInventory(again, read())).toMatchObject({ failure: undefined, readAt: at });
  });

  it("keeps the newest of thousands of items", ({ expect }) => {
    const many = Array.from({ length: 3_000 }, (_, index) =>
      bad(`https://a.example/${index}.js`, new Date(Number(at) - index * 1_000)),
    );
    const { facts } = read(...many);
    expect(facts.kinds.get("script")).toMatchObject({ total: 3_000, malicious: 3_000 });
    expect(facts.malicious).toHaveLength(200);
    expect(facts.newest.map(({ name }) => name).slice(0, 2)).toEqual([
      "https://a.example/0.js",
      "https://a.example/1.js",
    ]);
    expect(facts.newest).toHaveLength(3);
  });

  it("counts the scripts outside of policies, and keeps the newest three", ({ expect }) => {
    const scripts = Array.from({ length: 5 }, (_, index) =>
      script(`https://a.example/${index}.js`, {
        firstSeenAt: new Date(Number(at) + index * 1_000),
      }),
    );
    const { outside } = factsOf(scripts, { scripts, unclear: 2 });
    expect(outside).toMatchObject({ count: 5, unclear: 2 });
    expect(urls(outside?.newest ?? [])).toEqual([
      "https://a.example/4.js",
      "https://a.example/3.js",
      "https://a.example/2.js",
    ]);
  });

  it("keeps an item of two lists once: ten thousand zones have to fit in memory", ({ expect }) => {
    const { facts } = read(bad("https://a.example/", at));
    expect(facts.malicious).toHaveLength(1);
    expect(facts.newest[0]).toBe(facts.malicious[0]);
    expect(facts.newest).toMatchObject([
      { page: "https://shop.example.com/", status: "active", malicious: [expect.any(String)] },
    ]);
    const [one, other] = [1, 2].map((nth) => {
      const url = `https://${nth}.example/`;
      return factsOf([script(url, { scores: harmless, firstSeenAt: at })]);
    });
    expect(one?.newest[0]?.malicious).toBe(other?.newest[0]?.malicious);
    expect(one?.notPermitted).toBe(other?.notPermitted);
  });

  it("comes first where it is later, and last where it has no moment", ({ expect }) => {
    expect(laterFirst(at, new Date(Number(at) - 1))).toBe(-1);
    expect(laterFirst(at, undefined)).toBeLessThan(0);
    expect(laterFirst(undefined, at)).toBeGreaterThan(0);
  });

  it("does not call new what was first seen more than a day ago", ({ expect }) => {
    const { facts } = read(bad("https://a.example/", new Date(Number(at) - 86_400_000)));
    expect(facts.newest).toEqual([]);
  });

  it("counts by status and host, and leaves out what has none", ({ expect }) => {
    const scripts = ["active", "", "inactive", "active"].map((status, nth) =>
      script(`https://${nth}.example/`, { status }),
    );
    const session = cookie("session", { firstSeenAt: at, firstPageUrl: "", domain: "0.example" });
    const inline = script("data:text/javascript,0", { firstSeenAt: undefined, status: "" });
    const odd = ["not a url", "nor this"].map((url) => script(url));
    const facts = factsOf([...scripts, session, inline, ...odd]);
    expect(facts.kinds.get("script")).toEqual({
      total: 8,
      statuses: { active: 4, inactive: 1 },
      malicious: 0,
      fresh: 1,
      hosts: 6,
    });
    expect(facts.newest).toMatchObject([
      { name: "session", page: "shop.example.com", status: "", malicious: [] },
    ]);
    expect(facts.malicious).toEqual([]);
  });

  it("keeps the beginning of an address that carries a whole script", ({ expect }) => {
    const { facts } = read(bad(`data:text/javascript,${"x".repeat(100_000)}`));
    expect(facts.malicious[0]?.name).toHaveLength(501);
  });
});

function urls(items: readonly { readonly name: string }[]): readonly string[] {
  return items.map(({ name }) => name);
}

describe("a malicious item is new", () => {
  const old = bad("https://old.example/");
  const fresh = bad("https://new.example/", new Date("2026-11-20T01:00:00Z"));

  it("in the first read if it was first seen within the last day", ({ expect }) => {
    expect(urls(newlyMalicious(neverRead, read(old, fresh)))).toEqual(["https://new.example/"]);
  });

  it("later if the previous read did not show it, whenever it was first seen", ({ expect }) => {
    const known = afterInventory(neverRead, read(fresh));
    expect(urls(newlyMalicious(known, read(old, fresh)))).toEqual(["https://old.example/"]);
    const next = afterInventory(known, read(old, fresh));
    expect(next.found).toEqual({ script: 2, connection: 0, cookie: 0 });
    expect(newlyMalicious(next, read(old))).toEqual([]);
  });
});
