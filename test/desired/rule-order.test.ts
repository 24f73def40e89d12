import { describe, it } from "vitest";

import { rulePhases } from "../../src/zone/rule-phase.ts";
import { linesOf, loadText } from "../support/desired.ts";

/** What a rule of each list needs besides its key. */
const does = {
  custom_rules: "action: log, expression: ssl",
  rate_limiting_rules:
    "action: log, expression: ssl, ratelimit: { characteristics: [cf.colo.id], period: 10, requests_per_period: 5, mitigation_timeout: 0 }",
  managed_rules: "expression: ssl, skip: { phase: current }",
} as const;

const sections = rulePhases.filter((phase) => phase !== "managed_rules");

/** A zone file with rules of a section, `KEY` or `KEY, more` each. */
function rules(section: keyof typeof does, ...items: readonly string[]): string {
  const lines = items.map((item) => `        - { key: ${item}, ${does[section]} }\n`);
  return `zones:\n  - name: a.example\n    ${section}:\n      rules:\n${lines.join("")}`;
}

async function orderOf(section: keyof typeof does, ...items: readonly string[]) {
  const { documents } = await loadText(rules(section, ...items));
  return documents[0]?.content.rules[section]?.items.map(({ key }) => key).join(" ");
}

describe.for(sections)("the order of %s", (section) => {
  it("is that of the list", async ({ expect }) => {
    expect(await orderOf(section, "b", "c", "a")).toBe("b c a");
  });

  it.for([
    { items: ["a", "b", "c, before: b"], order: "a c b" },
    { items: ["a, after: c", "b", "c"], order: "b c a" },
    { items: ["a", "b", "c, position: { before: b }"], order: "a c b" },
    { items: ["a, position: { after: b }", "b", "c"], order: "b a c" },
    { items: ["a, before: c", "b", "c, before: b"], order: "a c b" },
    { items: ["a, after: b", "b, after: c", "c", "d"], order: "c b a d" },
    { items: ["a", "b, after: a", "c, after: a"], order: "a b c" },
    { items: ["a", "b, position: first", "c"], order: "a b c" },
  ])("places rules beside others: $items", async ({ items, order }, { expect }) => {
    expect(linesOf(await loadText(rules(section, ...items)))).toEqual([]);
    expect(await orderOf(section, ...items)).toBe(order);
  });

  it.for([
    ["a, before: a", 'error: "a" cannot be before "a": the list has no other rule with that key'],
    ["a, position: { before: a }", 'error: "a" cannot be before itself; name another rule'],
    ["a, after: x", 'error: "a" cannot be after "x"'],
    ["a, position: { after: bb }", 'did you mean "b"?'],
    ["a, position: { before: b, after: c }", 'has both "before" and "after"'],
    ["a, before: b, after: b", "in a circle: a, b"],
    ["a, after: d", "in a circle: d, a"],
    ["a, position: { after: d }", "in a circle: d, a"],
    ["a, position: last", '"z" cannot be first: the list has "a" before it'],
    ["a, position: { after: x }", '"y" cannot be before "x": the list has "a" before it'],
  ] as const)("refuses what cannot be: %s", async ([item, says], { expect }) => {
    const others = ["b", "c", "d, after: a", "y, position: { before: x }", "z, position: first"];
    const text = rules(section, item, ...others).replace(
      "        - { key: d, after: a",
      says.includes("circle: d") ? "        - { key: d, after: a" : "        - { key: d",
    );
    expect(linesOf(await loadText(text)).join("\n")).toContain(says);
  });

  it("keeps the places among live rules that are not declared", async ({ expect }) => {
    const id = "0123456789abcdef0123456789abcdef";
    const { documents } = await loadText(
      rules(
        section,
        "a, position: first",
        `b, position: { before: ${id} }`,
        "c",
        "d, position: { after: team-b:x }",
        "e, position: { after: c }",
        "f, position: last",
      ),
    );
    const items = documents[0]?.content.rules[section]?.items ?? [];
    expect(items.map(({ key, position }) => [key, position])).toEqual([
      ["a", "first"],
      ["b", { before: id }],
      ["c", undefined],
      ["e", undefined],
      ["d", { after: "team-b:x" }],
      ["f", "last"],
    ]);
  });
});

describe("the position of a rule of a profile", () => {
  it("is replaced by the zone", async ({ expect }) => {
    const profile = `profiles:\n  p:\n    custom_rules: { rules: [{ key: a, position: { before: x }, ${does.custom_rules} }] }\n`;
    for (const [position, found] of [
      ["{ before: null, after: y }", { after: "y" }],
      ["last", "last"],
      ["null", undefined],
    ] as const) {
      const zone = `zones: [{ name: a.example, profiles: [p], custom_rules: { rules: [{ key: a, position: ${position} }] } }]\n`;
      const state = await loadText(profile + zone);
      expect(linesOf(state)).toEqual([]);
      expect(state.documents[0]?.content.rules.custom_rules?.items[0]?.position).toEqual(found);
    }
  });
});

function rule(key: string): string {
  return `{ key: ${key}, ${does.custom_rules} }`;
}

function withRulesets(...rulesets: readonly string[]) {
  return loadText(`zones:
  - name: a.example
    custom_rules: { rules: [${["admin", "bots", "office"].map(rule).join(", ")}] }
    custom_rulesets:
${rulesets.map((each) => `      - { key: ${each}, rules: [${rule("r")}] }\n`).join("")}`);
}

describe("the position of a custom ruleset", () => {
  it("names rules of custom_rules, or another ruleset", async ({ expect }) => {
    const state = await withRulesets(
      "admins, position: { before: admin }",
      "c",
      "b, position: { before: c }",
      "d, position: { after: office }",
    );
    expect(linesOf(state)).toEqual([]);
    const items = state.documents[0]?.content.customRulesets?.items ?? [];
    expect(items.map(({ key, position }) => [key, position])).toEqual([
      ["admins", { before: "admin" }],
      ["b", undefined],
      ["c", undefined],
      ["d", { after: "office" }],
    ]);
  });

  it.for([
    {
      rulesets: ["a, position: { after: bots }", "b, position: { before: bots }"],
      says: 'error: "b" cannot be before "bots": the list has "a" before it',
    },
    {
      rulesets: ["a, position: { before: office }", "c", "b, position: { after: admin }"],
      says: 'error: "b" cannot be after "admin": the list has "a" before it',
    },
    { rulesets: ["a, position: { before: offce }"], says: 'did you mean "office"?' },
  ])("is refused where it cannot be: $rulesets", async ({ rulesets, says }, { expect }) => {
    expect(linesOf(await withRulesets(...rulesets)).join("\n")).toContain(says);
  });
});
