import { describe, it } from "vitest";

import type { LoadedFiles } from "../../src/desired/load/zone-file-loader.ts";
import type { promotionNeeds } from "../../src/desired/zones/promotion-needs.ts";
import { selectWith, selectZones } from "../../src/desired/zones/select.ts";
import { promotedObjects } from "../../src/zone/promoted-objects.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { linesOf, loadText, rulesIn } from "../support/desired.ts";
import { zoneNamed } from "../support/model.ts";
import { problemLine } from "../support/problem-line.ts";

const day = 86_400_000;

const base = "expression: ssl, value: \"script-src 'self'\"";

/** Two zones, of which the second one has no steps. */
function policies(...items: readonly string[]): string {
  return `zones:
  - name: a.example
    page_shield:
      policies:
        items:
          - { key: cart, action: allow, expression: not ssl, value: "script-src 'self'" }
${items.map((item) => `          - ${item}\n`).join("")}  - name: b.example
    page_shield: { policies: { items: [{ key: cart, action: log, ${base} }] } }
`;
}

function promotionsIn({ documents }: LoadedFiles): unknown {
  return documents.map(({ content }) =>
    Object.fromEntries(
      [...promotedObjects(content)].map(([key, { promotion }]) => [key, promotion]),
    ),
  );
}

const checkout = (promote: string, more = "action: allow") =>
  `{ key: checkout, ${more}, ${base}, promote: ${promote} }`;
const admin = (promote: string, more = "action: block") =>
  `{ key: admin, ${more}, expression: ssl, promote: ${promote} }`;
const owasp = (promote: string, more: string) =>
  `{ key: owasp, deploy: owasp, ${more}, promote: ${promote} }`;

describe("promote", () => {
  it("has defaults for all but its first step, its time and its conditions", async ({ expect }) => {
    const state = await loadText(
      policies(checkout("{ from: log, after: 7d, when: { violations_per_10k_requests: 0.5 } }")),
    );
    expect(linesOf(state)).toEqual([]);
    expect(promotionsIn(state)).toEqual([
      {
        "policy/checkout": {
          field: "action",
          steps: ["log", "allow"],
          afterMs: 7 * day,
          when: { ratePer10k: 0.5, unknownScripts: undefined, requestsAtLeast: 1_000 },
          watchMs: day,
          rollback: undefined,
          at: undefined,
        },
      },
      {},
    ]);
  });

  it("has all of its keys", async ({ expect }) => {
    const all =
      "{ from: log, to: allow, after: 30m, force: true, watch: 2h, when: { violations_per_10k_requests: 1, unknown_scripts: 0, requests_at_least: 70 }, rollback: { violations_per_10k_requests: 5, requests_at_least: 90 } }";
    const state = await loadText(policies(checkout(all)));
    expect(linesOf(state)).toEqual([]);
    expect(promotionsIn(state)).toMatchObject([
      {
        "policy/checkout": {
          afterMs: 1_800_000,
          watchMs: 7_200_000,
          when: { ratePer10k: 1, unknownScripts: 0, requestsAtLeast: 70 },
          rollback: { ratePer10k: 5, requestsAtLeast: 90 },
        },
      },
      {},
    ]);
  });

  it.for([
    { action: "block", from: "log", steps: ["log", "managed_challenge", "block"] },
    { action: "block", from: "managed_challenge", steps: ["managed_challenge", "block"] },
    { action: "managed_challenge", from: "log", steps: ["log", "managed_challenge"] },
  ])("leads a rule from $from to $action", async ({ action, from, steps }, { expect }) => {
    const state = await loadText(
      rulesIn(
        "custom_rules",
        "{ key: other, action: block, expression: not ssl }",
        admin(`{ from: ${from}, after: 1h, when: time_only }`, `action: ${action}`),
      ),
    );
    expect(linesOf(state)).toEqual([]);
    expect(promotionsIn(state)).toMatchObject([{ "custom_rule/admin": { steps } }]);
  });

  it.for([
    { field: "paranoia_level", from: "1", more: "paranoia_level: 3", steps: [1, 2, 3] },
    { field: "score_threshold", from: "low", more: "score_threshold: 25", steps: [60, 40, 25] },
    { field: "score_threshold", from: "60", more: "score_threshold: medium", steps: [60, 40] },
    {
      field: "action",
      from: "log",
      more: "action: block",
      steps: ["log", "managed_challenge", "block"],
    },
  ])(
    "leads a deployment from its $field $from: $more",
    async ({ field, from, more, steps }, { expect }) => {
      const promote = `{ field: ${field}, from: ${from}, after: 1h, when: time_only }`;
      const state = await loadText(rulesIn("managed_rules", owasp(promote, more)));
      expect(linesOf(state)).toEqual([]);
      expect(promotionsIn(state)).toMatchObject([{ "managed_rule/owasp": { field, steps } }]);
    },
  );

  it.for([
    {
      phase: "page_shield",
      text: policies(
        `{ key: checkout, ${base}, promote: { from: log, to: allow, after: 1h, when: time_only } }`,
      ),
    },
    {
      phase: "custom_rules",
      text: rulesIn(
        "custom_rules",
        "{ key: admin, expression: ssl, promote: { from: log, to: block, after: 1h, when: time_only } }",
      ),
    },
    {
      phase: "managed_rules",
      text: rulesIn(
        "managed_rules",
        "{ key: owasp, deploy: owasp, promote: { field: score_threshold, from: low, to: high, after: 1h, when: time_only } }",
      ),
    },
  ])("declares the value in place of the object itself: $phase", async ({ text }, { expect }) => {
    const state = await loadText(text);
    expect(linesOf(state)).toEqual([]);
    const [found] = [...(state.documents[0] ? promotedObjects(state.documents[0].content) : [])];
    const [, object] = found ?? [];
    const end = object?.promotion.steps.at(-1);
    const tuned = object?.action === "execute" ? object.tuning.scoreThreshold : object?.action;
    expect(end).toBeDefined();
    expect(tuned).toBe(end);
  });

  it("is replaced as a whole by a later layer, and removed by null", async ({ expect }) => {
    const state = await loadText(`profiles:
  base:
    custom_rules:
      rules:
      - { key: admin, action: block, expression: ssl, promote: { from: log, after: 7d, watch: 1h, when: { events_per_10k_requests: 1 }, rollback: { events_per_10k_requests: 5 } } }
      - { key: bots, action: block, expression: not ssl, promote: { from: log, after: 7d, when: time_only } }
zones:
  - name: a.example
    profiles: [base]
    custom_rules:
      rules:
      - { key: admin, promote: { from: managed_challenge, after: 2d, when: { requests_at_least: 5 } } }
      - { key: bots, promote: null }
  - { name: b.example, profiles: [base] }
`);
    expect(linesOf(state)).toEqual([]);
    expect(promotionsIn(state)).toMatchObject([
      {
        "custom_rule/admin": {
          steps: ["managed_challenge", "block"],
          afterMs: 2 * day,
          watchMs: day,
          when: { ratePer10k: undefined, requestsAtLeast: 5 },
          rollback: undefined,
        },
      },
      { "custom_rule/admin": { watchMs: 3_600_000 }, "custom_rule/bots": {} },
    ]);
  });

  it("takes placeholders, and rules of custom rulesets have one too", async ({ expect }) => {
    const state = await loadText(`profiles:
  base:
    vars: { after: { type: string, default: 7d }, rate: { type: number, default: 2 } }
    custom_rulesets:
      - key: payments
        rules:
          - { key: amounts, action: block, expression: ssl }
          - { key: bots, action: block, expression: not ssl, promote: { from: log, after: "\${vars.after}", when: { events_per_10k_requests: "\${vars.rate}" } } }
zones:
  - { name: a.example, profiles: [base], vars: { after: 3d } }
  - { name: b.example, profiles: [base] }
`);
    expect(linesOf(state)).toEqual([]);
    expect(promotionsIn(state)).toMatchObject([
      { "custom_rule/payments/bots": { afterMs: 3 * day, when: { ratePer10k: 2 } } },
      { "custom_rule/payments/bots": { afterMs: 7 * day } },
    ]);
  });
});

const time = "after: 1h, when: time_only";

describe("steps that are wrong", () => {
  it.for<readonly [text: string, said: string]>([
    [
      policies(checkout(`{ from: allow, ${time} }`)),
      'a.yaml:7:107: error: the steps of "checkout" do not rise: they begin with allow and end with allow; write one before allow: log [PROMOTION_STEPS]',
    ],
    [
      policies(checkout(`{ from: log, ${time} }`, "action: log")),
      'a.yaml:7:105: error: the steps of "checkout" do not rise: they begin with log and end with log; delete `promote`: the declared value is the first step [PROMOTION_STEPS]',
    ],
    [
      policies(checkout(`{ from: log, ${time} }`, "action: add_reporting_directives")),
      'the action add_reporting_directives of "checkout": the steps are log, allow',
    ],
    [
      rulesIn("custom_rules", admin(`{ from: block, ${time} }`, "action: managed_challenge")),
      'the steps of "admin" do not rise: they begin with block and end with managed_challenge; write one before managed_challenge: log [PROMOTION_STEPS]',
    ],
    [
      rulesIn("custom_rules", admin(`{ from: log, ${time} }`, "action: js_challenge")),
      "the action js_challenge",
    ],
    [
      rulesIn(
        "managed_rules",
        owasp(`{ field: score_threshold, from: low, ${time} }`, "score_threshold: 50"),
      ),
      "declare one of 40, 25, or delete `promote`",
    ],
    [
      rulesIn(
        "managed_rules",
        owasp(`{ field: paranoia_level, from: log, ${time} }`, "paranoia_level: 3"),
      ),
      "log is no step of paranoia_level: the steps are 1, 2, 3, 4",
    ],
    [
      rulesIn("managed_rules", owasp(`{ field: paranoia_level, from: 1, ${time} }`, "action: log")),
      '"paranoia_level" of the rule "owasp" is missing; write `paranoia_level`, where the steps end [MISSING_KEY]',
    ],
    [
      policies(checkout(`{ from: log, to: log, ${time} }`)),
      'the steps end with log, and "checkout" declares the action allow; delete `to`, or declare log [CONTRADICTION]',
    ],
    [
      policies(checkout(`{ from: log, ${time} }`, "action: allow, enabled: false")),
      '"checkout" is disabled: none of its steps is ever in force; enable it, or delete `promote` [CONTRADICTION]',
    ],
    [
      policies(checkout("{ from: log, after: 59m, when: time_only }")),
      "a step is measured for at least 1h; write 1h or more, or add `force: true` for a trial [WRONG_VALUE]",
    ],
    [
      policies(checkout("{ from: log, after: 59s, when: time_only, force: true }")),
      "a step is measured for at least 1m; write 1m or more [WRONG_VALUE]",
    ],
    [
      rulesIn(
        "custom_rules",
        admin(`{ from: log, ${time} }`, "action: skip, skip: { products: [bic] }"),
      ),
      '"promote" is for rules that act against requests; delete it here [CONTRADICTION]',
    ],
    [
      rulesIn(
        "managed_rules",
        `{ key: cf, deploy: cloudflare, promote: { from: log, to: block, ${time} } }`,
      ),
      '"promote" tunes the OWASP core ruleset, but "cf" deploys cloudflare; delete it',
    ],
    [policies(checkout("{ from: log, after: 7d }")), '"when" is missing'],
    [policies(checkout("{ from: log, after: 7, when: time_only }")), "30m, 24h, 7d"],
    [policies(checkout("{ from: log, after: 7d, when: {} }")), "the map is empty"],
    [policies(checkout("{ from: log, after: 7d, when: soon }")), "time_only"],
    [
      rulesIn(
        "custom_rules",
        admin("{ from: log, after: 7d, when: { violations_per_10k_requests: 1 } }"),
      ),
      "write `events_per_10k_requests`: only policies have violations [UNKNOWN_KEY]",
    ],
  ])("are told with a place and a remedy: %#", async ([text, said], { expect }) => {
    const lines = linesOf(await loadText(text));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(said);
    expect(lines[0]).toMatch(/: error: [^;]+; .+ \[[A-Z_]+\]$/);
    const promote = text.split("\n").findIndex((line) => line.includes("promote")) + 1;
    expect(lines[0]).toMatch(new RegExp(String.raw`^a\.yaml:${promote}:\d+: error: `));
  });
});

async function selected(text: string, plan: string) {
  const { documents } = await loadText(text);
  const id = zoneId("1".repeat(32));
  if (id === undefined) throw new Error("no id");
  const zones = [{ ...zoneNamed("a.example"), id, tier: plan }];
  const { zones: found, diagnostics } = selectZones(documents, { zones, unlisted: [] });
  const promotions = found.map(({ content }) =>
    [...promotedObjects(content)].map(([key, { promotion }]) => {
      return [key, promotion.steps.join(" "), promotion.when === "time_only"] as const;
    }),
  );
  const lines = diagnostics.map((each) => problemLine(each, ""));
  return { promotions: promotions.flat(), lines: lines.filter((line) => line.includes("step")) };
}

const limit = (action: string, timeout: number) =>
  `{ key: login, action: ${action}, expression: ssl, promote: { from: log, after: 7d, when: { events_per_10k_requests: 1 } }, ratelimit: { characteristics: [cf.colo.id, ip.src], period: 10, requests_per_period: 5, mitigation_timeout: ${timeout} } }`;
const measured = admin("{ from: log, after: 7d, when: { events_per_10k_requests: 1 } }");
const toChallenge = admin(
  "{ from: log, after: 7d, when: { events_per_10k_requests: 1 } }",
  "action: managed_challenge",
);

describe("steps that the plan of a zone does not include", () => {
  it.for<{
    plan: string;
    text: string;
    steps: string | undefined;
    byTime?: boolean;
    says?: string;
  }>([
    {
      plan: "enterprise",
      text: rulesIn("custom_rules", measured),
      steps: "log managed_challenge block",
    },
    { plan: "", text: rulesIn("custom_rules", measured), steps: "log managed_challenge block" },
    {
      plan: "pro",
      text: rulesIn("custom_rules", measured),
      steps: "managed_challenge block",
      byTime: true,
      says: "the plan pro is documented not to include the step log: managed_challenge, block follow by time alone",
    },
    {
      plan: "business",
      text: rulesIn("custom_rules", toChallenge),
      steps: undefined,
      says: "the plan business is documented not to include the step log: the rule is as declared at once",
    },
    {
      plan: "free",
      text: rulesIn("rate_limiting_rules", limit("block", 10)),
      steps: undefined,
      says: "not to include the step log and managed_challenge: the rule is as declared at once",
    },
    {
      plan: "business",
      text: rulesIn("rate_limiting_rules", limit("block", 0)),
      steps: "managed_challenge block",
      byTime: true,
      says: "the step log: managed_challenge, block follow",
    },
    {
      plan: "pro",
      text: rulesIn(
        "managed_rules",
        owasp("{ from: log, after: 7d, when: { events_per_10k_requests: 1 } }", "action: block"),
      ),
      steps: "log managed_challenge block",
    },
  ])(
    "are left out: $plan, $steps, $says",
    async ({ plan, text, steps, byTime = false, says }, { expect }) => {
      const { promotions, lines } = await selected(text, plan);
      expect(promotions.map(([, ladder, isByTime]) => [ladder, isByTime])).toEqual(
        steps === undefined ? [] : [[steps, byTime]],
      );
      expect(lines).toHaveLength(says === undefined ? 0 : 1);
      expect(lines.join("")).toContain(says ?? "");
    },
  );
});

describe("what promotions need of the configuration", () => {
  const store = { path: "/state" };
  const measurements = { maxAgeMs: day };
  const rollback = "rollback: { violations_per_10k_requests: 5 }";

  it.for<{
    promote: string;
    config: Parameters<typeof promotionNeeds>[1];
    codes: readonly string[];
  }>([
    { promote: "when: { unknown_scripts: 0 }", config: { store, measurements }, codes: [] },
    {
      promote: "when: { unknown_scripts: 0 }",
      config: { store: undefined, measurements },
      codes: ["PROMOTION_NOT_KEPT"],
    },
    {
      promote: "when: { unknown_scripts: 0 }",
      config: { store, measurements: undefined },
      codes: ["PROMOTION_UNMEASURED"],
    },
    { promote: "when: time_only", config: { store, measurements: undefined }, codes: [] },
    {
      promote: `when: time_only, ${rollback}`,
      config: { store: undefined, measurements: undefined },
      codes: ["PROMOTION_NOT_KEPT", "PROMOTION_UNMEASURED"],
    },
  ])(
    "is told at each of them: $promote, $codes",
    async ({ promote, config, codes }, { expect }) => {
      const { documents } = await loadText(
        policies(checkout(`{ from: log, after: 7d, ${promote} }`)),
      );
      const ids = ["1", "2"].map((digit) => zoneId(digit.repeat(32)));
      const zones = ["a.example", "b.example"].flatMap((name, index) => {
        const id = ids[index];
        return id === undefined ? [] : [{ ...zoneNamed(name), id }];
      });
      const { diagnostics } = selectWith({ ...config, lint: [] })(documents, {
        zones,
        unlisted: [],
      });
      expect(diagnostics.map(({ code }) => code)).toEqual(codes);
      expect(diagnostics.map(({ place }) => place.line)).toEqual(codes.map(() => 7));
      expect(diagnostics.every(({ remedy }) => remedy !== "")).toBe(true);
    },
  );
});
