import { createHash } from "node:crypto";

import { describe, it } from "vitest";

import {
  appliedName,
  appliedText,
  type AppliedZone,
  appliedZoneIn,
  isFullyKnown,
  uncertainResource,
} from "../../src/plan/cause/applied-zone.ts";
import { nextApplied } from "../../src/plan/cause/next-applied.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import {
  category,
  declared,
  deployment,
  desiredZone,
  exception,
  noOverrides,
  policy,
  ruleOverride,
  skipNothing,
} from "../support/model.ts";

/** What is known of a zone after a run that found it in sync. */
function inSync(content: Partial<ZoneContent>): AppliedZone {
  return nextApplied(undefined, desiredZone(content).content, documentedScoreRuleId, []);
}

/** Everything that is stored of a zone with every field of every kind. */
const everything: Partial<ZoneContent> = {
  settings: [
    { name: "enabled", value: true },
    { name: "use_connection_url_path", value: false },
  ],
  policies: declared([policy("checkout"), policy("a name of many words")], "delete"),
  rules: {
    managed_rules: declared([
      exception("all", {
        skip: {
          ruleset: false,
          phase: false,
          rulesets: ["r"],
          rules: { r: ["1"] },
          phases: ["http_ratelimit"],
          products: ["waf"],
        },
      }),
      exception("ruleset", { skip: { ...skipNothing, ruleset: true } }),
      exception("phase", { skip: { ...skipNothing, ruleset: false, phase: true } }),
      deployment("owasp", {
        tuning: { paranoiaLevel: 2, scoreThreshold: 40, action: "log" },
        overrides: {
          ...noOverrides,
          enabled: true,
          sensitivity_level: "low",
          categories: [category("c", { enabled: true })],
          rules: [ruleOverride("1", { enabled: true })],
        },
      }),
    ]),
  },
};

/** A text with a right checksum that says something of a resource. */
function textWith(fields: string, name = "p/a"): string {
  const text = `${name}=${fields}`;
  return `1 ${createHash("sha256").update(text).digest("base64url").slice(0, 4)} ${text}`;
}

describe("the text that is stored", () => {
  const all = inSync(everything);

  it("is the one that former versions stored, and is read again", ({ expect }) => {
    const text = appliedText(all);
    expect(text).toMatchInlineSnapshot(
      `"1 aiH5 s/0=vtb6 s/2=v_Lz p/checkout=djCqaLOWeB0Antb6v3SF p/~sIkXzXEiOVgF=dGKHaLOWeB0Antb6v3SF r/all=sv6DuQ4xHjOKPJhvltb6e0R7ntb6dEq4 r/ruleset=raU3ltb6ewOOntb6dEq4 r/phase=haU3ltb6exrdntb6dEq4 r/owasp=DTJcp1HNt1Z7aLOWNtb6SNkuCnEBRqXxeGNEntb6dEq4oiks p/*=msFo"`,
    );
    expect(appliedZoneIn(text)).toEqual(all);
    expect(isFullyKnown(text)).toBe(true);
    expect(appliedZoneIn(appliedText(new Map()))).toEqual(new Map());
  });

  it("says of a resource of which nothing is known that it was there", ({ expect }) => {
    const unknown = new Map([["p/checkout", uncertainResource]]);
    const text = appliedText(unknown);
    expect(text.endsWith(" p/checkout=_?")).toBe(true);
    expect(appliedZoneIn(text)).toEqual(unknown);
  });

  const good = appliedText(inSync({ policies: declared([policy("checkout")]) }));
  it.for([
    { when: "it is empty", text: "" },
    { when: "it is of another version", text: good.replace(/^1/, "2") },
    { when: "its checksum is another", text: good.replace(/^1 ...../, "1 AAAA ") },
    {
      when: "a digest was changed",
      text: good.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
    },
    { when: "its end is missing", text: good.slice(0, -1) },
    { when: "its checksum is missing", text: good.replace(/^1 \S+ /, "1 ") },
    { when: "it has a field that only a later version knows", text: textWith("zabc") },
    { when: "it has a field twice", text: textWith("nabcnabd") },
    { when: "a digest is too long", text: textWith("nabcd") },
    { when: "a digest has another character", text: textWith("nabc!") },
    { when: "a resource is of another kind", text: textWith("nabc", "x/a") },
    { when: "a kind begins otherwise", text: textWith("nabc", "xp/a") },
    { when: "it has a resource twice", text: textWith("nabc", "p/a=nabc p/a") },
  ])("is not read where $when", ({ text }, { expect }) => {
    expect(appliedZoneIn(text)).toBeUndefined();
    expect(isFullyKnown(text)).toBe(false);
  });

  it("is not fully known where one field of a resource is uncertain", ({ expect }) => {
    const text = textWith("nabcd?");
    expect(appliedZoneIn(text)?.get("p/a")?.size).toBe(2);
    expect(isFullyKnown(text)).toBe(false);
  });

  it.for([
    { when: "nothing at all", of: [], yields: true },
    { when: "one field", of: [["p/a", "enabled", "?"]], yields: false },
    { when: "a resource", of: [["p/a", "", "?"]], yields: false },
    {
      when: "one field of two",
      of: [
        ["p/a", "enabled", "abc"],
        ["p/b", "enabled", "?"],
      ],
      yields: false,
    },
    { when: "no field", of: [["p/a", "enabled", "abc"]], yields: true },
  ] as const)("is fully known, $yields, where $when is uncertain", ({ of, yields }, { expect }) => {
    const applied = new Map(of.map(([name, field, digest]) => [name, new Map([[field, digest]])]));
    expect(isFullyKnown(appliedText(applied))).toBe(yields);
  });

  it.for(
    Object.entries({
      "": "_",
      value: "v",
      description: "d",
      action: "a",
      expression: "e",
      enabled: "n",
      deploy: "D",
      paranoia_level: "p",
      score_threshold: "t",
      "overrides.enabled": "N",
      "overrides.action": "A",
      "overrides.sensitivity_level": "S",
      "overrides.categories": "C",
      "overrides.rules": "R",
      overrides: "o",
      "skip.ruleset": "r",
      "skip.phase": "h",
      "skip.rulesets": "s",
      "skip.rules": "u",
      "skip.phases": "H",
      "skip.products": "P",
      logging: "l",
      position: "O",
      unmanaged: "m",
    }),
  )("has for the field %s the letter %s, as in all versions", ([field, letter], { expect }) => {
    const applied = new Map([["r/a", new Map([[field, "abc"]])]]);
    const text = appliedText(applied);
    expect(text.endsWith(` r/a=${letter}abc`)).toBe(true);
    expect(appliedZoneIn(text)).toEqual(applied);
  });

  it.for([
    ["setting/enabled", "s/0"],
    ["policy/checkout", "p/checkout"],
    [`policy/${"x".repeat(64)}`, `p/${"x".repeat(64)}`],
    ["managed_rule/a.b-c_1", "r/a.b-c_1"],
  ] as const)("names %s as %s", ([key, name], { expect }) => {
    expect(appliedName(key)).toBe(name);
  });

  it.for(["policy/a b", `policy/${"x".repeat(65)}`, "policy/é", "policy/", "policy/a/b"] as const)(
    "names %s by a digest",
    (key, { expect }) => {
      expect(appliedName(key)).toMatch(/^p\/~[\w-]{12}$/);
    },
  );
});

describe("a field that has no letter", () => {
  it("does not destroy what is known of the rest of the zone", ({ expect }) => {
    const text = appliedText(
      new Map([
        [
          "p/a",
          new Map([
            ["severity", "abc"],
            ["action", "dQ2"],
          ]),
        ],
        ["p/b", new Map([["severity", "xyz"]])],
      ]),
    );
    expect(appliedZoneIn(text)).toEqual(
      new Map([
        ["p/a", new Map([["action", "dQ2"]])],
        ["p/b", new Map()],
      ]),
    );
  });
});
