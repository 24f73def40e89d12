import { describe, it } from "vitest";

import { DriftAuthors, type FoundAuthors } from "../../src/audit/drift-authors.ts";
import { namesOfAuthors } from "../../src/plan/cause/author.ts";
import type { Cause } from "../../src/plan/change.ts";
import type { Outcome } from "../../src/state/run-report.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import { idOf, writeEntry } from "../support/audit-entries.ts";
import { SimulatedClock } from "../support/clock.ts";
import * as reports from "../support/reports.ts";

const { at, done, failed, lost, skipped } = reports;

const zone = "shop.example.com";
const key = "setting/enabled";
const [alice, bob, ours] = ["alice@example.com", "bob@example.com", "our other token"] as const;

/** The drift of a setting that somebody switched off. */
const switchedOff = {
  ...reports.change(key, "strengthens", {
    fields: [{ field: "value", before: false, after: true }],
  }),
  id: "enabled",
};

/** Runs of a zone and reads of its audit log, each so many minutes after the start. */
class Story {
  readonly #clock = new SimulatedClock(at(0));
  #stored: ReadonlyMap<ResourceKey, FoundAuthors> = new Map();
  #authors = this.#newProcess();
  #completeSince = at(0);

  /** A run sees the zone in sync. It begins 1.2 s earlier. */
  inSync(minutes: number): void {
    this.#authors.record(reports.report(zone, minutes, { result: "in_sync" }), undefined);
  }

  /** The log is read; it has entries of writes at these minutes. */
  read(minutes: number, ...writes: readonly (readonly [string, number, boolean?])[]): void {
    this.#clock.step(Number(at(minutes)) - Number(this.#clock.now()));
    const entries = writes.map(([who, when, enabled = false]) => entryOf(who, at(when), enabled));
    this.#authors.note(reports.named(zone), entries);
  }

  /** Up to a moment, entries are known to be missing. */
  miss(minutes: number): void {
    this.#completeSince = at(minutes);
  }

  /** A run finds that the setting is off, and ends with the outcome; gives who is named. */
  findsDrift(minutes: number, outcome?: Outcome, left = outcome?.status !== "done"): string {
    return this.#finds("drift", minutes, outcome, left);
  }

  /** The process is killed; the next one finds that the setting is off. */
  findsAfterRestart(cause: Cause): string {
    this.#authors = this.#newProcess();
    return this.#finds(cause, 60, undefined, true);
  }

  #finds(cause: Cause, minutes: number, outcome: Outcome | undefined, isLeft: boolean): string {
    const found = reports.planOf(zone, reports.withCause(cause, [switchedOff]));
    const { changes } = this.#authors.explain(found, undefined);
    const left = isLeft ? [switchedOff] : [];
    const came =
      outcome === undefined
        ? ({ result: "held", cause, changes } as const)
        : ({ result: "applied", cause, changes, outcomes: [outcome], left } as const);
    this.#authors.record(reports.report(zone, minutes, came), undefined);
    return namesOfAuthors(changes.flatMap(({ authors = [] }) => authors)).replaceAll(
      " in the dashboard",
      "",
    );
  }

  #newProcess(): DriftAuthors {
    return new DriftAuthors(
      this.#clock,
      {
        isOwn: ({ actor }) => actor.tokenId === `id-of-${ours}`,
        isCompleteSince: (_account, moment) => moment >= this.#completeSince,
      },
      () => "full",
      {
        authors: (_zone: ZoneName) => this.#stored,
        setAuthors: (_zone, found) => {
          this.#stored = found;
        },
      },
    );
  }
}

/** An entry of a person, or of another credential of ours. */
function entryOf(who: string, when: Date, enabled: boolean): AuditEntry {
  const path = `/zones/${idOf(1)}/page_shield`;
  const id = `${who} ${when.toISOString()}`;
  return writeEntry({ who, id, at: when, method: "PUT", path, body: { enabled } });
}

describe("an author is certain", () => {
  it.for<{
    readonly when: string;
    readonly told: (story: Story) => string;
    readonly yields: string;
  }>([
    {
      when: "the entry came after the resource was seen as declared",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        return story.findsDrift(4);
      },
      yields: alice,
    },
    {
      when: "the entry came while the resource was read: possible",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 0.99]);
        return story.findsDrift(4);
      },
      yields: `possibly ${alice}`,
    },
    {
      when: "the entry came before the resource was seen as declared: nobody",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 0.9]);
        return story.findsDrift(4);
      },
      yields: "",
    },
    {
      when: "the resource was never seen as declared: nobody",
      told: (story) => {
        story.read(3, [alice, 2]);
        return story.findsDrift(4);
      },
      yields: "",
    },
    {
      when: "the drift was corrected and is there again: nobody",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4, done(key));
        return story.findsDrift(5);
      },
      yields: "",
    },
    {
      when: "somebody else wrote it again after the correction",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4, done(key));
        story.read(6, [bob, 5]);
        return story.findsDrift(7);
      },
      yields: bob,
    },
    {
      when: "the entry of corrected drift comes late: nobody",
      told: (story) => {
        story.inSync(1);
        story.findsDrift(4, done(key));
        story.read(5, [alice, 2]);
        return story.findsDrift(6);
      },
      yields: "",
    },
    {
      when: "the write was done, and the setting is off again at once: nobody",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4, done(key), true);
        return story.findsDrift(5);
      },
      yields: "",
    },
    {
      when: "the answer to the write was lost: possible",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4, lost(key));
        return story.findsDrift(5);
      },
      yields: `possibly ${alice}`,
    },
    {
      when: "the answer to the write was lost before the restart: possible",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4, lost(key));
        return story.findsAfterRestart("drift");
      },
      yields: `possibly ${alice}`,
    },
    {
      when: "somebody wrote it after the answer to our write was lost: possible, both",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4, lost(key));
        story.read(6, [bob, 5]);
        return story.findsDrift(7);
      },
      yields: `possibly ${alice}, possibly ${bob}`,
    },
    {
      when: "the write was refused",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4, failed(key));
        return story.findsDrift(5, skipped("earlier_failure", key));
      },
      yields: alice,
    },
    {
      when: "the same drift stands after a restart",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4);
        return story.findsAfterRestart("drift");
      },
      yields: alice,
    },
    {
      when: "the process was killed while it corrected the drift: nobody",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2]);
        story.findsDrift(4);
        return story.findsAfterRestart("unknown");
      },
      yields: "",
    },
    {
      when: "another credential of ours corrected it, and it is there again: nobody",
      told: (story) => {
        story.inSync(1);
        story.read(3, [alice, 2], [ours, 2.5, true]);
        return story.findsDrift(4);
      },
      yields: "",
    },
    {
      when: "entries are known to be missing: possible",
      told: (story) => {
        story.inSync(1);
        story.miss(2);
        story.read(3, [alice, 2]);
        return story.findsDrift(4);
      },
      yields: `possibly ${alice}`,
    },
    {
      when: "entries were missing, and the resource was seen as declared after that",
      told: (story) => {
        story.miss(2);
        story.inSync(3);
        story.read(5, [alice, 4]);
        return story.findsDrift(6);
      },
      yields: alice,
    },
    {
      when: "there were more entries of the zone than are kept: possible",
      told: (story) => {
        story.inSync(1);
        story.read(3, [bob, 2], ...Array.from({ length: 200 }, () => [alice, 2.5] as const));
        return story.findsDrift(4);
      },
      yields: `possibly ${alice}`,
    },
  ])("when $when", ({ told, yields }, { expect }) => {
    expect(told(new Story())).toBe(yields);
  });
});
