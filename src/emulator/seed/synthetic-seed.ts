import type { JsonObject } from "../../syntax/json.ts";
import { seededRandom } from "../control/faults.ts";
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

/** Size of a generated seed: zones, and policies and scripts in each zone. */
interface Generation {
  readonly zones: number;
  readonly policies: number;
  readonly scripts: number;
  /** Seed of the random numbers: the same number gives the same seed. */
  readonly seed: number;
}

const defaults: Generation = { zones: 10, policies: 1, scripts: 10, seed: 1 };
const names = ["zones", "policies", "scripts", "seed"] as const;
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

/** Generates a seed in which each zone has policies and scripts and deploys the OWASP ruleset. */
export function generateSeed(generation: Generation): Seed {
  const random = seededRandom(generation.seed);
  return {
    accounts: [{ name: "Synthetic account" }],
    zones: repeat(generation.zones, (index) => zoneOf(index, generation, random)),
  };
}

function zoneOf(index: number, { policies, scripts }: Generation, random: () => number): SeedZone {
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

function repeat<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
