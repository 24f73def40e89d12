import { describe, it } from "vitest";

import {
  type ReplicaEntry,
  noRecord,
  recordIn,
  recordText,
  sharing,
  successorOf,
  yields,
} from "../../src/cluster/replica-record.ts";

function entry(more: Partial<ReplicaEntry> = {}): ReplicaEntry {
  return { beat: 1, setUp: "one", stands: true, shares: true, leaves: false, ...more };
}

describe("the record of the replicas", () => {
  it("is read as it was written", ({ expect }) => {
    const replicas = new Map([
      ["a", entry({ beat: 7 })],
      ["b", entry({ stands: false, leaves: true })],
    ]);
    const record = { id: "a 1", isComplete: true, replicas };
    expect(recordIn(recordText(record))).toEqual(record);
  });

  it.for([
    { when: "there is none", text: undefined },
    { when: "it is no JSON", text: "{" },
    { when: "it is no object", text: "[1]" },
    { when: "it has no id", text: '{ "isComplete": true, "replicas": { "a": { "beat": 1 } } }' },
  ])("is none where $when", ({ text }, { expect }) => {
    expect(recordIn(text)).toEqual(noRecord);
  });

  it.for([
    { when: "the replicas are no object", text: '{ "id": "a", "replicas": 1 }' },
    { when: "an entry is no object", text: '{ "id": "a", "replicas": { "a": 1 } }' },
    { when: "a beat is no number", text: '{ "id": "a", "replicas": { "a": { "beat": "1" } } }' },
  ])("has no entry where $when", ({ text }, { expect }) => {
    expect(recordIn(text)).toEqual({ ...noRecord, id: "a" });
  });

  it("has no more entries than there are processes", ({ expect }) => {
    const many = Array.from({ length: 5_000 }, (_, nth) => [`r${nth}`, entry()] as const);
    const text = recordText({ id: "a", isComplete: true, replicas: new Map(many) });
    expect(recordIn(text).replicas.size).toBe(200);
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
    { among: { a: entry(), b: entry({ shares: false }) }, by: ["a"] },
    { among: { a: entry(), b: entry({ setUp: "two", stands: false, shares: false }) }, by: ["a"] },
    { among: { a: entry(), b: entry({ setUp: "two" }) }, by: [] },
    { among: { a: entry(), b: entry({ setUp: "two", shares: false }) }, by: [] },
  ])("among $among by $by", ({ among, by }, { expect }) => {
    expect(sharing(new Map(Object.entries(among)), "one")).toEqual(by);
  });
});

describe("the Lease after its holder ends", () => {
  const leaves = entry({ leaves: true });
  const gone = entry({ stands: false, shares: false, leaves: true });
  it.for([
    { left: { a: gone, b: entry({ setUp: "two" }), c: entry() }, goesTo: "c" },
    { left: { a: gone, b: entry({ setUp: "two" }) }, goesTo: "b" },
    { left: { a: gone, b: leaves }, goesTo: "b" },
    { left: { a: gone, b: leaves, c: entry() }, goesTo: "c" },
    { left: { a: gone }, goesTo: "" },
  ])("of $left goes to $goesTo", ({ left, goesTo }, { expect }) => {
    expect(successorOf(new Map(Object.entries(left)), "one")).toBe(goesTo);
  });
});
