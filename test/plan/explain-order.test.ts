import { describe, it } from "vitest";

import { uncertain } from "../../src/plan/cause/applied-zone.ts";
import { type ChangeOutcome, nextApplied } from "../../src/plan/cause/next-applied.ts";
import type { Change } from "../../src/plan/change.ts";
import { plan } from "../../src/plan/plan.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { RulePosition } from "../../src/zone/resource.ts";
import { after, found, inSync, known } from "../support/causes.ts";
import {
  block,
  declared,
  desiredZone,
  entrypoint,
  exception,
  liveException,
  liveRule,
  liveZone,
  owner,
} from "../support/model.ts";
import { liveOurs } from "../support/planned.ts";

const [a, b, c, d] = ["a", "b", "c", "d"].map((key) => exception(key));
const four = [a, b, c, d].filter((each) => each !== undefined);
const liveRules = ["a", "b", "c", "d"].map((key) => liveOurs(key));

function rulesNamed(keys: string): Partial<ZoneContent> {
  return {
    rules: {
      managed_rules: declared(
        Array.from(keys).flatMap((key) => four.filter((each) => each.key === key)),
      ),
    },
  };
}

function liveNamed(keys: string): Partial<LiveZone> {
  const rules = Array.from(keys).flatMap((key) => liveRules.filter((each) => each.id === key));
  return { entrypoints: { managed_rules: entrypoint(...rules) } };
}

describe("why rules are in another order", () => {
  it.for([
    { when: "somebody moved them", last: "abcd", file: "abcd", live: "acbd", cause: "drift" },
    { when: "the file moved them", last: "acbd", file: "abcd", live: "acbd", cause: "pending" },
    {
      when: "the file moved one and dropped one",
      last: "abcd",
      file: "bad",
      live: "abcd",
      cause: "pending",
    },
    {
      when: "the file moved two and somebody deleted the one between them",
      last: "bcad",
      file: "cabd",
      live: "bcd",
      cause: "pending",
    },
    { when: "both moved them", last: "bacd", file: "abcd", live: "acbd", cause: "drift pending" },
    {
      when: "somebody moved the last one",
      last: "abcd",
      file: "abcd",
      live: "dabc",
      cause: "drift",
    },
    {
      when: "the file moved the last one",
      last: "dabc",
      file: "abcd",
      live: "dabc",
      cause: "pending",
    },
    {
      when: "somebody moved the first one",
      last: "abcd",
      file: "abcd",
      live: "bcda",
      cause: "drift",
    },
    {
      when: "the file moved the first one",
      last: "bcda",
      file: "abcd",
      live: "bcda",
      cause: "pending",
    },
    {
      when: "somebody turned them round",
      last: "abcd",
      file: "abcd",
      live: "dcba",
      cause: "drift",
    },
    {
      when: "the file turned them round",
      last: "dcba",
      file: "abcd",
      live: "dcba",
      cause: "pending",
    },
  ])("where $when", ({ last, file, live, cause }, { expect }) => {
    const texts = found(inSync(rulesNamed(last)), rulesNamed(file), liveNamed(live));
    const moved = texts.filter((text) => text.includes("position"));
    expect(moved.length).toBeGreaterThan(0);
    for (const text of moved) {
      expect(text.replaceAll("(position)", "").replace(/^\S+ /, "")).toBe(cause);
    }
  });

  it.for([
    { when: "somebody moved it", last: "end", file: "end", live: "start", cause: "drift" },
    { when: "the file moved it", last: "start", file: "end", live: "start", cause: "pending" },
    { when: "both moved it", last: "start", file: "end", live: "middle", cause: "drift pending" },
  ] as const)(
    "is told of the rule that executes a custom ruleset, where $when",
    ({ last, file, live, cause }, { expect }) => {
      const rules = ["a", "b"].map((key) => block(key));
      const before = { start: "a", middle: "b", end: undefined };
      const contentWith = (place: keyof typeof before): Partial<ZoneContent> => {
        const position = before[place] === undefined ? undefined : { before: before[place] };
        const team = { ...block("team"), description: "Team", position, rules: [] };
        return { rules: { custom_rules: declared(rules) }, customRulesets: declared([team]) };
      };
      const refs = { start: ["t", "a", "b"], middle: ["a", "t", "b"], end: ["a", "b", "t"] };
      const id = "1".repeat(32);
      const execute = liveRule("t", {
        action: "execute",
        action_parameters: { id },
        expression: block("team").expression,
        ref: "zonewarden:custom_ruleset/team",
      });
      const liveRulesOf = refs[live].map((ref) =>
        ref === "t"
          ? execute
          : liveRule(ref, {
              action: "block",
              description: block(ref).description,
              expression: block(ref).expression,
              ref: `zonewarden:${ref}`,
            }),
      );
      const custom = {
        id,
        version: "1",
        name: "team",
        description: "Team [zonewarden:team]",
        rules: [],
      };
      const texts = found(inSync(contentWith(last)), contentWith(file), {
        entrypoints: { custom_rules: entrypoint(...liveRulesOf) },
        customRulesets: [custom],
      });
      expect(texts.length).toBeGreaterThan(0);
      for (const text of texts) {
        expect(text.replaceAll("(position)", "").replace(/^\S+ /, "")).toBe(cause);
      }
    },
  );

  it("is pending where only a rule that is new in the file stands between", ({ expect }) => {
    const texts = found(inSync(rulesNamed("bcd")), rulesNamed("abcd"), liveNamed("bacd"));
    expect(texts).toEqual(["managed_rule/b pending(position)"]);
  });

  it("tells it apart from what else differs", ({ expect }) => {
    const rules = ["c", "b", "a", "d"].map((key) => liveOurs(key, { enabled: key !== "b" }));
    const texts = found(inSync(rulesNamed("cbad")), rulesNamed("abcd"), {
      entrypoints: { managed_rules: entrypoint(...rules) },
    });
    expect(texts).toEqual([
      "managed_rule/c pending(position)",
      "managed_rule/b drift(enabled) pending(position)",
    ]);
  });

  it("leaves out a rule of which nothing is stored, also beside one called undefined", ({
    expect,
  }) => {
    const [named, byHand] = [exception("undefined"), exception("a")];
    const texts = found(
      inSync({ rules: { managed_rules: declared([named, ...four.slice(1, 2)]) } }),
      { rules: { managed_rules: declared([...four.slice(1, 2), named, byHand]) } },
      {
        entrypoints: {
          managed_rules: entrypoint(
            liveException("u", "undefined", { ref: "zonewarden:undefined" }),
            liveOurs("b"),
            liveException("a", "a", { ref: "by-hand" }),
          ),
        },
      },
    );
    expect(texts).toEqual(["managed_rule/undefined pending(position)"]);
  });

  it("is not known where the last order is not", ({ expect }) => {
    const applied = known(rulesNamed("abcd"), { "r/*": { position: uncertain } });
    const texts = found(applied, rulesNamed("abcd"), liveNamed("bacd"));
    expect(texts).toEqual(["managed_rule/b unknown(position)"]);
  });

  it("counts a renamed rule at the place of its former name", ({ expect }) => {
    const renamed = { ...exception("a"), key: "z", was: "a" };
    const content = { rules: { managed_rules: declared([...four.slice(1, 2), renamed]) } };
    const texts = found(inSync(rulesNamed("ab")), content, liveNamed("ab"));
    expect(texts).toEqual(["managed_rule/z pending(position)"]);
    const moved = found(
      inSync(rulesNamed("abc")),
      { rules: { managed_rules: declared([renamed, ...four.slice(1, 3)]) } },
      liveNamed("bac"),
    );
    expect(moved).toEqual(["managed_rule/b drift(position)"]);
  });
});

/** Rules in an order, some of them with positions. */
function placed(
  order: string,
  positions: Readonly<Record<string, RulePosition>>,
): Partial<ZoneContent> {
  const rules = Array.from(order).map((key) => exception(key, { position: positions[key] }));
  return { rules: { managed_rules: declared(rules) } };
}

/** Rules of ours by their letters, and foreign ones by their digits. */
function liveMixed(order: string): Partial<LiveZone> {
  const rules = Array.from(order).map((id) =>
    /\d/.test(id) ? liveRule(id, { action: "log" }) : liveOurs(id),
  );
  return { entrypoints: { managed_rules: entrypoint(...rules) } };
}

describe("why a rule is not where its position says", () => {
  const before2 = { b: { before: "2" }, c: { after: "2" } } as const;

  it.for<{
    readonly when: string;
    readonly last: Partial<ZoneContent>;
    readonly file: Partial<ZoneContent>;
    readonly live: string;
    readonly yields: readonly string[];
  }>([
    {
      when: "somebody moved a foreign rule past it",
      last: placed("abc", before2),
      file: placed("abc", before2),
      live: "2a1b3c",
      yields: ["managed_rule/a drift(position)", "managed_rule/b drift(position)"],
    },
    {
      when: "somebody moved it past a foreign rule",
      last: placed("abc", before2),
      file: placed("abc", before2),
      live: "1a2bc3",
      yields: ["managed_rule/b drift(position)"],
    },
    {
      when: "the file gave it another position",
      last: placed("abc", { b: { before: "3" }, c: { after: "2" } }),
      file: placed("abc", before2),
      live: "1a2bc3",
      yields: ["managed_rule/b pending(position)"],
    },
    {
      when: "the file gave one a position, and somebody moved another one",
      last: placed("abc", { c: { after: "2" } }),
      file: placed("abc", { ...before2, c: { after: "2" } }),
      live: "1ac2b3",
      yields: ["managed_rule/b pending(position)", "managed_rule/c drift(position)"],
    },
    {
      when: "the file gave the one behind it a position",
      last: placed("abc", {}),
      file: placed("abc", { b: "first" }),
      live: "1a2bc",
      yields: ["managed_rule/a pending(position)", "managed_rule/b pending(position)"],
    },
    {
      when: "the file put one with a position behind it",
      last: placed("cab", { c: "first" }),
      file: placed("acb", { c: "first" }),
      live: "c1a2b",
      yields: ["managed_rule/a pending(position)"],
    },
    {
      when: "somebody turned two of one position round",
      last: placed("abc", { a: "first", b: "first" }),
      file: placed("abc", { a: "first", b: "first" }),
      live: "ba1c",
      yields: ["managed_rule/b drift(position)"],
    },
    {
      when: "one that is new in the file has a position",
      last: placed("ab", {}),
      file: placed("acb", { c: "last" }),
      live: "1ab2",
      yields: ["managed_rule/b pending(position)", "managed_rule/c pending"],
    },
  ])("where $when", ({ last, file, live, yields }, { expect }) => {
    expect(found(inSync(last), file, liveMixed(live)).toSorted()).toEqual(yields);
  });

  it("is not known where the last position is not", ({ expect }) => {
    const file = placed("ab", { b: "first" });
    const applied = known(file, { "r/b": { position: uncertain } });
    expect(found(applied, file, liveMixed("1ab")).toSorted()).toEqual([
      "managed_rule/a unknown(position)",
      "managed_rule/b unknown(position)",
    ]);
  });

  it("is not known of one before it where the last order is not", ({ expect }) => {
    const file = placed("ab", { b: "first" });
    const applied = known(file, { "r/*": { position: uncertain } });
    expect(found(applied, file, liveMixed("1ab")).toSorted()).toEqual([
      "managed_rule/a unknown(position)",
      "managed_rule/b drift(position)",
    ]);
  });
});

const notDone = { result: "not_done", left: [] } as const;

/** Moves are done, the answer to a create was lost, and nothing is deleted. */
function outcomeOf(change: Change): ChangeOutcome {
  if (change.verb === "delete") return { change, ...notDone };
  return { change, result: change.verb === "create" ? "unknown" : "done", left: [] };
}

describe("why rules move past one that was not deleted and is declared again", () => {
  it("is pending where the file turned them round", ({ expect }) => {
    const last = after(inSync(rulesNamed("abcd")), rulesNamed("bcd"), liveNamed("abcd"), notDone);
    const texts = found(last, rulesNamed("bcad"), liveNamed("abcd"));
    expect(texts).toEqual(["managed_rule/a pending(position)"]);
  });

  it("is drift where somebody turned them round", ({ expect }) => {
    const last = after(inSync(rulesNamed("abcd")), rulesNamed("bcd"), liveNamed("abcd"), notDone);
    const texts = found(last, rulesNamed("abcd"), liveNamed("bcad"));
    expect(texts).toEqual(["managed_rule/a drift(position)"]);
  });

  it("is pending where it has a position", ({ expect }) => {
    const position = { b: { before: "2" } } as const;
    const live = liveMixed("1b2ac");
    const last = after(inSync(placed("bac", position)), placed("ac", {}), live, notDone);
    const texts = found(last, placed("abc", position), live);
    expect(texts).toEqual(["managed_rule/a pending(position)"]);
  });

  it("is not known where the last order was not", ({ expect }) => {
    const file = placed("abc", { b: { before: "2" } });
    const applied = known(file, { "r/*": { position: uncertain } });
    const live = liveMixed("1b2ac");
    const last = after(applied, placed("ac", {}), live, notDone);
    expect(found(last, file, live)).toEqual(["managed_rule/a unknown(position)"]);
  });

  it("is not known where others moved, or may have come, meanwhile", ({ expect }) => {
    for (const { order, again } of [
      { order: "cb", again: "cab" },
      { order: "bdc", again: "bdac" },
    ]) {
      const desired = desiredZone(rulesNamed(order));
      const { changes } = plan(desired, liveZone(liveNamed("abc")), owner);
      const outcomes = changes.map(outcomeOf);
      const before = inSync(rulesNamed("abc"));
      const last = nextApplied(before, desired.content, documentedScoreRuleId, outcomes);
      const texts = found(last, rulesNamed(again), liveNamed(`a${order}`));
      expect(texts).toEqual(["managed_rule/a unknown(position)"]);
    }
  });
});
