import * as fc from "fast-check";
import { describe, it } from "vitest";

import { escapedTemplate, fillTemplate } from "../../src/desired/template/template.ts";
import { canonicalCsp, parseCsp } from "../../src/syntax/csp/csp.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { loadText } from "../support/desired.ts";
import { cases } from "../support/properties.ts";

function hasControl(value: string): boolean {
  return /\p{Cc}/u.test(value);
}

function hasQuote(value: string): boolean {
  return hasControl(value) || value.includes('"');
}

function filled(template: string, value: string | number | boolean): string {
  return fillTemplate(template, "expression", () => value).text;
}

/**
 * The tree of an expression without the places of its parts, in which the texts Q, Q0 and so on are others; `undefined`:
 * the text has none.
 */
function treeOf(text: string, valueOf = (q: string): string => q): string | undefined {
  return JSON.stringify(parseExpression(text).tree, (key, value: unknown) => {
    if (key === "offset" || key === "length") return undefined;
    if (typeof value === "bigint") return String(value);
    return key === "text" && typeof value === "string" && /^Q\d?$/.test(value)
      ? valueOf(value)
      : value;
  });
}

const attacks = [
  '" or true or "',
  '" or ssl or http.host eq "',
  '") or ssl or (http.host eq "',
  String.raw`\" or ssl or http.host eq "`,
  '"# or ssl or http.host eq r#"',
  'x"} or ssl or http.host in {"y',
  "\\",
  String.raw`\"`,
  '"',
  '"#',
  "r#",
  "a; img-src *",
  "a b",
  "$${x}",
  "${zone.name}",
  "é\u2028ü",
];
const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "#", "r", "a", " ", "$", "{", "}"),
    maxLength: 8,
  }),
  fc.constantFrom(...attacks),
);

/** The sources of each directive of a policy. */
function sourcesOf(text: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    parseCsp(text).map(({ name, sources }) => [name, sources.map((each) => each.text)]),
  );
}

describe("no value breaks out of where it stands", () => {
  it.for([
    {
      where: "a string",
      template: 'http.host eq "x${vars.a}y" and not ssl',
      model: 'http.host eq "Q" and not ssl',
      around: ["x", "y"],
      refused: hasControl,
    },
    {
      where: "a string after an escaped backslash",
      template: 'http.host eq "\\\\${vars.a}" and not ssl',
      model: 'http.host eq "Q" and not ssl',
      around: ["\\", ""],
      refused: hasControl,
    },
    {
      where: "a list, after a string with quotes",
      template: 'http.user_agent ne "a\\"b" and http.host in {"b" "x${vars.a}" "c"}',
      model: 'http.user_agent ne "a\\"b" and http.host in {"b" "Q" "c"}',
      around: ["x", ""],
      refused: hasControl,
    },
    {
      where: "a raw string",
      template: 'http.host eq r"x${vars.a}y" and ssl',
      model: 'http.host eq "Q" and ssl',
      around: ["x", "y"],
      refused: hasQuote,
    },
    {
      where: "a raw string with a hash",
      template: 'ssl or http.host eq r#"x${vars.a}"#',
      model: 'ssl or http.host eq "Q"',
      around: ["x", ""],
      refused: hasQuote,
    },
    {
      where: "no string, after others",
      template: 'http.user_agent ne r"\\" and http.user_agent ne "\\\\" and http.host eq ${vars.a}',
      model: 'http.user_agent ne r"\\" and http.user_agent ne "\\\\" and http.host eq "Q"',
      around: ["", ""],
      refused: hasControl,
    },
  ])(
    "in $where: its text is the value, and nothing else changes",
    ({ template, model, around, refused }) => {
      const [before, after] = around;
      fc.assert(
        fc.property(anyText, (value) => {
          const { text, errors } = fillTemplate(template, "expression", () => value);
          if (refused(value)) return errors.length === 1;
          const expected = treeOf(model, () => `${before}${value}${after}`);
          return errors.length === 0 && expected !== undefined && treeOf(text) === expected;
        }),
        cases(300),
      );
    },
  );

  const address = fc.constantFrom("192.0.2.1", "198.51.100.0/24", "2001:db8::/32", "203.0.113.7");

  it.for([
    {
      where: "texts",
      template: 'http.user_agent ne "a\\"b" and http.host in {"b" ${vars.a} "c"} and not ssl',
      member: anyText,
      areTexts: true,
    },
    {
      where: "texts beside addresses",
      template: 'ssl or http.host in {${vars.a}} or http.host eq r#"in {"#',
      member: fc.oneof(anyText, address),
      areTexts: true,
    },
    {
      where: "addresses",
      template: "ip.src in {192.0.2.9 ${vars.a}} and ssl",
      member: address,
      areTexts: false,
    },
    {
      where: "numbers",
      template: 'http.host eq "}" and cf.threat_score in { ${vars.a} 7}',
      member: fc.integer({ min: 0, max: 99 }),
      areTexts: false,
    },
  ])(
    "in a set of $where: its members are those of the list, and nothing else changes",
    ({ template, member, areTexts }) => {
      const lists = fc.array<string | number>(member, { minLength: 1, maxLength: 4 });
      fc.assert(
        fc.property(lists, (list) => {
          const { text, errors } = fillTemplate(
            template,
            "expression",
            () => list,
            () => areTexts,
          );
          if (list.some((each) => hasControl(String(each)))) return errors.length === 1;
          const members = list.map((each, index) => (areTexts ? `"Q${index}"` : String(each)));
          const model = template.replace("${vars.a}", members.join(" "));
          const expected = treeOf(model, (q) => String(list[Number(q.slice(1))]));
          return errors.length === 0 && expected !== undefined && treeOf(text) === expected;
        }),
        cases(400),
      );
    },
  );

  it("not as a list outside of a set, or beside something else in it", ({ expect }) => {
    for (const template of [
      "http.host eq ${vars.a}",
      'http.host eq "${vars.a}"',
      'http.host in {"${vars.a}"}',
      'http.host in {"a ${vars.a} b"}',
      'http.host in {r"a ${vars.a} b"}',
      'http.host in {"a"${vars.a}}',
      "http.host in {${vars.a}${vars.a}}",
      'http.host in {${vars.a}"a"}',
      "ip.src in {192.0.2.1..${vars.a}}",
      'http.host in {"a"} and ${vars.a}',
      'http.user_agent eq "in {" and ${vars.a}',
      'http.user_agent eq r"in { ${vars.a} }"',
      "{${vars.a}}",
    ]) {
      const { errors } = fillTemplate(template, "expression", () => ["x", '" or ssl or "']);
      expect(errors[0]?.message, template).toBe("the list ${vars.a} cannot stand here");
    }
  });

  it.for([
    { template: "script-src 'self' ${vars.a}; img-src 'self'", count: 1 },
    { template: "script-src ${vars.a} 'self' ;img-src 'self'", count: 1 },
    { template: "img-src 'self'; script-src 'self'\n${vars.a}", count: 1 },
    { template: "img-src 'self'; script-src 'self' ${vars.a} ${vars.a}", count: 2 },
  ])("in a policy as sources: $template", ({ template, count }) => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 4 }), (list) => {
        const { text, errors } = fillTemplate(template, "csp", () => list);
        if (!list.every((each) => /^[^\s;,]+$/.test(each))) return errors.length === count;
        const found = sourcesOf(text);
        const script = found.get("script-src")?.filter((each) => each !== "'self'") ?? [];
        const written = Array.from({ length: count }, () => list).flat();
        const expected = sourcesOf(`script-src ${written.join(" ")}`).get("script-src") ?? [];
        return (
          errors.length === 0 &&
          found.size === 2 &&
          found.get("img-src")?.join(" ") === "'self'" &&
          expected.length === written.length &&
          script.join(" ") === expected.join(" ")
        );
      }),
      cases(400),
    );
  });

  it("not as a list where no source stands", ({ expect }) => {
    for (const template of [
      "${vars.a}",
      "${vars.a} 'self'",
      "img-src 'self'; ${vars.a}",
      "img-src https://${vars.a}",
      "img-src ${vars.a}.example",
      "img-src ${vars.a}${vars.a}",
      "img-src\u00a0${vars.a}",
    ]) {
      const { errors } = fillTemplate(template, "csp", () => ["x", "y"]);
      expect(errors[0]?.message, template).toBe("the list ${vars.a} cannot stand here");
    }
  });

  it.for(['http.host eq "a\\${vars.a}" and ssl', 'http.host eq "\\\\\\${vars.a}" and ssl'])(
    "not after a backslash that escapes its first character: %s",
    (template, { expect }) => {
      for (const value of attacks) {
        const { errors } = fillTemplate(template, "expression", () => value);
        expect(errors.map(({ remedy }) => remedy).join()).toContain("no backslash before");
      }
    },
  );

  it("in a string right after a raw string", ({ expect }) => {
    expect(filled('http.host in {r"a""${vars.a}"}', 'x"y')).toBe(
      String.raw`http.host in {r"a""x\"y"}`,
    );
  });

  it("and what has no value is left out", ({ expect }) => {
    const { text } = fillTemplate("a ${vars.a} b", "text", () => undefined);
    expect(text).toBe("a  b");
  });

  it("in a set of addresses without quotes, unless they are texts", ({ expect }) => {
    const { text } = fillTemplate("ip.src in {${vars.a}}", "expression", () => ["192.0.2.1"]);
    expect(text).toBe("ip.src in {192.0.2.1}");
  });

  it("and a text that grows too long is told once", ({ expect }) => {
    const { errors } = fillTemplate("${vars.a}${vars.b}", "text", () => "x".repeat(70_000));
    expect(errors).toHaveLength(1);
  });

  it("whatever its type", ({ expect }) => {
    expect(filled("a ${vars.a} b", 7)).toBe("a 7 b");
    expect(filled("a ${vars.a} b", true)).toBe("a true b");
    expect(filled("a ${vars.a} b", "true")).toBe('a "true" b');
    expect(filled("a ${vars.a} b", "9.9.9.0/24")).toBe("a 9.9.9.0/24 b");
    expect(filled("a ${vars.a} b", "2001:db8::/32")).toBe("a 2001:db8::/32 b");
    expect(filled('a r"${vars.a}" b', "x")).toBe('a r"x" b');
  });

  it("in the sources of a policy", () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const template = "script-src ${vars.a}; img-src 'self'";
        const { text, errors } = fillTemplate(template, "csp", () => value);
        if (!/^[^\s;,]+$/.test(value)) return errors.length === 1;
        const [script, image] = parseCsp(text).map(({ sources }) => sources.length);
        return errors.length === 0 && text.includes(` ${value};`) && script === 1 && image === 1;
      }),
      cases(300),
    );
  });

  it("and an escaped text reads as itself", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const read = fillTemplate(escapedTemplate(text), "text", () => "never");
        return read.text === text && read.errors.length === 0;
      }),
      cases(300),
    );
  });
});

function file(vars: string): string {
  return `profiles:
  p:
    vars:
      agents: { type: list, items: string }
      sources: [cdn.example]
      mode: log
      text: x
    page_shield:
      policies:
        items:
          - { key: a, description: "\${vars.text}", action: allow, expression: ssl, value: { script-src: ["'self'", "\${vars.sources}"], img-src: ["'self'"] } }
    custom_rules:
      rules:
        - { key: c, action: "\${vars.mode}", description: "a \${vars.text}", expression: 'not ssl and http.user_agent in {"b" \${vars.agents}} and http.referer ne "\${vars.text}"' }
        - { key: d, action: block, expression: 'http.request.uri.path eq "/d"' }
zones:
  - { name: a.example, profiles: [p], vars: ${vars} }
`;
}

/** A value that cannot be filled fails the zone: most must be right for the others to matter. */
function mostly<T>(rare: fc.Arbitrary<T>, ...usual: readonly string[]): fc.Arbitrary<T | string> {
  return fc.oneof<fc.WeightedArbitrary<T | string>[]>(
    { arbitrary: fc.constantFrom(...usual), weight: 9 },
    { arbitrary: rare, weight: 1 },
  );
}

describe("values from a file", () => {
  it("change what a zone gets only where their placeholders stand", async ({ expect }) => {
    const actions = ["block", "challenge", "js_challenge", "managed_challenge", "log"];
    const { numRuns } = cases(400);
    let made = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyText, { minLength: 1, maxLength: 3 }),
        fc.array(mostly(anyText, "a.example", "https://b.example/x.js", "data:"), { maxLength: 3 }),
        mostly(fc.oneof(anyText, fc.boolean(), fc.array(anyText)), ...actions),
        anyText,
        async (agents, sources, mode, text) => {
          const { documents, diagnostics } = await loadText(
            file(escapedTemplate(JSON.stringify({ agents, sources, mode, text }))),
          );
          const [document] = documents;
          if (document === undefined) {
            expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
            return;
          }
          made += 1;
          const { policies, rules } = document.content;
          const [policy, ...policiesLeft] = policies?.items ?? [];
          const [rule, other, ...rulesLeft] = rules.custom_rules?.items ?? [];
          const directives = parseCsp(policy?.value ?? "").map(
            ({ name, sources: all }) => [name, all.map((each) => each.text)] as const,
          );
          const [script] = parseCsp(canonicalCsp(`script-src 'self' ${sources.join(" ")}`));
          expect([policiesLeft, rulesLeft]).toEqual([[], []]);
          expect(Object.fromEntries(directives)).toEqual({
            "img-src": ["'self'"],
            "script-src": script?.sources.map((each) => each.text),
          });
          expect(policy).toMatchObject({ action: "allow", expression: "ssl", enabled: true });
          expect(rule).toMatchObject({ key: "c", action: mode, enabled: true });
          expect(actions).toContain(mode);
          const members = agents.map((_, index) => `"Q${index}"`).join(" ");
          const model = `not ssl and http.user_agent in {"b" ${members}} and http.referer ne "Q9"`;
          const expected = treeOf(model, (q) => (q === "Q9" ? text : (agents[Number(q[1])] ?? "")));
          expect(expected).toBeDefined();
          expect(treeOf(rule?.expression ?? "")).toBe(expected);
          expect(other).toMatchObject({
            action: "block",
            expression: 'http.request.uri.path eq "/d"',
          });
        },
      ),
      { numRuns },
    );
    expect(made).toBeGreaterThan(numRuns / 5);
  });
});
