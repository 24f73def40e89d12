import { describe, it } from "vitest";

import { setting } from "../support/audited-changes.ts";
import { alice, Runs, writeOfSetting } from "../support/author-runs.ts";
import { at, done, failed, lost, skipped, withCause } from "../support/reports.ts";

const { key } = setting;
const bob = "bob@example.com";

/** The drift of the setting, where it is not known any more that it is drift. */
const [notKnown = setting] = withCause("unknown", [{ ...setting, causes: [] }]);

/** Somebody switches the setting off after a run saw it as declared, and the log tells of it. */
function edit(runs: Runs): void {
  runs.inSync(1);
  runs.read(3, writeOfSetting(2));
}

describe("an author is certain", () => {
  it.for<{
    readonly when: string;
    readonly told: (runs: Runs) => string;
    readonly yields: string;
  }>([
    {
      when: "the entry came after the resource was seen as declared",
      told: (runs) => {
        edit(runs);
        return runs.finds(4);
      },
      yields: alice,
    },
    {
      when: "the resource was never seen as declared: nobody",
      told: (runs) => {
        runs.read(3, writeOfSetting(2));
        return runs.finds(4);
      },
      yields: "",
    },
    {
      when: "the drift was corrected and is there again: nobody",
      told: (runs) => {
        edit(runs);
        runs.finds(4, done(key));
        return runs.finds(5);
      },
      yields: "",
    },
    {
      when: "somebody else wrote it again after the correction",
      told: (runs) => {
        edit(runs);
        runs.finds(4, done(key));
        runs.read(6, writeOfSetting(5, bob));
        return runs.finds(7);
      },
      yields: bob,
    },
    {
      when: "the entry of corrected drift comes late: nobody",
      told: (runs) => {
        runs.inSync(1);
        runs.finds(4, done(key));
        runs.read(5, writeOfSetting(2));
        return runs.finds(6);
      },
      yields: "",
    },
    {
      when: "the write was done, and the setting is off again at once: nobody",
      told: (runs) => {
        edit(runs);
        runs.finds(4, done(key), true);
        return runs.finds(5);
      },
      yields: "",
    },
    {
      when: "the answer to the write was lost: possible",
      told: (runs) => {
        edit(runs);
        runs.finds(4, lost(key));
        return runs.finds(5);
      },
      yields: `possibly ${alice}`,
    },
    {
      when: "the answer to the write was lost before the restart: possible",
      told: (runs) => {
        edit(runs);
        runs.finds(4, lost(key));
        runs.restart();
        return runs.finds(60);
      },
      yields: `possibly ${alice}`,
    },
    {
      when: "somebody wrote it after the answer to our write was lost: possible, both",
      told: (runs) => {
        edit(runs);
        runs.finds(4, lost(key));
        runs.read(6, writeOfSetting(5, bob));
        return runs.finds(7);
      },
      yields: `possibly ${alice}, possibly ${bob}`,
    },
    {
      when: "the write was refused",
      told: (runs) => {
        edit(runs);
        runs.finds(4, failed(key));
        return runs.finds(5, skipped("earlier_failure", key));
      },
      yields: alice,
    },
    {
      when: "the process was killed while it corrected the drift: nobody",
      told: (runs) => {
        edit(runs);
        runs.finds(4);
        runs.restart();
        return runs.authorsOf(notKnown);
      },
      yields: "",
    },
    {
      when: "another credential of ours corrected it, and it is there again: nobody",
      told: (runs) => {
        runs.inSync(1);
        runs.read(3, writeOfSetting(2), writeOfSetting(2.5, "ours", true));
        return runs.finds(4);
      },
      yields: "",
    },
    {
      when: "entries are known to be missing: possible",
      told: (runs) => {
        runs.inSync(1);
        runs.completeSince = at(2);
        runs.read(3, writeOfSetting(2));
        return runs.finds(4);
      },
      yields: `possibly ${alice}`,
    },
    {
      when: "entries were missing, and the resource was seen as declared after that",
      told: (runs) => {
        runs.completeSince = at(2);
        runs.inSync(3);
        runs.read(5, writeOfSetting(4));
        return runs.finds(6);
      },
      yields: alice,
    },
    {
      when: "there were more entries of the zone than are kept: possible",
      told: (runs) => {
        runs.inSync(1);
        const flood = Array.from({ length: 200 }, () => writeOfSetting(2.5));
        runs.read(3, writeOfSetting(2, bob), ...flood);
        return runs.finds(4);
      },
      yields: `possibly ${alice}`,
    },
  ])("when $when", ({ told, yields }, { expect }) => {
    expect(told(new Runs())).toBe(yields);
  });
});
