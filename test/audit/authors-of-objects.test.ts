import { describe, it } from "vitest";

import { idOf } from "../support/audit-entries.ts";
import * as audited from "../support/audited-changes.ts";
import {
  alice,
  deletionOf,
  editOfRule,
  Runs,
  withPolicies,
  withRule,
  writeOfSetting,
  zone,
} from "../support/author-runs.ts";
import { at, done, failed, lost, planOf, withCause } from "../support/reports.ts";

const { shop, other } = audited;

describe("the author of a rule", () => {
  it.for([
    { version: 4, yields: alice },
    { version: 5, yields: `possibly ${alice}` },
  ])(
    "that went from version 3 to $version with one entry is: $yields",
    ({ version, yields }, { expect }) => {
      const runs = new Runs();
      runs.inSync(1, withRule(3));
      runs.read(3, editOfRule(2));
      expect(runs.authorsOf(audited.rule, withRule(version))).toBe(yields);
    },
  );

  it("is compared with its version at the last run that read it", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1, withRule(3));
    runs.inSync(2, withRule(7));
    // A run that needed no live state leaves what is known.
    runs.inSync(3);
    runs.read(5, editOfRule(4));
    expect(runs.authorsOf(audited.rule, withRule(8))).toBe(alice);
    expect(runs.authorsOf(audited.rule, withRule(9))).toBe(`possibly ${alice}`);
  });

  it("is certain though we corrected the rule before, which is one version more", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1, withRule(3));
    runs.read(3, editOfRule(2));
    runs.corrects(4, audited.rule, withRule(4));
    runs.read(6, editOfRule(5));
    expect(runs.authorsOf(audited.rule, withRule(6))).toBe(alice);
    expect(runs.authorsOf(audited.rule, withRule(7))).toBe(`possibly ${alice}`);
  });

  it("is possible where what we wrote was not there afterwards: somebody wrote it again", ({
    expect,
  }) => {
    const runs = new Runs();
    runs.inSync(1, withRule(3));
    runs.read(3, editOfRule(2));
    const changes = runs.explain([audited.rule], withRule(4));
    const outcomes = [done(audited.rule.key)];
    const came = { result: "applied", cause: "drift", changes, outcomes, left: changes } as const;
    runs.ends(4, came, withRule(4));
    runs.read(6, editOfRule(5));
    expect(runs.authorsOf(audited.rule, withRule(6))).toBe(`possibly ${alice}`);
  });

  it("counts from before the drift while that is left", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1, withRule(3));
    runs.read(3, editOfRule(2));
    runs.leaves(4, audited.rule, withRule(4));
    expect(runs.authorsOf(audited.rule, withRule(4))).toBe(alice);
    expect(runs.authorsOf(audited.rule, withRule(5))).toBe(`possibly ${alice}`);
  });
});

describe("who moved a rule", () => {
  const fields = [{ field: "position", before: 1, after: 2 }];
  const moved = { ...audited.rule, fields, causes: [] };
  const [drifted = moved] = withCause("drift", [moved]);

  it.for([
    { to: "the same list", ruleset: audited.list, yields: `possibly ${alice}` },
    { to: "another list", ruleset: idOf(21), yields: "" },
  ])("is not who wrote to another list: $to", ({ ruleset, yields }, { expect }) => {
    const runs = new Runs();
    runs.inSync(1, withRule(3));
    const path = `${audited.zone}/rulesets/${ruleset}/rules/${other}`;
    runs.read(3, { ...audited.wrote(alice, "PATCH", path, { enabled: false }), at: at(2) });
    expect(runs.authorsOf(drifted, withRule(3))).toBe(yields);
  });
});

describe("who deleted a policy", () => {
  it.for([
    { when: "was the one that is gone", id: shop, before: [shop, other], yields: alice },
    { when: "was another", id: "f".repeat(32), before: [shop, other], yields: "" },
    {
      when: "is not known to have been there",
      id: shop,
      before: undefined,
      yields: `possibly ${alice}`,
    },
  ])("where what was deleted $when: $yields", ({ id, before, yields }, { expect }) => {
    const runs = new Runs();
    runs.inSync(1, before && withPolicies(...before));
    runs.read(3, deletionOf(id, 2));
    expect(runs.authorsOf(audited.deleted, withPolicies(other))).toBe(yields);
  });

  it("is possible where it is not known what is live now", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1, withPolicies(shop, other));
    runs.read(3, deletionOf(shop, 2));
    expect(runs.authorsOf(audited.deleted)).toBe(`possibly ${alice}`);
  });
});

describe("an entry of the setting, which a run saw as declared in the last 1.2 s of a minute", () => {
  const startedAt = 1 - 1.2 / 60;

  it.for([
    { when: "as the run began", minutes: startedAt, yields: "" },
    { when: "during the run", minutes: startedAt + 0.01, yields: `possibly ${alice}` },
    { when: "as the run ended", minutes: 1, yields: `possibly ${alice}` },
    { when: "after the run", minutes: 1.01, yields: alice },
  ])("$when names: $yields", ({ minutes, yields }, { expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    runs.read(3, writeOfSetting(minutes));
    expect(runs.authorsOf(audited.setting)).toBe(yields);
  });

  it.for([
    { ours: 1, yields: `possibly ${alice}` },
    { ours: 1.01, yields: "" },
  ])("is of no account where we wrote it in minute $ours: $yields", (given, { expect }) => {
    // The process knows what it wrote until the run ended; what was written later is of another process.
    const runs = new Runs();
    runs.inSync(1);
    runs.read(3, writeOfSetting(0.99), writeOfSetting(given.ours, "ours", true));
    expect(runs.authorsOf(audited.setting)).toBe(given.yields);
  });

  it("names nobody where another credential of ours wrote what was found", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    runs.read(3, writeOfSetting(1.01, "ours"));
    expect(runs.authorsOf(audited.setting)).toBe("");
  });

  it("counts from our last write where the setting was off again at once", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    const changes = [audited.setting];
    const outcomes = [done(audited.setting.key)];
    runs.ends(4, { result: "applied", cause: "drift", changes, outcomes, left: changes });
    runs.read(6, writeOfSetting(3.99, "bob@example.com"), writeOfSetting(5));
    expect(runs.authorsOf(audited.setting)).toBe(alice);
  });
});

describe("drift is explained by entries since", () => {
  const { setting } = audited;
  const changes = [setting];
  const bob = "bob@example.com";

  it("the run that corrected it, though they came during that run", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    runs.ends(4, { result: "applied", cause: "drift", changes, outcomes: [done(setting.key)] });
    runs.read(6, writeOfSetting(3.99));
    expect(runs.authorsOf(setting)).toBe("");
  });

  it("the last run that found the files changed and not the zone", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    const pending = withCause("pending", [{ ...setting, causes: [] }]);
    runs.ends(2, { result: "held", cause: "pending", changes: pending });
    runs.read(3, writeOfSetting(1.5));
    expect(runs.authorsOf(setting)).toBe("");
  });

  it("before a write that was refused", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    runs.read(3, writeOfSetting(2));
    const outcomes = [failed(setting.key)];
    runs.ends(4, { result: "applied", cause: "drift", changes, outcomes, left: changes });
    runs.read(6, writeOfSetting(5, bob));
    expect(runs.authorsOf(setting)).toBe(`possibly ${alice}, possibly ${bob}`);
  });

  it("never, where it was not seen as declared and the answer to our write was lost", ({
    expect,
  }) => {
    const runs = new Runs();
    const outcomes = [lost(setting.key)];
    runs.ends(4, { result: "applied", cause: "drift", changes, outcomes, left: changes });
    runs.read(6, writeOfSetting(5));
    expect(runs.authorsOf(setting)).toBe("");
  });
});

describe("changes that are explained", () => {
  it("get authors only where they are drift", ({ expect }) => {
    const runs = new Runs();
    const pending = withCause("pending", [{ ...audited.setting, causes: [] }]);
    const [unknown, ...others] = runs.explain([
      ...withCause("unknown", [{ ...audited.setting, causes: [] }]),
      audited.setting,
      ...pending,
    ]);
    expect(unknown).toHaveProperty("authors", []);
    expect(others.map((each) => "authors" in each)).toEqual([true, false]);
  });

  it("get authors where only a part of them is drift", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1);
    runs.read(3, writeOfSetting(2));
    const causes = [
      { cause: "pending", fields: ["other"] },
      { cause: "drift", fields: ["value"] },
    ] as const;
    expect(runs.authorsOf({ ...audited.setting, causes })).toBe(alice);
  });

  it("leave the rest of their plan as it is", ({ expect }) => {
    const plan = { ...planOf(zone, [audited.setting]), notes: ["a note"], owaspVersion: "87" };
    const { changes, ...rest } = new Runs().explainPlan(plan);
    expect(changes).toHaveLength(1);
    expect({ ...rest, changes: plan.changes }).toEqual(plan);
  });

  it("get none where the log is not followed", ({ expect }) => {
    const runs = new Runs();
    runs.style = undefined;
    expect(runs.explain([audited.setting])).toEqual([audited.setting]);
  });
});
