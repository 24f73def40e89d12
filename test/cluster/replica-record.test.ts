import { describe, it } from "vitest";

import {
  type ReplicaEntry,
  replicasIn,
  replicasText,
  sharing,
  yields,
} from "../../src/cluster/replica-record.ts";

function entry(more: Partial<ReplicaEntry> = {}): ReplicaEntry {
  return { beat: 1, setUp: "one", stands: true, leaves: false, ...more };
}

describe("the record of the replicas", () => {
  it("is read as it was written", ({ expect }) => {
    const replicas = new Map([
      ["a", entry({ beat: 7 })],
      ["b", entry({ stands: false, leaves: true })],
    ]);
    expect(replicasIn(replicasText(replicas))).toEqual(replicas);
  });

  it.for([
    { when: "there is none", text: undefined },
    { when: "it is no JSON", text: "{" },
    { when: "it is no object", text: "[1]" },
    { when: "an entry is no object", text: '{ "a": 1 }' },
    { when: "a beat is no number", text: '{ "a": { "beat": "1" } }' },
  ])("has no entry where $when", ({ text }, { expect }) => {
    expect(replicasIn(text)).toEqual(new Map());
  });

  it("has no more entries than there are processes", ({ expect }) => {
    const many = Array.from({ length: 5_000 }, (_, nth) => [`r${nth}`, { beat: 1 }]);
    expect(replicasIn(JSON.stringify(Object.fromEntries(many))).size).toBe(200);
  });
});

describe("a replica gives up all shards", () => {
  it.for([
    { when: "nobody holds the Lease", given: { entry: undefined, isGone: true }, gives: false },
    {
      when: "a process without shards holds it",
      given: { entry: undefined, isGone: false },
      gives: true,
    },
    {
      when: "a replica with its credentials",
      given: { entry: entry(), isGone: false },
      gives: false,
    },
    {
      when: "a replica with others",
      given: { entry: entry({ setUp: "two" }), isGone: false },
      gives: true,
    },
  ])("$gives where $when", ({ given, gives }, { expect }) => {
    expect(yields("one", given)).toBe(gives);
  });
});

describe("shards are shared", () => {
  it.for([
    { among: { a: entry(), b: entry() }, by: ["a", "b"] },
    { among: { a: entry(), b: entry({ leaves: true }) }, by: ["a"] },
    { among: { a: entry(), b: entry({ stands: false }) }, by: ["a"] },
    { among: { a: entry(), b: entry({ setUp: "two", stands: false }) }, by: ["a"] },
    { among: { a: entry(), b: entry({ setUp: "two" }) }, by: [] },
  ])("among $among by $by", ({ among, by }, { expect }) => {
    expect(sharing(new Map(Object.entries(among)), "one")).toEqual(by);
  });
});
