import { mitigateActions, type RuleKind } from "./resource.ts";

/**
 * The phases of the rules engine that zonewarden manages, in the order in which the service
 * evaluates them. Each has an entry point in a zone; its name here is its section in zone files.
 */
export const rulePhases = ["custom_rules", "rate_limiting_rules", "managed_rules"] as const;

export type RulePhase = (typeof rulePhases)[number];

/** What differs between the phases. */
export interface PhaseFacts {
  readonly phase: RulePhase;
  /** Its name at the service. */
  readonly wire: string;
  /** The kind of its rules in keys of resources, plans, metrics and JSON. */
  readonly kind: RuleKind;
  /** Names the kind in the stored state. A letter never gets another meaning. */
  readonly code: string;
  /** The actions of a rule that can be declared in it (SERVICE.md B.10). */
  readonly actions: ReadonlySet<string>;
  /** Whether its rules have a `ratelimit`. */
  readonly isRateLimited: boolean;
  /** The largest content of a response of its rules, in bytes (SERVICE.md B.10). */
  readonly maxResponseBytes: number;
  /** How many rules it may have, by the tier of the zone (SERVICE.md B.10, B.11); contracts differ. */
  readonly quota: Readonly<Partial<Record<string, number>>>;
}

/** Numbers of rules, by the tier of a zone and the phase. */
export type RuleQuotas = Readonly<
  Partial<Record<string, Readonly<Partial<Record<RulePhase, number>>>>>
>;

const facts: Readonly<Record<RulePhase, PhaseFacts>> = {
  custom_rules: {
    phase: "custom_rules",
    wire: "http_request_firewall_custom",
    kind: "custom_rule",
    code: "c",
    actions: new Set([...mitigateActions, "skip"]),
    isRateLimited: false,
    maxResponseBytes: 2_048,
    quota: { free: 5, pro: 20, business: 100, enterprise: 1_000 },
  },
  rate_limiting_rules: {
    phase: "rate_limiting_rules",
    wire: "http_ratelimit",
    kind: "rate_limiting_rule",
    code: "l",
    actions: new Set(mitigateActions),
    isRateLimited: true,
    maxResponseBytes: 30_720,
    quota: { free: 1, pro: 2, business: 5, enterprise: 100 },
  },
  managed_rules: {
    phase: "managed_rules",
    wire: "http_request_firewall_managed",
    kind: "managed_rule",
    code: "r",
    actions: new Set(["execute", "skip"]),
    isRateLimited: false,
    maxResponseBytes: 0,
    quota: {},
  },
};

export function ofEachPhase<T>(of: (phase: RulePhase) => T): Readonly<Record<RulePhase, T>> {
  return {
    custom_rules: of("custom_rules"),
    rate_limiting_rules: of("rate_limiting_rules"),
    managed_rules: of("managed_rules"),
  };
}

/** What is special about a phase. */
export function factsOfPhase(phase: RulePhase): PhaseFacts {
  return facts[phase];
}

/** How many rules a phase may have in a zone of a tier: as the quotas say, else as the service publishes. */
export function quotaOf(phase: RulePhase, tier: string, quotas: RuleQuotas): number {
  return quotas[tier]?.[phase] ?? facts[phase].quota[tier] ?? Infinity;
}

export function phaseOfKind(kind: RuleKind): RulePhase {
  const found = rulePhases.find((phase) => facts[phase].kind === kind);
  if (found === undefined) throw new Error(`no phase has rules of the kind ${kind}`);
  return found;
}

/** The phase with a name of the service; `undefined` for one that is not managed. */
export function phaseOfWire(wire: string): RulePhase | undefined {
  return rulePhases.find((phase) => facts[phase].wire === wire);
}
