import { summaryOf } from "../../src/plan/change.ts";
import { byMarks } from "../../src/plan/ownership.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import type { Declared } from "../../src/zone/desired-zone.ts";
import type { LiveEntrypoint, LivePolicy, LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import type { Policy, Rule } from "../../src/zone/resource.ts";
import type { RulePhase, RuleQuotas } from "../../src/zone/rule-phase.ts";
import {
  deployment,
  desiredZone,
  exception,
  liveDeployment,
  liveException,
  liveRule,
  liveZone,
  owner,
  policy,
  shopZone,
} from "./model.ts";
import type { Wire } from "./wire-model.ts";

/** What is declared, what is live, and what a plan of it says: its changes, and what it leaves as it is. */
export interface Situation<T, Live> {
  readonly when: string;
  readonly given: Declared<T>;
  readonly live: Live;
  readonly yields: readonly string[];
  readonly leaves?: readonly string[];
}

/** Declared rules, live ones in their order, and what a plan of them says. */
export interface RuleSituation {
  readonly when: string;
  readonly rules: readonly Rule[];
  readonly live: readonly LiveRule[];
  readonly yields: readonly string[];
}

interface RulesZone extends Partial<LiveZone> {
  readonly phase?: RulePhase;
  /** The plan of the zone, which decides about its quotas. */
  readonly tier?: string;
  readonly quotas?: RuleQuotas;
}

/** The plan of a zone of which the rules of one phase alone are declared. */
export function plannedRules(
  rules: Declared<Rule>,
  live: LiveEntrypoint,
  { phase = "managed_rules", tier = shopZone.tier, quotas, ...parts }: RulesZone = {},
): Plan {
  const { zone, content } = desiredZone({ rules: { [phase]: rules } });
  return plan(
    { zone: { ...zone, tier }, content },
    liveZone({ entrypoints: { [phase]: live }, ...parts }),
    owner,
    byMarks,
    quotas,
  );
}

/** A live exception with our mark. Its key is its id, and the path that it spares. */
export function liveOurs(key: string, more: Wire = {}): LiveRule {
  return liveException(key, key, { ref: `zonewarden:${key}`, ...more });
}

/** The live rules f1, f2 and so on of nobody. */
export function foreigners(count: number, more: Wire = {}): readonly LiveRule[] {
  return Array.from({ length: count }, (_, index) =>
    liveRule(`f${index + 1}`, { action: "log", ...more }),
  );
}

/** The plan of a zone of which policies alone are declared. */
export function plannedPolicies(policies: Declared<Policy>, live: readonly LivePolicy[]): Plan {
  return plan(desiredZone({ policies }), liveZone({ policies: live }), owner);
}

/** The changes of such a plan in their order, and the reasons to hold it. */
export function policySteps(
  policies: readonly Policy[],
  live: readonly LivePolicy[],
): readonly string[] {
  const { changes, holds } = plannedPolicies({ items: policies, unmanaged: "report" }, live);
  return [...changes.map(summaryOf), ...holds.map(({ reason }) => reason)];
}

/** Two declared rules. */
export const owasp = deployment("owasp");
export const uploads = exception("uploads");

/** The same as they are live, and rules of nobody. */
export const liveOwasp = liveDeployment("r1", { ref: "zonewarden:owasp" });
export const liveUploads = liveException("r2", "uploads", { ref: "zonewarden:uploads" });
export const foreign = liveRule("f1", { action: "log", expression: "ip.src eq 192.0.2.1" });
export const foreignToo = liveRule("f2", { action: "managed_challenge", description: "By hand" });

/** Two declared policies. */
export const checkout = policy("checkout");
export const cart = policy("cart");

/** Expressions of hosts, and of two of them. */
export const hostA = 'http.host eq "a.example"';
export const hostB = 'http.host eq "b.example"';
export const hostC = 'http.host eq "c.example"';
export const hostAOrC = 'http.host in {"a.example" "c.example"}';

/** What a policy has that blocks where an expression selects. */
export function on(expression: string, more: Partial<Policy> = {}): Partial<Policy> {
  return { expression, action: "allow", ...more };
}
