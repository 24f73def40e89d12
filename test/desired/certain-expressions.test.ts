import { describe, it } from "vitest";

import { linesOf, loadText, rulesIn } from "../support/desired.ts";

const rules = (...lines: readonly string[]): string => rulesIn("managed_rules", ...lines);

/** A zone file with policies, one in each line. */
function policies(...lines: readonly string[]): string {
  return `zones:\n  - name: a.example\n    page_shield:\n      policies:\n        items:\n${lines.map((line) => `          - ${line}\n`).join("")}`;
}

async function codesIn(text: string): Promise<readonly string[]> {
  const { diagnostics } = await loadText(text);
  return diagnostics
    .filter(({ code }) => !/^(?:EXPR|CSP)_/.test(code))
    .map(({ code, place, severity }) => `${place.line} ${severity} ${code}`);
}

const owasp = "{ key: owasp, deploy: owasp }";

describe("an exception for every request", () => {
  it.for([
    'http.host ne "a" or http.host ne "b"',
    "ip.src in {0.0.0.0/0 ::/0}",
    'not (http.host eq "a" and http.host eq "b")',
    'http.request.uri.path matches ".*"',
    'substring(http.request.uri.path, 0, 1) eq "/"',
    'http.host le r"ÿÿ"',
    "http.request.timestamp.sec gt 0",
    "not http.request.uri.path in {}",
  ])("is an error: %s", async (expression, { expect }) => {
    const skip = "skip: { ruleset: current }";
    const skipAll = `key: all, expression: '${expression}', ${skip}`;
    expect(await codesIn(rules(`{ ${skipAll} }`, owasp))).toEqual(["5 error SKIP_EVERY_REQUEST"]);
    const acknowledged = `{ ${skipAll}, acknowledge: [every-request] }`;
    expect(await codesIn(rules(acknowledged, owasp))).toEqual([]);
    expect(await codesIn(rules(`{ ${skipAll}, acknowledge: [no-request] }`, owasp))).toEqual([
      "5 error SKIP_EVERY_REQUEST",
    ]);
    expect(await codesIn(rules(`{ ${skipAll}, enabled: false }`, owasp))).toEqual([]);
  });
});

describe("an exception for every usual request of its zone", () => {
  it.for([
    ['ends_with(http.host, "a.example")', true],
    ['http.host contains "a.example"', true],
    ['http.host eq "a.example" or http.host wildcard "*.a.example"', true],
    ['cf.zone.name eq "a.example"', true],
    ['starts_with(http.request.full_uri, "https://a.example/")', false],
    ['http.host eq "a.example"', false],
    ['ends_with(http.host, "a.example") and ssl', false],
    ['http.referer contains "a.example"', false],
  ] as const)("is told: %s %s", async ([expression, isTold], { expect }) => {
    const skip = `key: all, expression: '${expression}', skip: { ruleset: current }`;
    const told = isTold ? ["5 warning SKIP_WHOLE_ZONE"] : [];
    expect(await codesIn(rules(`{ ${skip} }`, owasp))).toEqual(told);
    expect(await codesIn(rules(`{ ${skip}, acknowledge: [every-request] }`, owasp))).toEqual([]);
    expect(await codesIn(rules(`{ ${skip}, enabled: false }`, owasp))).toEqual([]);
  });

  it("is told of the zones of a profile that have only such requests", async ({ expect }) => {
    const text = `profiles:
  base:
    managed_rules:
      rules:
        - { key: all, expression: http.host contains "a.example", skip: { ruleset: current } }
        - { key: owasp, deploy: owasp }
zones:
  - { name: a.example, profiles: [base] }
  - { name: b.example, profiles: [base] }
  - { name: www.c.example, profiles: [base] }
`;
    const lines = linesOf(await loadText(text)).filter((line) => line.includes("WHOLE_ZONE"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("every usual request of a.example");
  });
});

describe("protection for no request", () => {
  it.for([
    "false",
    "cf.threat_score gt 50 and cf.threat_score lt 10",
    'http.host eq "a.example" and http.host eq "b.example"',
    'lower(http.host) eq "A.example"',
    'substring(http.request.uri.path, 0, 1) eq "a"',
    'http.request.version eq "HTTP/5"',
  ])("is an error: %s", async (expression, { expect }) => {
    const rule = `key: owasp, deploy: owasp, expression: '${expression}'`;
    expect(await codesIn(rules(`{ ${rule} }`))).toEqual(["5 error PROTECTS_NOTHING"]);
    expect(await codesIn(rules(`{ ${rule}, acknowledge: [no-request] }`))).toEqual([]);
    expect(await codesIn(rules(`{ ${rule}, acknowledge: [every-request] }`))).toEqual([
      "5 error PROTECTS_NOTHING",
    ]);
    expect(await codesIn(rules(`{ ${rule}, enabled: false }`))).toEqual([]);
    const policy = `key: all, action: log, value: "script-src 'self'", expression: '${expression}'`;
    expect(await codesIn(policies(`{ ${policy} }`))).toEqual(["6 error PROTECTS_NOTHING"]);
    expect(await codesIn(policies(`{ ${policy}, acknowledge: [no-request] }`))).toEqual([]);
    expect(await codesIn(policies(`{ ${policy}, enabled: false }`))).toEqual([]);
  });

  it("is none of an exception", async ({ expect }) => {
    const skip = "{ key: none, expression: 'false', skip: { ruleset: current } }";
    expect(await codesIn(rules(skip, owasp))).toEqual([]);
  });
});

describe("hosts of another zone", () => {
  it.for([
    ['http.host eq "www.b.example"', true],
    ['http.host eq "xa.example"', true],
    ['http.host in {"b.example" "c.example"} and ssl', true],
    ['http.host wildcard "*.b.example"', true],
    ['starts_with(http.request.full_uri, "https://b.example/")', true],
    ['not ends_with(http.host, "a.example")', true],
    ['not (http.host eq "a.example" or http.host wildcard "*.a.example")', true],
    ['http.host eq "b.example" and ip.src in {2001:db8::7}', true],
    ['http.host eq "a.example:8443"', false],
    ['http.request.full_uri wildcard "https://a.example:8443/*"', false],
    ['http.host eq "a.example"', false],
    ['http.host eq "www.a.example"', false],
    ['http.host in {"b.example" "www.a.example"}', false],
    ['http.host ne "b.example"', false],
    ['http.referer contains "b.example"', false],
  ] as const)("are told: %s %s", async ([expression, isTold], { expect }) => {
    const rule = `{ key: owasp, deploy: owasp, expression: '${expression}' }`;
    const policy = `{ key: all, action: log, value: "script-src 'self'", expression: '${expression}' }`;
    expect(await codesIn(rules(rule))).toEqual(isTold ? ["5 warning HOST_OUTSIDE_ZONE"] : []);
    expect(await codesIn(policies(policy))).toEqual(isTold ? ["6 warning HOST_OUTSIDE_ZONE"] : []);
    const disabled = rule.replace(" }", ", enabled: false }");
    expect(await codesIn(rules(disabled))).toEqual([]);
  });

  it("are told of each zone that uses a profile", async ({ expect }) => {
    const text = `profiles:
  base:
    managed_rules:
      rules:
        - { key: owasp, deploy: owasp, expression: http.host eq "a.example" }
zones:
  - { name: a.example, profiles: [base] }
  - { name: b.example, profiles: [base] }
`;
    expect(linesOf(await loadText(text)).join("\n")).toContain("no request of b.example");
    expect(await codesIn(text)).toEqual(["5 warning HOST_OUTSIDE_ZONE"]);
  });
});

describe("an exception after another one", () => {
  const wide = "key: wide, expression: 'ip.src in {192.0.2.0/24}'";
  const narrow = "key: narrow, expression: 'ip.src eq 192.0.2.7'";
  it.for([
    ["skip: { ruleset: current }", "skip: { ruleset: current }", true],
    ["skip: { ruleset: current }", "skip: { rulesets: [owasp] }", true],
    [
      "skip: { ruleset: current }",
      "skip: { rules: { owasp: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa] } }",
      true,
    ],
    ["skip: { phase: current }", "skip: { ruleset: current }", true],
    ["skip: { rulesets: [owasp, free] }", "skip: { rulesets: [owasp] }", true],
    ["skip: { rulesets: [owasp] }", "skip: { rulesets: [owasp, free] }", false],
    ["skip: { rulesets: [owasp] }", "skip: { ruleset: current }", false],
    ["skip: { ruleset: current }", "skip: { phase: current }", false],
    ["skip: { ruleset: current }", "skip: { products: [waf] }", false],
    ["skip: { ruleset: current }, enabled: false", "skip: { ruleset: current }", false],
  ] as const)("is told if it adds nothing: %s, %s", async ([first, second, isTold], { expect }) => {
    const deployed = [owasp, "{ key: free, deploy: free }"];
    const text = rules(`{ ${wide}, ${first} }`, `{ ${narrow}, ${second} }`, ...deployed);
    expect(await codesIn(text)).toEqual(isTold ? ["6 warning SHADOWED_EXCEPTION"] : []);
    const swapped = rules(`{ ${narrow}, ${first} }`, `{ ${wide}, ${second} }`, ...deployed);
    expect(await codesIn(swapped)).toEqual([]);
  });
});

describe("a policy after another one", () => {
  const log = "action: log, value: \"script-src 'self'\"";
  it.for([
    [`${log}, expression: 'true'`, `${log}, expression: 'true'`, true],
    [`${log}, expression: 'true'`, `${log}, expression: ssl`, true],
    [`${log}, expression: ssl`, `${log}, expression: 'true'`, false],
    [`${log}, expression: ssl, enabled: false`, `${log}, expression: ssl`, false],
    [
      `${log}, expression: ssl`,
      "action: log, value: \"script-src 'none'\", expression: ssl",
      false,
    ],
    [
      `${log}, expression: ssl`,
      "action: add_reporting_directives, value: \"script-src 'self'\", expression: ssl",
      false,
    ],
  ] as const)("is told if it adds nothing: %s, %s", async ([first, second, isTold], { expect }) => {
    const text = policies(`{ key: one, ${first} }`, `{ key: two, ${second} }`);
    expect(await codesIn(text)).toEqual(isTold ? ["7 warning REPEATED_POLICY"] : []);
  });
});
