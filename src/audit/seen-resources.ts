import type { Change } from "../plan/change.ts";
import { type AuditedWrite, type AuditEntry, isOfAllRules } from "../zone/audit-entry.ts";
import { type LiveRule, type LiveZone, rulesIn } from "../zone/live-zone.ts";
import { unmarked } from "../zone/mark.ts";
import { isRuleKind, type Kind, type ResourceKey, rulesetIn } from "../zone/resource.ts";
import { factsOfPhase, phaseOfKind, type RulePhase, rulePhases } from "../zone/rule-phase.ts";

interface KnownResource {
  readonly kind: Kind;
  /** How often a rule was changed; 0 for a policy, which has no version. */
  readonly version: number;
  /** The custom ruleset that a rule executes. The rule counts as a part of it. */
  readonly executes?: { readonly id: string; readonly ref: string };
}

/** The policies, custom rulesets and rules of a zone, by id. */
export type SeenResources = ReadonlyMap<string, KnownResource>;

/** The policies, custom rulesets and rules of a read. */
export function resourcesIn({ policies, entrypoints, customRulesets }: LiveZone): SeenResources {
  return new Map<string, KnownResource>([
    ...(policies ?? []).map(({ id }) => [id, { kind: "policy", version: 0 }] as const),
    ...rulePhases.flatMap((phase) => {
      return rulesIn(entrypoints[phase]).map((rule) => [rule.id, ruleAt(phase, rule)] as const);
    }),
    ...(customRulesets ?? []).flatMap(({ id: ruleset, rules = [] }) => [
      [ruleset, { kind: "custom_ruleset", version: 0 }] as const,
      ...rules.map((rule) => [rule.id, ruleAt("custom_rules", rule)] as const),
    ]),
  ]);
}

function ruleAt(phase: RulePhase, { version: text, action, ref }: LiveRule): KnownResource {
  const version = Number(text);
  if (phase !== "custom_rules" || action.type !== "execute") {
    return { kind: factsOfPhase(phase).kind, version };
  }
  return { kind: "custom_ruleset", version, executes: { id: action.ruleset, ref } };
}

/** Ids and refs of the rules that execute the custom ruleset with an id, in reads. */
export function executorsIn(
  ruleset: string,
  ...reads: readonly (SeenResources | undefined)[]
): readonly string[] {
  return reads.flatMap((read = new Map()) =>
    [...read].flatMap(([id, { executes }]) => (executes?.id === ruleset ? [id, executes.ref] : [])),
  );
}

/** Whether what was written is of a kind; a rule may be of any kind of rules. */
export function isOfKind({ kind }: AuditedWrite, changed: Kind): boolean {
  if (isRuleKind(changed)) return kind === "rule";
  return kind === (changed === "custom_ruleset" ? "ruleset" : changed);
}

/** Whether what was written may be a resource of a kind. */
export function mayConcern(wrote: AuditedWrite, changed: Kind): boolean {
  if (!isInPhaseOf(wrote, changed)) return false;
  if (isOfKind(wrote, changed)) return true;
  // A rule may execute the ruleset.
  if (changed === "custom_ruleset") return wrote.kind === "rule";
  return replacesAll(wrote, changed);
}

/** Whether what was written replaced all rules of a ruleset, where the changed kind is one of rules. */
export function replacesAll(wrote: AuditedWrite, changed: Kind): boolean {
  return isRuleKind(changed) && isOfAllRules(wrote);
}

function isInPhaseOf({ phase }: AuditedWrite, changed: Kind): boolean {
  if (phase === undefined) return true;
  if (changed === "custom_ruleset") return phase === "custom_rules";
  return isRuleKind(changed) && phase === phaseOfKind(changed);
}

/** Whether a write to a ruleset was to another than that of a change, or the one that has its rule. */
export function isElsewhere(
  wrote: AuditedWrite | undefined,
  change: Change,
  { entrypoints, customRulesets = [] }: LiveZone,
): boolean {
  const { kind, key } = change;
  const id = wrote?.ruleset;
  if (id === undefined || !(isRuleKind(kind) || kind === "custom_ruleset")) return false;
  const ruleset = rulesetIn(key);
  if (ruleset !== undefined) {
    const found = customRulesets.filter(({ description }) => unmarked(description).key === ruleset);
    return found.length > 0 && found.every((each) => each.id !== id);
  }
  if (customRulesets.some((each) => each.id === id)) return !("id" in change && change.id === id);
  const own = kind === "custom_ruleset" ? "custom_rules" : phaseOfKind(kind);
  return rulePhases.some((phase) => {
    const entrypoint = entrypoints[phase];
    if (entrypoint?.state !== "present") return false;
    // A ruleset that is not live any more may be that of the change.
    return phase === own ? isRuleKind(kind) && entrypoint.id !== id : entrypoint.id === id;
  });
}

/** The ids of a kind that are not live any more. */
export function goneOf(kind: Kind, before: SeenResources, now: SeenResources): readonly string[] {
  return [...before].filter(([id, each]) => each.kind === kind && !now.has(id)).map(([id]) => id);
}

/** Whether a rule was changed more often than the known entries say: then one of them is missing. */
export function isEntryMissing(
  change: Change,
  entries: readonly AuditEntry[],
  before: SeenResources | undefined,
  now: SeenResources | undefined,
): boolean {
  if (!isRuleKind(change.kind) || change.verb !== "update") return false;
  const [last, current] = [before?.get(change.id)?.version, now?.get(change.id)?.version];
  if (last === undefined || current === undefined) return false;
  const known = entries.filter(
    ({ wrote }) =>
      wrote !== undefined &&
      mayConcern(wrote, change.kind) &&
      (wrote.id === change.id || isOfAllRules(wrote)),
  );
  return current - last > known.length;
}

/**
 * The resources as they are compared with at the next read: what drifted stays as it was before it did.
 *
 * @param drifted the changes that correct drift.
 * @param corrected what was written, and is as declared now.
 */
export function resourcesAfter(
  changes: readonly Change[],
  drifted: ReadonlySet<Change>,
  corrected: ReadonlySet<ResourceKey>,
  live: SeenResources,
  before: SeenResources = new Map(),
): SeenResources {
  const after = new Map(live);
  for (const change of changes) {
    const isCorrected = corrected.has(change.key);
    if (change.verb === "update" && isRuleKind(change.kind)) {
      const last = drifted.has(change) ? before.get(change.id) : undefined;
      const rule = isCorrected ? ruleAfter(change, live.get(change.id)) : last;
      if (rule !== undefined) after.set(change.id, rule);
    } else if (change.verb === "delete" && isCorrected) {
      deleteIn(after, change.id);
    }
  }
  const missing = changes.filter(({ verb, key }) => verb === "create" && !corrected.has(key));
  for (const kind of new Set(missing.map((each) => each.kind))) {
    for (const id of goneOf(kind, before, after)) after.set(id, { kind, version: 0 });
  }
  return after;
}

/** Deletes a resource, and the rules that execute it. */
function deleteIn(resources: Map<string, KnownResource>, deleted: string): void {
  for (const id of [deleted, ...executorsIn(deleted, resources)]) resources.delete(id);
}

/** A rule after its correction. A move is no change of a rule (SERVICE.md B.4). */
function ruleAfter({ fields }: Change, live: KnownResource | undefined): KnownResource | undefined {
  const isChanged = fields.some(({ field }) => field !== "position");
  return live && { ...live, version: live.version + (isChanged ? 1 : 0) };
}
