import type { Declared, DesiredZone } from "../zone/desired-zone.ts";
import type { LiveZone, ScoreRule } from "../zone/live-zone.ts";
import type { Rule } from "../zone/resource.ts";
import type { Write } from "../zone/write.ts";
import type { Zone } from "../zone/zone.ts";
import type { Cause, Change } from "./change.ts";
import type { Hold } from "./guard/hold.ts";
import { type KindPlan, type Unmanaged, safestFirst } from "./kind-plan.ts";
import { planSettings } from "./plan-settings.ts";
import { planPolicies } from "./policies/plan-policies.ts";
import { needsScoreRule } from "./rules/owasp-tuning.ts";
import { planRules } from "./rules/plan-rules.ts";

export type { Unmanaged } from "./kind-plan.ts";

/** What must happen in a zone for live to equal desired. */
export interface Plan {
  readonly zone: Zone;
  /** In the order in which they are carried out. */
  readonly changes: readonly Change[];
  /** The requests that carry the changes out, in order; each names the changes that it serves. */
  readonly writes: readonly Write[];
  readonly unmanaged: readonly Unmanaged[];
  /** What a reader of the plan should know beside its changes. */
  readonly notes: readonly string[];
  /** What the plan itself says against carrying it out; the guard repeats it. */
  readonly holds: readonly Hold[];
  /** Managed things that were compared: declared ones, live ones of ours, and foreign ones that are to go. */
  readonly compared: number;
  /** Version of the OWASP ruleset by which tuning was planned; "" where none is tuned, or it could not be read. */
  readonly owaspVersion: string;
  /** Whether anything live bears our mark: then what differs has drifted. */
  readonly marked: boolean;
}

/**
 * What must happen for `live` to equal `desired`. Same input, same plan.
 *
 * @param owner the mark by which we know our own.
 * @throws where `live` lacks a kind that `desired` declares: what was not read must not be taken for empty.
 */
export function plan({ zone, content }: DesiredZone, live: LiveZone, owner: string): Plan {
  const { settings, policies, rules } = content;
  const kinds: readonly KindPlan[] = [
    settings.length === 0
      ? undeclared
      : {
          ...undeclared,
          steps: planSettings(settings, wasRead(live.settings, "settings")),
          compared: settings.length,
        },
    policies === undefined
      ? undeclared
      : planPolicies(policies, wasRead(live.policies, "policies"), owner),
    rules === undefined
      ? undeclared
      : planRules(rules, wasRead(live.entrypoint, "entry point"), scoreRuleFor(rules, live), owner),
  ];
  const steps = kinds.flatMap((each) => each.steps).toSorted(safestFirst);
  return {
    zone,
    changes: steps.flatMap(({ changes }) => changes),
    writes: steps.map(({ write }) => write),
    unmanaged: kinds.flatMap(({ unmanaged }) => unmanaged),
    notes: kinds.flatMap(({ notes }) => notes),
    holds: kinds.flatMap(({ holds }) => holds),
    compared: kinds.reduce((sum, { compared }) => sum + compared, 0),
    owaspVersion: live.scoreRule?.version ?? "",
    marked: kinds.some(({ marked }) => marked),
  };
}

/** Why a plan has something to do, as far as our marks tell: what never bore one was never carried out. */
export function causeByMarks({ marked }: Plan): Cause {
  return marked ? "drift" : "pending";
}

const undeclared: KindPlan = {
  steps: [],
  holds: [],
  unmanaged: [],
  notes: [],
  compared: 0,
  marked: false,
};

function scoreRuleFor({ items }: Declared<Rule>, { scoreRule }: LiveZone): ScoreRule | undefined {
  const isNeeded = items.some((rule) => rule.action === "execute" && needsScoreRule(rule));
  return isNeeded ? wasRead(scoreRule, "score rule") : scoreRule;
}

function wasRead<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new Error(`planned without having read the ${name} of the zone`);
  return part;
}
