import { describe, it } from "vitest";

import { showZone } from "../../src/desired/zones/show-zone.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { placeOf } from "../support/place-of.ts";

/** A profile whose values are placeholders, with two zones of their own values and one that sets none. */
function files(own: string, declared = "{}", parts = "{}"): string {
  return `profiles:
  p:
    vars:
      pl: { type: integer, minimum: 1, maximum: 4, default: 2 }
      threshold: { default: high }
      mode: { enum: [log, block, managed_challenge], default: log }
      on: { type: boolean, default: true }
      period: { type: integer, default: 60 }
      ruleset: cloudflare
      phases: { type: list, default: [http_ratelimit] }
      products: { type: list, default: [] }
      sources: { type: list, items: string, default: ["'self'", "cdn.\${zone.name}"] }
      upgrade: { type: boolean, default: true }
      status: 403
      unmanaged: report
      extra: [http.host, ip.src]
      policy: "img-src 'self' data:"
      title: 7
      before: o
    page_shield:
      settings: { enabled: "\${vars.on}" }
      policies:
        unmanaged: "\${vars.unmanaged}"
        items:
          - key: a
            description: "\${vars.title}"
            action: log
            enabled: "\${vars.on}"
            expression: ssl
            value: { script-src: "\${vars.sources}", upgrade-insecure-requests: "\${vars.upgrade}" }
          - { key: b, action: log, expression: not ssl, value: "\${vars.policy}" }
    custom_rules:
      rules:
        - { key: c, action: "\${vars.mode}", expression: ssl }
        - key: s
          action: skip
          expression: not ssl
          skip: { phases: "\${vars.phases}", products: ["\${vars.products}", waf, "\${vars.products}"] }
        - { key: r, action: block, expression: http.request.method eq "PUT", response: { status_code: "\${vars.status}", content_type: text/plain, content: "No: \${vars.status}" } }
    rate_limiting_rules:
      rules:
        - key: l
          action: log
          expression: ssl
          ratelimit: { characteristics: [cf.colo.id, "\${vars.extra}"], period: "\${vars.period}", requests_per_period: 5, mitigation_timeout: "\${vars.period}" }
    managed_rules:
      rules:
        - { key: d, deploy: "\${vars.ruleset}", before: "\${vars.before}", overrides: { enabled: "\${vars.on}" } }
        - { key: o, deploy: owasp, paranoia_level: "\${vars.pl}", score_threshold: "\${vars.threshold}", action: "\${vars.mode}" }
  q:
    vars: ${declared}
    ${parts.slice(1, -1).trim()}
zones:
  - name: a.example
    profiles: [p, q]
    vars: ${own}
  - { name: b.example, profiles: [p], vars: { pl: 4, on: false, sources: ["'self'", b.example] } }
  - { name: c.example, profiles: [p] }
`;
}

describe("a variable alone", () => {
  it("is the value of any key, with its type", async ({ expect }) => {
    const own = `{ pl: 1, threshold: 60, mode: block, period: 10, ruleset: free, products: [bic, hot], upgrade: false, status: 404, unmanaged: ignore, extra: [http.host], title: Seven, policy: "img-src 'self' *.a.example" }`;
    const state = await loadText(files(own));
    expect(linesOf(state)).toEqual([]);
    const [a, b, c] = state.documents.map(({ content }) => content);
    expect(a).toMatchObject({
      settings: [{ name: "enabled", value: true }],
      policies: {
        unmanaged: "ignore",
        items: [
          { description: "Seven", enabled: true, value: "script-src 'self' cdn.a.example" },
          { value: "img-src 'self' *.a.example" },
        ],
      },
      rules: {
        custom_rules: {
          items: [
            { action: "block" },
            { skip: { phases: ["http_ratelimit"], products: ["bic", "hot", "waf"] } },
            { response: { status_code: 404, content: "No: 404" } },
          ],
        },
        rate_limiting_rules: {
          items: [
            {
              ratelimit: {
                characteristics: ["cf.colo.id", "http.host"],
                period: 10,
                mitigation_timeout: 10,
              },
            },
          ],
        },
        managed_rules: {
          items: [
            { key: "d", overrides: { enabled: true } },
            { key: "o", tuning: { paranoiaLevel: 1, scoreThreshold: 60, action: "block" } },
          ],
        },
      },
    });
    expect(b).toMatchObject({
      settings: [{ name: "enabled", value: false }],
      policies: {
        unmanaged: "report",
        items: [
          {
            description: "7",
            enabled: false,
            value: "script-src 'self' b.example; upgrade-insecure-requests",
          },
          { value: "img-src 'self' data:" },
        ],
      },
      rules: { managed_rules: { items: [{}, { tuning: { paranoiaLevel: 4 } }] } },
    });
    expect(c?.policies?.items[0]?.value).toContain("script-src 'self' cdn.c.example;");
  });

  it("is shown with its value, and each variable with the line that sets it", async ({
    expect,
  }) => {
    const text = files("{ pl: 3, sources: [x.example] }");
    const { documents } = await loadText(text);
    const shown = showZone(documents, "a.example")?.values ?? [];
    const at = (path: string): string => {
      const found = shown.find((each) => each.path === path);
      return `${JSON.stringify(found?.value)} ${found?.place.line}:${found?.place.column}`;
    };
    const own = text.slice(text.indexOf("- name: a.example"));
    expect(at("vars.pl")).toBe(`3 ${placeOf(text, own, "pl: 3")}`);
    expect(at("vars.sources")).toBe(`["x.example"] ${placeOf(text, own, "sources:")}`);
    expect(at("vars.mode")).toBe(`"log" ${placeOf(text, "", "mode:")}`);
    expect(at("managed_rules.rules[o].paranoia_level")).toBe(
      `3 ${placeOf(text, "", "paranoia_level")}`,
    );
    expect(at("page_shield.policies.items[a].value.script-src")).toBe(
      `["x.example"] ${placeOf(text, "", "script-src")}`,
    );
  });

  it("whose list a zone adds to, is in the list", async ({ expect }) => {
    const text = files(`{ sources: ["'self'", x.example] }`).replace(
      "  - { name: b.example",
      `    page_shield: { policies: { items: [{ key: a, value: { script-src: { add: [y.example] } } }] } }
  - { name: b.example`,
    );
    const state = await loadText(text);
    expect(linesOf(state)).toEqual([]);
    expect(state.documents[0]?.content.policies?.items[0]?.value).toContain(
      "script-src 'self' x.example y.example;",
    );
  });
});

describe("a wrong value of a variable", () => {
  it.for([
    {
      value: "shop",
      policy: "expression: 'http.request.uri.path eq \"${vars.x}\"', value: \"img-src 'self'\"",
      says: '"shop" never matches: a path starts with /; with the values of a.example the text is: http.request.uri.path eq "shop"; write "/shop" [EXPR_PATH_SLASH]',
    },
    {
      value: String.raw`["a\n.example"]`,
      policy: "expression: '${vars.x}', value: \"img-src 'self'\"",
      says: String.raw`expected text, found a list; with the values of a.example it is: ["a\n.example"]; write text [WRONG_TYPE]`,
    },
    {
      value: "\"'unsafe-inlin'\"",
      policy: "expression: ssl, value: { script-src: [\"'self'\", '${vars.x}'] }",
      says: "there is no such keyword; with the values of a.example the text is: script-src 'self' 'unsafe-inlin'; did you mean 'unsafe-inline'? [CSP_UNKNOWN_KEYWORD]",
    },
    {
      value: "7",
      policy: "expression: ssl, value: { img-src: [], upgrade-insecure-requests: '${vars.x}' }",
      says: "expected a list or true or false, found 7; with the values of a.example it is: 7; write a list",
    },
    {
      value: "'a b'",
      policy: "expression: ssl, value: \"img-src 'self'\", acknowledge: ['${vars.x}.example']",
      says: 'the value "a b" of ${vars.x} cannot stand in a source; a source has no space',
    },
  ])("is told at the variable: $policy", async ({ value, policy, says }, { expect }) => {
    const text = `profiles:
  p: { page_shield: { policies: { items: [{ key: a, action: log, ${policy} }] } } }
zones:
  - name: a.example
    profiles: [p]
    vars: { x: ${value} }
`;
    const lines = linesOf(await loadText(text)).filter((line) => line.startsWith("a.yaml:6:"));
    expect(lines).toEqual([expect.stringContaining(`${placeOf(text, "vars", value)}: `)]);
    expect(lines[0]).toContain(says);
  });

  it.for([
    // What its declaration refuses.
    {
      own: "{ pl: 5 }",
      at: "5",
      says: 'the variable "pl" is 5, which is too large; write a number up to 4 [WRONG_VALUE]',
    },
    {
      own: "{ pl: 0 }",
      at: "0",
      says: 'the variable "pl" is 0, which is too small; write a number from 1 up [WRONG_VALUE]',
    },
    {
      own: "{ pl: '3' }",
      at: "'3'",
      says: 'the variable "pl" is "3", and not of the type integer; correct the value or the type [WRONG_TYPE]',
    },
    {
      own: "{ pl: [3] }",
      at: "[3]",
      says: 'the variable "pl" is [3], and not of the type integer; correct the value or the type [WRONG_TYPE]',
    },
    {
      own: "{ on: 'no' }",
      at: "'no'",
      says: 'the variable "on" is "no", and not of the type boolean; correct the value or the type [WRONG_TYPE]',
    },
    {
      own: "{ mode: blok }",
      at: "blok",
      says: 'the variable "mode" is "blok", and none of log, block, managed_challenge; did you mean "block"? [WRONG_VALUE]',
    },
    {
      own: "{ phases: http_ratelimit }",
      at: "http_ratelimit }",
      says: 'the variable "phases" is "http_ratelimit", and not of the type list; correct the value or the type [WRONG_TYPE]',
    },
    {
      own: `{ sources: ["'self'", 7] }`,
      at: "7]",
      says: 'a member of the variable "sources" is 7, and not of the type string; correct the value or the type [WRONG_TYPE]',
    },
    // What its key cannot take.
    {
      own: "{ threshold: hihg }",
      at: "hihg",
      says: 'expected one of low, medium, high or an integer of at least 1, found "hihg"; with the values of a.example it is: "hihg"; write one of low, medium, high or an integer of at least 1 [WRONG_TYPE]',
    },
    {
      own: "{ status: 200 }",
      at: "200",
      says: "200 is too small; with the values of a.example it is: 200; write a number from 400 up [WRONG_VALUE]",
    },
    {
      own: "{ title: x, status: yes }",
      at: "yes",
      says: 'expected a whole number, found "yes"; with the values of a.example it is: "yes"; write a whole number [WRONG_TYPE]',
    },
    {
      own: "{ ruleset: owsap }",
      at: "owsap",
      says: '"owsap" is not valid here; with the values of a.example it is: "owsap"; did you mean "owasp"? [WRONG_VALUE]',
    },
    {
      own: "{ unmanaged: keep }",
      at: "keep",
      says: '"keep" is none of report, delete, ignore; with the values of a.example it is: "keep"; use one of these values [WRONG_VALUE]',
    },
    {
      own: "{ products: [bic, hott] }",
      at: "hott",
      says: '"hott" is none of bic, hot, rateLimit, securityLevel, uaBlock, waf, zoneLockdown; with the values of a.example it is: ["bic","hott"]; did you mean "hot"? [WRONG_VALUE]',
    },
    {
      own: "{ phases: [http_request_firewall_managed, http_ratelimt] }",
      at: "http_ratelimt",
      says: '; did you mean "http_ratelimit"? [WRONG_VALUE]',
    },
    { own: "{ extra: ip.src }", at: undefined, says: "" },
    {
      own: "{ title: [a] }",
      at: "[a]",
      says: 'expected text, found a list; with the values of a.example it is: ["a"]; write text [WRONG_TYPE]',
    },
    {
      own: "{ sources: ['x.example; img-src *'] }",
      at: "['x",
      says: 'the value "x.example; img-src *" of ${vars.sources} cannot stand in a source; a source has no space, comma or semicolon [BAD_PLACEHOLDER]',
    },
    {
      own: "{ policy: \"script-scr 'self'\" }",
      at: '"script-scr',
      says: "there is no directive called script-scr; with the values of a.example the text is: script-scr 'self'; did you mean \"script-src\"? [CSP_UNKNOWN_DIRECTIVE]",
    },
    { own: "{ before: nothing }", at: "nothing", says: "" },
  ])("is told at the line of its zone: $own", async ({ own, at, says }, { expect }) => {
    const text = files(own);
    const state = await loadText(text);
    const lines = linesOf(state).filter((line) => !line.includes("UNUSED_VARIABLE"));
    if (at === undefined) {
      expect(lines).toEqual([]);
      return;
    }
    const vars = `vars: ${own}`;
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^a\\.yaml:${placeOf(text, vars, at)}: (?:error|warning): `),
      ),
    ]);
    expect(lines[0]).toContain(says);
  });

  it.for([
    {
      declared: "{ x: { type: integer, default: a } }",
      at: "a }",
      says: 'the variable "x" is "a", and not of the type integer',
    },
    {
      declared: "{ x: { type: number, default: a } }",
      at: "a }",
      says: 'the variable "x" is "a", and not of the type number',
    },
    {
      declared: "{ x: { minimum: 1, default: a } }",
      at: "a }",
      says: 'the variable "x" is "a", and not of the type number',
    },
    {
      declared: "{ x: { maximum: 1, default: a } }",
      at: "a }",
      says: 'the variable "x" is "a", and not of the type number',
    },
    {
      declared: "{ x: { type: integer, enum: [1, two] } }",
      at: "two",
      says: 'the variable "x" is "two", and not of the type integer',
    },
    {
      declared: "{ x: { items: integer, enum: [1, two] } }",
      at: "two",
      says: 'a member of the variable "x" is "two", and not of the type integer',
    },
    {
      declared: "{ x: { minimum: 4, maximum: 1 } }",
      at: "maximum",
      says: "no number is from 4 to 1; correct one of the two [CONTRADICTION]",
    },
    {
      declared: "{ x: { minimum: 4, maximum: 4, default: 5 } }",
      at: "5",
      says: 'the variable "x" is 5, which is too large; write a number up to 4',
    },
    {
      declared: "{ x: { pattern: '[a' } }",
      at: "'[a'",
      says: '"[a" is no regular expression of RE2; correct it; RE2 has no look-around and no back references [WRONG_VALUE]',
    },
    // Its time would double with each character in an engine that tries all ways.
    {
      declared: `{ x: { pattern: '^(a+)+$', default: ${"a".repeat(40)}b } }`,
      at: "aaa",
      says: "which does not match ^(a+)+$",
    },
    {
      declared: "{ x: { type: integer, items: host } }",
      at: "items",
      says: '"items" is for lists only; write `type: list` [CONTRADICTION]',
    },
    {
      declared: "{ x: { type: list, items: host, default: [a.example, 'a b'] } }",
      at: "'a b'",
      says: 'a member of the variable "x" is "a b", and not of the type host',
    },
    {
      declared: "{ x: { items: ip, default: [192.0.2.1, '2001:db8::/32', b.example] } }",
      at: "b.example",
      says: 'a member of the variable "x" is "b.example", and not of the type ip',
    },
    {
      declared: "{ x: { items: ip, default: [7] } }",
      at: "7]",
      says: 'a member of the variable "x" is 7, and not of the type ip',
    },
    {
      declared: "{ x: { items: path, default: /a } }",
      at: "/a }",
      says: 'the variable "x" is "/a", and not of the type list',
    },
    {
      declared: "{ x: { items: path, default: [/a, b/c] } }",
      at: "b/c]",
      says: 'a member of the variable "x" is "b/c", and not of the type path',
    },
    {
      declared: "{ x: { items: path, default: [/a, /b c] } }",
      at: "/b c]",
      says: 'a member of the variable "x" is "/b c", and not of the type path',
    },
    {
      declared: "{ x: { pattern: '^[a-z]+$', default: a1 } }",
      at: "a1",
      says: 'the variable "x" is "a1", which does not match ^[a-z]+$; correct the value or the pattern',
    },
    {
      declared: "{ x: { type: list, pattern: '^[a-z]+$', default: [ab, c7] } }",
      at: "c7]",
      says: 'a member of the variable "x" is "c7", which does not match ^[a-z]+$',
    },
    {
      declared: "{ x: { pattern: '^[a-z]+$', default: [ab, d8] } }",
      at: "d8]",
      says: 'a member of the variable "x" is "d8", which does not match ^[a-z]+$',
    },
    // A character of four bytes counts as one.
    {
      declared: "{ x: { pattern: '^..$', default: 🛡 } }",
      at: "🛡",
      says: 'the variable "x" is "🛡", which does not match ^..$',
    },
    {
      declared: "{ x: { items: host, default: [7] } }",
      at: "7]",
      says: 'a member of the variable "x" is 7, and not of the type host',
    },
    {
      declared: "{ x: { enum: [{ toString: 1 }], default: a } }",
      at: "{ toString",
      says: "expected text or a number or true or false, found a map",
    },
    {
      declared: "{ x: { type: integer, enum: [1, { toString: 1 }], default: 1 } }",
      at: "{ toString",
      says: "expected text or a number or true or false, found a map",
    },
    {
      declared: "{ x: { type: list, enum: [a, b], default: [a, c] } }",
      at: "c]",
      says: 'a member of the variable "x" is "c", and none of a, b',
    },
    {
      declared: "{ x: { type: text } }",
      at: "text",
      says: '"text" is none of string, integer, number, boolean, list; use one of these values [WRONG_VALUE]',
    },
    {
      declared: "{ x: { type: __proto__, default: 3 } }",
      at: "__proto__",
      says: '"__proto__" is none of string, integer, number, boolean, list; use one of these values [WRONG_VALUE]',
    },
    {
      declared: "{ x: { minimum: { toString: 1, valueOf: 2 }, default: 3 } }",
      at: "{ toString",
      says: "expected a number, found a map; write a number [WRONG_TYPE]",
    },
    {
      declared: "{ x: { minimum: { toString: 1, valueOf: 2 }, maximum: 3 } }",
      at: "{ toString",
      says: "expected a number, found a map; write a number [WRONG_TYPE]",
    },
    {
      declared: "{ x: { minimum: 3, maximum: { toString: 1, valueOf: 2 } } }",
      at: "{ toString",
      says: "expected a number, found a map; write a number [WRONG_TYPE]",
    },
    {
      declared: "{ x: { type: list, items: host, enum: [a.example, 'a b'] } }",
      at: "'a b'",
      says: 'a member of the variable "x" is "a b", and not of the type host',
    },
    {
      declared: "{ x: { enum: [a, { toString: 1, valueOf: 2 }], default: a } }",
      at: "{ toString",
      says: "expected text or a number or true or false, found a map",
    },
    {
      declared: "{ x: { minimun: 1 } }",
      at: "minimun",
      says: 'unknown key "minimun"; did you mean "minimum"? [UNKNOWN_KEY]',
    },
    {
      declared: "{ x: [[a]] }",
      at: "[a]",
      says: "expected text or a number or true or false, found a list",
    },
  ])("in its declaration is told there: $declared", async ({ declared, at, says }, { expect }) => {
    const text = files("{}", declared);
    const lines = linesOf(await loadText(text)).filter((line) => !line.includes("UNUSED_VARIABLE"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      new RegExp(`^a\\.yaml:${placeOf(text, `vars: ${declared}`, at)}: error: `),
    );
    expect(lines[0]).toContain(says);
  });

  it("is told beside an allowed value that is none", async ({ expect }) => {
    const declared = "{ x: { enum: [a, { toString: 1, valueOf: 2 }], default: b } }";
    const lines = linesOf(await loadText(files("{}", declared))).join("\n");
    expect(lines).toContain("expected text or a number or true or false, found a map");
    expect(lines).toContain('the variable "x" is "b", and none of a;');
  });

  it.for([
    { length: 253, errors: 0 },
    { length: 254, errors: 1 },
  ])("for a host of $length characters: $errors errors", async ({ length, errors }, { expect }) => {
    const host = `${"a.".repeat((length - (length % 2)) / 2 - 1)}${"b".repeat(2 + (length % 2))}`;
    expect(host).toHaveLength(length);
    const declared = `{ x: { type: list, items: host, default: [${host}] } }`;
    const lines = linesOf(await loadText(files("{}", declared)));
    expect(lines.filter((line) => line.includes("not of the type host"))).toHaveLength(errors);
  });

  it.for([
    { parts: "{ mode: '${vars.mode}' }", at: "'${vars", says: "is none of enforce, observe" },
    {
      parts: "{ managed_rules: { rules: [{ key: '${vars.mode}' }] } }",
      at: "'${vars",
      says: "a placeholder can be a value as a whole, except of a key that names an entry",
    },
    {
      parts: "{ managed_rules: { rules: [{ key: o, was: '${vars.mode}' }] } }",
      at: "'${vars",
      says: "a placeholder can be a value as a whole, except of a key that names an entry",
    },
    {
      parts: "{ managed_rules: { rules: [{ key: o, action: 'b${vars.mode}' }] } }",
      at: "'b${vars",
      says: "a placeholder can be a value as a whole",
    },
    {
      parts: "{ managed_rules: { rules: [{ key: o, paranoia_level: '1${vars.pl}' }] } }",
      at: "'1${vars",
      says: "a placeholder can be a value as a whole",
    },
    {
      parts: "{ managed_rules: { rules: [{ key: o, before: 'b${vars.mode}' }] } }",
      at: "'b${vars",
      says: 'a placeholder is not filled here: "b${vars.mode}"',
    },
    {
      parts: "{ managed_rules: { rules: '${vars.phases}' } }",
      at: "'${vars",
      says: "expected a list",
    },
    {
      parts: "{ managed_rules: { rules: [{ key: o, remove: '${vars.on}' }] } }",
      at: "'${vars",
      says: "expected true, found",
    },
    {
      parts: "{ managed_rules: { rules: [{ key: o, action: '${vars.nothing}' }] } }",
      at: "'${vars",
      says: 'the variable "nothing" has no value',
    },
    {
      parts: "{ managed_rules: { rules: [{ key: o, description: 'x ${vars.phases}' }] } }",
      at: "'x ${vars",
      says: "the list ${vars.phases} cannot stand here; write a variable that is no list [BAD_PLACEHOLDER]",
    },
  ])(
    "no key takes it where it cannot be filled: $parts",
    async ({ parts, at, says }, { expect }) => {
      const text = files("{}", "{}", parts);
      const state = await loadText(text);
      const lines = linesOf(state);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(says);
      if (!says.includes("has no value")) {
        expect(lines[0]).toMatch(
          new RegExp(`^a\\.yaml:${placeOf(text, parts.slice(2, -2), at)}: error: `),
        );
      }
      expect(state.documents).toEqual([]);
    },
  );
});

describe("a value as a whole of variables in a circle", () => {
  it("is told at the circle alone", async ({ expect }) => {
    const text = `profiles:
  p: { managed_rules: { rules: [{ key: o, deploy: owasp, paranoia_level: "\${vars.a}" }] } }
zones:
  - name: a.example
    profiles: [p]
    vars: { a: "\${vars.b}", b: "\${vars.c}", c: "\${vars.b}" }
`;
    expect(linesOf(await loadText(text))).toEqual([
      "a.yaml:6:32: error: variables use each other in a circle: b → c → b; remove one use [BAD_PLACEHOLDER]",
    ]);
  });
});

describe("a wrong value that is the name of another key", () => {
  it("leaves what is wrong with the other key at its own variable", async ({ expect }) => {
    const text = `profiles:
  p: { managed_rules: { rules: [{ key: o, deploy: owasp, score_threshold: "\${vars.s}", action: "\${vars.a}" }] } }
zones:
  - name: a.example
    profiles: [p]
    vars: { a: score_threshold, s: hihg }
`;
    expect(linesOf(await loadText(text))).toEqual([
      expect.stringContaining(`a.yaml:6:16: error: "score_threshold" is none of block`),
      expect.stringContaining("a.yaml:6:36: error: expected one of low, medium, high"),
    ]);
  });
});

describe("a wrong member of a list", () => {
  it.for([
    {
      what: "of pages",
      parts: `page_shield: { scripts: { pages: ["\${vars.more}", shop.example/pay, "\${vars.one}"] } }`,
      vars: "{ more: [a.example/*, 'http://a.example/x'], one: https://one.example }",
      tells: {
        "'http:": '"http://a.example/x" is not valid here',
        "https:": '"https://one.example" is not valid here',
      },
    },
    {
      what: "of what a rule allows",
      parts: `custom_rules: { rules: [{ key: a, action: skip, expression: ssl, skip: { products: [waf] }, acknowledge: ["\${vars.one}", "\${vars.more}"] }] }`,
      vars: "{ more: [no-request, every-requst], one: no-reqest }",
      tells: {
        "every-requst": '"every-requst" is none of every-request, no-request',
        "no-reqest": '"no-reqest" is none of every-request, no-request',
      },
    },
  ])("$what is told at the variable that has it", async ({ parts, vars, tells }, { expect }) => {
    const text = `profiles:
  p: { ${parts} }
zones:
  - name: a.example
    profiles: [p]
    vars: ${vars}
`;
    const lines = linesOf(await loadText(text)).filter((line) => line.includes(" error: "));
    expect(lines).toHaveLength(2);
    for (const [index, [at, says]] of Object.entries(tells).entries()) {
      expect(lines[index]).toContain(`a.yaml:${placeOf(text, "vars:", at)}: error: ${says}`);
    }
  });

  it("is told once where it has a semicolon, beside a variable", async ({ expect }) => {
    const text = `zones:
  - name: a.example
    vars: { cdn: cdn.example }
    page_shield: { policies: { items: [{ key: a, action: log, expression: ssl, value: { script-src: ['*.*.example', "\${vars.cdn}", 'a.example; img-src *'] } }] } }
`;
    expect(linesOf(await loadText(text))).toEqual([
      expect.stringContaining("error: an entry is one source, without semicolons; with the values"),
    ]);
  });
});
