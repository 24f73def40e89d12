import { describe, it } from "vitest";

import { declared, entrypoint, exception, liveDeployment, skipNothing } from "../support/model.ts";
import { foreignToo, liveOwasp, owasp, plannedRules } from "../support/planned.ts";

describe("what a plan says of rules", () => {
  it("is, of a rule that goes, all that it had", ({ expect }) => {
    const { changes } = plannedRules(declared([]), entrypoint(liveOwasp));
    expect(changes).toMatchObject([
      { verb: "delete", kind: "rule", id: "r1", effect: { direction: "weakens" } },
    ]);
    const fields = changes.flatMap((change) => change.fields);
    expect(fields.map(({ field }) => field)).toContain("deploy");
    expect(fields.filter(({ after }) => after !== undefined)).toEqual([]);
  });

  it("is, of a rule that comes, all that it will have", ({ expect }) => {
    const { changes } = plannedRules(declared([owasp]), entrypoint());
    expect(changes).toMatchObject([
      { verb: "create", kind: "rule", effect: { direction: "strengthens" } },
    ]);
    const fields = changes.flatMap((change) => change.fields);
    expect(fields.filter(({ before }) => before !== undefined)).toEqual([]);
  });

  it("is which rules are not ours, and which are not declared", ({ expect }) => {
    const theirs = liveDeployment("f9", { ref: "by-hand" });
    const { unowned, unmanaged } = plannedRules(declared([owasp]), entrypoint(theirs, foreignToo));
    expect(unowned).toEqual([
      { kind: "rule", key: "rule/owasp", id: "f9", ref: "by-hand", title: "" },
    ]);
    expect(unmanaged).toEqual([{ kind: "rule", id: "f2", title: "By hand" }]);
  });

  it("names a rule that deploys the ruleset already by its ref, where it has no description", ({
    expect,
  }) => {
    const taken = liveDeployment("t9", { ref: "team-b:owasp" });
    const [hold] = plannedRules(declared([owasp]), entrypoint(taken)).holds;
    expect(hold?.message).toContain("the live rule t9 (team-b:owasp) does so already");
  });

  it("sends of an exception only what it skips", ({ expect }) => {
    const given = exception("beta", { skip: { ...skipNothing, phase: true } });
    const [write] = plannedRules(declared([given]), entrypoint()).writes;
    expect(write).toHaveProperty("body.action_parameters", { phase: "current" });
  });
});
