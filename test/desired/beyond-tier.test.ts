import { describe, it } from "vitest";

import { selectZones } from "../../src/desired/zones/select.ts";
import type { ZoneDocument } from "../../src/zone/desired-zone.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { loadText } from "../support/desired.ts";
import { zoneNamed } from "../support/model.ts";
import { problemLine } from "../support/problem-line.ts";

async function documentsOf(custom: string, limits: string): Promise<readonly ZoneDocument[]> {
  const { documents } = await loadText(`profiles:
  shop:
    custom_rules: { rules: [${custom}] }
    rate_limiting_rules: { rules: [${limits}] }
zones:
  - { name: a.example }
  - { name: b.example, profiles: [shop] }
  - { name: c.example, profiles: [shop] }
`);
  return documents;
}

/** What is told of the zones, of which the last two share a profile. */
function toldTo(documents: readonly ZoneDocument[], plans: readonly string[]): readonly string[] {
  const zones = ["a.example", "b.example", "c.example"].flatMap((name, index) => {
    const id = zoneId(`${index}`.repeat(32));
    return id === undefined ? [] : [{ ...zoneNamed(name), id, tier: plans[index] ?? "" }];
  });
  return selectZones(documents, { zones, unlisted: [] }).diagnostics.map((each) =>
    problemLine(each, "").replace(/^a\.yaml:(\d+):\d+: warning: the plan \w+ is documented/, "$1"),
  );
}

/** What is told of zones that all have one plan. */
async function toldOf(plan: string, custom: string, limits: string): Promise<readonly string[]> {
  return toldTo(await documentsOf(custom, limits), [plan, plan, plan]);
}

/** A rate limit that a free zone may have, of which `members` replace some. */
function limit(members: string, action = "block", expression = '"true"'): string {
  return `{ key: login, action: ${action}, expression: ${expression}, ratelimit: { characteristics: [cf.colo.id, ip.src], requests_per_period: 5, ${members} } }`;
}

const usual = limit("period: 10, mitigation_timeout: 10");
const pathRule = "{ key: a, action: block, expression: 'http.request.uri.path eq \"/a\"' }";

describe("what a plan does not include", () => {
  it.for(["free", "pro", "business", "enterprise", ""])(
    "is nothing of what every plan has: %s",
    async (plan, { expect }) => {
      expect(await toldOf(plan, pathRule, usual)).toEqual([]);
    },
  );

  it.for([
    ["{ key: a, action: log, expression: ssl }", "the action log", ["free", "pro", "business"]],
    [
      "{ key: a, action: block, expression: ssl, response: { status_code: 403, content_type: text/plain, content: no } }",
      "a response",
      ["free"],
    ],
    [
      "{ key: a, action: block, expression: 'http.host matches \"a+\"' }",
      "regular expressions",
      ["free", "pro"],
    ],
    [
      "{ key: a, action: block, expression: cf.waf.score lt 20 }",
      "the field cf.waf.score",
      ["free", "pro", "business"],
    ],
    [
      '{ key: a, action: skip, skip: { products: [bic] }, expression: \'any(http.request.cookies["a"][*] eq "1")\' }',
      "the field http.request.cookies",
      ["free"],
    ],
  ] as const)("is told of a custom rule, once: %s", async ([rule, what, without], { expect }) => {
    for (const plan of ["free", "pro", "business", "enterprise"]) {
      const told = without.some((each) => each === plan)
        ? [expect.stringMatching(new RegExp(`^3 not to include ${what};.*BEYOND_PLAN`))]
        : [];
      expect(await toldOf(plan, rule, usual), plan).toEqual(told);
    }
  });

  it.for([
    [limit("period: 60, mitigation_timeout: 10"), "a period of 60 s", ["free"]],
    [limit("period: 600, mitigation_timeout: 10"), "a period of 600 s", ["free", "pro"]],
    [limit("period: 10, mitigation_timeout: 600"), "a mitigation timeout of 600 s", ["free"]],
    [
      limit("period: 10, mitigation_timeout: 0"),
      "a block of only the requests above the rate",
      ["free", "pro", "business"],
    ],
    [
      limit("period: 10, mitigation_timeout: 10", "managed_challenge"),
      "challenges with a mitigation timeout other than 0",
      ["free", "pro", "business"],
    ],
    [
      limit("period: 10, mitigation_timeout: 0", "challenge"),
      "the action challenge of rate limits",
      ["free"],
    ],
    [
      limit("period: 10, mitigation_timeout: 10, counting_expression: http.response.code eq 401"),
      "counting expressions",
      ["free", "pro"],
    ],
    [
      limit("period: 10, mitigation_timeout: 10", "block", "'http.host eq \"a\"'"),
      "the field http.host in rate limits",
      ["free"],
    ],
    [
      limit("period: 10, mitigation_timeout: 10").replace("ip.src", "http.host"),
      "the characteristic http.host",
      ["free", "pro", "business"],
    ],
  ] as const)("is told of a rate limit: %s", async ([rule, what, without], { expect }) => {
    for (const plan of ["free", "pro", "business", "enterprise"]) {
      const told = (await toldOf(plan, pathRule, rule)).some((line) =>
        line.startsWith(`4 not to include ${what};`),
      );
      expect(told, plan).toBe(without.some((each) => each === plan));
    }
  });

  it("is told of each plan of zones that share a profile, whichever was selected before", async ({
    expect,
  }) => {
    const log = "{ key: a, action: log, expression: 'http.host matches \"a+\"' }";
    const documents = await documentsOf(log, usual);
    const regex: unknown = expect.stringMatching(/^3 not to include regular expressions;/);
    const action: unknown = expect.stringMatching(/^3 not to include the action log;/);
    expect(toldTo(documents, ["free", "enterprise", "business"])).toEqual([action]);
    expect(toldTo(documents, ["free", "pro", "business"])).toEqual([regex, action, action]);
    expect(toldTo(documents, ["free", "enterprise", "enterprise"])).toEqual([]);
  });
});
