import { describe, it } from "vitest";

import { selectZones } from "../../src/desired/zones/select.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { zoneNamed } from "../support/model.ts";
import { placeOf } from "../support/place-of.ts";

function owasp(vars: string, expression = 'http.host eq "${vars.host}"', own = "{}"): string {
  return `profiles:
  p:
    vars: ${vars}
    managed_rules:
      rules:
        - { key: o, deploy: owasp, expression: '${expression}' }
zones:
  - name: a.example
    profiles: [p]
    vars: ${own}
`;
}

describe("variables that use placeholders", () => {
  it.for([
    { vars: '{ host: "www.${zone.name}" }', becomes: 'http.host eq "www.a.example"' },
    { vars: "{ host: '${ vars.b }.${ zone.name }', b: w }", becomes: 'http.host eq "w.a.example"' },
    // Before the variable that it uses, and after.
    { vars: "{ host: 'x.${vars.b}', b: b.a.example }", becomes: 'http.host eq "x.b.a.example"' },
    { vars: "{ b: b.a.example, host: 'x.${vars.b}' }", becomes: 'http.host eq "x.b.a.example"' },
    {
      vars: "{ host: '${vars.a}.${zone.name}', a: '${vars.b}1', b: 'w' }",
      becomes: 'http.host eq "w1.a.example"',
    },
    // Escaped once, where it stands in the end.
    {
      vars: String.raw`{ host: '$` + String.raw`{vars.q}', q: 'a"b\c' }`,
      expression: 'lower(http.user_agent) eq "${vars.host}"',
      becomes: String.raw`lower(http.user_agent) eq "a\"b\\c"`,
    },
    {
      vars: "{ host: '$${jndi:' }",
      expression: 'http.user_agent contains "${vars.host}"',
      becomes: 'http.user_agent contains "${jndi:"',
    },
    // A variable alone keeps its type.
    {
      vars: "{ host: '${vars.n}', n: 7 }",
      expression: "cf.threat_score lt ${vars.host}",
      becomes: "cf.threat_score lt 7",
    },
    {
      vars: "{ host: { type: integer, default: '${vars.n}' }, n: 7 }",
      expression: "cf.threat_score lt ${vars.host}",
      becomes: "cf.threat_score lt 7",
    },
    // What looks like an address is none where the list is of texts or hosts.
    {
      vars: "{ host: { type: list, items: host, default: [192.0.2.1, 192.0.2.2] } }",
      expression: "http.referer in {${vars.host}}",
      becomes: 'http.referer in {"192.0.2.1" "192.0.2.2"}',
    },
    {
      vars: "{ host: '${vars.b}', b: '${vars.c}', c: { items: host, default: [192.0.2.1] } }",
      expression: "http.referer in {${vars.host}}",
      becomes: 'http.referer in {"192.0.2.1"}',
    },
    {
      vars: "{ host: { items: string, default: [192.0.2.1] } }",
      expression: "http.referer in {${vars.host}}",
      becomes: 'http.referer in {"192.0.2.1"}',
    },
    {
      vars: "{ host: { items: ip, default: [192.0.2.1, 192.0.2.8/29] } }",
      expression: "ip.src in {${vars.host}}",
      becomes: "ip.src in {192.0.2.1 192.0.2.8/29}",
    },
    {
      vars: "{ host: [192.0.2.1] }",
      expression: "ip.src in {${vars.host}}",
      becomes: "ip.src in {192.0.2.1}",
    },
    // A list of addresses and names is one of texts.
    {
      vars: "{ host: [192.0.2.1, b.example] }",
      expression: "http.referer in {${vars.host}}",
      becomes: 'http.referer in {"192.0.2.1" "b.example"}',
    },
    {
      vars: "{ host: 192.0.2.1.example }",
      expression: "http.referer eq ${vars.host}",
      becomes: 'http.referer eq "192.0.2.1.example"',
    },
    {
      vars: "{ host: w.192.0.2.1 }",
      expression: "http.referer eq ${vars.host}",
      becomes: 'http.referer eq "w.192.0.2.1"',
    },
    // In a set after a raw string.
    {
      vars: "{ host: [x, y] }",
      expression: 'http.referer eq r##"a"## or http.user_agent in {${vars.host}}',
      becomes: 'http.referer eq r##"a"## or http.user_agent in {"x" "y"}',
    },
    {
      vars: "{ host: 'w.${vars.s}' }",
      own: "{ s: s.a.example }",
      becomes: 'http.host eq "w.s.a.example"',
    },
  ])("are filled: $vars", async ({ vars, expression, own, becomes }, { expect }) => {
    const state = await loadText(owasp(vars, expression, own));
    expect(linesOf(state)).toEqual([]);
    const [document] = state.documents;
    expect(document?.content.rules.managed_rules?.items[0]).toMatchObject({ expression: becomes });
  });

  it("use what only the listing tells", async ({ expect }) => {
    const state = await loadText(owasp("{ host: 'x${zone.id}.example' }"));
    const listed = [zoneNamed("a.example")];
    const { zones: found } = selectZones(state.documents, { zones: listed, unlisted: [] });
    expect(found[0]?.content.rules.managed_rules?.items[0]).toMatchObject({
      expression: `http.host eq "x${listed[0]?.id}.example"`,
    });
  });

  it.for([
    {
      vars: "{ host: '${vars.b}', b: 'x${vars.c}', c: '${vars.b}' }",
      says: "a.yaml:3:35: error: variables use each other in a circle: b → c → b; remove one use [BAD_PLACEHOLDER]",
    },
    {
      vars: "{ host: 'a${vars.host}' }",
      says: "a.yaml:3:19: error: variables use each other in a circle: host → host; remove one use [BAD_PLACEHOLDER]",
    },
    {
      vars: "{ host: 'a${zone.nam}' }",
      says: "a.yaml:3:19: error: there is no placeholder ${zone.nam};",
    },
    {
      vars: "{ host: '${vars.b}', b: 'a${zone.nam}' }",
      says: "a.yaml:3:35: error: there is no placeholder ${zone.nam};",
    },
    {
      vars: "{ host: '${vars.b}', b: '${vars.host}' }",
      says: "a.yaml:3:19: error: variables use each other in a circle: host → b → host; remove one use [BAD_PLACEHOLDER]",
    },
    {
      vars: "{ host: 'a${vars.sub}' }",
      says: 'a.yaml:8:5: error: the variable "sub" has no value; set it with',
    },
    {
      vars: "{ host: { type: integer, default: 'a.${zone.name}' } }",
      says: 'the variable "host" is "a.a.example", and not of the type integer',
    },
  ])("tell a circle and other mistakes: $vars", async ({ vars, says }, { expect }) => {
    const state = await loadText(owasp(vars));
    expect(linesOf(state)).toHaveLength(1);
    expect(linesOf(state)[0]).toContain(says);
    expect(state.documents).toEqual([]);
  });

  it.for([false, true])(
    "stay bounded in length and depth, reversed: %s",
    async (reversed, { expect }) => {
      const chain = (length: number, text: (next: string) => string) => {
        const all = Array.from({ length }, (_, n) => `v${n}: '${text(`\${vars.v${n + 1}}`)}'`);
        return `{ ${(reversed ? all.toReversed() : all).join(", ")}, v${length}: abcdefgh, host: '\${vars.v0}' }`;
      };
      const doubled = linesOf(await loadText(owasp(chain(40, (next) => `${next}${next}`))));
      expect(doubled.join("\n")).toContain(
        "the text with its values is longer than 65536 characters",
      );
      const plain = linesOf(await loadText(owasp(chain(98, (next) => `${next}x`))));
      expect(plain.join("\n")).not.toContain("BAD_PLACEHOLDER");
    },
  );

  it.for([
    { members: 1_000, told: false },
    { members: 1_001, told: true },
  ])(
    "over lists in lists to $members members are told as too many: $told",
    async (row, { expect }) => {
      const [b, c, d] = ["b", "c", "d"].map((name) => `"\${vars.${name}}", `.repeat(10));
      const more = "b, ".repeat(row.members - 1_000);
      const text = `zones:
  - name: a.example
    vars: { a: [${b}], b: [${c}], c: [${d}], d: w, e: ["\${vars.f}"], f: [${more}"\${vars.a}"] }
    managed_rules: { rules: [{ key: o, deploy: owasp, expression: 'http.user_agent in {\${vars.e}}' }] }
`;
      const place = placeOf(text, "f:", `[${more}"`);
      const says = `a.yaml:${place}: error: the list with its values has more than 1000 members; shorten it, or the lists in it [BAD_PLACEHOLDER]`;
      const errors = linesOf(await loadText(text)).filter((line) => line.includes(" error: "));
      expect(errors).toEqual(row.told ? [says] : []);
    },
  );

  it.for([
    { deep: 100, told: false },
    { deep: 101, told: true },
  ])("over several profiles $deep deep are told as too many: $told", async (row, { expect }) => {
    const chain = Array.from({ length: row.deep - 1 }, (_, n) => `v${n}: 'x\${vars.v${n + 1}}'`);
    const text = `profiles:
  p: { vars: { ${chain.slice(0, 60).join(", ")} } }
  q: { vars: { ${chain.slice(60).join(", ")}, v${row.deep - 1}: end } }
zones:
  - name: a.example
    profiles: [p, q]
    managed_rules: { rules: [{ key: o, deploy: owasp, description: "\${vars.v0}" }] }
`;
    const state = await loadText(text);
    const place = placeOf(text, "q:", "end");
    const says = `a.yaml:${place}: error: more than 100 variables use each other one after the other; put the value itself in one of them [BAD_PLACEHOLDER]`;
    expect(linesOf(state)).toEqual(row.told ? [says] : []);
    expect(state.documents).toHaveLength(row.told ? 0 : 1);
  });
});

describe("no placeholder reaches a write", () => {
  it.for([
    {
      where: "an escape of YAML",
      entry: String.raw`expression: "http.host eq \"\x24{zone.name}\""`,
    },
    {
      where: "a folded line",
      entry: 'expression: "http.host eq \\"$\\\n       {zone.name}\\""',
    },
  ])("$where is filled as well", async ({ entry }, { expect }) => {
    const state = await loadText(`zones:
  - name: a.example
    managed_rules:
      rules: [{ key: o, deploy: owasp, ${entry} }]
`);
    expect(linesOf(state)).toEqual([]);
    expect(state.documents[0]?.content.rules.managed_rules?.items[0]).toMatchObject({
      expression: 'http.host eq "a.example"',
    });
  });

  it.for([
    "name: a.example, suspend: { reason: 'work on ${zone.name}' }",
    "match: { name: '*.${vars.tld}' }",
    "match: { name: [b.example, '*.${vars.tld}'] }",
    "name: a.example, page_shield: { scripts: { pages: [a.example/*], authorised: [{ url: 'https://a.example/*', approved_by: 'x${vars.tld}' }] } }",
    "name: a.example, managed_rules: { rules: [{ key: o, deploy: owasp, overrides: { categories: [{ category: '${vars.tld}', enabled: false }] } }] }",
    "name: a.example, page_shield: { policies: { items: [{ key: a, action: log, expression: ssl, value: { '${vars.tld}-src': [\"'self'\"] } }] } }",
  ])("one where none is filled is an error: %s", async (entry, { expect }) => {
    const state = await loadText(`zones:\n  - { ${entry} }\n`);
    expect(linesOf(state).join("\n")).toMatch(
      /2:\d+: error: a placeholder is not filled [^\n]*BAD_PLACEHOLDER/,
    );
    expect(state.documents).toEqual([]);
  });
});

describe("a list that stands in no set", () => {
  it.for([
    'http.host eq "${vars.host}"',
    "http.host in { ssl } and http.host eq ${vars.host} and ssl",
    // What looks like a set is in a string.
    'http.referer eq "in {" and http.host eq ${vars.host} and ssl',
    'http.referer eq r#"in {"# and http.host eq ${vars.host} and ssl',
  ])("is told: %s", async (expression, { expect }) => {
    const text = owasp("{ host: [a.example, b.example] }", expression);
    expect(linesOf(await loadText(text)).join("\n")).toContain(
      "the list ${vars.host} cannot stand here",
    );
  });

  it("is told in a text that is no expression", async ({ expect }) => {
    const text = owasp("{ host: [a.example] }", "ssl").replace(
      "deploy: owasp",
      "deploy: owasp, description: 'x in { ${vars.host} }'",
    );
    expect(linesOf(await loadText(text)).join("\n")).toContain(
      "the list ${vars.host} cannot stand here",
    );
  });

  it("is told in a policy where another value follows at once", async ({ expect }) => {
    const text = file("cdn: [b.example, c.example]", "${vars.cdn}${zone.name}");
    expect(linesOf(await loadText(text)).join("\n")).toContain(
      "the list ${vars.cdn} cannot stand here; write it as sources of a directive, with nothing but a space beside it",
    );
  });
});

describe("a placeholder where none is filled", () => {
  it.for([
    { entry: "name: a.example, suspend: { reason: 'work on ${zone.name}' }", at: "'work" },
    {
      entry:
        "name: a.example, managed_rules: { rules: [{ key: o, deploy: owasp, overrides: { categories: [{ category: 'x-${vars.x}', enabled: false }] } }] }",
      at: "'x-",
    },
    { entry: "match: { name: [b.example, 'x-${vars.x}'] }", at: "'x-" },
    { entry: "name: a.example, suspend: { reason: '${zone.name}' }", at: "'${zone" },
  ])("is told where it stands: $entry", async ({ entry, at }, { expect }) => {
    const text = `zones:\n  - { ${entry} }\n`;
    const lines = linesOf(await loadText(text)).filter((line) => line.includes("BAD_PLACEHOLDER"));
    expect(lines).toEqual([
      expect.stringContaining(`${placeOf(text, entry, at)}: error: a placeholder is not filled`),
    ]);
  });
});

describe("a description of a profile", () => {
  it("is for readers: nothing is filled or told in it", async ({ expect }) => {
    const text = file("cdn: c.example").replace(
      "  p:\n",
      "  p:\n    description: 'for ${zone.nam} of ${vars.nobody}'\n",
    );
    expect(linesOf(await loadText(text))).toEqual([]);
  });
});

describe("a filled text in a message", () => {
  it.for([
    { length: 300, shown: 300, ends: "" },
    { length: 301, shown: 300, ends: "…" },
  ])("of $length characters is shown up to $shown of them", async (row, { expect }) => {
    const before = 'http.hots eq "a.example" or http.user_agent eq "';
    const agent = "x".repeat(row.length - before.length - 1);
    const expression = `http.hots eq "\${zone.name}" or http.user_agent eq "${agent}"`;
    const state = await loadText(`zones:
  - name: a.example
    managed_rules: { rules: [{ key: o, deploy: owasp, expression: '${expression}' }] }
`);
    const text = `${before}${agent}"`.slice(0, row.shown);
    expect(linesOf(state).join("\n")).toContain(`the text is: ${text}${row.ends};`);
  });
});

describe("a placeholder that nobody knows, in a source of a policy", () => {
  it("is told at its source", async ({ expect }) => {
    const source = '"https://${zone.nam}/x.js"';
    const text = `zones:
  - name: a.example
    page_shield: { policies: { items: [{ key: a, action: log, expression: ssl, value: { img-src: ["'self'"], script-src: ["'self'", ${source}] } }] } }
`;
    expect(linesOf(await loadText(text))).toEqual([
      expect.stringContaining(
        `a.yaml:${placeOf(text, "", source)}: error: there is no placeholder \${zone.nam};`,
      ),
    ]);
  });
});

describe("a filled text that is too long for its key", () => {
  it("is told as that", async ({ expect }) => {
    const long = "x".repeat(391);
    const state = await loadText(`zones:
  - name: a.example
    vars: { long: ${long} }
    managed_rules: { rules: [{ key: o, deploy: owasp, description: "Rules for \${vars.long}" }] }
`);
    expect(linesOf(state)).toEqual([
      "a.yaml:4:68: error: the text is longer than 400 characters; shorten it [WRONG_VALUE]",
    ]);
  });
});

function withVariable(expression: string, value: string): string {
  return `profiles:
  p:
    vars: { host: b.example, in: 'w.\${vars.host}', net: 9.9.9.0/24 }
    managed_rules: { rules: [{ key: o, deploy: owasp, description: '\${vars.in} \${vars.net}', expression: ${expression} }] }
zones:
  - { name: a.example, profiles: [p] }
  - name: c.example
    profiles: [p]
    vars:
      host: ${value}
  - { name: d.example, profiles: [p], vars: { host: d.example } }
`;
}

describe("a wrong variable of one zone", () => {
  it.for([
    { expression: "'http.host eq \"${vars.host}\"'", value: "c.example/x" },
    { expression: "'http.host eq ${vars.host}'", value: "c.example/x" },
    // Through another variable.
    { expression: "'http.host eq \"${vars.in}\"'", value: "c.example/x" },
    {
      expression: "'ip.src in {${vars.host}} or http.host eq \"${vars.in}\"'",
      value: "9.9.9.999",
    },
    // Another value of the other variable only makes another mistake.
    {
      expression: "'http.request.uri.path eq \"${vars.host}\" or ip.src in {${vars.net}}'",
      value: "c.example/x",
    },
  ])(
    "is told at the variable, with the text: $expression",
    async ({ expression, value }, { expect }) => {
      const all = linesOf(await loadText(withVariable(expression, value)));
      const lines = all.filter((line) => line.includes(value));
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) {
        expect(line).toMatch(/^a\.yaml:10:13: /);
        expect(line).toContain("with the values of c.example the text is:");
      }
    },
  );

  it.for([
    { count: 20, place: "7:51" },
    { count: 21, place: "4:67" },
  ])("is looked for among twenty: of $count it is told at $place", async (row, { expect }) => {
    const names = Array.from({ length: row.count }, (_, n) => `v${n}`);
    const hosts = [...names.map((name) => `vars.${name}`), "zone.name"]
      .map((name) => `"\${${name}}"`)
      .join(" ");
    const lines = linesOf(
      await loadText(`profiles:
  p:
    vars: { ${names.map((name) => `${name}: ${name}.a.example`).join(", ")} }
    managed_rules: { rules: [{ key: o, deploy: owasp, expression: 'http.host in {${hosts}}' }] }
zones:
  - { name: a.example, profiles: [p] }
  - { name: c.example, profiles: [p], vars: { v0: c.example/x } }
`),
    );
    const wrong = lines.filter((line) => line.includes("c.example/x"));
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toContain(`a.yaml:${row.place}: `);
    expect(wrong[0]).toContain('the text is: http.host in {"c.example/x" "v1.a.example"');
  });

  it("is told at the variable also where the text is wrong with any value", async ({ expect }) => {
    const text = withVariable("'http.hots eq \"${vars.host}\"'", '"c\\n.example"');
    const lines = linesOf(await loadText(text));
    expect(lines).toEqual([
      expect.stringMatching(/^a\.yaml:4:\d+: .*hots.*EXPR_UNKNOWN/),
      expect.stringMatching(/^a\.yaml:10:13: .* cannot stand in an expression.*BAD_PLACEHOLDER/),
    ]);
  });

  it("and what is wrong with any value is told once, in the profile", async ({ expect }) => {
    const lines = linesOf(
      await loadText(withVariable("'http.hots eq \"${vars.host}\"'", "c.example")),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^a\.yaml:4:\d+: .*hots; with the values of a\.example.*EXPR_UNKNOWN/),
    ]);
  });
});

function file(own: string, text = "${vars.cdn}", declared = "{ cdn: cdn.example }"): string {
  return `profiles:
  p:
    vars: ${declared}
    page_shield: { policies: { items: [{ key: a, action: log, expression: ssl, value: "script-src 'self' ${text}" }] } }
zones:
  - { name: a.example, profiles: [p], vars: { ${own} } }
  - { name: b.example, profiles: [p] }
`;
}

/** Two zones with one policy; the first one sets the variable that it has. */
function withValue(value: string, cdn: string): string {
  return `profiles:
  p:
    vars: { cdn: cdn.example }
    page_shield: { policies: { items: [{ key: a, action: log, expression: ssl, value: ${value} }] } }
zones:
  - { name: a.example, profiles: [p], vars: { cdn: "${cdn}" } }
  - { name: b.example, profiles: [p] }
`;
}

describe("a policy that is wrong in more than one way", () => {
  it("tells each mistake where it was made", async ({ expect }) => {
    const text = withValue("\"img-scr 'self'; script-src 'self' ${vars.cdn}\"", "*.*.example");
    expect(linesOf(await loadText(text))).toEqual([
      expect.stringMatching(/^a\.yaml:4:\d+: .*img-scr.*CSP_UNKNOWN_DIRECTIVE/),
      expect.stringMatching(/^a\.yaml:6:52: .*CSP_MISPLACED_WILDCARD/),
    ]);
  });

  it("tells the same mistake of two policies where each was made", async ({ expect }) => {
    const text = withValue("\"script-src 'self' ${vars.cdn}\"", "*.*.example").replace(
      "items: [",
      'items: [{ key: b, action: log, expression: not ssl, value: "img-src *.*.example ${zone.name}" }, ',
    );
    expect(linesOf(await loadText(text))).toEqual([
      expect.stringMatching(/^a\.yaml:4:\d+: .*img-src.*CSP_MISPLACED_WILDCARD/),
      expect.stringMatching(/^a\.yaml:6:52: .*script-src.*CSP_MISPLACED_WILDCARD/),
    ]);
  });

  it("is shown as it is sent where a map declares it", async ({ expect }) => {
    const value = '{ script-src: ["\'self\'", "${vars.cdn}"], upgrade-insecure-requests: true }';
    expect(linesOf(await loadText(withValue(value, "*.*.example")))).toEqual([
      expect.stringContaining("script-src 'self' *.*.example; upgrade-insecure-requests; write"),
    ]);
  });
});

describe("a member of a list with a line end", () => {
  it("cannot stand in a set", async ({ expect }) => {
    const text = owasp('{ host: [b.example, "c\\n.example"] }', "http.host in {${vars.host}}");
    expect(linesOf(await loadText(text)).join("\n")).toContain(
      String.raw`the value "c\n.example" of ${"$"}{vars.host} cannot stand in an expression`,
    );
  });
});

describe("a list of numbers and texts", () => {
  it("is written into a set with quotes only around the texts", async ({ expect }) => {
    const lines = linesOf(
      await loadText(owasp("{ list: [443, a.example], host: x }", "http.host in {${vars.list}}")),
    );
    expect(lines.join("\n")).toContain('the text is: http.host in {443 "a.example"};');
  });
});

describe("a declared variable without a value", () => {
  it.for([
    { declared: "{ required: true }", own: "" },
    { declared: "{ type: string }", own: "description: 'of ${vars.x}', " },
  ])("is told at the zone: $declared", async ({ declared, own }, { expect }) => {
    const state = await loadText(`profiles:
  p: { vars: { x: ${declared} } }
zones:
  - name: a.example
    profiles: [p]
    managed_rules: { rules: [{ key: o, deploy: owasp, ${own}paranoia_level: 2 }] }
`);
    const lines = linesOf(state).filter((line) => !line.includes("UNUSED_VARIABLE"));
    expect(lines).toEqual([
      expect.stringContaining('a.yaml:4:5: error: the variable "x" has no value; set it with'),
    ]);
  });
});

describe("a variable that nothing declares", () => {
  it("is told at the text of the zone that uses it", async ({ expect }) => {
    const text = withValue("\"img-src 'self'\"", "c.example").replace(
      'vars: { cdn: "c.example" }',
      "managed_rules: { rules: [{ key: o, deploy: owasp, description: 'of ${vars.nothing}' }] }",
    );
    const line = linesOf(await loadText(text)).find((each) => each.includes("UNSET_VARIABLE"));
    expect(line).toMatch(/^a\.yaml:6:89: error: the variable "nothing" has no value; set it with/);
  });
});

describe("misspelt variables", () => {
  it.for([
    {
      what: "one that a zone sets",
      text: file("cnd: a.example"),
      says: [
        'a.yaml:6:47: warning: no text of the zone uses the variable "cnd"; did you mean "cdn"? [UNUSED_VARIABLE]',
      ],
    },
    {
      what: "one that a text of the profile uses",
      text: file("cdn: a.example", "${vars.cnd}", "{}"),
      says: [
        // The zone that sets something like it, and one that sets nothing.
        'a.yaml:6:47: error: the variable "cnd" has no value; did you mean "cdn"? [UNSET_VARIABLE]',
        'a.yaml:7:5: error: the variable "cnd" has no value; set it with `vars: { cnd: … }` in the zone or in a profile of it [UNSET_VARIABLE]',
      ],
    },
    {
      what: "one that a text of the profile uses, which declares another",
      text: file("", "${vars.cnd}"),
      says: [
        'a.yaml:4:80: error: the variable "cnd" has no value (in 2 zones); did you mean "cdn"? [UNSET_VARIABLE]',
      ],
    },
    {
      what: "one that no zone uses",
      text: file("cdn: a.example", "${vars.cdn}", "{ cdn: cdn.example, old: 1 }"),
      says: [
        'a.yaml:3:31: warning: no text of a zone of this profile uses the variable "old"; delete it, or use it in a text with a placeholder [UNUSED_VARIABLE]',
      ],
    },
    {
      what: "one that only another variable uses is used",
      text: file(
        "host: a.example",
        "${vars.cdn}",
        "{ cdn: [c.example, 'cdn.${vars.host}'], host: b.example }",
      ),
      says: [],
    },
  ])("are told: $what", async ({ text, says }, { expect }) => {
    expect(linesOf(await loadText(text))).toEqual(says);
  });
});

function withDeclared(own: string, declared: string): string {
  return `profiles:
  p:
    vars: ${declared}
    managed_rules: { rules: [{ key: o, deploy: owasp, paranoia_level: "\${vars.pl}", description: "\${vars.title}" }] }
zones:
  - { name: a.example, profiles: [p], vars: ${own} }
  - { name: b.example, profiles: [p], vars: { pl: 2, title: B } }
`;
}

describe("undeclared variables", () => {
  it("are told where zones set them, if the profile declares others", async ({ expect }) => {
    const lines = linesOf(
      await loadText(
        withDeclared("{ pl: 1, title: A }", "{ pl: { type: integer, required: true } }"),
      ),
    );
    const says =
      'warning: no profile of the zone declares the variable "title", and a text of one uses it; declare it there, like `vars: { title: { required: true } }` [UNDECLARED_VARIABLE]';
    expect(lines).toEqual([`a.yaml:6:54: ${says}`, `a.yaml:7:54: ${says}`]);
  });

  it.for([
    { what: "declared without a type", declared: "{ pl: { type: integer }, title: T }" },
    { what: "in a profile that declares none", declared: "{ pl: 1 }" },
  ])("are none where they are $what", async ({ declared }, { expect }) => {
    expect(linesOf(await loadText(withDeclared("{ pl: 1, title: A }", declared)))).toEqual([]);
  });
});

describe("a placeholder without quotes between brackets", () => {
  it("is told with its quotes", async ({ expect }) => {
    const [line] = linesOf(
      await loadText(`zones:
  - name: a.example
    managed_rules: { rules: [{ key: o, deploy: owasp, paranoia_level: \${vars.pl} }] }
`),
    );
    expect(line).toMatch(
      /^a\.yaml:3:72: error: .*; inside brackets, put a placeholder in quotes: "\$\{vars\.pl\}" \[YAML_SYNTAX\]/,
    );
  });
});
