import { describe, it } from "vitest";

import {
  type AppliedZone,
  uncertain,
  uncertainResource,
} from "../../src/plan/cause/applied-zone.ts";
import { explainChanges } from "../../src/plan/cause/explain.ts";
import { nextApplied } from "../../src/plan/cause/next-applied.ts";
import type { Change } from "../../src/plan/change.ts";
import { plan } from "../../src/plan/plan.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import {
  carriedOut,
  declared,
  desiredZone,
  entrypoint,
  exception,
  liveException,
  livePolicy,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";

/** What is known of a zone after a run that found it in sync. */
function inSync(content: Partial<ZoneContent>): AppliedZone {
  return nextApplied(undefined, desiredZone(content).content, documentedScoreRuleId, []);
}

/** What is known, and in addition of some resources or fields something else. */
function known(
  content: Partial<ZoneContent>,
  more: Readonly<Record<string, Readonly<Record<string, string>>>>,
): AppliedZone {
  const applied = new Map(inSync(content));
  for (const [name, fields] of Object.entries(more)) {
    applied.set(name, new Map([...(applied.get(name) ?? []), ...Object.entries(fields)]));
  }
  return applied;
}

/** A change with its causes; where it is an update, each with its fields. */
function causeText({ verb, key, causes }: Change): string {
  const texts = causes.map(({ cause, fields }) =>
    verb === "update" ? `${cause}(${fields.join(",")})` : cause,
  );
  return [key, ...texts].join(" ");
}

function found(
  applied: AppliedZone | undefined,
  content: Partial<ZoneContent>,
  live: Partial<LiveZone>,
): readonly string[] {
  const desired = desiredZone(content);
  const { changes } = plan(desired, liveZone(live), owner);
  return explainChanges(changes, desired.content, applied).map(causeText);
}

const checkout = policy("checkout");

/** A digest has 18 bits: these two were searched for. */
const ofOneDigest = [
  policy("checkout", { value: "script-src a155.example" }),
  policy("checkout", { value: "script-src a216.example" }),
] as const;

const [a, b, c, d] = ["a", "b", "c", "d"].map((key) => exception(key));
const four = [a, b, c, d].filter((each) => each !== undefined);
const liveRules = ["a", "b", "c", "d"].map((key) =>
  liveException(key, key, { ref: `zonewarden:${key}` }),
);

function rulesNamed(keys: string): Partial<ZoneContent> {
  return {
    rules: declared(Array.from(keys).flatMap((key) => four.filter((each) => each.key === key))),
  };
}

function liveNamed(keys: string): Partial<LiveZone> {
  const rules = Array.from(keys).flatMap((key) => liveRules.filter((each) => each.id === key));
  return { entrypoint: entrypoint(...rules) };
}

describe("why a zone differs, by what was last applied", () => {
  const policies = declared([checkout]);
  const live = carriedOut("p1", checkout, { enabled: false });
  const enabled = [{ name: "enabled", value: true }] as const;

  it.for<{
    readonly when: string;
    readonly applied: AppliedZone | undefined;
    readonly content: Partial<ZoneContent>;
    readonly live: Partial<LiveZone>;
    readonly yields: readonly string[];
  }>([
    {
      when: "nothing is known",
      applied: undefined,
      content: { policies },
      live: { policies: [live] },
      yields: ["policy/checkout unknown(enabled)"],
    },
    {
      when: "the live value was changed",
      applied: inSync({ policies }),
      content: { policies },
      live: { policies: [live] },
      yields: ["policy/checkout drift(enabled)"],
    },
    {
      when: "the file was changed",
      applied: inSync({ policies: declared([{ ...checkout, enabled: false }]) }),
      content: { policies },
      live: { policies: [live] },
      yields: ["policy/checkout pending(enabled)"],
    },
    {
      when: "one field of a resource is not known",
      applied: known({ policies }, { "p/checkout": { n: "", enabled: uncertain } }),
      content: { policies },
      live: { policies: [{ ...live, action: "allow" }] },
      yields: ["policy/checkout drift(action) unknown(enabled)"],
    },
    {
      when: "of a resource nothing is known but that it was there",
      applied: new Map([["p/checkout", uncertainResource]]),
      content: { policies },
      live: { policies: [live] },
      yields: ["policy/checkout unknown(enabled)"],
    },
    {
      when: "two values have one digest, and one of them was applied",
      applied: inSync({ policies: declared([ofOneDigest[0]]) }),
      content: { policies: declared([ofOneDigest[1]]) },
      live: { policies: [carriedOut("p1", ofOneDigest[0])] },
      yields: ["policy/checkout drift(value)"],
    },
    {
      when: "a setting was switched",
      applied: inSync({ settings: enabled }),
      content: { settings: enabled },
      live: {
        settings: {
          enabled: false,
          use_cloudflare_reporting_endpoint: true,
          use_connection_url_path: false,
        },
      },
      yields: ["setting/enabled drift(value)"],
    },
    {
      when: "a policy is new in the files",
      applied: inSync({}),
      content: { policies },
      live: { policies: [] },
      yields: ["policy/checkout pending"],
    },
    {
      when: "somebody changed what is renamed in the files",
      applied: inSync({
        policies: declared([checkout]),
        rules: declared([exception("uploads")]),
      }),
      content: {
        policies: declared([{ ...checkout, key: "basket", was: "checkout" }]),
        rules: declared([{ ...exception("uploads"), key: "files", was: "uploads" }]),
      },
      live: {
        policies: [live],
        entrypoint: entrypoint(
          liveException("r1", "uploads", { ref: "zonewarden:uploads", enabled: false }),
        ),
      },
      yields: ["policy/basket drift(enabled) pending(key)", "rule/files drift(enabled)"],
    },
    {
      when: "a policy with our mark was made by somebody",
      applied: inSync({}),
      content: { policies: declared([]) },
      live: { policies: [live] },
      yields: ["policy/checkout drift"],
    },
    {
      when: "a policy with our mark may be what a lost answer left",
      applied: new Map([["p/other", new Map([["enabled", uncertain]])]]),
      content: { policies: declared([]) },
      live: { policies: [live] },
      yields: ["policy/checkout unknown"],
    },
    {
      when: "only of rules something is unknown",
      applied: new Map([["r/other", new Map([["enabled", uncertain]])]]),
      content: { policies: declared([]) },
      live: { policies: [live] },
      yields: ["policy/checkout drift"],
    },
    {
      when: "only whether unmanaged ones are deleted is unknown",
      applied: new Map([["p/*", new Map([["unmanaged", uncertain]])]]),
      content: { policies: declared([]) },
      live: { policies: [live] },
      yields: ["policy/checkout drift"],
    },
  ])("where $when", ({ applied, content, live: liveParts, yields }, { expect }) => {
    expect(found(applied, content, liveParts)).toEqual(yields);
  });

  it("where a policy of somebody is to be deleted", ({ expect }) => {
    const deleting = { policies: declared([], "delete") };
    const reporting = { policies: declared([], "report") };
    const byHand = { policies: [livePolicy("p2")] };
    const causesBy = (applied: AppliedZone): readonly string[] => found(applied, deleting, byHand);
    expect(causesBy(inSync(deleting))).toEqual(["policy/p2 drift"]);
    expect(causesBy(inSync(reporting))).toEqual(["policy/p2 pending"]);
    expect(causesBy(new Map([["p/*", new Map([["unmanaged", uncertain]])]]))).toEqual([
      "policy/p2 unknown",
    ]);
    // That of rules is another.
    expect(causesBy(inSync({ rules: declared([], "delete") }))).toEqual(["policy/p2 pending"]);
  });
});

describe("why rules are in another order", () => {
  it.for([
    { when: "somebody moved them", last: "abcd", file: "abcd", live: "acbd", cause: "drift" },
    { when: "the file moved them", last: "acbd", file: "abcd", live: "acbd", cause: "pending" },
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

  it("is pending where only a rule that is new in the file stands between", ({ expect }) => {
    const texts = found(inSync(rulesNamed("bcd")), rulesNamed("abcd"), liveNamed("bacd"));
    expect(texts).toEqual(["rule/a pending(position)", "rule/b pending(position)"]);
  });

  it("counts a rule that differs otherwise at the place where it stays", ({ expect }) => {
    const rules = ["c", "b", "a", "d"].map((key) =>
      liveException(key, key, { ref: `zonewarden:${key}`, enabled: key !== "b" }),
    );
    const texts = found(inSync(rulesNamed("cbad")), rulesNamed("abcd"), {
      entrypoint: entrypoint(...rules),
    });
    expect(texts).toEqual([
      "rule/a pending(position)",
      "rule/b drift(enabled)",
      "rule/c pending(position)",
    ]);
  });

  it("is not known where the last order is not", ({ expect }) => {
    const applied = known(rulesNamed("abcd"), { "r/*": { position: uncertain } });
    const texts = found(applied, rulesNamed("abcd"), liveNamed("bacd"));
    expect(texts).toEqual(["rule/a unknown(position)", "rule/b unknown(position)"]);
  });

  it("counts a renamed rule at the place of its former name", ({ expect }) => {
    const renamed = { ...exception("a"), key: "z", was: "a" };
    const content = { rules: declared([...four.slice(1, 2), renamed]) };
    const texts = found(inSync(rulesNamed("ab")), content, liveNamed("ab"));
    expect(texts).toEqual(["rule/b pending(position)", "rule/z pending(position)"]);
    const moved = found(
      inSync(rulesNamed("abc")),
      { rules: declared([renamed, ...four.slice(1, 3)]) },
      liveNamed("bac"),
    );
    expect(moved).toEqual(["rule/z drift(position)", "rule/b drift(position)"]);
  });
});
