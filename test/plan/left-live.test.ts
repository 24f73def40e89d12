import { describe, it } from "vitest";

import { appliedText, appliedZoneIn } from "../../src/plan/cause/applied-zone.ts";
import { leftLiveNotes } from "../../src/plan/cause/left-live.ts";
import { after, found, inSync } from "../support/causes.ts";
import { carriedOut, declared, desiredZone, exception, policy } from "../support/model.ts";

const two = declared([policy("checkout"), policy("cart")]);
const rules = { managed_rules: declared([exception("uploads")]) };
const before = inSync({ policies: two, rules });

function notes(content: Parameters<typeof inSync>[0], applied = before): readonly string[] {
  return leftLiveNotes(desiredZone(content).content, applied);
}

describe("lists that are no longer declared", () => {
  it("are told with the names that were declared", ({ expect }) => {
    expect(notes({ rules })).toEqual([
      expect.stringMatching(
        /^the policies checkout, cart are no longer declared.*policies\.items as/,
      ),
    ]);
    expect(notes({ policies: two })).toEqual([
      expect.stringMatching(
        /^the managed rules uploads are no longer declared.*managed_rules\.rules as/,
      ),
    ]);
    expect(notes({})).toHaveLength(2);
    // An empty list is a declaration.
    expect(notes({ policies: declared([]), rules: { managed_rules: declared([]) } })).toEqual([]);
    // Without a memory, nothing is known.
    expect(leftLiveNotes(desiredZone({}).content, undefined)).toEqual([]);
  });

  it("stay known over runs and restarts, until they are declared again", ({ expect }) => {
    let applied = before;
    for (let run = 0; run < 3; run += 1) {
      applied = appliedZoneIn(appliedText(after(applied, { rules }, undefined))) ?? new Map();
    }
    expect(notes({ rules }, applied)).toHaveLength(1);
    const again = after(applied, { policies: declared([policy("cart")]), rules }, undefined);
    expect(notes({ rules }, again)).toEqual([expect.stringContaining("the policies cart are")]);
  });

  it("are pending where they are declared again: anybody may have edited them since", ({
    expect,
  }) => {
    const applied = after(before, { rules }, undefined);
    const live = { policies: [carriedOut("p1", policy("checkout"), { enabled: false })] };
    const content = { policies: declared([policy("checkout")]) };
    expect(found(applied, content, live)[0]).toMatch(/^policy\/checkout pending/);
  });
});
