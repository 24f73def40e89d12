import type { Seed, SeedZone } from "./seed.ts";

/** The small synthetic account that an emulator shows where no seed is given. */
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
