import type { Seed, SeedRuleset, SeedZone } from "../../src/emulator/seed/seed.ts";
import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import type { State } from "../../src/emulator/state.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import { type RulePhase, rulePhases } from "../../src/zone/rule-phase.ts";

/** A policy as a zone file declares it. */
export interface DeclaredPolicy {
  readonly key: string;
  readonly description: string;
  readonly action: "allow" | "log";
  readonly expression: string;
  readonly value: string;
}

/** A rule as a zone file declares it. */
export type DeclaredRule = { readonly key: string; readonly description: string } & (
  | {
      readonly expression: string;
      /** Left out where no rule has another action. */
      readonly action?: "skip";
      readonly skip: { readonly ruleset: "current" } | { readonly phases: readonly string[] };
    }
  | {
      readonly expression: string;
      readonly action: "block" | "managed_challenge" | "log";
      readonly ratelimit?: JsonObject;
      readonly position?:
        | "first"
        | "last"
        | { readonly before: string }
        | { readonly after: string };
    }
  | {
      readonly deploy: "owasp" | "cloudflare";
      readonly paranoia_level?: number;
      readonly action?: "block";
    }
);

/** A zone as its file declares it; what is `undefined` is not declared. */
export interface DeclaredContent {
  readonly enabled: boolean | undefined;
  readonly policies: readonly DeclaredPolicy[] | undefined;
  /** By phase. */
  readonly rules: Readonly<Partial<Record<RulePhase, readonly DeclaredRule[]>>>;
  /** Phases with `unmanaged: delete`. */
  readonly pruned: readonly RulePhase[];
  readonly isSuspended: boolean;
}

export type DeclaredZones = Readonly<Record<string, DeclaredContent>>;

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

function content(parts: Partial<DeclaredContent>): DeclaredContent {
  return {
    enabled: undefined,
    policies: undefined,
    rules: {},
    pruned: [],
    isSuspended: false,
    ...parts,
  };
}

const shopContent = content({
  enabled: true,
  policies: [checkout, fresh],
  rules: { managed_rules: [health, owasp] },
});
const blogContent = content({ enabled: true, rules: { managed_rules: [cloudflare] } });
const brandContent = content({ enabled: true, policies: [site] });

/** An exception and nothing else: each plan of it weakens the protection. */
const legacyContent = content({ rules: { managed_rules: [health] } });

const at = (path: string): string => `http.request.uri.path eq "${path}"`;

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

function limitOf(requests: number): JsonObject {
  return {
    characteristics: ["cf.colo.id", "ip.src"],
    period: 60,
    requests_per_period: requests,
    mitigation_timeout: 600,
  };
}

const first: DeclaredZones = {
  [shop]: shopContent,
  [blog]: blogContent,
  [brand]: brandContent,
  [legacy]: legacyContent,
  [market]: marketContent,
  [portal]: portalContent,
  [office]: officeContent,
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
  },
  dropped: {
    [shop]: shopContent,
    [blog]: blogContent,
    [market]: marketContent,
    [portal]: portalContent,
  },
  suspended: {
    ...first,
    [shop]: { ...shopContent, isSuspended: true },
    [market]: { ...marketContent, isSuspended: true },
  },
  /** A mistake in a shared profile: it takes the protection of every zone away, and the fleet guard holds it. */
  mass: {
    [shop]: content({ enabled: false, policies: [], rules: { managed_rules: [] } }),
    [blog]: content({ enabled: false, rules: { managed_rules: [] } }),
    [brand]: content({ enabled: false, policies: [] }),
    [market]: content({ enabled: false, rules: { custom_rules: [], managed_rules: [] } }),
    [portal]: content({ rules: { custom_rules: [], rate_limiting_rules: [] } }),
    [office]: content({ enabled: false, rules: { custom_rules: [] } }),
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
];

function entryPoint(phase: string, rules: readonly JsonObject[]): SeedRuleset {
  return { name: "default", kind: "zone", phase, rules };
}

/** A rule of somebody else. */
function foreign(path: string): JsonObject {
  const description = `Somebody's rule of ${path}`;
  const ref = `theirs${path}`;
  return { action: "block", expression: at(path), enabled: true, description, ref };
}

/** A rule of ours as the service has it. */
function ours({ key, ...rule }: Exclude<DeclaredRule, { readonly deploy: string }>): JsonObject {
  const shared = { ref: `zonewarden:${key}`, enabled: true };
  if ("skip" in rule) {
    const { skip, ...others } = rule;
    const parameters = { action: "skip", action_parameters: { ...skip } };
    return { ...others, ...shared, ...parameters, logging: { enabled: true } };
  }
  const { position: _, ratelimit, ...others } = rule;
  return { ...others, ...shared, ...(ratelimit && { ratelimit }) };
}

/** Which zones a simulation has. */
export const stories = {
  /** One zone, whose first run takes eleven requests: every kind of write but those of single rules. */
  shop: [shop],
  fleet: [shop, blog, brand],
  /** One zone whose plans are held until a person releases them. */
  released: [legacy],
  /** Rules of three phases, of which each zone has others. */
  rules: [market, portal, office],
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
};

/** The zones of a version that a story has. */
export function zonesOf(version: VersionName, story: StoryName): DeclaredZones {
  const names: readonly string[] = stories[story];
  return Object.fromEntries(
    Object.entries(versions[version]).filter(([name]) => names.includes(name)),
  );
}

/** The zone file of one zone. JSON is YAML. */
export function zoneFile(name: string, declared: DeclaredContent): string {
  const { enabled, policies, rules, pruned, isSuspended } = declared;
  const pageShield = {
    ...(enabled === undefined ? {} : { settings: { enabled } }),
    ...(policies === undefined ? {} : { policies: { items: policies } }),
  };
  const zone = {
    name,
    ...(isSuspended ? { suspend: { reason: "an incident" } } : {}),
    page_shield: pageShield,
    ...Object.fromEntries(
      rulePhases.flatMap((phase) => {
        const list = rules[phase];
        const unmanaged = pruned.includes(phase) ? { unmanaged: "delete" } : {};
        return list === undefined ? [] : [[phase, { rules: list, ...unmanaged }]];
      }),
    ),
  };
  return JSON.stringify({ zones: [zone] });
}
