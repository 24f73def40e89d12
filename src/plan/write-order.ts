import type { Kind, ResourceKey } from "../zone/resource.ts";
import type { RulePhase } from "../zone/rule-phase.ts";
import type { Write } from "../zone/write.ts";
import { type Change, combine, type Effect, type Verb } from "./change.ts";
import type { Hold } from "./guard/hold.ts";
import type { AdoptedRule, Unowned } from "./ownership.ts";
import type { PromotedSteps } from "./promoted-step.ts";

/** A live resource that is neither declared nor created by zonewarden. It stays. */
export interface Unmanaged {
  readonly kind: Kind;
  readonly id: string;
  /** Its description, or another text that identifies it. */
  readonly title: string;
}

/** The plan of one kind of resource, or of a list of rules. */
export interface KindPlan {
  readonly writes: readonly PlannedWrite[];
  readonly unmanaged: readonly Unmanaged[];
  /** Remarks for the reader of the plan. */
  readonly notes: readonly string[];
  /** Reasons in the plan itself not to apply it. The guard reports them. */
  readonly holds: readonly Hold[];
  /** Number of managed resources: the declared ones and those to delete. */
  readonly compared: number;
  /** Declared resources that stay live where they are deleted from the files, since they are not ours. */
  readonly unowned: readonly Unowned[];
  /** The adopted rules that are live, with the keys that are declared now. */
  readonly adoptedRules: readonly AdoptedRule[];
  /** Keys of the declared policies and rules that are live, by their ids; rules in their live order. */
  readonly liveKeys: ReadonlyMap<string, ResourceKey>;
  /** Digests of what the declared policies do live. */
  readonly policyForms: ReadonlyMap<ResourceKey, string>;
  /** The steps of the declared objects that have some. */
  readonly steps: PromotedSteps;
  readonly placedBy: PlacedBy;
  /** The guard compares them with the quota of the zone. */
  readonly grown: readonly GrownPhase[];
}

/** Of a kind of which nothing is declared. */
export const emptyPlan: KindPlan = {
  writes: [],
  unmanaged: [],
  notes: [],
  holds: [],
  compared: 0,
  unowned: [],
  adoptedRules: [],
  liveKeys: new Map(),
  policyForms: new Map(),
  steps: new Map(),
  placedBy: new Map(),
  grown: [],
};

/** The live rules that a position makes move, each with the rule that declares it: itself, or a neighbor of the list. */
export type PlacedBy = ReadonlyMap<ResourceKey, ResourceKey>;

/** A phase to which rules come. */
export interface GrownPhase {
  readonly phase: RulePhase;
  /** How many it has after the plan. */
  readonly rules: number;
  /** How many it has at most when one of them comes. */
  readonly most: number;
}

/** One write, and the changes that take effect with it. */
export interface PlannedWrite {
  readonly changes: readonly Change[];
  readonly write: Write;
  /** The writes that add what this one takes away: it is not sent where one of them before it was not done. */
  readonly waitsFor: readonly Write[];
}

// A run can be interrupted between any two writes. Strengthening writes go first and weakening writes last, so that the
// zone is never weaker than both its state before the run and its desired state.
const directionOrder = { strengthens: 0, neutral: 1, unclear: 2, weakens: 3 } as const;
const verbOrder = { create: 0, update: 1, delete: 2 } as const;

/** Compares two writes for a stable sort into the safe order. */
export function safestFirst(
  a: Pick<PlannedWrite, "changes">,
  b: Pick<PlannedWrite, "changes">,
): number {
  return rankOf(a) - rankOf(b);
}

/** Merges the writes of several kinds, safest first. Those of one kind keep their order, which has its reasons. */
export function mergedSafely(kinds: readonly (readonly PlannedWrite[])[]): readonly PlannedWrite[] {
  const ranked = kinds.flatMap((writes) => {
    let rank = 0;
    return writes.map((planned) => {
      rank = Math.max(rank, rankOf(planned));
      return { planned, rank };
    });
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ planned }) => planned);
}

function rankOf({ changes }: Pick<PlannedWrite, "changes">): number {
  // It prepares or ends what another write does.
  if (changes.length === 0) return 0;
  const verbs = changes.map(({ verb }) => verb).toSorted((a, b) => verbOrder[a] - verbOrder[b]);
  const effect = combine(changes.map((change) => change.effect));
  return safetyRank(verbs.at(-1) ?? "update", effect);
}

/** The rank of a write in the safe order, lowest first. */
export function safetyRank(verb: Verb, { direction }: Effect): number {
  // Deletes go last, also those of duplicates: the resource that stays must be up to date by then.
  const isLast = verb === "delete" && direction !== "strengthens";
  return (isLast ? directionOrder.weakens : directionOrder[direction]) * 10 + verbOrder[verb];
}
