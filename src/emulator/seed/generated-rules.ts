import type { JsonObject } from "../../syntax/json.ts";
import type { SeedRuleset } from "./seed.ts";

type Random = () => number;

/** Custom rules, rate limits, and in every fourth zone or so a custom ruleset. */
export function generatedRulesets(
  count: { readonly custom_rules: number; readonly rate_limiting_rules: number },
  random: Random,
): readonly SeedRuleset[] {
  const own = repeat(count.custom_rules, (index) => customRule(index, random));
  const limits = repeat(count.rate_limiting_rules, (index) => rateLimit(index, random));
  const phase = "http_request_firewall_custom";
  const team = { name: "Team", phase, kind: "custom", rules: [blocking(0, random)] };
  const hasTeam = own.length > 0 && random() < 0.25;
  const deployed = { deploy: team.name, description: "Synthetic: rules of a team" };
  const at = Math.floor(random() * own.length);
  return [
    ...(hasTeam ? [team] : []),
    { name: "default", phase, rules: hasTeam ? own.toSpliced(at, 0, deployed) : own },
    { name: "default", phase: "http_ratelimit", rules: limits },
  ];
}

function customRule(index: number, random: Random): JsonObject {
  return index % 3 === 0 ? skipping(index, random) : blocking(index, random);
}

function skipping(index: number, random: Random): JsonObject {
  return {
    ...common(`exception ${index + 1}`, random),
    action: "skip",
    action_parameters: oneOf<JsonObject>(
      [
        { phases: ["http_ratelimit", "http_request_firewall_managed"], products: ["bic"] },
        { ruleset: "current" },
        { products: ["securityLevel", "hot", "uaBlock"] },
      ],
      random,
    ),
    logging: { enabled: random() < 0.7 },
    expression: `ip.src in {198.51.100.${index}}`,
  };
}

function blocking(index: number, random: Random): JsonObject {
  const action = oneOf(["block", "managed_challenge", "log", "block"], random);
  const content = { content_type: "application/json", content: '{"error":"no"}' };
  const hasResponse = action === "block" && random() < 0.5;
  const response = { action_parameters: { response: { status_code: 403, ...content } } };
  return {
    ...common(`rule ${index + 1}`, random),
    action,
    ...(hasResponse ? response : {}),
    expression: `starts_with(http.request.uri.path, "/admin-${index + 1}/")`,
  };
}

function rateLimit(index: number, random: Random): JsonObject {
  const counting = { counting_expression: "http.response.code in {401 403}" };
  return {
    ...common(`limit ${index + 1}`, random),
    action: oneOf(["block", "block", "js_challenge"], random),
    expression: `http.request.uri.path eq "/login-${index + 1}"`,
    ratelimit: {
      characteristics: oneOf(
        [
          ["cf.colo.id", "ip.src"],
          ["cf.colo.id", "ip.src", 'http.request.headers["x-key"]'],
        ],
        random,
      ),
      period: oneOf([10, 60, 600], random),
      requests_per_period: 5 + Math.floor(random() * 100),
      mitigation_timeout: oneOf([0, 60, 3_600], random),
      ...(random() < 0.4 ? counting : {}),
      requests_to_origin: random() < 0.2,
    },
  };
}

/** Some rules have the ref of another tool, the others their own id. */
function common(description: string, random: Random): JsonObject {
  const ref = `other-tool-${description.replace(" ", "-")}`;
  return {
    description: `Synthetic: ${description}`,
    ...(random() < 0.4 ? { ref } : {}),
    enabled: random() < 0.9,
  };
}

function oneOf<T>(items: readonly [T, ...T[]], random: Random): T {
  return items[Math.floor(random() * items.length)] ?? items[0];
}

/** As many values as `count` says. */
export function repeat<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
