import { describe, it } from "vitest";

import { MemoryStore } from "../../src/memory/memory-store.ts";
import { storedRollout, storeRollout } from "../../src/memory/stored-rollout.ts";
import { StoredRuns } from "../../src/memory/stored-runs.ts";
import type { StoredRollout } from "../../src/reconcile/fleet/desired-fleet.ts";
import { damagedIn } from "../support/damaged-in.ts";
import { named } from "../support/reports.ts";

const [shop, blog, news] = [named("shop.example"), named("blog.example"), named("news.example")];

const rollout: StoredRollout = {
  revision: "1b23e5f4",
  waiting: new Map([
    [shop, "5a40679f"],
    [blog, ""],
  ]),
  gone: new Map([
    [
      shop,
      {
        former: "0d7b1c2e",
        hash: "",
        origin: "4c11d0aa",
        appliedAt: 1_795_000_000_000,
        changed: ["policy/checkout", "managed_rule/owasp"],
      },
    ],
    [news, { former: "", hash: "5a40679f", origin: "", appliedAt: undefined, changed: [] }],
  ]),
};

/** A store that counts what is written. */
class CountingStore extends MemoryStore {
  readonly written: string[] = [];

  override set(key: string, text: string | undefined): void {
    if (this.get(key) !== text) this.written.push(key);
    super.set(key, text);
  }
}

function storeWith(value: StoredRollout = rollout): CountingStore {
  const store = new CountingStore();
  storeRollout(store, value);
  store.written.length = 0;
  return store;
}

describe("a rollout in the state", () => {
  it("comes back as it was", ({ expect }) => {
    const store = storeWith();
    expect(storedRollout(store, rollout.revision)).toEqual(rollout);
    expect(damagedIn(store)).toEqual([]);
  });

  it("in which nothing waits is not the same as none", ({ expect }) => {
    const over: StoredRollout = { revision: "1b23e5f4", waiting: new Map(), gone: new Map() };
    const store = storeWith();
    storeRollout(store, over);
    expect(storedRollout(store, over.revision)).toEqual(over);
    expect(storedRollout(new MemoryStore(), over.revision)).toBeUndefined();
  });

  it("is not that of another revision", ({ expect }) => {
    expect(storedRollout(storeWith(), "5a40679f")).toBeUndefined();
  });

  it("writes of its zones only the one that has changed", ({ expect }) => {
    const store = storeWith();
    storeRollout(store, rollout);
    expect(store.written).toEqual([]);
    storeRollout(store, { ...rollout, waiting: new Map([...rollout.waiting, [shop, ""]]) });
    expect(store.written).toEqual([`wave/${shop}`]);
  });

  it("forgets a zone that neither waits nor went, and all when there is none", ({ expect }) => {
    const store = storeWith();
    storeRollout(store, { ...rollout, waiting: new Map([[shop, "5a40679f"]]) });
    expect(store.written.toSorted()).toEqual(["rollout", `wave/${blog}`]);
    storeRollout(store, undefined);
    expect(store.keys("")).toEqual([]);
  });

  it.for([
    { when: "no JSON", text: '{"waits":"5a' },
    { when: "of nothing", text: "{}" },
    { when: "a list", text: "[]" },
    { when: "a number for a hash", text: '{"waits":1}' },
    { when: "null for a hash", text: '{"waits":null}' },
    {
      when: "a text for a moment",
      text: '{"gone":{"former":"","hash":"","origin":"","at":"1","changed":[]}}',
    },
    {
      when: "without what was in force before",
      text: '{"gone":{"hash":"","origin":"","at":1,"changed":[]}}',
    },
    {
      when: "without what is in force now",
      text: '{"gone":{"former":"","origin":"","at":1,"changed":[]}}',
    },
    {
      when: "without what was in force first",
      text: '{"gone":{"former":"","hash":"","changed":[]}}',
    },
    { when: "without what was changed", text: '{"gone":{"former":"","hash":"","origin":""}}' },
    {
      when: "something for what was changed",
      text: '{"gone":{"former":"","hash":"","origin":"","changed":["all"]}}',
    },
    { when: "null for what went", text: '{"waits":"5a40679f","gone":null}' },
  ])("lets a zone wait of which it says $when", ({ text }, { expect }) => {
    const store = storeWith();
    store.set(`wave/${news}`, text);
    const { waiting, gone } = storedRollout(store, rollout.revision) ?? {};
    expect(waiting).toEqual(new Map([...rollout.waiting, [news, ""]]));
    expect([...(gone?.keys() ?? [])]).toEqual([shop]);
    expect(damagedIn(store)).toEqual([`wave/${news}`]);
  });

  it("is read where somebody wrote it in another form", ({ expect }) => {
    const store = storeWith();
    store.set(`wave/${news}`, '{ "waits": "5a40679f" }');
    expect(storedRollout(store, rollout.revision)?.waiting.get(news)).toBe("5a40679f");
    expect(damagedIn(store)).toEqual([]);
  });

  it("is not known where the key of a zone is gone", ({ expect }) => {
    const store = storeWith();
    store.set(`wave/${blog}`, undefined);
    expect(storedRollout(store, rollout.revision)).toBeUndefined();
  });

  it("lets a zone wait whose key was added, and forgets that with the next change", ({
    expect,
  }) => {
    const store = storeWith();
    store.set(
      "wave/NEW.example",
      '{"gone":{"former":"","hash":"","origin":"","at":1,"changed":[]}}',
    );
    store.set("wave/..", "{}");
    const waiting = storedRollout(store, rollout.revision)?.waiting;
    expect(waiting).toEqual(new Map([...rollout.waiting, [named("new.example"), ""]]));
    storeRollout(store, rollout);
    expect(store.keys("wave/").toSorted()).toEqual(
      [blog, news, shop].map((name) => `wave/${name}`),
    );
  });

  it.for([
    { when: "no JSON", text: "{" },
    { when: "without the active revision", text: '{"zones":3}' },
    { when: "without the number of zones", text: '{"revision":"1b23e5f4"}' },
    { when: "with a text for a number", text: '{"revision":"1b23e5f4","zones":"3"}' },
  ])("is not known where its own key is $when", ({ text }, { expect }) => {
    const store = storeWith();
    store.set("rollout", text);
    expect(storedRollout(store, rollout.revision)).toBeUndefined();
    expect(damagedIn(store)).toEqual(["rollout"]);
  });
});

describe("a halt in the state", () => {
  it.for([
    { revision: "1b23e5f4", halt: "paused" },
    { revision: "1b23e5f4", halt: "aborted" },
    undefined,
  ] as const)("comes back as it was: %j", (halt, { expect }) => {
    const store = storeWith();
    const runs = new StoredRuns(store);
    runs.setRolloutHalt({ revision: "5a40679f", halt: "paused" });
    runs.setRolloutHalt(halt);
    expect(new StoredRuns(store).rolloutHalt()).toEqual(halt);
    expect(damagedIn(store)).toEqual([]);
  });

  it("outlasts the rollout in the state", ({ expect }) => {
    const store = storeWith();
    const runs = new StoredRuns(store);
    const halt = { revision: "1b23e5f4", halt: "aborted" } as const;
    runs.setRolloutHalt(halt);
    storeRollout(store, undefined);
    expect(runs.rolloutHalt()).toEqual(halt);
  });

  it.for([
    { when: "no JSON", text: "{" },
    { when: "without a revision", text: '{"halt":"aborted"}' },
    { when: "of a revision without a name", text: '{"revision":"","halt":"aborted"}' },
    { when: "of a way that is not known", text: '{"revision":"1b23e5f4","halt":"later"}' },
    { when: "empty", text: "" },
  ])("counts as a pause if it is $when", ({ text }, { expect }) => {
    const store = storeWith();
    store.set("halt", text);
    expect(new StoredRuns(store).rolloutHalt()).toMatchObject({ halt: "paused" });
    expect(damagedIn(store)).toEqual(["halt"]);
  });
});
