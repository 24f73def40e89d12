import { describe, it } from "vitest";

import { summaryOf } from "../../src/plan/change.ts";
import type { LiveEntrypoint } from "../../src/zone/live-zone.ts";
import { managedRulesets, owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import type { Rule } from "../../src/zone/resource.ts";
import {
  declared,
  deployment,
  entrypoint,
  exception,
  liveDeployment,
  liveException,
  liveRule,
} from "../support/model.ts";
import {
  foreign,
  foreignToo,
  liveOwasp,
  liveUploads,
  owasp,
  plannedRules,
  type Situation,
  uploads,
} from "../support/planned.ts";

const foreignSkip = liveException("f3", "elsewhere");
const theirs = liveException("t1", "uploads", { ref: "team-b:uploads" });

const situations: readonly Situation<Rule, LiveEntrypoint>[] = [
  {
    when: "somebody else deployed the managed ruleset",
    given: declared([owasp]),
    live: entrypoint(liveDeployment("f9", { enabled: false })),
    yields: ["~ managed_rule/owasp (enabled)"],
  },
  {
    when: "somebody else's deployment is as declared",
    given: declared([owasp]),
    live: entrypoint(liveDeployment("f9")),
    yields: [],
  },
  {
    when: "somebody else made an equal exception",
    given: declared([uploads]),
    live: entrypoint(liveException("f9", "uploads")),
    yields: [],
  },
  {
    when: "somebody else made an exception for something else",
    given: declared([uploads]),
    live: entrypoint(foreignSkip),
    yields: ["+ managed_rule/uploads"],
    leaves: ["f3"],
  },
  {
    when: "another owner made an equal exception",
    given: declared([uploads]),
    live: entrypoint(theirs),
    yields: ["+ managed_rule/uploads"],
    leaves: ["t1"],
  },
  {
    when: "a rule was renamed: its ref stays, since a new one would make a new rule",
    given: declared([deployment("core", { was: "owasp" })]),
    live: entrypoint(liveOwasp),
    yields: [],
  },
  {
    when: "a rule was renamed, and its former key is declared again",
    given: declared([exception("new", { was: "uploads" }), uploads]),
    live: entrypoint(liveUploads),
    yields: ["+ managed_rule/new"],
  },
  {
    when: "somebody else deployed another managed ruleset",
    given: declared([owasp]),
    live: entrypoint(
      liveDeployment("f9", {
        action_parameters: { id: managedRulesets.cloudflare, version: "latest" },
      }),
    ),
    yields: ["+ managed_rule/owasp"],
    leaves: ["f9"],
  },
  {
    when: "two rules say that they were the same one",
    given: declared([
      exception("a", { was: "uploads" }),
      exception("b", { was: "uploads", expression: "ssl" }),
    ]),
    live: entrypoint(liveUploads),
    yields: ["~ managed_rule/a (expression)", "+ managed_rule/b"],
  },
  {
    when: "a rule deploys another ruleset, and neither is one that the service names",
    given: declared([deployment("own", { ruleset: "b".repeat(32) })]),
    live: entrypoint(
      liveDeployment("r1", {
        ref: "zonewarden:own",
        action_parameters: { id: "a".repeat(32), version: "latest" },
      }),
    ),
    yields: ["~ managed_rule/own (deploy)"],
  },
  {
    when: "somebody made something else of our rule",
    given: declared([uploads]),
    live: entrypoint(
      liveRule("r2", {
        ref: "zonewarden:uploads",
        action: "block",
        expression: uploads.expression,
      }),
    ),
    yields: ["~ managed_rule/uploads (action, skip.ruleset, logging)"],
  },
  {
    when: "rules of nobody are live, and the zone says that they go",
    given: declared([owasp], "delete"),
    live: entrypoint(foreign, liveOwasp),
    yields: ["- managed_rule/f1"],
  },
  {
    when: "another owner's rule is live in a zone that wants everything else gone",
    given: declared([owasp], "delete"),
    live: entrypoint(theirs, foreign, liveOwasp),
    yields: ["- managed_rule/f1"],
    leaves: ["t1"],
  },
  {
    when: "the zone does not want to hear of what is not declared",
    given: declared([owasp], "ignore"),
    live: entrypoint(foreign, theirs, liveOwasp),
    yields: [],
  },
  {
    when: "a live rule of ours has a ref that a half-valid answer repeats",
    given: declared([owasp]),
    live: entrypoint(liveOwasp, liveRule("r8", { ref: "zonewarden:owasp", action: "log" })),
    yields: ["- managed_rule/r8"],
  },
];

describe("knowing live rules again", () => {
  it.for(situations)("when $when", ({ given, live, yields, leaves = [] }, { expect }) => {
    const { changes, unmanaged } = plannedRules(given, live);
    expect(changes.map(summaryOf)).toEqual(yields);
    expect(unmanaged.map(({ id }) => id)).toEqual(leaves);
  });

  it.for([
    { description: "Team B", name: "Team B" },
    { description: "", name: "team-b:owasp" },
  ])(
    "says that a managed ruleset is taken where a rule that stays deploys it already: $name",
    ({ description, name }, { expect }) => {
      const taken = liveDeployment("t9", { ref: "team-b:owasp", description });
      const { holds } = plannedRules(declared([owasp]), entrypoint(taken));
      expect(holds).toEqual([
        {
          reason: "already_deployed",
          message:
            `managed_rule/owasp deploys the managed ruleset ${owaspRulesetId}, but the live rule t9 (${name}) does so already, ` +
            "and a zone can deploy it once: delete that rule, or leave the ruleset to its owner",
        },
      ]);
    },
  );

  it("leaves a managed ruleset free of which another one is deployed", ({ expect }) => {
    const other = liveDeployment("t9", {
      ref: "team-b:x",
      action_parameters: { id: managedRulesets.cloudflare, version: "latest" },
    });
    expect(plannedRules(declared([owasp]), entrypoint(other)).holds).toEqual([]);
  });

  it("tells a rule without words by its ref", ({ expect }) => {
    const { unmanaged } = plannedRules(declared([]), entrypoint(foreign, foreignToo));
    expect(unmanaged).toEqual([
      { kind: "managed_rule", id: "f1", title: "f1" },
      { kind: "managed_rule", id: "f2", title: "By hand" },
    ]);
  });
});
