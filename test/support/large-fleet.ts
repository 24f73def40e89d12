import type { Seed, SeedZone } from "../../src/emulator/seed/seed.ts";
import { factsOfPhase } from "../../src/zone/rule-phase.ts";
import { plantedToken } from "./service.ts";
import { deployOwasp } from "./writes.ts";

/** Names of a large fleet. */
export function namesOfFleet(size: number): readonly string[] {
  return Array.from({ length: size }, (_, index) => `shop-${index}.example.com`);
}

/** A zone of a large fleet as the service has it, in the state that {@link declarationOf} wants. */
function seedZone(name: string): SeedZone {
  return {
    name,
    settings: { enabled: true },
    policies: [
      {
        description: "Scripts of the checkout [zonewarden:checkout]",
        action: "log",
        expression: `http.host eq "${name}" and starts_with(http.request.uri.path, "/checkout")`,
        enabled: true,
        value: "default-src 'self'; script-src 'self' cdn.example.com js.example.com",
      },
    ],
    entrypoint: [deployOwasp],
  };
}

/** A service with a large fleet and no limit of requests. */
export function seedOfFleet(names: readonly string[]): Seed {
  return {
    tokens: [{ name: "main", value: plantedToken, permissions: "all" }],
    rate_limit: false,
    zones: names.map(seedZone),
  };
}

/** The same with Page Shield alone, in the state that {@link policiesOf} wants. */
export function seedOfPolicies(names: readonly string[]): Seed {
  const seed = seedOfFleet(names);
  return { ...seed, zones: seed.zones.map((zone) => ({ ...zone, entrypoint: [] })) };
}

/** The same, with lists of rules in all phases: {@link declarationWithLists} wants them. */
export function seedWithLists(names: readonly string[]): Seed {
  const entrypoint = { name: "default", kind: "zone" };
  const rulesets = [
    {
      ...entrypoint,
      phase: factsOfPhase("custom_rules").wire,
      rules: [block, { ...block, ...health }],
    },
    { ...entrypoint, phase: factsOfPhase("rate_limiting_rules").wire, rules: [limit] },
  ];
  const seed = seedOfFleet(names);
  return { ...seed, zones: seed.zones.map((zone) => ({ ...zone, rulesets })) };
}

const block = {
  ref: "zonewarden:admin",
  action: "block",
  description: "Admin",
  expression: 'starts_with(http.request.uri.path, "/admin")',
  enabled: true,
};

const health = {
  ref: "zonewarden:health",
  description: "Health",
  expression: 'http.request.uri.path eq "/health"',
};

const limit = {
  ...block,
  ref: "zonewarden:login",
  description: "Login",
  ratelimit: {
    characteristics: ["cf.colo.id", "ip.src"],
    period: 60,
    requests_per_period: 5,
    mitigation_timeout: 600,
  },
};

/** The same, with a custom ruleset in each zone: {@link declarationWithRulesets} wants them. */
export function seedWithRulesets(names: readonly string[]): Seed {
  const seed = seedWithLists(names);
  const id = "c5".repeat(16);
  const phase = factsOfPhase("custom_rules").wire;
  const description = "Payments [zonewarden:payments]";
  const ruleset = { id, name: "payments", kind: "custom", phase, description, rules: [block] };
  const execute = {
    ...block,
    ref: "zonewarden:custom_ruleset/payments",
    action: "execute",
    description: "Payments",
    expression: "true",
    action_parameters: { id },
  };
  return {
    ...seed,
    zones: seed.zones.map((zone) => {
      const [entrypoint, ...others] = zone.rulesets ?? [];
      if (entrypoint === undefined) return zone;
      const rules = [...(entrypoint.rules ?? []), execute];
      return { ...zone, rulesets: [{ ...entrypoint, rules }, ...others, ruleset] };
    }),
  };
}

/** A file with the declarations of some zones: settings, a policy, and the OWASP ruleset. The first `off` have no Page Shield. */
export function declarationOf(names: readonly string[], off = 0): string {
  const zones = names.map((name, index) =>
    index < off ? zoneIn(name).replaceAll("enabled: true }", "enabled: false }") : zoneIn(name),
  );
  return `zones:\n${zones.join("")}`;
}

/** The same without the ruleset. */
export function policiesOf(names: readonly string[], off = 0): string {
  return declarationOf(names, off).replaceAll(owasp, "");
}

/** The same, with custom rules and a rate limit in each zone. */
export function declarationWithLists(names: readonly string[]): string {
  return `zones:\n${names.map((name) => `${zoneIn(name)}${otherLists}`).join("")}`;
}

/** The same, with a custom ruleset in each zone. */
export function declarationWithRulesets(names: readonly string[]): string {
  return `zones:\n${names.map((name) => `${zoneIn(name)}${otherLists}${ruleset}`).join("")}`;
}

const ruleset = `    custom_rulesets:
      - key: payments
        description: Payments
        rules:
          - { key: admin, action: block, description: Admin, expression: '${block.expression}' }
`;

const otherLists = `    custom_rules:
      rules:
        - { key: admin, action: block, description: Admin, expression: '${block.expression}' }
        - { key: health, action: block, description: Health, expression: '${health.expression}' }
    rate_limiting_rules:
      rules:
        - key: login
          action: block
          description: Login
          expression: '${block.expression}'
          ratelimit: { characteristics: [cf.colo.id, ip.src], period: 60, requests_per_period: 5, mitigation_timeout: 600 }
`;

function zoneIn(name: string): string {
  return `  - name: ${name}
    page_shield:
      settings: { enabled: true }
      policies:
        items:
          - key: checkout
            description: Scripts of the checkout
            action: log
            expression: http.host eq "${name}" and starts_with(http.request.uri.path, "/checkout")
            enabled: true
            value:
              default-src: ["'self'"]
              script-src: ["'self'", cdn.example.com, js.example.com]
${owasp}`;
}

const owasp = `    managed_rules:
      rules:
        - { key: owasp, deploy: owasp, description: OWASP }
`;
