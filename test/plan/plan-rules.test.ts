import { describe, it } from "vitest";

import { summaryOf } from "../../src/plan/change.ts";
import { coerceText } from "../../src/syntax/json.ts";
import type { LiveEntrypoint } from "../../src/zone/live-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import type { Rule } from "../../src/zone/resource.ts";
import { neighborOf, type RulePlace } from "../../src/zone/rule-place.ts";
import { isRulesetWrite, type Write } from "../../src/zone/write.ts";
import {
  absent,
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
  liveOurs,
  liveOwasp,
  liveUploads,
  owasp,
  plannedRules,
  type Situation,
  uploads,
} from "../support/planned.ts";

function placeText(place: RulePlace): string {
  const neighbor = neighborOf(place);
  return neighbor === "" ? "first" : `after ${neighbor}`;
}

/** A write in a line: its call, what it is about, and where. */
function requestText(write: Write): string {
  if (!("phase" in write) || isRulesetWrite(write)) return write.call;
  switch (write.call) {
    case "create-rule":
      return `POST ${coerceText(write.body["ref"])} ${placeText(write.position)}`;
    case "update-rule": {
      const body = Object.keys(write.body).length === 0 ? " (position only)" : "";
      return `PATCH ${write.id}${body}${write.position === null ? "" : ` ${placeText(write.position)}`}`;
    }
    case "delete-rule":
      return `DELETE ${write.id}`;
    case "create-entrypoint":
      return `POST ${write.phase}: ${write.rules.map(({ ref }) => coerceText(ref)).join(", ")}`;
    case "put-entrypoint":
      return `PUT ${write.rules.map(({ id, ref }) => coerceText(id) || `new ${coerceText(ref)}`).join(", ")}`;
  }
}

interface Sent extends Situation<Rule, LiveEntrypoint> {
  readonly sends: readonly string[];
}

const situations: readonly Sent[] = [
  {
    when: "nothing is declared and there is no entry point",
    given: declared([]),
    live: absent,
    yields: [],
    sends: [],
  },
  {
    when: "both sides agree",
    given: declared([uploads, owasp]),
    live: entrypoint(liveUploads, liveOwasp),
    yields: [],
    sends: [],
  },
  {
    when: "there is no entry point",
    given: declared([uploads, owasp]),
    live: absent,
    yields: ["+ managed_rule/owasp", "+ managed_rule/uploads"],
    sends: ["POST managed_rules: zonewarden:uploads, zonewarden:owasp"],
  },
  {
    when: "the entry point is empty and one rule is declared",
    given: declared([owasp]),
    live: entrypoint(),
    yields: ["+ managed_rule/owasp"],
    sends: ["POST zonewarden:owasp first"],
  },
  {
    when: "the entry point is empty and two rules are declared",
    given: declared([uploads, owasp]),
    live: entrypoint(),
    yields: ["+ managed_rule/owasp", "+ managed_rule/uploads"],
    sends: ["POST zonewarden:owasp first", "POST zonewarden:uploads first"],
  },
  {
    when: "one rule differs",
    given: declared([owasp]),
    live: entrypoint(
      foreign,
      liveDeployment("r1", { ref: "zonewarden:owasp", enabled: false }),
      foreignToo,
    ),
    yields: ["~ managed_rule/owasp (enabled)"],
    sends: ["PATCH r1"],
    leaves: ["f1", "f2"],
  },
  {
    when: "a new exception stands in front of a declared rule",
    given: declared([uploads, owasp]),
    live: entrypoint(foreign, liveOwasp),
    yields: ["+ managed_rule/uploads"],
    sends: ["POST zonewarden:uploads after f1"],
    leaves: ["f1"],
  },
  {
    when: "a new rule stands behind a declared one",
    given: declared([uploads, owasp]),
    live: entrypoint(liveUploads, foreign),
    yields: ["+ managed_rule/owasp"],
    sends: ["POST zonewarden:owasp after zonewarden:uploads"],
    leaves: ["f1"],
  },
  {
    when: "a new exception has no declared neighbour",
    given: declared([uploads]),
    live: entrypoint(foreign),
    yields: ["+ managed_rule/uploads"],
    sends: ["POST zonewarden:uploads first"],
    leaves: ["f1"],
  },
  {
    when: "a new deployment has no declared neighbour",
    given: declared([owasp]),
    live: entrypoint(foreign),
    yields: ["+ managed_rule/owasp"],
    sends: ["POST zonewarden:owasp after f1"],
    leaves: ["f1"],
  },
  {
    when: "a rule of ours is no longer declared",
    given: declared([owasp]),
    live: entrypoint(liveUploads, liveOwasp, foreign),
    yields: ["- managed_rule/uploads"],
    sends: ["DELETE r2"],
    leaves: ["f1"],
  },
  {
    when: "nothing is declared any more",
    given: declared([]),
    live: entrypoint(liveUploads, foreign, liveOwasp),
    yields: ["- managed_rule/uploads", "- managed_rule/owasp"],
    sends: ["DELETE r2", "DELETE r1"],
    leaves: ["f1"],
  },
  {
    when: "two declared rules changed places",
    given: declared([uploads, owasp]),
    live: entrypoint(foreign, liveOwasp, liveUploads),
    yields: ["~ managed_rule/owasp (position)"],
    sends: ["PATCH r1 (position only) after zonewarden:uploads"],
    leaves: ["f1"],
  },
  {
    when: "a rule differs and stands in the wrong place",
    given: declared([uploads, owasp]),
    live: entrypoint(liveOwasp, liveException("r2", "else", { ref: "zonewarden:uploads" })),
    yields: ["~ managed_rule/uploads (expression)", "~ managed_rule/owasp (position)"],
    sends: ["PATCH r2", "PATCH r1 (position only) after zonewarden:uploads"],
  },
  {
    when: "a rule differs and other ones stand in the wrong place",
    given: declared([uploads, exception("beta"), owasp]),
    live: entrypoint(
      liveDeployment("r1", { ref: "zonewarden:owasp", enabled: false }),
      liveException("r3", "beta", { ref: "zonewarden:beta" }),
      liveUploads,
    ),
    yields: ["~ managed_rule/beta (position)", "~ managed_rule/owasp (enabled, position)"],
    sends: ["PATCH r3 (position only) after zonewarden:uploads", "PATCH r1 after zonewarden:beta"],
  },
  {
    when: "a rule is new and others stand in the wrong place",
    given: declared([uploads, owasp, exception("beta")]),
    live: entrypoint(liveOwasp, liveUploads),
    yields: ["+ managed_rule/beta", "~ managed_rule/owasp (position)"],
    sends: [
      "POST zonewarden:beta after zonewarden:uploads",
      "PATCH r1 (position only) after zonewarden:uploads",
    ],
  },
  {
    when: "a rule goes and others stand in the wrong place",
    given: declared([uploads, owasp]),
    live: entrypoint(
      liveOwasp,
      liveException("r3", "beta", { ref: "zonewarden:beta" }),
      liveUploads,
    ),
    yields: ["- managed_rule/beta", "~ managed_rule/owasp (position)"],
    sends: ["DELETE r3", "PATCH r1 (position only) after zonewarden:uploads"],
  },
  {
    when: "several rules change places at once",
    given: declared([exception("a"), exception("b"), exception("c"), exception("d")]),
    live: entrypoint(...["d", "c", "b", "a"].map((key) => liveOurs(key))),
    yields: [
      "~ managed_rule/b (position)",
      "~ managed_rule/c (position)",
      "~ managed_rule/d (position)",
    ],
    sends: [
      "PATCH b (position only) after zonewarden:a",
      "PATCH c (position only) after zonewarden:b",
      "PATCH d (position only) after zonewarden:c",
    ],
  },
  {
    when: "one rule comes, one goes and one differs",
    given: declared([uploads, owasp]),
    live: entrypoint(
      foreign,
      liveException("r3", "beta", { ref: "zonewarden:beta" }),
      foreignToo,
      liveDeployment("r1", { ref: "zonewarden:owasp", enabled: false }),
    ),
    yields: ["~ managed_rule/owasp (enabled)", "- managed_rule/beta", "+ managed_rule/uploads"],
    sends: ["PATCH r1", "DELETE r3", "POST zonewarden:uploads after f2"],
    leaves: ["f1", "f2"],
  },
  {
    when: "undeclared rules are deleted",
    given: declared([uploads, owasp], "delete"),
    live: entrypoint(foreign, liveOwasp, foreignToo),
    yields: ["+ managed_rule/uploads", "- managed_rule/f1", "- managed_rule/f2"],
    sends: ["PUT new zonewarden:uploads, r1"],
  },
  {
    when: "undeclared rules are to be deleted, and there are none",
    given: declared([uploads, owasp], "delete"),
    live: entrypoint(liveUploads),
    yields: ["+ managed_rule/owasp"],
    sends: ["POST zonewarden:owasp after zonewarden:uploads"],
  },
];

describe("planning rules", () => {
  it.for(situations)("when $when", ({ given, live, yields, sends, leaves = [] }, { expect }) => {
    const { changes, writes, unmanaged, holds } = plannedRules(given, live);
    expect(holds).toEqual([]);
    expect(changes.map(summaryOf)).toEqual(yields);
    expect(writes.map(requestText)).toEqual(sends);
    expect(unmanaged.map(({ id }) => id)).toEqual(leaves);
  });

  it("plans around a thousand foreign rules with one small request", ({ expect }) => {
    const many = Array.from({ length: 1000 }, (_, n) =>
      liveRule(`f${n}`, { action: n % 2 === 0 ? "block" : "unheard_of" }),
    );
    const given = declared([uploads, owasp]);
    const live = entrypoint(...many.slice(0, 500), liveOwasp, ...many.slice(500));
    const { changes, writes, unmanaged } = plannedRules(given, live);
    expect(changes.map(summaryOf)).toEqual(["+ managed_rule/uploads"]);
    expect(writes.map(requestText)).toEqual(["POST zonewarden:uploads after f499"]);
    expect(unmanaged).toHaveLength(1000);
  });

  it("counts what it compared", ({ expect }) => {
    const gone = liveException("r3", "gone", { ref: "zonewarden:gone" });
    const ours = plannedRules(declared([owasp]), entrypoint(liveOwasp, gone, foreign));
    expect(ours.compared).toBe(2);
    const theirs = plannedRules(declared([uploads]), entrypoint(foreign, foreignToo));
    expect(theirs.compared).toBe(1);
  });

  it("tells from which place to which a rule moves among those that stay, counted from 1", ({
    expect,
  }) => {
    const gone = liveException("r3", "gone", { ref: "zonewarden:gone" });
    const live = entrypoint(gone, foreign, liveOwasp, liveUploads);
    const { changes } = plannedRules(declared([uploads, owasp]), live);
    const moves = changes.flatMap(({ key, fields }) =>
      fields.flatMap(({ field, before, after }) =>
        field === "position" ? [{ key, before, after }] : [],
      ),
    );
    expect(moves).toEqual([{ key: "managed_rule/owasp", before: 2, after: 3 }]);
  });

  it("tells a rule that it takes over from one that is ours", ({ expect }) => {
    const strict = deployment("owasp", { description: "Stricter" });
    const adopted = [liveOwasp, liveDeployment("r1", { ref: "made by hand" })].map((live) =>
      plannedRules(declared([strict]), entrypoint(live)).changes.map((change) =>
        change.verb === "update" ? change.adopted : undefined,
      ),
    );
    expect(adopted).toEqual([[false], [true]]);
  });

  it("says by which id the score rule is meant where the ruleset could not be read", ({
    expect,
  }) => {
    const tuned = deployment("owasp", { tuning: { ...owasp.tuning, scoreThreshold: 25 } });
    const scoreRule = { id: "s1", source: "documented", version: "" } as const;
    const { notes } = plannedRules(declared([tuned]), absent, { scoreRule });
    expect(notes).toEqual([
      "the OWASP ruleset could not be read: its score rule is taken by its documented id s1",
    ]);
  });
});

describe("what a plan says of rules", () => {
  it("is, of a rule that goes, all that it had", ({ expect }) => {
    const { changes } = plannedRules(declared([]), entrypoint(liveOwasp));
    expect(changes).toMatchObject([
      { verb: "delete", kind: "managed_rule", id: "r1", effect: { direction: "weakens" } },
    ]);
    const fields = changes.flatMap((change) => change.fields);
    expect(fields.map(({ field }) => field)).toContain("deploy");
    expect(fields.filter(({ after }) => after !== undefined)).toEqual([]);
  });

  it("is, of a rule that comes, all that it will have", ({ expect }) => {
    const { changes } = plannedRules(declared([owasp]), entrypoint());
    expect(changes).toMatchObject([
      { verb: "create", kind: "managed_rule", effect: { direction: "strengthens" } },
    ]);
    const fields = changes.flatMap((change) => change.fields);
    expect(fields.filter(({ before }) => before !== undefined)).toEqual([]);
  });

  it("is which rules are not ours", ({ expect }) => {
    const theirs = liveDeployment("f9", { ref: "by-hand" });
    const { unowned } = plannedRules(declared([owasp]), entrypoint(theirs));
    expect(unowned).toEqual([
      { kind: "managed_rule", key: "managed_rule/owasp", id: "f9", ref: "by-hand", title: "" },
    ]);
  });

  it("holds an exchange of the rulesets of two keys: no order of writes keeps both deployed", ({
    expect,
  }) => {
    const { cloudflare, owasp: core } = managedRulesets;
    const rules = [
      deployment("one", { ruleset: cloudflare }),
      deployment("two", { ruleset: core }),
    ];
    const live = [
      liveDeployment("r1", { ref: "zonewarden:one" }),
      liveDeployment("r2", {
        ref: "zonewarden:two",
        action_parameters: { id: cloudflare, version: "latest" },
      }),
    ];
    const { holds } = plannedRules(declared(rules), entrypoint(...live));
    expect(holds.map(({ reason }) => reason)).toEqual(["already_deployed", "already_deployed"]);
    for (const { message } of holds) expect(message).toContain("declare the ruleset under its key");
  });
});
