import type { JsonObject } from "../../syntax/json.ts";
import { seededRandom } from "../control/faults.ts";
import { generatedRulesets, repeat } from "./generated-rules.ts";
import type { Seed, SeedZone } from "./seed.ts";

/** The small seed of an emulator without a seed file. */
export function syntheticSeed(): Seed {
  return {
    accounts: [{ name: "Synthetic Shops" }, { name: "Synthetic Brands" }],
    tokens: [{ name: "everything", value: "emulator-token", permissions: "all" }],
    zones: [
      shop,
      {
        name: "blog.example.com",
        settings: { enabled: true },
        entrypoint: [],
        rulesets: [{ name: "default", phase: "http_ratelimit" }],
        scripts: [{ url: "https://blog.example.com/comments.js" }],
      },
      { name: "www.brand.example", account: "Synthetic Brands", plan: "business" },
      { name: "old.brand.example", account: "Synthetic Brands", plan: "free", status: "pending" },
    ],
  };
}

const shop: SeedZone = {
  name: "shop.example.com",
  settings: { enabled: true },
  policies: [
    {
      description: "Synthetic: scripts of the checkout",
      action: "log",
      expression: 'http.host eq "shop.example.com"',
      enabled: true,
      value: "script-src 'self' cdn.example.net",
    },
  ],
  entrypoint: [
    {
      deploy: "owasp",
      description: "Synthetic: OWASP core ruleset",
      paranoia_level: 2,
      score_threshold: 40,
      action: "managed_challenge",
    },
  ],
  rulesets: [
    {
      name: "Payments",
      kind: "custom",
      phase: "http_request_firewall_custom",
      description: "Synthetic: rules of the payments team",
      rules: [
        {
          description: "Synthetic: payments only from the checkout",
          action: "block",
          expression: 'starts_with(http.request.uri.path, "/pay/") and http.referer eq ""',
        },
        {
          ref: "payments-countries",
          description: "Synthetic: challenge for other countries",
          action: "managed_challenge",
          expression:
            'starts_with(http.request.uri.path, "/pay/") and not ip.src.country in {"DE" "FR"}',
        },
      ],
    },
    {
      name: "default",
      phase: "http_request_firewall_custom",
      rules: [
        {
          description: "Synthetic: monitoring",
          action: "skip",
          action_parameters: { phases: ["http_ratelimit"], products: ["bic"] },
          expression: "ip.src in {198.51.100.7}",
        },
        {
          ref: "other-tool-admin",
          description: "Synthetic: admin only from the office",
          action: "block",
          action_parameters: {
            response: {
              status_code: 403,
              content_type: "application/json",
              content: '{"error":"no"}',
            },
          },
          expression:
            'starts_with(http.request.uri.path, "/admin") and not ip.src in {192.0.2.0/24}',
        },
      ],
    },
    {
      name: "default",
      phase: "http_ratelimit",
      rules: [
        {
          description: "Synthetic: login attempts",
          action: "block",
          expression: 'http.request.uri.path eq "/login" and http.request.method eq "POST"',
          ratelimit: {
            characteristics: ["cf.colo.id", "ip.src"],
            period: 60,
            requests_per_period: 5,
            mitigation_timeout: 600,
            counting_expression: "http.response.code eq 401",
          },
        },
      ],
    },
  ],
  scripts: [
    {
      url: "https://cdn.example.net/checkout.js",
      hash: "a".repeat(64),
      js_integrity_score: 92,
      fetched_at: "2026-08-17T09:00:00Z",
      page_urls: ["https://shop.example.com/checkout"],
      versions: [
        {
          hash: "a".repeat(64),
          js_integrity_score: 92,
          fetched_at: "2026-08-17T09:00:00Z",
        },
      ],
    },
    { url: "https://shop.example.com/app.js", js_integrity_score: 97 },
    { url: "https://widget.example.org/chat.js", status: "infrequent" },
    {
      url: "https://skimmer.example.org/s.js",
      js_integrity_score: 4,
      url_reported_malicious: true,
      malicious_url_categories: ["Malware"],
    },
  ],
  connections: [
    { url: "https://api.example.net/prices" },
    { url: "wss://live.example.net/stock", status: "inactive" },
  ],
  cookies: [
    { name: "session", http_only_attribute: true, same_site_attribute: "strict" },
    { name: "theme", max_age_attribute: 31_536_000 },
  ],
};

/** Size of a generated seed: zones, and policies, scripts and rules in each zone. */
interface Generation {
  readonly zones: number;
  readonly policies: number;
  readonly scripts: number;
  readonly custom_rules: number;
  readonly rate_limiting_rules: number;
  /** Seed of the random numbers: the same number gives the same seed. */
  readonly seed: number;
}

const defaults: Generation = {
  zones: 10,
  policies: 1,
  scripts: 10,
  custom_rules: 3,
  rate_limiting_rules: 2,
  seed: 1,
};
const names = [
  "zones",
  "policies",
  "scripts",
  "custom_rules",
  "rate_limiting_rules",
  "seed",
] as const;
const maxCount = 1_000_000;

/**
 * Reads `zones=1000,policies=3,scripts=50,seed=1`; returns an error message if `text` is invalid.
 */
export function parseGeneration(text: string): Generation | string {
  let generation = defaults;
  for (const part of text.split(",")) {
    const [given = "", value = ""] = part.split("=", 2).map((side) => side.trim());
    const name = names.find((known) => known === given);
    if (name === undefined) return `"${given}" is not one of ${names.join(", ")}`;
    if (!/^\d{1,7}$/.test(value) || Number(value) > maxCount) {
      return `${name} must be a whole number up to ${maxCount}, as in ${name}=${defaults[name]}`;
    }
    generation = { ...generation, [name]: Number(value) };
  }
  return generation;
}

/**
 * Generates a seed in which each zone has policies, scripts, custom rules and rate limits and
 * deploys the OWASP ruleset; some have a custom ruleset too. What is absent has its default.
 */
export function generateSeed(given: Partial<Generation>): Seed {
  const generation = { ...defaults, ...given };
  const random = seededRandom(generation.seed);
  const randomOfRules = seededRandom(generation.seed + 1);
  return {
    accounts: [{ name: "Synthetic account" }],
    zones: repeat(generation.zones, (index) => ({
      ...zoneOf(index, generation, random),
      rulesets: generatedRulesets(generation, randomOfRules),
    })),
  };
}

function zoneOf(
  index: number,
  { policies, scripts }: Generation,
  random: () => number,
): Omit<SeedZone, "rulesets"> {
  const name = `zone-${String(index + 1).padStart(6, "0")}.synthetic.example`;
  return {
    name,
    entitlements: { policies: Math.max(policies, 20) },
    settings: { enabled: random() < 0.9 },
    policies: repeat(policies, (each) => policyOf(each, name, random)),
    entrypoint: [
      {
        deploy: "owasp",
        description: "Synthetic: OWASP core ruleset",
        paranoia_level: 1 + Math.floor(random() * 4),
        score_threshold: [25, 40, 60][Math.floor(random() * 3)] ?? 40,
      },
    ],
    scripts: repeat(scripts, (each) => scriptOf(each, name, random)),
  };
}

function policyOf(index: number, zone: string, random: () => number): JsonObject {
  return {
    description: `Synthetic: policy ${index + 1}`,
    action: random() < 0.5 ? "log" : "allow",
    expression: `http.host eq "${zone}" and starts_with(http.request.uri.path, "/area-${index + 1}/")`,
    enabled: random() < 0.9,
    value: `script-src 'self' cdn-${Math.floor(random() * 20)}.synthetic.example`,
  };
}

function scriptOf(index: number, zone: string, random: () => number): JsonObject {
  return {
    url: `https://cdn-${Math.floor(random() * 20)}.synthetic.example/${zone}/script-${index + 1}.js`,
    status: random() < 0.9 ? "active" : "infrequent",
    js_integrity_score: 1 + Math.floor(random() * 99),
  };
}
