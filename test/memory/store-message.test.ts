import { describe, it } from "vitest";

import { MemoryStore } from "../../src/memory/memory-store.ts";
import {
  putMessage,
  storeMessageIn,
  storeMessageJson,
  zonesOfMessage,
} from "../../src/memory/store-message.ts";
import { StoredRuns } from "../../src/memory/stored-runs.ts";
import { SimulatedClock } from "../support/clock.ts";
import { named } from "../support/reports.ts";

const rule = { kind: "custom_rule", id: "a1", ref: "terraform-1", key: "probes" } as const;
const whole = {
  format: 1,
  adopted: { "shop.example.com": [rule] },
  weakened: {
    revision: ["news.example.com"],
    drift: ["pay.example.com"],
    named: ["shop.example.com", "blog.example.com"],
  },
  used: ["a".repeat(64)],
};

const shop = named("shop.example.com");

describe("what a command stores", () => {
  it("is read as it was written", ({ expect }) => {
    const message = storeMessageIn(whole);
    expect(message && storeMessageJson(message)).toEqual(whole);
  });

  it("names no releases where none is used, as before it could", ({ expect }) => {
    const { used: _, ...former } = whole;
    const message = storeMessageIn(former);
    expect(message?.used).toEqual([]);
    expect(message && storeMessageJson(message)).toEqual(former);
  });

  it("is about zones, each once", ({ expect }) => {
    const message = storeMessageIn(whole);
    expect(message && zonesOfMessage(message)).toEqual([
      shop,
      named("news.example.com"),
      named("pay.example.com"),
      named("blog.example.com"),
    ]);
  });

  it("is of the managed phase where a version wrote it that knew no other", ({ expect }) => {
    const { kind: _kind, ...former } = rule;
    const message = storeMessageIn({ ...whole, adopted: { "shop.example.com": [former] } });
    expect(message?.adopted.get(shop)).toEqual([{ ...rule, kind: "managed_rule" }]);
  });

  it.for([
    ["nothing", null],
    ["no object", []],
    ["another version", { ...whole, format: 2 }],
    ["an unknown part", { ...whole, applied: {} }],
    ["a list of rules without zones", { ...whole, adopted: [] }],
    ["a list of zones without causes", { ...whole, weakened: [] }],
    ["no zone", { ...whole, adopted: { "../x": [rule] } }],
    ["a zone in capitals", { ...whole, adopted: { "Shop.example.com": [rule] } }],
    ["no list", { ...whole, adopted: { "shop.example.com": rule } }],
    ["an empty list", { ...whole, adopted: { "shop.example.com": [] } }],
    ["a rule that is null", { ...whole, adopted: { "shop.example.com": [null] } }],
    ["an id that is none", { ...whole, adopted: { "shop.example.com": [{ ...rule, id: "a/b" }] } }],
    ["another kind", { ...whole, adopted: { "shop.example.com": [{ ...rule, kind: "page" }] } }],
    ["no ref", { ...whole, adopted: { "shop.example.com": [{ ...rule, ref: "" }] } }],
    [
      "a key with controls",
      { ...whole, adopted: { "shop.example.com": [{ ...rule, key: "a\n" }] } },
    ],
    ["more of a rule", { ...whole, adopted: { "shop.example.com": [{ ...rule, mark: "x" }] } }],
    ["no list of releases", { ...whole, used: null }],
    ["a part of a hash", { ...whole, used: ["a".repeat(63)] }],
    ["another cause", { ...whole, weakened: { release: ["shop.example.com"] } }],
    ["a zone that is a number", { ...whole, weakened: { named: [1] } }],
    [
      "too many zones",
      { ...whole, weakened: { named: Array.from({ length: 20_001 }, () => "a.example") } },
    ],
  ] as const)("is refused with %s", ([, json], { expect }) => {
    expect(storeMessageIn(json)).toBeUndefined();
  });

  it("is added to what is stored, and an old message takes nothing back", ({ expect }) => {
    const store = new MemoryStore();
    const runs = new StoredRuns(store);
    const other = { kind: "managed_rule", id: "b2", ref: "r", key: "owasp" } as const;
    runs.setAdopted(shop, [other, { ...rule, ref: "an-older-ref" }]);
    runs.setUsedReleases(["b".repeat(64)]);
    const message = storeMessageIn(whole);
    if (message !== undefined) putMessage(message, store, new SimulatedClock());
    expect(runs.adopted(shop)).toEqual([other, rule]);
    expect([...runs.weakened("named").keys()]).toEqual([shop, named("blog.example.com")]);
    expect([...runs.weakened("revision").keys()]).toEqual([named("news.example.com")]);
    expect([...runs.weakened("drift").keys()]).toEqual([named("pay.example.com")]);
    expect(runs.usedReleases()).toEqual(["b".repeat(64), "a".repeat(64)]);
  });
});
