import { describe, it } from "vitest";

import { explainChanges, explainLeft } from "../../src/plan/cause/explain.ts";
import { nextApplied } from "../../src/plan/cause/next-applied.ts";
import type { Change } from "../../src/plan/change.ts";
import { plan } from "../../src/plan/plan.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { carriedOut, declared, desiredZone, liveZone, owner, policy } from "../support/model.ts";

const checkout = policy("checkout");

/** A change with its causes; where it is an update, each with its fields. */
function causeText({ verb, key, causes }: Change): string {
  const texts = causes.map(({ cause, fields }) =>
    verb === "update" ? `${cause}(${fields.join(",")})` : cause,
  );
  return [key, ...texts].join(" ");
}

describe("what a run left", () => {
  const content = desiredZone({ policies: declared([checkout]) });
  const former = desiredZone({ policies: declared([{ ...checkout, enabled: false }]) });
  const proposal = plan(
    content,
    liveZone({ policies: [carriedOut("p1", checkout, { enabled: false, action: "allow" })] }),
    owner,
  );
  const { changes } = proposal;
  const planned = explainChanges(
    proposal,
    content.content,
    nextApplied(undefined, former.content, documentedScoreRuleId, []),
  );

  it("has the causes that it had", ({ expect }) => {
    expect(planned.map(causeText)).toEqual(["policy/checkout drift(action) pending(enabled)"]);
    expect(explainLeft(changes, planned, new Set()).map(causeText)).toEqual(planned.map(causeText));
  });

  it("is unknown where a write was to change it, or nothing was planned", ({ expect }) => {
    const unknown = ["policy/checkout unknown(action,enabled)"];
    const written = new Set(["policy/checkout"] as const);
    expect(explainLeft(changes, planned, written).map(causeText)).toEqual(unknown);
    expect(explainLeft(changes, [], new Set()).map(causeText)).toEqual(unknown);
  });
});
