import { describe, it } from "vitest";

import type { LoadedFiles } from "../../src/desired/load/zone-file-loader.ts";
import { linesOf, loadText, rulesIn } from "../support/desired.ts";

const rules = (...lines: readonly string[]): string => rulesIn("custom_rules", ...lines);

function declaredIn({ documents: [document] }: LoadedFiles) {
  return document?.content.rules.custom_rules;
}

const block = "key: admin, action: block, expression: ssl";
const skip = "key: office, action: skip, expression: ssl";
const response = "{ status_code: 403, content_type: text/plain, content: no }";

describe("custom rules", () => {
  it("are declared in order, with what the service sets by default", async ({ expect }) => {
    const state = await loadText(`zones:
  - name: a.example
    custom_rules:
      rules:
        - key: monitoring
          action: skip
          skip: { phases: [http_ratelimit, http_request_firewall_managed, http_ratelimit], products: [bic], logging: false }
          expression: ip.src in {198.51.100.7}
        - key: admin
          was: back-office
          description: Admin only from the office
          expression: " starts_with(http.request.uri.path, \\"/admin\\") "
          action: block
          response: { status_code: 451, content_type: application/json, content: '{"error":"no"}' }
        - { key: all, action: managed_challenge, expression: "true", enabled: false }
      unmanaged: ignore
`);
    expect(linesOf(state)).toEqual([]);
    expect(declaredIn(state)).toEqual({
      unmanaged: "ignore",
      items: [
        {
          key: "monitoring",
          was: undefined,
          description: "",
          expression: "ip.src in {198.51.100.7}",
          enabled: true,
          position: undefined,
          action: "skip",
          skip: {
            ruleset: false,
            phase: false,
            rulesets: [],
            rules: {},
            phases: ["http_ratelimit", "http_request_firewall_managed"],
            products: ["bic"],
          },
          logging: false,
        },
        {
          key: "admin",
          was: "back-office",
          description: "Admin only from the office",
          expression: 'starts_with(http.request.uri.path, "/admin")',
          enabled: true,
          position: undefined,
          action: "block",
          response: {
            status_code: 451,
            content_type: "application/json",
            content: '{"error":"no"}',
          },
          ratelimit: undefined,
        },
        {
          key: "all",
          was: undefined,
          description: "",
          expression: "true",
          enabled: false,
          position: undefined,
          action: "managed_challenge",
          response: undefined,
          ratelimit: undefined,
        },
      ],
    });
  });

  it("are merged by key with those of profiles, in their own list", async ({ expect }) => {
    const state = await loadText(`profiles:
  base:
    custom_rules:
      rules:
        - { ${block}, response: ${response} }
        - { key: bots, action: log, expression: cf.client.bot }
    managed_rules: { rules: [{ key: admin, deploy: owasp }] }
zones:
  - name: a.example
    profiles: [base]
    custom_rules:
      rules:
        - { key: bots, remove: true }
        - { key: admin, response: { status_code: 451 } }
`);
    expect(linesOf(state)).toEqual([]);
    expect(declaredIn(state)?.items).toMatchObject([
      { key: "admin", response: { status_code: 451, content_type: "text/plain", content: "no" } },
    ]);
    expect(state.documents[0]?.content.rules.managed_rules?.items).toMatchObject([
      { key: "admin", action: "execute" },
    ]);
  });

  it("have placeholders in expressions and in the content of a response", async ({ expect }) => {
    const state = await loadText(
      rules(
        "{ key: admin, action: block, expression: 'http.host eq \"${zone.name}\"', response: { status_code: 403, content_type: text/html, content: 'Not at ${zone.name}, $${it}' } }",
      ),
    );
    expect(linesOf(state)).toEqual([]);
    expect(declaredIn(state)?.items).toMatchObject([
      {
        expression: 'http.host eq "a.example"',
        response: { content: "Not at a.example, ${it}" },
      },
    ]);
  });

  it("are no longer declared without their section", async ({ expect }) => {
    const none = await loadText("zones: [{ name: a.example }]");
    expect(none.documents[0]?.content.rules).toEqual({});
    const empty = await loadText("zones: [{ name: a.example, custom_rules: { rules: [] } }]");
    expect(empty.documents[0]?.content.rules).toEqual({
      custom_rules: { items: [], unmanaged: "report" },
    });
  });
});

describe("a custom rule that is wrong", () => {
  it.for([
    [
      "{ key: a, action: execute, expression: ssl }",
      "managed rulesets are deployed in `managed_rules`",
    ],
    [`{ key: a, action: allow, expression: ssl }`, "write `skip`, and below `skip` what"],
    [`{ key: a, action: blok, expression: ssl }`, 'did you mean "block"?'],
    [`{ key: a, action: 5, expression: ssl }`, "5 is none of block, challenge"],
    [`{ key: a, action: block }`, '"expression" of the rule "a" is missing'],
    [`{ key: a, expression: ssl }`, '"action" of the rule "a" is missing'],
    [`{ ${block}, skip: { ruleset: current } }`, '"skip" is for rules with `action: skip`'],
    [`{ ${block}, deploy: owasp }`, "managed rulesets are deployed in `managed_rules`"],
    [
      `{ ${block}, ratelimit: {} }`,
      '"ratelimit" belongs into an entry of "rate_limiting_rules.rules"',
    ],
    [`{ ${block}, action_parameters: {} }`, "write `response` or `skip` in its place"],
    [`{ ${block}, logging: false }`, '"logging" belongs below "custom_rules.rules[].skip"'],
    [`{ ${block}, response: no }`, "expected a map"],
    [`{ ${block}, response: {} }`, '"status_code" of the response is missing'],
    [`{ ${block}, response: { status_code: 403 } }`, '"content" of the response is missing'],
    [`{ ${block}, response: { status_code: 399 } }`, "write a number from 400 up"],
    [`{ ${block}, response: { status_code: 500 } }`, "write a number up to 499"],
    [`{ ${block}, response: { status_code: "403" } }`, "write 403, without quotes"],
    [`{ ${block}, response: { content_type: image/png } }`, "none of text/html, text/plain"],
    [`{ ${block}, response: { content: 5 } }`, "expected text, found 5"],
    [
      `{ ${block}, response: { status_code: 403, content_type: text/plain, content: ${"é".repeat(1025)} } }`,
      "the content has 2050 bytes, the maximum is 2048",
    ],
    [
      `{ key: a, action: log, expression: ssl, response: ${response} }`,
      "is for rules with `action: block`",
    ],
    [
      `{ ${skip}, skip: { ruleset: current }, response: ${response} }`,
      "is for rules with `action: block`",
    ],
    [`{ ${skip} }`, "what the exception skips is missing"],
    [`{ ${skip}, skip: { logging: true } }`, "what the exception skips is missing"],
    [`{ ${skip}, skip: {} }`, "the map is empty"],
    [`{ ${skip}, skip: { phases: [http_request_firewall_custom] } }`, "write `ruleset: current`"],
    [`{ ${skip}, skip: { phases: [http_request_transform] } }`, "is none of http_ratelimit"],
    [`{ ${skip}, skip: { phases: http_ratelimit } }`, "write a list"],
    [`{ ${skip}, skip: { products: [BIC] } }`, 'did you mean "bic"?'],
    [`{ ${skip}, skip: { ruleset: all } }`, "expected current"],
    [
      `{ ${skip}, skip: { rulesets: [owasp] } }`,
      "exceptions to managed rulesets stand in `managed_rules`",
    ],
    [`{ ${skip}, skip: { phase: current, ruleset: current } }`, '"phase" excludes "ruleset"'],
    [
      `{ ${skip}, skip: { phase: current, phases: [http_ratelimit] } }`,
      '"phase" excludes "phases"',
    ],
    ["{ key: a, action: block, expression: 5 }", "expected text"],
    [`{ ${block}, enabled: yes }`, "write true"],
    ["{ key: A, action: block, expression: ssl }", "a key starts with a lower-case letter"],
    [`{ ${block}, position: middle }`, "expected one of first, last or a map with before or after"],
    [`{ ${block}, position: {} }`, "the map is empty"],
    [`{ ${block}, position: { between: x } }`, 'unknown key "between"'],
    ['{ key: a, action: block, expression: "false" }', "applies to no request"],
    [`{ ${skip.replace("ssl", '"true"')}, skip: { ruleset: current } }`, "spares every request"],
  ] as const)("is an error with its remedy: %s", async ([rule, says], { expect }) => {
    const state = await loadText(rules(rule));
    expect(linesOf(state).join("\n")).toContain(says);
    const { diagnostics } = state;
    expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
    expect(diagnostics.every(({ place }) => place.line >= 5)).toBe(true);
  });

  it("is not, if its content is as large as it may be", async ({ expect }) => {
    const content = "é".repeat(1024);
    const rule = `{ ${block}, response: { status_code: 403, content_type: text/plain, content: ${content} } }`;
    expect(linesOf(await loadText(rules(rule)))).toEqual([]);
  });

  it("with a key of another one is an error", async ({ expect }) => {
    const state = await loadText(rules(`{ ${block} }`, `{ ${skip.replace("office", "admin")} }`));
    expect(linesOf(state).join("\n")).toContain("KEY_TWICE");
  });
});

async function shadows(...lines: readonly string[]): Promise<readonly string[]> {
  const { diagnostics } = await loadText(rules(...lines));
  return diagnostics.map(({ code, place }) => `${place.line} ${code}`);
}

describe("a custom rule that no request reaches", () => {
  const wide = 'starts_with(http.request.uri.path, "/admin")';
  const narrow = 'http.request.uri.path eq "/admin/users"';
  const later = `{ key: later, action: block, expression: '${narrow}' }`;

  it.for(["block", "challenge", "js_challenge", "managed_challenge"])(
    "is told after one that ends the evaluation: %s",
    async (action, { expect }) => {
      const first = `{ key: first, action: ${action}, expression: '${wide}' }`;
      expect(await shadows(first, later)).toEqual(["6 SHADOWED_RULE"]);
      expect(await shadows(later, first)).toEqual([]);
      expect(await shadows(first.replace(" }", ", enabled: false }"), later)).toEqual([]);
    },
  );

  it("is told after an exception for the rest of the list", async ({ expect }) => {
    const first = `{ key: first, action: skip, skip: { ruleset: current }, expression: '${wide}' }`;
    const exception = `{ key: x, action: skip, skip: { products: [bic] }, expression: '${narrow}' }`;
    expect(await shadows(first, later, exception)).toEqual(["6 SHADOWED_RULE", "7 SHADOWED_RULE"]);
  });

  it.for([
    "action: log",
    "action: skip, skip: { phases: [http_ratelimit] }",
    "action: skip, skip: { products: [waf] }",
  ])("is not told after one that goes on: %s", async (does, { expect }) => {
    expect(await shadows(`{ key: first, ${does}, expression: '${wide}' }`, later)).toEqual([]);
  });

  it("is not told where the earlier one selects other requests", async ({ expect }) => {
    const first = `{ key: first, action: block, expression: '${wide} and ssl' }`;
    expect(await shadows(first, later)).toEqual([]);
  });
});

it("a warning about a custom rule can be suppressed in its line", async ({ expect }) => {
  const shadowed = 'key: b, action: block, expression: ssl and http.host eq "a.example"';
  const text = rules("{ key: a, action: block, expression: ssl }", `{ ${shadowed} }`);
  expect(linesOf(await loadText(text)).join()).toContain("SHADOWED_RULE");
  const comment = "        # zonewarden-disable-next-line SHADOWED_RULE -- for a while\n";
  const suppressed = text.replace("        - { key: b", `${comment}        - { key: b`);
  expect(linesOf(await loadText(suppressed))).toEqual([]);
});
