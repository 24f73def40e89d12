import type { Seed, SeedZone } from "../../src/emulator/seed/seed.ts";
import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import type { State } from "../../src/emulator/state.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import {
  at,
  content,
  type DeclaredPolicy,
  type DeclaredRule,
  type DeclaredZones,
  entryPoint,
  foreign,
  limitOf,
  ours,
} from "./declared.ts";
import { firstTeams, seedTeams, teams, teamVersions } from "./team-zones.ts";

const shop = "shop.example.com";
const blog = "blog.example.com";
const brand = "brand.example.com";
const legacy = "legacy.example.com";
const market = "market.example.com";
const portal = "portal.example.com";
const office = "office.example.com";

export const token = "simulated-token";
export const dashboardToken = "dashboard-token";

const checkout: DeclaredPolicy = {
  key: "checkout",
  description: "Scripts of the checkout",
  action: "allow",
  expression: `http.host eq "${shop}"`,
  value: "script-src 'self' cdn.example.net",
};
const fresh: DeclaredPolicy = {
  key: "fresh",
  description: "Images",
  action: "log",
  expression: "true",
  value: "img-src 'self'",
};
const health: DeclaredRule = {
  key: "health",
  description: "Probes",
  expression: 'http.request.uri.path eq "/health"',
  skip: { ruleset: "current" },
};
const owasp: DeclaredRule = {
  key: "owasp",
  description: "OWASP",
  deploy: "owasp",
  paranoia_level: 2,
  action: "block",
};
const site: DeclaredPolicy = {
  key: "site",
  description: "Scripts of the site",
  action: "allow",
  expression: "true",
  value: "script-src 'self'",
};
const cloudflare: DeclaredRule = {
  key: "cloudflare",
  description: "Managed rules",
  deploy: "cloudflare",
};

const shopContent = content({
  enabled: true,
  policies: [checkout, fresh],
  rules: { managed_rules: [health, owasp] },
});
const blogContent = content({ enabled: true, rules: { managed_rules: [cloudflare] } });
const brandContent = content({ enabled: true, policies: [site] });

/** An exception and nothing else: each plan of it weakens the protection. */
const legacyContent = content({ rules: { managed_rules: [health] } });

const monitoring: DeclaredRule = {
  key: "monitoring",
  description: "Monitoring",
  expression: at("/status"),
  action: "skip",
  skip: { phases: ["http_ratelimit", "http_request_firewall_managed"] },
};
const admin: DeclaredRule = {
  key: "admin",
  description: "Admin",
  expression: at("/admin"),
  action: "block",
};
const exports: DeclaredRule = {
  key: "exports",
  description: "Exports",
  expression: at("/export"),
  action: "managed_challenge",
};
const login: DeclaredRule = {
  key: "login",
  description: "Attempts to log in",
  expression: at("/login"),
  action: "block",
  ratelimit: limitOf(5),
};
const downloads: DeclaredRule = {
  key: "downloads",
  description: "Downloads",
  expression: at("/export"),
  action: "managed_challenge",
  ratelimit: limitOf(20),
};

/** Three phases. The rate limits have no entry point yet. */
const marketContent = content({
  enabled: true,
  rules: {
    custom_rules: [
      monitoring,
      { ...admin, position: { before: "theirs/two" } },
      { ...exports, position: { after: "theirs/one" } },
    ],
    rate_limiting_rules: [login, downloads],
    managed_rules: [health, cloudflare],
  },
});

/** Two phases, and what its entry point of managed rules has is of no concern. */
const portalContent = content({
  rules: {
    custom_rules: [{ ...exports, position: "first" as const }, monitoring],
    rate_limiting_rules: [downloads, login],
  },
});

/** Rules of others are deleted in one of its two phases. */
const officeContent = content({
  enabled: true,
  rules: {
    custom_rules: [{ ...admin, key: "gate" }, exports],
    rate_limiting_rules: [login],
  },
  pruned: ["custom_rules"],
});

const first: DeclaredZones = {
  [shop]: shopContent,
  [blog]: blogContent,
  [brand]: brandContent,
  [legacy]: legacyContent,
  [market]: marketContent,
  [portal]: portalContent,
  [office]: officeContent,
  ...firstTeams,
};

/** Versions of the zone files. Each of the first four changes one zone of the first in each story. */
export const versions = {
  first,
  edited: {
    ...first,
    [shop]: {
      ...shopContent,
      policies: [
        { ...checkout, value: "script-src 'self'" },
        { ...fresh, key: "newer", description: "Newer images" },
      ],
    },
    // A rule goes, one comes in its stead, one moves, and the exception spares another path.
    [market]: {
      ...marketContent,
      rules: {
        ...marketContent.rules,
        custom_rules: [
          { ...exports, expression: at("/exports") },
          { ...monitoring, expression: at("/admin") },
          { ...admin, key: "admins", description: "Admin, renamed" },
        ],
        rate_limiting_rules: [downloads, { ...login, ratelimit: limitOf(9) }],
      },
    },
    ...teamVersions.edited,
  },
  other: {
    ...first,
    [blog]: { ...blogContent, rules: { managed_rules: [{ ...health }, cloudflare] } },
    [portal]: {
      ...portalContent,
      rules: {
        custom_rules: [monitoring, { ...exports, position: "last" as const }],
        rate_limiting_rules: [],
      },
    },
    ...teamVersions.other,
  },
  dropped: {
    [shop]: shopContent,
    [blog]: blogContent,
    [market]: marketContent,
    [portal]: portalContent,
    ...teamVersions.dropped,
  },
  suspended: {
    ...first,
    [shop]: { ...shopContent, isSuspended: true },
    [market]: { ...marketContent, isSuspended: true },
    ...teamVersions.suspended,
  },
  /** A mistake in a shared profile: it takes the protection of every zone away, and the fleet guard holds it. */
  mass: {
    [shop]: content({ enabled: false, policies: [], rules: { managed_rules: [] } }),
    [blog]: content({ enabled: false, rules: { managed_rules: [] } }),
    [brand]: content({ enabled: false, policies: [] }),
    [market]: content({ enabled: false, rules: { custom_rules: [], managed_rules: [] } }),
    [portal]: content({ rules: { custom_rules: [], rate_limiting_rules: [] } }),
    [office]: content({ enabled: false, rules: { custom_rules: [] } }),
    ...teamVersions.mass,
  },
} as const satisfies Readonly<Record<string, DeclaredZones>>;

export type VersionName = keyof typeof versions;

const byHand: JsonObject = {
  description: "By hand",
  action: "log",
  expression: "true",
  enabled: true,
  value: "font-src 'self'",
};
const ruleByHand: JsonObject = {
  action: "skip",
  action_parameters: { ruleset: "current" },
  expression: 'http.request.uri.path eq "/by-hand"',
  enabled: true,
  description: "Rule by hand",
  logging: { enabled: true },
};

function marked({ key, description, ...rest }: DeclaredPolicy): JsonObject {
  return { ...rest, enabled: true, description: `${description} [zonewarden:${key}]` };
}

const seedZones: readonly SeedZone[] = [
  {
    name: shop,
    settings: { enabled: false },
    policies: [
      byHand,
      marked({ ...checkout, value: "script-src 'self' cdn.example.net cdn.example.org" }),
      marked({ ...fresh, key: "old", description: "Old" }),
    ],
    entrypoint: [
      ruleByHand,
      {
        action: "execute",
        action_parameters: { id: managedRulesets.owasp, version: "latest" },
        expression: "true",
        enabled: true,
        description: "OWASP",
        ref: "zonewarden:owasp",
      },
    ],
  },
  { name: blog, settings: { enabled: false } },
  { name: brand, settings: { enabled: false }, policies: [byHand] },
  { name: legacy, settings: { enabled: false } },
  {
    name: market,
    settings: { enabled: false },
    entrypoint: [ruleByHand],
    rulesets: [
      entryPoint("http_request_firewall_custom", [
        foreign("/one"),
        ours({ ...exports, action: "log" }),
        ours({ ...admin, key: "admin-old", description: "Admin of before" }),
        foreign("/two"),
        ours({ ...monitoring, expression: at("/export") }),
        foreign("/three"),
      ]),
    ],
  },
  {
    name: portal,
    entrypoint: [ruleByHand],
    rulesets: [
      entryPoint("http_request_firewall_custom", [foreign("/one"), foreign("/two")]),
      entryPoint("http_ratelimit", [
        ours(login),
        { ...foreign("/limited"), ratelimit: limitOf(7) },
        ours({ ...downloads, key: "old", description: "Old" }),
      ]),
    ],
  },
  {
    name: office,
    settings: { enabled: false },
    rulesets: [
      entryPoint("http_request_firewall_custom", [
        foreign("/one"),
        ours({ ...admin, key: "gate" }),
        foreign("/two"),
      ]),
      entryPoint("http_ratelimit", [{ ...foreign("/limited"), ratelimit: limitOf(7) }]),
    ],
  },
  ...seedTeams,
];

/** Which zones a simulation has. */
export const stories = {
  /** One zone, whose first run takes eleven requests: every kind of write but those of single rules. */
  shop: [shop],
  fleet: [shop, blog, brand],
  /** One zone whose plans are held until a person releases them. */
  released: [legacy],
  /** Rules of three phases, of which each zone has others. */
  rules: [market, portal, office],
  /** Custom rulesets, which others change as well. */
  teams,
} as const;

export type StoryName = keyof typeof stories;

function stateOf(names: readonly string[]): State {
  const seed: Seed = {
    tokens: [
      { name: "main", value: token, permissions: "all" },
      { name: "dashboard", value: dashboardToken, permissions: "all" },
    ],
    zones: seedZones.filter(({ name }) => names.includes(name)),
  };
  const { state, issues } = seededState(seed, new Date("2026-11-20T12:00:00Z"));
  if (issues.length > 0) throw new Error(JSON.stringify(issues));
  return state;
}

/** The state in which each story begins. */
export const seeds: Readonly<Record<StoryName, State>> = {
  shop: stateOf(stories.shop),
  fleet: stateOf(stories.fleet),
  released: stateOf(stories.released),
  rules: stateOf(stories.rules),
  teams: stateOf(stories.teams),
};

/** The zones of a version that a story has. */
export function zonesOf(version: VersionName, story: StoryName): DeclaredZones {
  const names: readonly string[] = stories[story];
  return Object.fromEntries(
    Object.entries(versions[version]).filter(([name]) => names.includes(name)),
  );
}
