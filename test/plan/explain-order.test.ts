import { describe, it } from "vitest";

import { uncertain } from "../../src/plan/cause/applied-zone.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { found, inSync, known } from "../support/causes.ts";
import { declared, entrypoint, exception, liveException } from "../support/model.ts";

const [a, b, c, d] = ["a", "b", "c", "d"].map((key) => exception(key));
const four = [a, b, c, d].filter((each) => each !== undefined);
const liveRules = ["a", "b", "c", "d"].map((key) =>
  liveException(key, key, { ref: `zonewarden:${key}` }),
);

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

  it("is pending where only a rule that is new in the file stands between", ({ expect }) => {
    const texts = found(inSync(rulesNamed("bcd")), rulesNamed("abcd"), liveNamed("bacd"));
    expect(texts).toEqual(["managed_rule/b pending(position)"]);
  });

  it("tells it apart from what else differs", ({ expect }) => {
    const rules = ["c", "b", "a", "d"].map((key) =>
      liveException(key, key, { ref: `zonewarden:${key}`, enabled: key !== "b" }),
    );
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
            liveException("b", "b", { ref: "zonewarden:b" }),
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
