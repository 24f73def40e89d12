import type { SeedRuleset, SeedZone } from "../../src/emulator/seed/seed.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import {
  at,
  content,
  type DeclaredMitigation,
  type DeclaredRule,
  type DeclaredRuleset,
  type DeclaredZones,
  entryPoint,
  foreign,
  ours,
} from "./declared.ts";

/*
 * Zones whose files declare custom rulesets: one without any rules, one whose rulesets also have rules of others, and one
 * that a program left between the two writes which create and deploy a ruleset.
 */

const bank = "bank.example.com";
const kiosk = "kiosk.example.com";
const depot = "depot.example.com";

/** Which zones these are. */
export const teams = [bank, kiosk, depot] as const;

function block(key: string, path: string): DeclaredMitigation {
  return { key, description: `Rule ${key}`, expression: at(path), action: "block" };
}

const limits: DeclaredRule = {
  key: "limits",
  description: "Rule limits",
  expression: at("/status"),
  action: "skip",
  skip: { phases: ["http_ratelimit"] },
};

const payments: DeclaredRuleset = {
  key: "payments",
  description: "Payments",
  expression: "true",
  rules: [
    block("amounts", "/admin"),
    limits,
    { ...block("bots", "/login"), action: "managed_challenge" },
  ],
};
const search: DeclaredRuleset = {
  key: "search",
  description: "Search",
  expression: at("/export"),
  rules: [block("queries", "/export")],
};
const stock: DeclaredRuleset = {
  key: "stock",
  description: "Stock",
  expression: "true",
  rules: [block("counts", "/export"), { ...block("levels", "/login"), position: "first" as const }],
};

const bankContent = content({
  enabled: true,
  rules: { custom_rules: [block("admin", "/admin"), block("exports", "/exports")] },
  rulesets: [payments, search],
});

/** What its entry point has beside its rulesets is of no concern. */
const kioskContent = content({
  rulesets: [
    search,
    {
      ...payments,
      position: { before: "theirs/two" },
      rules: [
        { ...block("amounts", "/admin"), position: { after: "theirs/inside" } },
        block("cards", "/login"),
      ],
    },
  ],
});

/** Rules of others in its entry point are deleted; those in its rulesets stay. */
const depotContent = content({
  enabled: true,
  rules: { custom_rules: [block("gate", "/status")] },
  rulesets: [stock, search],
  pruned: ["custom_rules"],
});

export const firstTeams: DeclaredZones = {
  [bank]: bankContent,
  [kiosk]: kioskContent,
  [depot]: depotContent,
};

/** What each version of the files changes of the first, or declares instead of it. */
export const teamVersions = {
  /** A ruleset has another description and other rules, and is executed elsewhere; one goes, and one comes. */
  edited: {
    [bank]: {
      ...bankContent,
      rulesets: [
        {
          ...payments,
          description: "Payments and refunds",
          expression: at("/admin"),
          rules: [
            { ...block("refunds", "/admin"), action: "log" as const },
            block("amounts", "/admin"),
          ],
        },
        stock,
      ],
    },
  },
  /** One is left out in which somebody else has a rule. */
  other: { [kiosk]: { ...kioskContent, rulesets: [search] } },
  dropped: { [bank]: bankContent, [kiosk]: kioskContent },
  suspended: { [bank]: { ...bankContent, isSuspended: true } },
  mass: {
    [bank]: content({ enabled: false, rules: { custom_rules: [] }, rulesets: [] }),
    [kiosk]: content({ rulesets: [] }),
    [depot]: content({ enabled: false, rules: { custom_rules: [] }, rulesets: [] }),
  },
} as const satisfies Readonly<Record<string, DeclaredZones>>;

const ids = { payments: "a1", old: "b2", partners: "c3", stock: "d4" } as const;

function idOf(ruleset: keyof typeof ids): string {
  return ids[ruleset].repeat(16);
}

function custom(
  name: keyof typeof ids,
  description: string,
  rules: readonly JsonObject[],
): SeedRuleset {
  const phase = "http_request_firewall_custom";
  return { id: idOf(name), name, kind: "custom", phase, description, rules };
}

function executes(name: keyof typeof ids, ref: string): JsonObject {
  return {
    action: "execute",
    action_parameters: { id: idOf(name) },
    expression: "true",
    enabled: true,
    description: `Executes ${name}`,
    ref,
  };
}

function deployed(name: keyof typeof ids): JsonObject {
  return executes(name, `zonewarden:custom_ruleset/${name}`);
}

export const seedTeams: readonly SeedZone[] = [
  { name: bank, settings: { enabled: false } },
  {
    name: kiosk,
    rulesets: [
      entryPoint("http_request_firewall_custom", [
        foreign("/one"),
        executes("partners", "theirs/partners"),
        deployed("old"),
        foreign("/two"),
        deployed("payments"),
      ]),
      custom("payments", "Payments [zonewarden:payments]", [
        ours({ ...block("cards", "/login"), action: "log" }),
        foreign("/inside"),
        ours(block("bots", "/exports")),
        foreign("/within"),
      ]),
      custom("old", "Old [zonewarden:old]", [ours(block("queries", "/export"))]),
      custom("partners", "Partners", [foreign("/partners"), foreign("/theirs")]),
    ],
  },
  {
    name: depot,
    settings: { enabled: false },
    rulesets: [
      entryPoint("http_request_firewall_custom", [
        foreign("/one"),
        ours(block("gate", "/status")),
        foreign("/two"),
      ]),
      custom("stock", "Stock [zonewarden:stock]", [
        ours(block("levels", "/login")),
        foreign("/counted"),
        ours(block("counts", "/export")),
      ]),
    ],
  },
];
