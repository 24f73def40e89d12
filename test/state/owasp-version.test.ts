import { describe, it } from "vitest";

import { Fleet } from "../../src/state/fleet.ts";
import type { ZoneState } from "../../src/state/zone-state.ts";
import { at, declared, planOf, report } from "../support/reports.ts";

const shop = "shop.example";
const dayMinutes = 1_440;

/** A zone after looks of which each found a version of the OWASP ruleset, a day after the other. */
function after(...versions: readonly string[]): ZoneState {
  return afterLooks(versions.map((version, day) => ({ version, minute: day * dayMinutes })));
}

function afterLooks(
  found: readonly {
    readonly version: string;
    readonly minute: number;
    readonly notes?: readonly string[];
  }[],
): ZoneState {
  const fleet = new Fleet();
  const looks = found.map(({ version, minute, notes = [] }) => {
    const base = report(shop, minute, { result: "in_sync" });
    return {
      ...base,
      result: "in_sync",
      plan: { ...planOf(shop), owaspVersion: version, notes },
    } as const;
  });
  const [first] = looks;
  if (first !== undefined) {
    fleet.declare([declared(first.zone)], at(0));
  }
  for (const look of looks) fleet.recordZone(look);
  const state = fleet.zone(shop);
  if (state === undefined) throw new Error("the zone is not declared");
  return state;
}

describe("the OWASP ruleset of a zone", () => {
  it("is known once tuning was planned by it", ({ expect }) => {
    expect(after("").owasp).toBeUndefined();
    expect(after("36", "36").owasp).toEqual({ version: "36", moved: undefined });
    expect(after("36", "36").notes).toEqual([]);
  });

  it("is noted for a week after its version changed", ({ expect }) => {
    const moved = after("36", "37");
    expect(moved.owasp).toEqual({ version: "37", moved: { from: "36", at: at(dayMinutes) } });
    const day = at(dayMinutes).toISOString().slice(0, 10);
    const note = `the OWASP ruleset changed from version 36 to 37 on ${day}: its rules may have changed`;
    expect(moved.notes).toEqual([note]);
    const noted = { version: "37", minute: dayMinutes, notes: ["a rule has no name"] };
    expect(afterLooks([{ version: "36", minute: 0 }, noted]).notes).toEqual([...noted.notes, note]);
    expect(after("36", ...Array.from({ length: 8 }, () => "37")).notes).toEqual([note]);
    expect(after("36", ...Array.from({ length: 9 }, () => "37")).notes).toEqual([]);
  });

  it.for([
    { when: "a week", ms: 0, notes: 1 },
    { when: "a millisecond more than a week", ms: 1, notes: 0 },
  ])("has $notes notes of a change after $when", ({ ms, notes }, { expect }) => {
    const moved = [
      { version: "36", minute: 0 },
      { version: "37", minute: 3 },
    ];
    const last = { version: "37", minute: 3 + 7 * dayMinutes + ms / 60_000 };
    expect(afterLooks([...moved, last]).notes).toHaveLength(notes);
  });

  it("stays known while it cannot be read", ({ expect }) => {
    expect(after("36", "", "37").owasp?.moved).toEqual({ from: "36", at: at(2 * dayMinutes) });
    expect(after("36", "37", "").notes).toEqual([]);
  });
});
