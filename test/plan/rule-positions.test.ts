import { describe, it } from "vitest";

import type { LiveRule } from "../../src/zone/live-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import type { Rule } from "../../src/zone/resource.ts";
import { declared, deployment, entrypoint, exception, liveException } from "../support/model.ts";
import {
  foreign,
  foreignToo,
  liveOwasp,
  liveUploads,
  owasp,
  plannedRules,
  uploads,
} from "../support/planned.ts";

const cloudflare = deployment("cloudflare", { ruleset: managedRulesets.cloudflare });
const beta = exception("beta");

/** Where one new rule goes. */
function positionOf(rules: readonly Rule[], live: readonly LiveRule[]): unknown {
  const { writes } = plannedRules(declared(rules), entrypoint(...live));
  const [write, ...others] = writes;
  if (write?.call !== "create-rule" || others.length > 0) return writes;
  return write.position;
}

describe("the place of a new rule", () => {
  it.for<{
    readonly when: string;
    readonly rules: readonly Rule[];
    readonly live: readonly LiveRule[];
    readonly yields: unknown;
  }>([
    {
      when: "a deployment is declared before the first live rule",
      rules: [cloudflare, owasp],
      live: [liveOwasp, foreign],
      yields: { before: "" },
    },
    {
      when: "a deployment is declared before a rule that is not the first",
      rules: [cloudflare, owasp],
      live: [foreign, liveOwasp],
      yields: { after: "f1" },
    },
    {
      when: "it is declared between two rules with others between them",
      rules: [uploads, beta, owasp],
      live: [liveUploads, foreign, foreignToo, liveOwasp],
      yields: { after: "r2" },
    },
    {
      when: "it is declared after the last of several",
      rules: [uploads, owasp, cloudflare],
      live: [foreign, liveUploads, liveOwasp, foreignToo],
      yields: { after: "r1" },
    },
    {
      when: "an exception has no declared neighbour",
      rules: [beta],
      live: [foreign, foreignToo],
      yields: { before: "" },
    },
    {
      when: "a deployment has no declared neighbour",
      rules: [cloudflare],
      live: [foreign, foreignToo],
      yields: { after: "f2" },
    },
  ])("where $when", ({ rules, live, yields }, { expect }) => {
    expect(positionOf(rules, live)).toEqual(yields);
  });
});

/** The one write of a zone of which the rules moved. */
function movedBy(rules: readonly Rule[], live: readonly LiveRule[]): unknown {
  return plannedRules(declared(rules), entrypoint(...live)).writes.map((write) =>
    write.call === "update-rule" ? [write.id, write.position] : write.call,
  );
}

function given(...rules: readonly (Rule | undefined)[]): readonly Rule[] {
  return rules.flatMap((rule) => rule ?? []);
}

describe("the smallest write of rules that move", () => {
  const live = ["a", "b", "c"].map((key) => liveException(key, key, { ref: `zonewarden:${key}` }));
  const [a, b, c] = ["a", "b", "c"].map((key) => exception(key));

  it.for([
    { when: "the last becomes the first", rules: given(c, a, b), yields: [["c", { before: "" }]] },
    { when: "the first becomes the last", rules: given(b, c, a), yields: [["a", { after: "c" }]] },
    { when: "all turn round", rules: given(c, b, a), yields: ["put-entrypoint"] },
  ])("where $when", ({ rules, yields }, { expect }) => {
    expect(movedBy(rules, live)).toEqual(yields);
  });

  it("moves the one that differs, where that is enough", ({ expect }) => {
    const differs = exception("c", { enabled: false });
    expect(movedBy(given(differs, a, b), live)).toEqual([["c", { before: "" }]]);
    const other = exception("a", { enabled: false });
    expect(movedBy(given(b, c, other), live)).toEqual([["a", { after: "c" }]]);
    expect(movedBy(given(c, other, b), live)).toEqual(["put-entrypoint"]);
  });

  it("replaces the list where a rule comes or goes and others move", ({ expect }) => {
    expect(movedBy(given(b, a, c, beta), live)).toEqual(["put-entrypoint"]);
    expect(movedBy(given(b, a), live)).toEqual(["put-entrypoint"]);
  });
});
