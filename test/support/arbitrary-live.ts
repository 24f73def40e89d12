import * as fc from "fast-check";

import type { SeedRuleset, SeedZone } from "../../src/emulator/seed/seed.ts";
import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import { canonicalCsp } from "../../src/syntax/csp/csp.ts";
import { canonicalExpression } from "../../src/syntax/expression/expression.ts";
import type { Json } from "../../src/syntax/json.ts";
import {
  type LiveCustomRuleset,
  type LiveEntrypoint,
  type LivePolicy,
  type LiveRule,
  type LiveZone,
  rulesIn,
} from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId, managedRulesets } from "../../src/zone/managed-ruleset.ts";
import { marked } from "../../src/zone/mark.ts";
import { factsOfPhase, rulePhases } from "../../src/zone/rule-phase.ts";
import { anyCharacter } from "./any-character.ts";
import { absent, entrypoint, liveRule, liveZone, owner } from "./model.ts";
import type { Wire } from "./wire-model.ts";

const id32 = (digit: string): string => digit.repeat(32);

/** Texts that YAML could trip over, and that it can hold nevertheless. */
const legible = [
  "yes",
  "012",
  "*",
  "null",
  "~",
  "- a: b",
  "# no comment",
  "key: value",
  "'single' and \"double\"",
  "two\nlines\n\nand more",
  "tab\there",
  "Größe 测试 🛡️",
  "测试",
  "%YAML 1.1",
  "[zonewarden]",
  "x".repeat(400),
  "__proto__",
];

/** Texts that are changed or refused on their way into a file and back. */
const awkward = fc.constantFrom(
  ...legible,
  "  outer space ",
  "\u{0}",
  "\u{feff}x",
  "\u{d800}",
  "x".repeat(401),
);

/** Mostly the usual, so that zones come about in which enough can be declared. */
function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 14, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

const words = mostly(
  fc.oneof(
    fc.constantFrom("Scripts of the checkout", "Twin", "Twin", "Made by hand", ...legible),
    fc.string({ minLength: 1, maxLength: 12 }),
  ),
  fc.oneof(fc.constant(""), awkward, fc.string({ maxLength: 12, unit: anyCharacter })),
);
const key = mostly(fc.constantFrom("a", "b", "c", "owasp", "checkout"), fc.constant("Not-A-Key"));

const description = fc.oneof(
  { weight: 6, arbitrary: words },
  { weight: 3, arbitrary: fc.tuple(words, key).map(([text, name]) => marked(text, owner, name)) },
  {
    weight: 1,
    arbitrary: fc.tuple(words, key).map(([text, name]) => marked(text, "team-b", name)),
  },
);

const expression = mostly(
  fc.constantFrom(
    "true",
    'http.host eq "shop.example.com"',
    'http.host in {"a.example" "b.example"}',
    'http.host eq "x"\n  and ssl',
    "nobody.knows.this",
  ),
  fc.oneof(fc.constantFrom('http.host eq "unclosed', ""), awkward),
).map(canonicalExpression);

const value = mostly(
  fc.constantFrom(
    "script-src 'self' cdn.example.net",
    "upgrade-insecure-requests; script-src 'none'",
    "default-src *; style-src 'unsafe-inline'",
    "script-src 'self'; script-src 'none'",
  ),
  fc.oneof(
    fc.constantFrom(
      "script-src 'none' 'self'",
      "__proto__ x; constructor y; 12 z",
      "img-src a,b",
      "",
    ),
    awkward,
  ),
).map(canonicalCsp);

const policies: fc.Arbitrary<readonly LivePolicy[]> = fc
  .array(
    fc.record({
      description,
      action: mostly(
        fc.constantFrom("log", "allow", "add_reporting_directives"),
        fc.constantFrom("block", ""),
      ),
      expression,
      enabled: fc.boolean(),
      value,
      rest: mostly(fc.constant<Wire>({}), fc.constant<Wire>({ future: [1] })),
    }),
    { maxLength: 6 },
  )
  .map((list) => list.map((each, index) => ({ ...each, id: `p${index}` })));

const switches = {
  enabled: fc.boolean(),
  action: mostly(fc.constantFrom("log", "block"), fc.constant("teleport")),
  sensitivity_level: fc.constantFrom("low", "eoff"),
};

const someCategory = fc.record(
  {
    category: mostly(fc.constantFrom("language-php", "paranoia-level-2"), fc.constant("")),
    ...switches,
  },
  { requiredKeys: ["category", "enabled"] },
);

const overrides = fc
  .record(
    {
      ...switches,
      categories: fc
        .tuple(
          fc.array(someCategory, { maxLength: 1 }),
          levels(),
          fc.array(someCategory, { maxLength: 1 }),
        )
        .map((parts) => parts.flat()),
      rules: fc.uniqueArray(
        fc.record(
          {
            id: mostly(
              fc.constantFrom(documentedScoreRuleId, id32("1"), id32("2")),
              fc.constant("short"),
            ),
            score_threshold: mostly(fc.constantFrom(25, 40), fc.constantFrom(0, 1.5)),
            ...switches,
          },
          { requiredKeys: ["id", "action"] },
        ),
        { selector: ({ id }) => id, maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  )
  .chain((some) =>
    mostly(fc.constant<Wire>({ ...some }), fc.constant<Wire>({ ...some, future: 1 })),
  );

/** The usual recipe (SERVICE.md B.7), for every level, in the order given or turned round. */
function levels(): fc.Arbitrary<Wire[]> {
  return fc.tuple(fc.nat(4), fc.boolean(), fc.boolean()).map(([level, turned, all]) => {
    const list = [1, 2, 3, 4]
      .filter((each) => all || each > level)
      .map((each) => ({ category: `paranoia-level-${each}`, enabled: each <= level }));
    return turned ? list.toReversed() : list;
  });
}

const execute = fc
  .record({
    id: mostly(
      fc.constantFrom(...Object.values(managedRulesets), managedRulesets.owasp, id32("a")),
      fc.constant("short"),
    ),
    overrides: fc.option(overrides, { nil: undefined }),
  })
  .map(({ id, overrides: some }): Wire => ({
    action: "execute",
    action_parameters: { id, version: "latest", ...(some && { overrides: some }) },
  }));

const skip = fc
  .record({
    action_parameters: mostly(
      fc.constantFrom<Wire>(
        { ruleset: "current" },
        { phase: "current", products: ["waf"] },
        { rulesets: [managedRulesets.owasp], phases: ["http_ratelimit"] },
        { rules: { [managedRulesets.owasp]: [id32("1"), id32("2")], [id32("a")]: [id32("3")] } },
      ),
      fc.constantFrom<Wire>({ future: true }, {}, { products: ["novelty"] }),
    ),
    logging: fc.constantFrom<Wire>({ enabled: true }, { enabled: false }),
  })
  .map((more): Wire => ({ action: "skip", ...more }));

const other = fc
  .constantFrom("block", "log", "teleport")
  .map((action): Wire => ({ action, action_parameters: { to: ["mars"] } }));

const response = mostly(
  fc.constantFrom<Wire>(
    {},
    { response: { status_code: 403, content_type: "text/plain", content: "no" } },
    { response: { status_code: 451, content_type: "application/json", content: '{"a":"${b}"}' } },
  ),
  fc.oneof(
    awkward.map((content): Wire => ({
      response: { status_code: 429, content_type: "text/html", content },
    })),
    fc.constantFrom<Wire>(
      { response: { status_code: 503, content_type: "text/plain", content: "no" } },
      { response: { status_code: 403, content_type: "image/png", content: "no" } },
      { response: { status_code: 403, content_type: "text/html", content: "é".repeat(1_025) } },
      { future: 1 },
    ),
  ),
);

const mitigation = fc
  .tuple(
    fc.constantFrom("block", "challenge", "js_challenge", "managed_challenge", "log"),
    mostly(fc.constant<Wire>({}), response),
    response,
  )
  .map(([action, odd, answer]): Wire => {
    const action_parameters = action === "block" ? answer : odd;
    return Object.keys(action_parameters).length > 0 ? { action, action_parameters } : { action };
  });

const customSkip = fc
  .record({
    action_parameters: mostly(
      fc.constantFrom<Wire>(
        { ruleset: "current" },
        { phase: "current", products: ["waf", "bic"] },
        { ruleset: "current", phases: ["http_request_firewall_managed", "http_ratelimit"] },
        { products: ["securityLevel"] },
      ),
      fc.constantFrom<Wire>(
        { phase: "current", phases: ["http_ratelimit"] },
        { phases: ["http_request_transform"] },
        { products: ["novelty"] },
        { rulesets: [managedRulesets.owasp] },
        {},
      ),
    ),
    logging: fc.constantFrom<Wire>({ enabled: true }, { enabled: false }),
  })
  .map((more): Wire => ({ action: "skip", ...more }));

const ratelimit = fc
  .record(
    {
      characteristics: mostly(
        fc.constantFrom<Json[]>(
          ["cf.colo.id", "ip.src"],
          ["ip.src", "cf.colo.id"],
          ["cf.colo.id", 'http.request.headers["x-key"]', "cf.unique_visitor_id"],
          ["cf.colo.id", 'lookup_json_string(http.request.body.raw, "k")'],
        ),
        fc.constantFrom<Json[]>(
          ["ip.src"],
          ["cf.colo.id", "ip.src", "cf.unique_visitor_id"],
          ["cf.colo.id", 'http.request.headers["X-Key"]'],
          ["cf.colo.id", "no field", "${zone.name}"],
          [],
        ),
      ),
      period: mostly(fc.constantFrom(10, 60, 3_600), fc.constantFrom(0, 1.5)),
      mitigation_timeout: mostly(fc.constantFrom(0, 10, 600), fc.constantFrom(-1, 1_000_000)),
      requests_per_period: mostly(fc.constantFrom(1, 100), fc.constantFrom(0, 1.5)),
      requests_to_origin: fc.boolean(),
      counting_expression: mostly(
        fc.constantFrom("", "http.response.code eq 401", 'http.host eq "${x}"'),
        fc.constantFrom("http.host eq", "ip.src in $office and http.response.code eq 401", "false"),
      ),
    },
    { requiredKeys: ["characteristics", "period", "requests_per_period"] },
  )
  .chain((usual) =>
    mostly(
      fc.constantFrom<Wire>(
        { ...usual },
        { ...usual, score_per_period: 400, score_response_header_name: "x-score" },
      ),
      fc.constantFrom<Wire>({ ...usual, future: 1 }, { ...usual, score_per_period: 400 }),
    ),
  );

const limited = fc
  .tuple(mitigation, mostly(ratelimit, fc.constantFrom<Wire>({})))
  .map(([does, limit]): Wire => ({ ...does, ratelimit: limit }));

const managedRules = rulesThat(
  "f",
  fc.oneof({ weight: 5, arbitrary: execute }, { weight: 3, arbitrary: skip }, other),
);
const customActs = fc.oneof(
  { weight: 9, arbitrary: mitigation },
  { weight: 5, arbitrary: customSkip },
  execute,
  fc.constantFrom<Wire>({ action: "teleport", action_parameters: { to: ["mars"] } }),
);
const customRules = rulesThat("c", customActs);
const rateLimitingRules = rulesThat(
  "r",
  fc.oneof({ weight: 14, arbitrary: limited }, mitigation, customSkip),
);

function rulesThat(prefix: string, act: fc.Arbitrary<Wire>): fc.Arbitrary<readonly LiveRule[]> {
  return fc
    .array(
      fc
        .tuple(
          act,
          fc.record({
            ref: fc.oneof(
              { weight: 5, arbitrary: fc.constant("") },
              fc
                .tuple(mostly(fc.constant(owner), fc.constant("team-b")), key)
                .map((parts) => parts.join(":")),
            ),
            description: words,
            expression,
            enabled: fc.boolean(),
          }),
        )
        .map(([does, base]): Wire => ({ ...base, ...does })),
      { maxLength: 6 },
    )
    .map((wires) => {
      const live = wires.map((wire, index) =>
        liveRule(`${prefix}${index}`, {
          ...wire,
          ref: wire["ref"] === "" ? `${prefix}${index}` : (wire["ref"] ?? ""),
        }),
      );
      const [refs, deployed] = [new Set<string>(), new Set<string>()];
      // What the service refuses is never live: a ref twice, a managed ruleset deployed twice (SERVICE.md B.4, B.5).
      return live.filter(({ ref, action: does }) => {
        const ruleset = does.type === "execute" ? does.ruleset : ref;
        const isAllowed = !refs.has(ref) && !deployed.has(ruleset);
        refs.add(ref);
        deployed.add(ruleset);
        return isAllowed;
      });
    });
}

/** A custom ruleset, and the rule that executes it; `undefined`: none does. */
interface LiveTeam {
  readonly ruleset: LiveCustomRuleset;
  readonly executor: LiveRule | undefined;
  /** How many rules of the entry point are executed before. */
  readonly place: number;
}

function teamOf(digit: string): fc.Arbitrary<LiveTeam> {
  const id = id32(digit);
  const usual = fc.constant<"executed" | "idle" | "listed">("executed");
  return fc
    .record({
      name: words,
      description,
      rules: rulesThat(`t${digit}`, customActs),
      place: fc.nat(8),
      state: mostly(usual, fc.constantFrom("idle" as const, "listed" as const)),
      executor: fc.record({
        ref: mostly(
          fc.constantFrom(`deploy-${digit}`, `${owner}:custom_ruleset/${digit}`),
          key.map((name) => `${owner}:custom_ruleset/${name}${digit}`),
        ),
        description: words,
        expression,
        enabled: fc.boolean(),
      }),
    })
    .map(({ place, state, executor, rules, ...head }) => {
      const does = { action: "execute", action_parameters: { id } };
      // Those of other owners are not read.
      const ruleset =
        state === "listed"
          ? { ...head, description: marked(head.name, "team-b", digit), rules: undefined }
          : { ...head, rules };
      return {
        place,
        ruleset: { ...ruleset, id, version: "3" },
        executor: state === "idle" ? undefined : liveRule(`x${digit}`, { ...executor, ...does }),
      };
    });
}

const teams: fc.Arbitrary<readonly LiveTeam[]> = fc
  .tuple(teamOf("d"), teamOf("e"), teamOf("f"), fc.nat(3))
  .map(([first, second, third, count]) => [first, second, third].slice(0, count));

/** A zone with custom rulesets, which its entry point executes among its other rules. */
function withTeams(live: LiveZone, list: readonly LiveTeam[]): LiveZone {
  const rules = [...rulesIn(live.entrypoints.custom_rules)];
  for (const { executor, place } of list) {
    if (executor !== undefined) rules.splice(place, 0, executor);
  }
  const isExecuted = list.some(({ executor }) => executor !== undefined);
  return {
    ...live,
    entrypoints: { ...live.entrypoints, ...(isExecuted && { custom_rules: entrypoint(...rules) }) },
    customRulesets: list.map(({ ruleset }) => ruleset),
  };
}

function entrypointOf(rules: fc.Arbitrary<readonly LiveRule[]>): fc.Arbitrary<LiveEntrypoint> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(absent) },
    { weight: 5, arbitrary: rules.map((list) => entrypoint(...list)) },
  );
}

/** Live zones as unlike as the service allows, and a little beyond. */
export const liveZones: fc.Arbitrary<LiveZone> = fc
  .record({
    settings: fc.record({
      enabled: fc.boolean(),
      use_cloudflare_reporting_endpoint: fc.boolean(),
      use_connection_url_path: fc.boolean(),
    }),
    policies,
    entrypoints: fc.record({
      custom_rules: entrypointOf(customRules),
      rate_limiting_rules: entrypointOf(rateLimitingRules),
      managed_rules: entrypointOf(managedRules),
    }),
    scoreRule: fc.constantFrom(documentedScoreRuleId, id32("1")).map((id) => ({
      id,
      source: "account" as const,
      version: "36",
    })),
    teams,
  })
  .map(({ teams: list, ...parts }) => withTeams(liveZone(parts), list));

/** The same as an emulator is seeded with: what the service would not have taken is left out. */
export const seedZones: fc.Arbitrary<Omit<SeedZone, "name">> = liveZones.map(
  ({ settings, policies: live = [], entrypoints, customRulesets = [] }) => {
    const entitlements = { policies: 50, connection_url_path: true, reporting_endpoint: true };
    const accepted = live
      .map(({ description: text, action, expression: where, enabled, value: csp }): Wire => ({
        description: text,
        action,
        expression: where,
        enabled,
        value: csp,
      }))
      .filter((policy) => isAccepted({ policies: [policy] }));
    const zone = { settings: { ...settings }, policies: accepted, entitlements };
    const custom = customRulesets.map(({ id, name, description: text, rules = [] }) => {
      const phase = factsOfPhase("custom_rules").wire;
      const head = { id, name: name || "custom", kind: "custom", phase, description: text };
      return { ...head, rules: rulesAcceptedIn(head, rules) };
    });
    const rulesets = rulePhases.flatMap((phase) => {
      const ruleset = entrypoints[phase];
      if (ruleset?.state !== "present") return [];
      const head = { name: "zone", phase: factsOfPhase(phase).wire };
      return [{ ...head, rules: rulesAcceptedIn(head, ruleset.rules, custom) }];
    });
    return { ...zone, rulesets: [...rulesets, ...custom] };
  },
);

/** The rules that the service would take in a ruleset, beside others. */
function rulesAcceptedIn(
  head: SeedRuleset,
  rules: readonly LiveRule[],
  others: readonly SeedRuleset[] = [],
): readonly Wire[] {
  return rules
    .map(({ wire: { id: _id, version: _version, ...rule } }): Wire => rule)
    .filter((rule) => isAccepted({ rulesets: [{ ...head, rules: [rule] }, ...others] }));
}

function isAccepted(parts: Omit<SeedZone, "name">): boolean {
  const now = new Date("2026-11-20T12:00:00Z");
  return seededState({ zones: [{ name: "a.example", ...parts }] }, now).issues.length === 0;
}
