import { describe, it } from "vitest";

import { namesOfAuthors } from "../../src/plan/cause/author.ts";
import type { Change } from "../../src/plan/change.ts";
import { DriftAuthors, type FoundAuthors } from "../../src/reconcile/audit/drift-authors.ts";
import type { ActorStyle, AuditEntry } from "../../src/zone/audit-entry.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import * as audited from "../support/audited-changes.ts";
import { SimulatedClock } from "../support/clock.ts";
import { entrypoint, livePolicy, liveRule, liveZone } from "../support/model.ts";
import { at, type Came, done, named, planOf, report, withCause } from "../support/reports.ts";

const { policies, rules, shop, other, wrote } = audited;
const zone = named("shop.example.com");
const alice = "alice@example.com";

/** A live zone with one rule in this version. */
function withRule(version: number): LiveZone {
  return liveZone({ entrypoint: entrypoint(liveRule(shop, { version: `${version}` })) });
}

function withPolicies(...ids: readonly string[]): LiveZone {
  return liveZone({ policies: ids.map((id) => livePolicy(id)) });
}

/** The entry of an edit of the rule, which wrote what is live now. */
function editOfRule(minutes: number, who = alice): AuditEntry {
  return { ...wrote(who, "PATCH", `${rules}/${shop}`, audited.owasp), at: at(minutes) };
}

function deletionOf(id: string, minutes: number): AuditEntry {
  return { ...wrote(alice, "DELETE", `${policies}/${id}`), at: at(minutes) };
}

/** The entry of a write of the setting. */
function writeOfSetting(minutes: number, who = alice, enabled = false): AuditEntry {
  return { ...wrote(who, "PUT", `${audited.zone}/page_shield`, { enabled }), at: at(minutes) };
}

/** Runs of a zone and reads of its audit log, with what was live. */
class Runs {
  readonly clock = new SimulatedClock(at(0));
  style: ActorStyle | undefined = "full";
  /** Every save of authors, as keys with names. */
  readonly saved: (readonly string[])[] = [];
  /** Whether what was saved can be read again. */
  isKept = true;
  #found: ReadonlyMap<ResourceKey, FoundAuthors> = new Map();
  #authors = this.#newProcess();

  #newProcess(): DriftAuthors {
    const log = { isOwnToken: (id: string) => id === "id-of-ours", isCompleteSince: () => true };
    return new DriftAuthors(this.clock, log, () => this.style, {
      authors: () => (this.isKept ? this.#found : new Map()),
      setAuthors: (_zone, found) => {
        this.#found = found;
        this.saved.push(
          [...found].map(([key, { authors }]) => `${key} by ${namesOfAuthors(authors)}`),
        );
      },
    });
  }

  restart(): void {
    this.#authors = this.#newProcess();
  }

  keepOnly(...names: readonly string[]): void {
    this.#authors.keepOnly(new Set(names.map(named)));
  }

  /** The log is read. */
  read(minutes: number, ...entries: readonly AuditEntry[]): void {
    this.clock.step(Number(at(minutes)) - Number(this.clock.now()));
    this.#authors.note(zone, entries);
  }

  /** A run ends. */
  ends(minutes: number, came: Came, live?: LiveZone): void {
    this.#authors.record(report(zone, minutes, came), live);
  }

  inSync(minutes: number, live?: LiveZone): void {
    this.ends(minutes, { result: "in_sync" }, live);
  }

  /** The changes as a run explains them. */
  explain(changes: readonly Change[], live?: LiveZone): readonly Change[] {
    return this.#authors.explain(planOf(zone, changes), live).changes;
  }

  /** Who is named for the drift of one change. */
  authorsOf(change: Change, live?: LiveZone): string {
    const [found] = this.explain([change], live);
    return namesOfAuthors(found?.authors ?? []).replaceAll(" in the dashboard", "");
  }

  /** A run finds the drift of a change, names its authors, and leaves it. */
  leaves(minutes: number, change: Change, live?: LiveZone): void {
    const changes = this.explain([change], live);
    this.ends(minutes, { result: "held", cause: "drift", changes }, live);
  }

  /** A run finds the drift of a change and corrects it. */
  corrects(minutes: number, change: Change, live: LiveZone): void {
    const changes = this.explain([change], live);
    this.ends(
      minutes,
      { result: "applied", cause: "drift", changes, outcomes: [done(change.key)] },
      live,
    );
  }
}

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

  it("counts from before the drift while that is left", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(1, withRule(3));
    runs.read(3, editOfRule(2));
    runs.leaves(4, audited.rule, withRule(4));
    expect(runs.authorsOf(audited.rule, withRule(4))).toBe(alice);
    expect(runs.authorsOf(audited.rule, withRule(5))).toBe(`possibly ${alice}`);
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

  it("get none where the log is not followed", ({ expect }) => {
    const runs = new Runs();
    runs.style = undefined;
    expect(runs.explain([audited.setting])).toEqual([audited.setting]);
  });
});

/** The drift of the setting is left, with its author. */
function left(): Runs {
  const runs = new Runs();
  runs.inSync(1);
  runs.read(3, writeOfSetting(2));
  runs.leaves(4, audited.setting);
  return runs;
}

describe("authors of drift that was left", () => {
  it("are saved while the drift stands, and cleared once when it is gone", ({ expect }) => {
    const runs = left();
    expect(runs.saved).toEqual([[`setting/enabled by ${alice} in the dashboard`]]);
    runs.leaves(5, audited.setting);
    runs.inSync(6);
    runs.inSync(7);
    expect(runs.saved.slice(2)).toEqual([[]]);
  });

  it("are known as long as the process runs, though nothing is saved and the entries are gone", ({
    expect,
  }) => {
    const runs = left();
    runs.isKept = false;
    const flood = Array.from({ length: 200 }, (_, nth) => deletionOf(`${nth}`, 5));
    runs.read(6, ...flood);
    expect(runs.authorsOf(audited.setting)).toBe(alice);
  });

  it("are shown after a restart as the style is then", ({ expect }) => {
    const runs = left();
    runs.restart();
    expect(runs.authorsOf(audited.setting)).toBe(alice);
    runs.style = "masked";
    expect(runs.authorsOf(audited.setting)).toBe("a…@example.com");
    runs.style = "none";
    expect(runs.authorsOf(audited.setting)).toBe("a person");
  });

  it("are not those of other drift of the same resource", ({ expect }) => {
    const runs = left();
    runs.restart();
    const fields = [{ field: "value", before: "report-only", after: true }];
    expect(runs.authorsOf({ ...audited.setting, fields })).toBe("");
  });

  it("stay where a run fails, and are forgotten with the zone", ({ expect }) => {
    const runs = left();
    runs.ends(5, { result: "error" });
    runs.keepOnly(zone);
    expect(runs.authorsOf(audited.setting)).toBe(alice);
    runs.isKept = false;
    runs.keepOnly("blog.example.com");
    expect(runs.authorsOf(audited.setting)).toBe("");
    // The entries that explained it are forgotten too.
    runs.inSync(1);
    expect(runs.authorsOf(audited.setting)).toBe("");
  });
});
