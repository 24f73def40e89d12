import { describe, it } from "vitest";

import type { FormerTerm } from "../../src/audit/own-entries.ts";
import {
  adoptedRules,
  authors,
  corrections,
  date,
  formerTerm,
  heldRevision,
  labels,
  moments,
  rolloutHalt,
  rolloutHead,
  steps,
  text as plainText,
  texts,
} from "../../src/memory/codecs.ts";
import type { StepState, ZoneSteps } from "../../src/reconcile/steps/step-state.ts";
import { at, named } from "../support/reports.ts";

const rule = {
  kind: "custom_rule",
  id: "1b23e5f4bfcf345b70e6a4e570750c93",
  ref: "by-terraform",
  key: "owasp",
} as const;

describe("what a person made of a rollout, in the state", () => {
  it.for([
    { stored: '{"revision":"r1","halt":"aborted"}', is: { revision: "r1", halt: "aborted" } },
    { stored: '{"revision":"","halt":"aborted"}', is: { revision: "", halt: "paused" } },
    { stored: '{"revision":"r1","halt":"over"}', is: { revision: "", halt: "paused" } },
    { stored: '{"revision":"r1"', is: { revision: "", halt: "paused" } },
    { stored: undefined, is: undefined },
  ] as const)("is $is where it says $stored", ({ stored, is }, { expect }) => {
    expect(rolloutHalt.decode(stored)).toEqual(is);
    expect(rolloutHalt.encode(is)).toBe(is?.revision === "r1" ? stored : undefined);
  });
});

describe("a held revision in the state", () => {
  const hash = `sha256-${"0a".repeat(32)}`;
  const held = { revision: "r2", message: "12 zones", hash, zones: [named("shop.example")] };

  it("comes back as it was", ({ expect }) => {
    expect(heldRevision.decode(heldRevision.encode(held))).toEqual(held);
    expect(heldRevision.decode(heldRevision.encode(undefined))).toBeUndefined();
  });

  it.for([{ revision: 7 }, { message: "" }, { hash: "0a" }])(
    "is not known with %j",
    (wrong, { expect }) => {
      expect(heldRevision.decode(JSON.stringify({ ...held, ...wrong }))).toBeUndefined();
    },
  );

  it("has the zones whose names can be read", ({ expect }) => {
    const text = JSON.stringify({ ...held, zones: ["shop.example", "../x", 7] });
    expect(heldRevision.decode(text)).toEqual(held);
  });
});

describe("the head of a rollout in the state", () => {
  it.for([
    { stored: '{"revision":"r1","zones":3}', is: { revision: "r1", zones: 3 } },
    { stored: '{"revision":"","zones":3}', is: undefined },
    { stored: '{"revision":"r1","zones":"3"}', is: undefined },
    { stored: '{"revision":7,"zones":3}', is: undefined },
    { stored: undefined, is: undefined },
  ])("is $is where it says $stored", ({ stored, is }, { expect }) => {
    expect(rolloutHead.decode(stored)).toEqual(is);
  });
});

describe("adopted rules in the state", () => {
  it("come back as they were", ({ expect }) => {
    expect(adoptedRules.decode(adoptedRules.encode([rule, { ...rule, id: "r2" }]))).toEqual([
      rule,
      { ...rule, id: "r2" },
    ]);
  });

  it("are of the managed phase where a version stored them that knew no other", ({ expect }) => {
    const { kind: _kind, ...stored } = rule;
    expect(adoptedRules.decode(JSON.stringify([stored]))).toEqual([
      { ...rule, kind: "managed_rule" },
    ]);
  });

  it("are no entry where there are none", ({ expect }) => {
    expect(adoptedRules.encode([])).toBeUndefined();
    expect(adoptedRules.decode(undefined)).toEqual([]);
  });

  it.for([
    { when: "no JSON", text: '[{"id":"1b2' },
    { when: "an object", text: JSON.stringify(rule) },
    { when: "a list of texts", text: '["1b23e5f4bfcf345b70e6a4e570750c93"]' },
    { when: "an id that is a path", text: JSON.stringify([{ ...rule, id: ".." }]) },
    { when: "no id", text: JSON.stringify([{ ref: rule.ref, key: rule.key }]) },
    { when: "no ref", text: JSON.stringify([{ ...rule, ref: "" }]) },
    { when: "no key", text: JSON.stringify([{ ...rule, key: 1 }]) },
    {
      when: "one that is whole and one that is not",
      text: JSON.stringify([rule, { ...rule, ref: null }]),
    },
  ])("are none where the text is $when", ({ text }, { expect }) => {
    expect(adoptedRules.decode(text)).toEqual([]);
  });
});

describe("a state that a version stored which knew no kinds of rules", () => {
  it("keeps the times of corrections, under the keys of today", ({ expect }) => {
    const stored = JSON.stringify({ "rule/owasp action": [1, 2], "policy/rule/x value": [3] });
    expect(corrections.decode(stored)).toEqual(
      new Map([
        ["managed_rule/owasp action", [1, 2]],
        ["policy/rule/x value", [3]],
      ]),
    );
  });

  it("keeps the authors of drift", ({ expect }) => {
    const stored = JSON.stringify({
      "rule/owasp": { drift: "d1", authors: [] },
      "setting/enabled": { drift: "d2", authors: [] },
      "ruler/owasp": { drift: "d3", authors: [] },
    });
    expect(authors.decode(stored)).toEqual(
      new Map([
        ["managed_rule/owasp", { drift: "d1", authors: [] }],
        ["setting/enabled", { drift: "d2", authors: [] }],
      ]),
    );
  });
});

describe("who made drift", () => {
  it("is known after a restart, with all that is said of the change", ({ expect }) => {
    const alice = {
      kind: "person",
      name: "alice@example.com",
      context: "dash",
      at: new Date("2026-11-20T08:15:00Z"),
      method: "PATCH",
      path: "/zones/1/rulesets/2",
      ray: "8f2a",
      isCertain: true,
      fields: ["action"],
    } as const;
    const found = new Map([["managed_rule/owasp", { drift: "d1", authors: [alice] }] as const]);
    expect(authors.decode(authors.encode(found))).toEqual(found);
  });
});

describe("what a term passes on to the next", () => {
  const write = {
    method: "PUT",
    path: "/zones/z1/page_shield",
    sentAt: at(1),
    endedAt: at(2),
    isAnswered: true,
    ray: "8f2a",
    entryId: "e1",
  };
  const term: FormerTerm = { since: at(0), until: at(9), writes: [write], elsewhere: ["e2"] };

  /** The stored term with another value. */
  function storedWith(more: object): string {
    return JSON.stringify({ ...term, ...more });
  }

  it("comes back as it was", ({ expect }) => {
    expect(formerTerm.decode(formerTerm.encode(term))).toEqual(term);
    expect(formerTerm.decode(formerTerm.encode(undefined))).toBeUndefined();
  });

  it("has no write under way: the process has ended", ({ expect }) => {
    const { endedAt: _endedAt, ...open } = { ...write, isAnswered: false, ray: "", entryId: "" };
    const stored = storedWith({ writes: [open], elsewhere: undefined });
    const writes = [{ ...open, endedAt: at(1) }];
    expect(formerTerm.decode(stored)).toEqual({ ...term, writes, elsewhere: [] });
  });

  it.for([
    { when: "no JSON", stored: "{" },
    { when: "without its begin", stored: storedWith({ since: undefined }) },
    { when: "without its end", stored: storedWith({ until: "yesterday" }) },
    { when: "without writes", stored: storedWith({ writes: undefined }) },
    { when: "with a text for a write", stored: storedWith({ writes: [write, "PUT"] }) },
    {
      when: "with a write of no method",
      stored: storedWith({ writes: [{ ...write, method: "" }] }),
    },
    { when: "with a write of no path", stored: storedWith({ writes: [{ ...write, path: 1 }] }) },
    {
      when: "with a write of no moment",
      stored: storedWith({ writes: [write, { ...write, sentAt: null }] }),
    },
  ])("is not known where the text is $when", ({ stored }, { expect }) => {
    expect(formerTerm.decode(stored)).toBeUndefined();
  });
});

describe("where objects stand on their steps, in the state", () => {
  const waiting: StepState = {
    of: "0d7b1c2e",
    step: "log",
    isLive: true,
    since: Number(at(1)),
    elapsedMs: 3_600_000,
    isWatched: false,
    stop: undefined,
  };
  const stop = {
    declared: "allow",
    from: "allow",
    at: at(5),
    cause: { count: 130, requests: 20_000 },
  };
  const setBack: StepState = { ...waiting, elapsedMs: 0, since: undefined, stop };
  const held: StepState = {
    ...waiting,
    step: 2,
    isLive: false,
    isWatched: true,
    stop: { declared: "3", from: undefined, at: at(6), cause: { by: "mia" } },
  };
  const zone: ZoneSteps = {
    objects: new Map([
      ["policy/site", waiting],
      ["policy/checkout", setBack],
      ["managed_rule/owasp", held],
    ]),
    pausedBy: "mia",
  };

  /** The state of one object, stored with other values. */
  function decoded(more: object, from: StepState = waiting): StepState | undefined {
    const objects = { "policy/site": { ...from, ...more } };
    return steps.decode(JSON.stringify({ objects })).objects.get("policy/site");
  }

  it("comes back as it was", ({ expect }) => {
    expect(steps.decode(steps.encode(zone))).toEqual(zone);
    const running = { ...zone, pausedBy: undefined };
    expect(steps.decode(steps.encode(running))).toEqual(running);
    const paused = { objects: new Map(), pausedBy: "" };
    expect(steps.decode(steps.encode(paused))).toEqual(paused);
    expect(steps.decode(undefined)).toEqual({ objects: new Map(), pausedBy: undefined });
    expect(steps.encode({ objects: new Map(), pausedBy: undefined })).toBeUndefined();
  });

  it("is known of an object at its first moment, and at a step that is a number", ({ expect }) => {
    expect(decoded({ elapsedMs: 0 })).toEqual({ ...waiting, elapsedMs: 0 });
    expect(decoded({ step: 40 })).toEqual({ ...waiting, step: 40 });
    const from40 = { ...setBack, stop: { ...stop, from: 40 } };
    expect(decoded(from40)).toEqual(from40);
  });

  it.for<{ readonly more: object }>([
    { more: { of: 7 } },
    { more: { step: null } },
    { more: { elapsedMs: -1 } },
    { more: { elapsedMs: "3600000" } },
    { more: { isLive: "yes" } },
    { more: { isWatched: undefined } },
    { more: { since: "2026-11-21" } },
    { more: { stop: { ...stop, declared: 3 } } },
    { more: { stop: { ...stop, at: "yesterday" } } },
    { more: { stop: { ...stop, from: ["allow"] } } },
    { more: { stop: { ...stop, cause: { count: "130", requests: 20_000 } } } },
    { more: { stop: { ...stop, cause: { count: 130 } } } },
    { more: { stop: "set back" } },
  ])("is not known of an object whose state has $more", ({ more }, { expect }) => {
    expect(decoded(more)).toBeUndefined();
  });

  it("is known of each object that can be read", ({ expect }) => {
    const objects = { "policy/site": waiting, "policy/broken": { step: 1 }, "cookie/a": waiting };
    const stored = JSON.stringify({ paused: ["mia"], objects });
    expect(steps.decode(stored)).toEqual({
      objects: new Map([["policy/site", waiting]]),
      pausedBy: undefined,
    });
  });
});

describe("values in the state", () => {
  const labelsOfShop = { team: "payments", tier: "gold" };
  const names = ["shop.example", "blog.example"];

  it("come back as they were", ({ expect }) => {
    expect(plainText.decode(plainText.encode("a b"))).toBe("a b");
    expect(texts.decode(texts.encode(names))).toEqual(names);
    expect(date.decode(date.encode(at(3)))).toEqual(at(3));
    const times = new Map([["shop.example", 1_795_000_000_000]]);
    expect(moments.decode(moments.encode(times))).toEqual(times);
    expect(labels.decode(labels.encode(labelsOfShop))).toEqual(labelsOfShop);
  });

  it("take no key where they are empty", ({ expect }) => {
    expect([date.encode(undefined), moments.encode(new Map()), labels.encode({})]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.for([undefined, "", "{", "[]", "null"])(
    "are empty where %j is stored",
    (stored, { expect }) => {
      expect(date.decode(stored)).toBeUndefined();
      expect(texts.decode(stored)).toEqual([]);
      expect(moments.decode(stored)).toEqual(new Map());
      expect(labels.decode(stored)).toEqual({});
      expect(corrections.decode(stored)).toEqual(new Map());
      expect(authors.decode(stored)).toEqual(new Map());
    },
  );

  it("are left out where one of them is of another type", ({ expect }) => {
    expect(moments.decode('{"a":1,"b":"2","c":null}')).toEqual(new Map([["a", 1]]));
    expect(labels.decode('{"team":"payments","tier":1}')).toEqual({ team: "payments" });
    expect(corrections.decode('{"policy/a value":[1,"2",3],"policy/b value":4}')).toEqual(
      new Map([
        ["policy/a value", [1, 3]],
        ["policy/b value", []],
      ]),
    );
  });
});
