import type { Seed, SeedZone } from "../../src/emulator/seed/seed.ts";
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

/** A file with the declarations of some zones: settings, a policy, and the OWASP ruleset. The first `off` have no Page Shield. */
export function declarationOf(names: readonly string[], off = 0): string {
  const zones = names.map((name, index) =>
    index < off ? zoneIn(name).replaceAll("enabled: true }", "enabled: false }") : zoneIn(name),
  );
  return `zones:\n${zones.join("")}`;
}

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
    managed_rules:
      rules:
        - { key: owasp, deploy: owasp, description: OWASP }
`;
}
