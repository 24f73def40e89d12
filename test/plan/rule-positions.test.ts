import { describe, it } from "vitest";

import type { LiveRule } from "../../src/zone/live-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import type { Rule, RulePosition } from "../../src/zone/resource.ts";
import { neighborOf } from "../../src/zone/rule-place.ts";
import { declared, deployment, entrypoint, exception, liveException } from "../support/model.ts";
import {
  foreign,
  foreigners,
  foreignToo,
  liveOurs,
  liveOwasp,
  liveUploads,
  owasp,
  plannedRules,
  type RuleSituation,
  uploads,
} from "../support/planned.ts";

const cloudflare = deployment("cloudflare", { ruleset: managedRulesets.cloudflare });
const beta = exception("beta");

/** The rules around the place of one new rule: what is before it, and after it. */
function placeOf(rules: readonly Rule[], live: readonly LiveRule[]): unknown {
  const { writes } = plannedRules(declared(rules), entrypoint(...live));
  const [write, ...others] = writes;
  if (write?.call !== "create-rule" || others.length > 0) return writes;
  const { after, behind, before } = write.position;
  return [after, ...behind, before];
}

describe("the place of a new rule", () => {
  it.for<RuleSituation>([
    {
      when: "a deployment is declared before the first live rule",
      rules: [cloudflare, owasp],
      live: [liveOwasp, foreign],
      yields: ["", "zonewarden:owasp"],
    },
    {
      when: "a deployment is declared before a rule that is not the first",
      rules: [cloudflare, owasp],
      live: [foreign, liveOwasp],
      yields: ["f1", "zonewarden:owasp"],
    },
    {
      when: "it is declared between two rules with others between them",
      rules: [uploads, beta, owasp],
      live: [liveUploads, foreign, foreignToo, liveOwasp],
      yields: ["zonewarden:uploads", "f1"],
    },
    {
      when: "it is declared after the last of several",
      rules: [uploads, owasp, cloudflare],
      live: [foreign, liveUploads, liveOwasp, foreignToo],
      yields: ["zonewarden:owasp", "f2"],
    },
    {
      when: "an exception has no declared neighbour",
      rules: [beta],
      live: [foreign, foreignToo],
      yields: ["", "f1"],
    },
    {
      when: "a deployment has no declared neighbour",
      rules: [cloudflare],
      live: [foreign, foreignToo],
      yields: ["f2", ""],
    },
  ])("where $when", ({ rules, live, yields }, { expect }) => {
    expect(placeOf(rules, live)).toEqual(yields);
  });
});

/** The writes of a zone of which the rules moved: each with the rule that comes before its place. */
function movedBy(rules: readonly Rule[], live: readonly LiveRule[]): readonly string[] {
  return plannedRules(declared(rules), entrypoint(...live)).writes.map((write) =>
    "position" in write && write.position !== null
      ? `${write.changes.join()} after ${neighborOf(write.position)}`
      : `${write.call} ${write.changes.join()}`,
  );
}

function given(...rules: readonly (Rule | undefined)[]): readonly Rule[] {
  return rules.flatMap((rule) => rule ?? []);
}

describe("the fewest moves", () => {
  const live = ["a", "b", "c"].map((key) => liveOurs(key));
  const [a, b, c] = ["a", "b", "c"].map((key) => exception(key));
  const others = foreigners(2);

  it.for([
    {
      when: "the last becomes the first",
      rules: given(c, a, b),
      yields: ["managed_rule/c after "],
    },
    {
      when: "the first becomes the last",
      rules: given(b, c, a),
      yields: ["managed_rule/a after zonewarden:c"],
    },
    {
      when: "all turn round",
      rules: given(c, b, a),
      yields: ["managed_rule/b after zonewarden:c", "managed_rule/a after zonewarden:b"],
    },
    {
      when: "one comes and one moves",
      rules: given(b, a, c, beta),
      yields: ["managed_rule/a after zonewarden:b", "managed_rule/beta after zonewarden:c"],
    },
    {
      when: "one goes and one moves",
      rules: given(b, a),
      yields: ["managed_rule/a after zonewarden:b", "delete-rule managed_rule/c"],
    },
  ])("are made where $when", ({ rules, yields }, { expect }) => {
    expect(movedBy(rules, live)).toEqual(yields);
  });

  it("move a rule beside its declared neighbor, whatever stands between", ({ expect }) => {
    const [first, ...rest] = live;
    const mixed = [
      ...others.slice(0, 1),
      ...(first === undefined ? [] : [first]),
      ...others.slice(1),
      ...rest,
    ];
    expect(movedBy(given(b, c, a), mixed)).toEqual(["managed_rule/a after zonewarden:c"]);
    expect(movedBy(given(c, a, b), mixed)).toEqual(["managed_rule/c after f1"]);
  });
});

function at(key: string, position: RulePosition): Rule {
  return exception(key, { position });
}

describe("a declared position", () => {
  const others = foreigners(3);
  const [liveX, liveY] = [liveOurs("x"), liveOurs("y")];
  it.for<RuleSituation>([
    {
      when: "first, of two new rules",
      rules: [at("x", "first"), at("y", "first")],
      live: others,
      yields: ["managed_rule/x after ", "managed_rule/y after zonewarden:x"],
    },
    {
      when: "last, of two new rules around one that goes anywhere",
      rules: [at("x", "last"), exception("z"), at("y", "last")],
      live: others,
      yields: [
        "managed_rule/x after f3",
        "managed_rule/z after zonewarden:x",
        "managed_rule/y after zonewarden:z",
      ],
    },
    {
      when: "before a rule by its ref, of a rule behind it",
      rules: [at("x", { before: "f2" })],
      live: [...others, liveX],
      yields: ["managed_rule/x after f1"],
    },
    {
      when: "before a rule, of one that is before it anyway",
      rules: [at("x", { before: "f3" })],
      live: [liveX, ...others],
      yields: [],
    },
    {
      when: "after a rule, of two rules in the wrong order before it",
      rules: [at("x", { after: "f2" }), at("y", { after: "f2" })],
      live: [liveY, liveX, ...others],
      yields: ["managed_rule/x after f2", "managed_rule/y after zonewarden:x"],
    },
    {
      when: "after a rule, of two of which the second is there",
      rules: [at("x", { after: "f1" }), at("y", { after: "f1" })],
      live: [...others, liveY],
      yields: ["managed_rule/x after f3"],
    },
    {
      when: "before a rule of ours by its ref, which moves itself",
      rules: [at("x", { before: "zonewarden:y" }), at("y", "first")],
      live: [...others, liveX, liveY],
      yields: ["managed_rule/x after ", "managed_rule/y after zonewarden:x"],
    },
    {
      when: "first, of a rule declared after one without a position, which goes with it",
      rules: [exception("y"), at("x", "first")],
      live: [...others, liveY],
      yields: ["managed_rule/x after ", "managed_rule/y after "],
    },
    {
      when: "after a rule, of one declared before another without a position, which goes no further than it must",
      rules: [at("x", { after: "f1" }), exception("y")],
      live: [liveY, ...others],
      yields: ["managed_rule/y after f1", "managed_rule/x after f1"],
    },
    {
      when: "before a rule that stays in the next but one gap, of a new rule beside one with another position",
      rules: [at("z", "first"), at("x", { before: "f3" })],
      live: others,
      yields: ["managed_rule/z after ", "managed_rule/x after f2"],
    },
  ])("is $when", ({ rules, live, yields }, { expect }) => {
    expect(movedBy(rules, live)).toEqual(yields);
  });

  it.for([
    { when: "a renamed rule", was: "w", ref: "zonewarden:w" },
    { when: "an adopted rule", was: undefined, ref: "by-hand" },
  ])("may name $when, which keeps its ref, by its key", ({ was, ref }, { expect }) => {
    const rules = [at("x", { before: "zonewarden:y" }), { ...exception("y"), was }];
    const live = [liveException("w", "y", { ref }), ...others, liveX];
    const { writes, holds } = plannedRules(declared(rules), entrypoint(...live));
    expect(writes).toMatchObject([
      { call: "update-rule", id: "w", position: { after: "zonewarden:x", before: "" } },
    ]);
    expect(holds).toEqual([]);
  });

  it("of a rule that is nowhere holds the plan, and moves nothing", ({ expect }) => {
    const rules = [at("x", { before: "gone" }), at("y", { after: "zonewarden:x" })];
    const { writes, holds } = plannedRules(declared(rules), entrypoint(...others, liveX, liveY));
    expect(writes).toEqual([]);
    expect(holds).toEqual([
      {
        reason: "unplaced",
        message:
          "the position of managed_rule/x names gone, which is neither the ref or id of a live rule nor a declared key",
      },
    ]);
  });

  it.for<{ readonly rules: readonly Rule[]; readonly says: string }>([
    {
      rules: [at("x", { after: "f2" }), exception("z"), at("y", { before: "f1" })],
      says: 'the position of managed_rule/y (before f1) contradicts that of "x" (after f2), which the list has before it',
    },
    {
      rules: [at("x", "last"), at("y", "first")],
      says: 'the position of managed_rule/y (first) contradicts that of "x" (last), which the list has before it',
    },
    {
      rules: [at("x", { after: "zonewarden:y" }), exception("y")],
      says: 'the position of managed_rule/x names zonewarden:y, which is "y", and contradicts the order of the list',
    },
    {
      rules: [exception("x"), at("y", { before: "x" }), exception("z")],
      says: 'the position of managed_rule/y names x, which is "x", and contradicts the order of the list',
    },
  ])("against the order of the list holds the plan: $says", ({ rules, says }, { expect }) => {
    const { writes, holds } = plannedRules(declared(rules), entrypoint(...others, liveX, liveY));
    expect(writes.filter(({ call }) => call !== "create-rule")).toEqual([]);
    expect(holds).toEqual([{ reason: "unplaced", message: says }]);
  });

  it("beside a rule that the plan deletes holds it", ({ expect }) => {
    const { holds } = plannedRules(
      declared([at("x", { before: "f2" })], "delete"),
      entrypoint(...others, liveX),
    );
    expect(holds.map(({ reason }) => reason)).toEqual(["unplaced"]);
  });
});
