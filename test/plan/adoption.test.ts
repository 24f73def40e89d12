import { describe, it } from "vitest";

import { adoptionIn } from "../../src/plan/adoption.ts";
import { type Change, summaryOf, type Update } from "../../src/plan/change.ts";
import { adoptedDeleteHold, byMarks, isAdoption } from "../../src/plan/ownership.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import {
  carriedOut,
  declared,
  desiredZone,
  liveException,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";
import { cart, checkout } from "../support/planned.ts";
import { change } from "../support/reports.ts";

const checkoutOfOthers = carriedOut("p1", checkout, { description: checkout.description });
const cartOff = carriedOut("p2", cart, { enabled: false });
const otherOff = carriedOut("p3", policy("other"), { enabled: false });

/** The plan that takes ownership of what is declared: these three policies. */
function adopting(...live: readonly LivePolicy[]): Plan {
  const desired = desiredZone({ policies: declared([checkout, cart, policy("other")]) });
  return plan(desired, liveZone({ policies: live }), owner, { ...byMarks, adopt: true });
}

describe("the part of a plan that takes ownership", () => {
  it.for([
    {
      when: "is the whole plan",
      live: [checkoutOfOthers, carriedOut("p2", cart), carriedOut("p3", policy("other"))],
      notes: [],
    },
    {
      when: "stands beside one other change",
      live: [checkoutOfOthers, cartOff, carriedOut("p3", policy("other"))],
      notes: ["1 other change is not part of it"],
    },
    {
      when: "stands beside two other changes",
      live: [checkoutOfOthers, cartOff, otherOff],
      notes: ["2 other changes are not part of it"],
    },
  ])("has its own writes and no holds, where it $when", ({ live, notes }, { expect }) => {
    const whole: Plan = {
      ...adopting(...live),
      notes: ["a remark"],
      holds: [{ reason: "unsafe_order", message: "of other changes" }],
    };
    const part = adoptionIn(whole);
    expect(part.changes.map(summaryOf)).toEqual(["~ policy/checkout (owner)"]);
    expect(part.writes).toMatchObject([{ call: "update-policy", id: "p1" }]);
    expect(part.notes).toEqual(["a remark", ...notes]);
    expect(part.holds).toEqual([]);
  });
});

const ownerTaken = { field: "owner", before: undefined, after: owner };
const { adopted: _adopted, ...base } = update(true, []);
const deleted: Change = { ...base, verb: "delete", reason: "undeclared" };
const enabled = { field: "enabled", before: false, after: true };

describe("a change", () => {
  it.for<{ readonly what: string; readonly given: Change; readonly yields: boolean }>([
    {
      what: "an update that takes ownership",
      given: update(true, [ownerTaken]),
      yields: true,
    },
    { what: "an update of ours", given: update(false, [ownerTaken]), yields: false },
    { what: "one that changes more", given: update(true, [ownerTaken, enabled]), yields: false },
    { what: "one that changes other fields", given: update(true, [enabled]), yields: false },
    {
      what: "a delete of which no field is told",
      given: deleted,
      yields: false,
    },
  ])("only writes our mark, $yields: $what", ({ given, yields }, { expect }) => {
    expect(isAdoption(given)).toBe(yields);
  });
});

describe("the hold on the delete of an adopted rule", () => {
  it.for([
    { description: "Uploads of the shop", name: "Uploads of the shop" },
    { description: "", name: "uploads-by-hand" },
  ])(
    "names the live rule, with the description $description",
    ({ description, name }, { expect }) => {
      const live = liveException("r2", "uploads", { ref: "uploads-by-hand", description });
      expect(adoptedDeleteHold("managed_rule/uploads", live)).toEqual({
        reason: "adopted_delete",
        message: `managed_rule/uploads would be deleted, and the live rule r2 (${name}) has no mark: only the state says that it was adopted; declare it again`,
      });
    },
  );
});

function update(adopted: boolean, fields: Change["fields"]): Update {
  const { kind, key, title, effect, causes } = change("policy/checkout");
  return { verb: "update", id: "p1", adopted, kind, key, title, effect, causes, fields };
}
