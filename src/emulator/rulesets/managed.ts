import type { EmulatedRule, EmulatedRuleset, StoredRuleset } from "../state.ts";
import { idFrom, type Store } from "../store.ts";
import { managedPhase, servedPhase } from "./phases.ts";

/** Documented ids (SERVICE.md B.6). */
export const managedIds = {
  cloudflare: "efb7b8c949ac4650a09736fc376e9aee",
  owasp: "4814384a9e5d4991b9815dcfc25d2f1f",
  exposed_credentials: "c2e184081120413c86c3ab7e14069605",
  free: "77454fe2d30c4220b5701f6fdfb893ba",
  sensitive_data: "e22d83c647c64a3eae91b71b499d988e",
  ddos: "4d21379b4f9f4bb088e0729962c8b3cf",
  normalization: "70339d97bdb34195bbf054b1ebe81f76",
} as const;

/** The id of a managed ruleset by its key in {@link managedIds}; any other text is an id. */
export function managedRulesetId(name: string): string {
  return Object.entries(managedIds).find(([key]) => key === name)?.[1] ?? name;
}

/** Id of the OWASP rule with threshold and action (SERVICE.md B.6). */
export const scoreRuleId = "6179ae15870a4bb7b2d480d4843b323c";

/** Tags of the OWASP paranoia levels, from 1 up. */
export const paranoiaTags: readonly string[] = [1, 2, 3, 4].map(
  (level) => `paranoia-level-${level}`,
);

const updated = "2026-08-17T09:00:00.000000Z";

/** Documented examples of OWASP rule ids (SERVICE.md B.7); the rules behind them are synthetic. */
const sampleIds = [
  "04116d14d7524986ba314d11c8a41e11",
  "55b58c71f653446fa0942cf7700f8c8e",
  "7683285d70b14023ac407b67eccbb280",
  "8ac8bc2a661e475d940980f9317f28e1",
];

const themes = [
  { topic: "SQL injection", tags: ["attack-sqli"] },
  { topic: "Cross-site scripting", tags: ["attack-xss"] },
  { topic: "PHP injection", tags: ["attack-injection-php", "language-php"] },
  { topic: "Java deserialisation", tags: ["attack-injection-java", "language-java"] },
  { topic: "Shell command", tags: ["attack-rce", "language-shell"] },
  { topic: "Path traversal", tags: ["attack-lfi"] },
  { topic: "Protocol violation", tags: ["attack-protocol"] },
  { topic: "Scanner", tags: ["attack-reputation-scanner"] },
];

/**
 * The managed rulesets of every account. There is no public list of their rules, so all but the
 * documented constants are synthetic, and the description of each rule says so.
 */
export const managedRulesets: ReadonlyMap<string, EmulatedRuleset> = new Map(
  [
    managed("cloudflare", "Managed Ruleset", "243", managedPhase, themedRules("managed", "block")),
    managed("owasp", "OWASP Core Ruleset", "87", managedPhase, owaspRules()),
    managed("exposed_credentials", "Exposed Credentials Check Ruleset", "42", managedPhase, [
      rule("exposed_credentials/1", "Synthetic: exposed credentials in a login", "log", ["login"]),
    ]),
    managed("free", "Free Managed Ruleset", "31", managedPhase, [
      rule("free/1", "Synthetic: widely exploited vulnerability", "block", ["high-impact"]),
    ]),
    managed("sensitive_data", "Sensitive Data Detection", "20", "http_response_firewall_managed", [
      rule("sensitive_data/1", "Synthetic: card number in an answer", "log", ["pii"]),
    ]),
    managed("ddos", "HTTP DDoS Attack Protection Managed Ruleset", "3030", "ddos_l7", [
      rule("ddos/1", "Synthetic: flood of requests", "ddos_dynamic", ["generic"]),
    ]),
    managed("normalization", "Normalization Ruleset", "6", "http_request_sanitize", [
      rule("normalization/1", "Synthetic: normalise the path", "rewrite", ["normalization"]),
    ]),
  ].map((ruleset) => [ruleset.id, ruleset]),
);

/**
 * All managed rulesets at the versions that they have now. The service moves them by itself
 * (SERVICE.md B.7).
 */
export function managedNow(store: Pick<Store, "movedManaged">): readonly StoredRuleset[] {
  return [...managedRulesets.values()].map((first) => {
    const moved = store.movedManaged(first.id);
    if (moved === undefined) return { current: first, past: [] };
    return { current: { ...first, ...moved }, past: [first] };
  });
}

function managed(
  key: keyof typeof managedIds,
  name: string,
  version: string,
  phase: string,
  rules: readonly EmulatedRule[],
): EmulatedRuleset {
  const { source } = servedPhase(phase);
  return {
    id: managedIds[key],
    name: `Cloudflare ${name}`,
    description: "Synthetic rules around the documented constants",
    kind: "managed",
    phase,
    version,
    last_updated: updated,
    ...(source && { source }),
    rules,
  };
}

/** Managed rules come without an expression (SERVICE.md B.5). */
function rule(
  key: string,
  description: string,
  action: string,
  categories: string[],
): EmulatedRule {
  return {
    id: idFrom(`managed/${key}`),
    version: "1",
    action,
    description,
    last_updated: updated,
    ref: idFrom(`managed/${key}/ref`),
    enabled: true,
    categories,
  };
}

/** One rule for each theme; rules of an OWASP level have its tag. */
function themedRules(key: string, action: string, level?: string): readonly EmulatedRule[] {
  const [suffix, own] = level === undefined ? ["", []] : [` (${level})`, [level]];
  return themes.map(({ topic, tags }, index) =>
    rule(`${key}/${index}`, `Synthetic: ${topic}${suffix}`, action, [...tags, ...own]),
  );
}

function owaspRules(): readonly EmulatedRule[] {
  const scoring = paranoiaTags.flatMap((level) => themedRules(`owasp/${level}`, "score", level));
  const named = scoring.map((found, index) => ({ ...found, id: sampleIds[index] ?? found.id }));
  const score: EmulatedRule = {
    ...rule("owasp/score", "949110: Inbound Anomaly Score Exceeded", "block", ["attack-generic"]),
    id: scoreRuleId,
    ref: "ad0beb2fce9f149e565ee78d6e659d47",
    score_threshold: 40,
  };
  return [...named, score];
}
