/** The ids of well-known managed rulesets by the names in zone files (SERVICE.md B.6). */
export const managedRulesets = {
  cloudflare: "efb7b8c949ac4650a09736fc376e9aee",
  owasp: "4814384a9e5d4991b9815dcfc25d2f1f",
  exposed_credentials: "c2e184081120413c86c3ab7e14069605",
  free: "77454fe2d30c4220b5701f6fdfb893ba",
} as const;

/** The name of a managed ruleset in zone files, if it has one. */
export function rulesetNameOf(id: string): string | undefined {
  return Object.entries(managedRulesets).find(([, known]) => known === id)?.[0];
}

/** The id of a managed ruleset by its name in zone files. */
export function rulesetIdOf(name: string): string | undefined {
  return Object.entries(managedRulesets).find(([known]) => known === name)?.[1];
}

export const owaspRulesetId: string = managedRulesets.owasp;

/** Documented id of the OWASP score rule (SERVICE.md B.6), used where no ruleset can be read. */
export const documentedScoreRuleId = "6179ae15870a4bb7b2d480d4843b323c";

/** Thresholds by name (SERVICE.md B.7); the lower, the stricter. */
export const namedThresholds = { low: 60, medium: 40, high: 25 } as const;
