import { describe, it } from "vitest";

import { linesOf, loadText, rulesIn } from "../support/desired.ts";
import { rateLimit } from "../support/model.ts";

const rules = (...lines: readonly string[]): string => rulesIn("rate_limiting_rules", ...lines);

/** A rule with a valid rate, of which `members` replace or add some. */
function limited(members: Readonly<Record<string, string>> = {}, more = ""): string {
  const valid = {
    characteristics: "[ip.src, cf.colo.id]",
    period: "60",
    requests_per_period: "5",
    mitigation_timeout: "600",
  };
  const written = Object.entries({ ...valid, ...members })
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}`);
  return `{ key: login, action: block, expression: ssl, ratelimit: { ${written.join(", ")} }${more} }`;
}

describe("rate limiting rules", () => {
  it("are declared with what the service sets by default", async ({ expect }) => {
    const state = await loadText(
      rules(
        limited(),
        limited(
          {
            characteristics:
              "[cf.colo.id, http.host, cf.unique_visitor_id, 'http.request.headers[\"x-key\"]']",
            counting_expression: '" http.response.code eq 401 "',
            requests_to_origin: "true",
            requests_per_period: "",
            score_per_period: "400",
            score_response_header_name: "X-Score",
          },
          ", response: { status_code: 429, content_type: text/plain, content: slow }",
        ).replace("login", "score"),
      ),
    );
    expect(linesOf(state)).toEqual([]);
    expect(state.documents[0]?.content.rules.rate_limiting_rules?.items).toMatchObject([
      {
        key: "login",
        action: "block",
        response: undefined,
        ratelimit: rateLimit,
      },
      {
        key: "score",
        response: { status_code: 429, content_type: "text/plain", content: "slow" },
        ratelimit: {
          characteristics: [
            "cf.colo.id",
            "cf.unique_visitor_id",
            "http.host",
            'http.request.headers["x-key"]',
          ],
          requests_per_period: undefined,
          counting_expression: "http.response.code eq 401",
          requests_to_origin: true,
          score_per_period: 400,
          score_response_header_name: "X-Score",
        },
      },
    ]);
  });

  it("fill placeholders in what they count", async ({ expect }) => {
    const rule = limited({
      counting_expression: "'http.host eq \"${zone.name}\" and http.response.code eq 401'",
    });
    const state = await loadText(rules(rule));
    expect(linesOf(state)).toEqual([]);
    expect(state.documents[0]?.content.rules.rate_limiting_rules?.items).toMatchObject([
      {
        ratelimit: {
          counting_expression: 'http.host eq "a.example" and http.response.code eq 401',
        },
      },
    ]);
    const wrong = rule.replace("http.response.code", "http.response.kode");
    expect(linesOf(await loadText(rules(wrong))).join()).toContain("EXPR_UNKNOWN_FIELD");
  });

  it("end the evaluation for no request below their rate", async ({ expect }) => {
    const second = limited().replace("login", "again");
    expect(linesOf(await loadText(rules(limited(), second)))).toEqual([]);
  });
});

describe("a rate limiting rule that is wrong", () => {
  it.for([
    [limited().replace("action: block", "action: skip"), "stands in `custom_rules`"],
    [limited().replace("action: block", "action: throttle"), "`mitigation_timeout: 0`"],
    [limited().replace("action: block, ", ""), '"action" of the rule "login" is missing'],
    [limited().replace("expression: ssl, ", ""), '"expression" of the rule "login" is missing'],
    [limited({}, ", skip: { ruleset: current }"), "stands in `custom_rules`"],
    [
      "{ key: login, action: block, expression: ssl }",
      '"ratelimit" of the rule "login" is missing',
    ],
    [limited({ characteristics: "" }), '"characteristics" of the rate is missing'],
    [limited({ characteristics: "[]" }), "the list is empty"],
    [limited({ characteristics: "ip.src" }), "write a list"],
    [limited({ characteristics: "[5]" }), "expected text"],
    [limited({ characteristics: "[ip.src]" }), "the characteristics do not contain cf.colo.id"],
    [
      limited({ characteristics: "[cf.colo.id, ip.src, cf.unique_visitor_id]" }),
      "ip.src and cf.unique_visitor_id exclude each other",
    ],
    [limited({ characteristics: "[cf.colo.id, ip src]" }), "write one field or one call"],
    [limited({ period: "" }), '"period" of the rate is missing'],
    [limited({ period: "0" }), "write a number from 1 up"],
    [limited({ period: "1m" }), "expected a whole number"],
    [limited({ period: "1.5" }), "expected a whole number"],
    [limited({ period: "86401" }), "write a number up to 86400"],
    [limited({ mitigation_timeout: "" }), '"mitigation_timeout" of the rate is missing'],
    [limited({ mitigation_timeout: "-1" }), "write a number from 0 up"],
    [limited({ requests_per_period: "" }), '"requests_per_period" of the rate is missing'],
    [limited({ requests_per_period: "0" }), "write a number from 1 up"],
    [limited({ score_per_period: "5" }), '"score_response_header_name" of the rate is missing'],
    [limited({ score_response_header_name: "x" }), '"score_per_period" of the rate is missing'],
    [limited({ requests_to_origin: "yes" }), "write true"],
    [limited({ counting_expression: "5" }), "expected text"],
    [limited({ counting_expression: "http.host eq" }), "EXPR_UNEXPECTED"],
    [
      limited({ counting_expression: '"false"' }),
      "applies to no request: its expression is never true",
    ],
    [
      limited({ counting_expression: "ip.src in $office and http.response.code eq 401" }),
      "cannot have both lists and fields of the response",
    ],
    [
      limited({ requests_to_origin: "true" }).replace("ssl", "ip.src in $office"),
      '"requests_to_origin" excludes lists in "expression"',
    ],
    [limited({ threshold: "5" }), "write `requests_per_period`"],
    [
      limited(
        {},
        `, response: { status_code: 429, content_type: text/plain, content: ${"x".repeat(30_721)} }`,
      ),
      "the content has 30721 bytes, the maximum is 30720",
    ],
  ] as const)("is an error with its remedy: %s", async ([rule, says], { expect }) => {
    const { diagnostics } = await loadText(rules(rule));
    const lines = linesOf(await loadText(rules(rule)));
    expect(lines.join("\n")).toContain(says);
    expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
    expect(diagnostics.every(({ place, remedy }) => place.line >= 5 && remedy !== "")).toBe(true);
  });

  it.for([
    [
      limited({ characteristics: `[cf.colo.id, 'http.request.headers["X-Key"]']` }),
      '5:122: warning: "X-Key" never matches: names of headers are in lower case; write "x-key"',
    ],
    [
      limited({ characteristics: "[cf.colo_id, cf.colo.id]" }),
      "5:88: warning: unknown field cf.colo_id; did you mean cf.colo.id?",
    ],
    [
      limited({ characteristics: "[cf.colo.id, http.request.uri.args]" }).replace(".args", ".pth"),
      "5:100: warning: unknown field http.request.uri.pth; did you mean http.request.uri.path?",
    ],
    [
      limited().replace("ssl", "http.response.code eq 401"),
      "5:52: warning: http.response.code has no value yet: this is evaluated before the response is there; move the condition to `counting_expression`",
    ],
    [
      limited().replace("ssl", "'http.response.code eq 401 and http.host eq \"${zone.name}\"'"),
      'http.response.code eq 401 and http.host eq "a.example"; move the condition to `counting_expression`',
    ],
  ] as const)("is a warning at its place: %s", async ([rule, says], { expect }) => {
    expect(linesOf(await loadText(rules(rule)))).toEqual([expect.stringContaining(says)]);
  });

  it("is not, with what the service is documented to take", async ({ expect }) => {
    const characteristics = [
      "cf.colo.id",
      "cf.unique_visitor_id",
      "http.host",
      "http.request.uri.path",
      "ip.src.asnum",
      "ip.src.country",
      "cf.bot_management.ja3_hash",
      "cf.bot_management.ja4",
      'http.request.cookies["n"]',
      'http.request.uri.args["n"]',
      'http.request.body.form["n"]',
      "http.request.body.raw",
      "http.request.body.size",
      'lookup_json_string(http.request.body.raw,"k")',
      'lookup_json_integer(http.request.body.raw, "k", "l")',
      'http.request.jwt.claims.sub["id"][0]',
    ].map((each) => `'${each}'`);
    const rule = limited({ characteristics: `[${characteristics.join(", ")}]` });
    expect(linesOf(await loadText(rules(rule)))).toEqual([]);
  });

  it("is not, with a list that the service maintains", async ({ expect }) => {
    const rule = limited({ requests_to_origin: "true" }).replace("ssl", "ip.src in $cf.vpn");
    expect(linesOf(await loadText(rules(rule)))).toEqual([]);
  });
});
