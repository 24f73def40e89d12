import type { Seed, SeedZone } from "../../src/emulator/seed/seed.ts";
import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import type { State } from "../../src/emulator/state.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";

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
  | { readonly expression: string; readonly skip: { readonly ruleset: "current" } }
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
  readonly rules: readonly DeclaredRule[] | undefined;
  readonly isSuspended: boolean;
}

export type DeclaredZones = Readonly<Record<string, DeclaredContent>>;

const shop = "shop.example.com";
const blog = "blog.example.com";
const brand = "brand.example.com";
const legacy = "legacy.example.com";

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
    rules: undefined,
    isSuspended: false,
    ...parts,
  };
}

const shopContent = content({
  enabled: true,
  policies: [checkout, fresh],
  rules: [health, owasp],
});
const blogContent = content({ enabled: true, rules: [cloudflare] });
const brandContent = content({ enabled: true, policies: [site] });

/** An exception and nothing else: each plan of it weakens the protection. */
const legacyContent = content({ rules: [health] });

const first: DeclaredZones = {
  [shop]: shopContent,
  [blog]: blogContent,
  [brand]: brandContent,
  [legacy]: legacyContent,
};

/** Versions of the zone files. Each of the first four changes one zone of the first. */
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
  },
  other: { ...first, [blog]: { ...blogContent, rules: [{ ...health }, cloudflare] } },
  dropped: { [shop]: shopContent, [blog]: blogContent },
  suspended: { ...first, [shop]: { ...shopContent, isSuspended: true } },
  /** A mistake in a shared profile: it takes the protection of every zone away, and the fleet guard holds it. */
  mass: {
    [shop]: content({ enabled: false, policies: [], rules: [] }),
    [blog]: content({ enabled: false, rules: [] }),
    [brand]: content({ enabled: false, policies: [] }),
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
];

/** Which zones a simulation has. */
export const stories = {
  /** One zone, whose first run takes eleven requests: every kind of write but those of single rules. */
  shop: [shop],
  fleet: [shop, blog, brand],
  /** One zone whose plans are held until a person releases them. */
  released: [legacy],
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
  const { enabled, policies, rules, isSuspended } = declared;
  const pageShield = {
    ...(enabled === undefined ? {} : { settings: { enabled } }),
    ...(policies === undefined ? {} : { policies: { items: policies } }),
  };
  const zone = {
    name,
    ...(isSuspended ? { suspend: { reason: "an incident" } } : {}),
    page_shield: pageShield,
    ...(rules === undefined ? {} : { managed_rules: { rules } }),
  };
  return JSON.stringify({ zones: [zone] });
}
