import type { Change } from "../plan/change.ts";
import { type AuditedWrite, type AuditEntry, isOfAllRules } from "../zone/audit-entry.ts";
import { type LiveZone, rulesIn } from "../zone/live-zone.ts";
import { unmarked } from "../zone/mark.ts";
import { isRuleKind, type Kind, type ResourceKey, rulesetIn } from "../zone/resource.ts";
import { factsOf, phaseOfKind, rulePhases } from "../zone/rule-phase.ts";

interface KnownResource {
  readonly kind: Kind;
  /** How often a rule was changed; 0 for a policy, which has no version. */
  readonly version: number;
}

/** The policies and rules of a zone, by id. */
export type SeenResources = ReadonlyMap<string, KnownResource>;

/** The policies and rules of a read, those of custom rulesets too. */
export function resourcesIn({ policies, entrypoints, customRulesets }: LiveZone): SeenResources {
  return new Map<string, KnownResource>([
    ...(policies ?? []).map(({ id }) => [id, { kind: "policy", version: 0 }] as const),
    ...rulePhases.flatMap((phase) => {
      const { kind } = factsOf(phase);
      return rulesIn(entrypoints[phase]).map(
        ({ id, version }) => [id, { kind, version: Number(version) }] as const,
      );
    }),
    ...(customRulesets ?? []).flatMap(({ rules = [] }) =>
      rules.map(({ id, version }) => {
        return [id, { kind: "custom_rule", version: Number(version) }] as const;
      }),
    ),
  ]);
}

/** Whether what was written may be a resource of a kind. */
export function mayConcern(wrote: AuditedWrite, changed: Kind): boolean {
  if (!isRuleKind(changed)) return wrote.kind === changed;
  const isOfRules = wrote.kind === "rule" || isOfAllRules(wrote);
  return isOfRules && (wrote.phase === undefined || wrote.phase === phaseOfKind(changed));
}

/** Whether a write to a ruleset was to another than the one that has the rule of a change. */
export function isElsewhere(
  wrote: AuditedWrite | undefined,
  { kind, key }: Pick<Change, "kind" | "key">,
  { entrypoints, customRulesets = [] }: LiveZone,
): boolean {
  const id = wrote?.ruleset;
  if (id === undefined || !isRuleKind(kind)) return false;
  const ruleset = rulesetIn(key);
  if (ruleset !== undefined) {
    const found = customRulesets.filter(({ description }) => unmarked(description).key === ruleset);
    return found.length > 0 && found.every((each) => each.id !== id);
  }
  if (customRulesets.some((each) => each.id === id)) return true;
  const own = phaseOfKind(kind);
  return rulePhases.some((phase) => {
    const entrypoint = entrypoints[phase];
    if (entrypoint?.state !== "present") return false;
    return phase === own ? entrypoint.id !== id : entrypoint.id === id;
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
    } else if (change.verb === "delete" && isCorrected) after.delete(change.id);
  }
  const missing = changes.filter(({ verb, key }) => verb === "create" && !corrected.has(key));
  for (const kind of new Set(missing.map((each) => each.kind))) {
    for (const id of goneOf(kind, before, after)) after.set(id, { kind, version: 0 });
  }
  return after;
}

/** A rule after its correction. A move is no change of a rule (SERVICE.md B.4). */
function ruleAfter({ fields }: Change, live: KnownResource | undefined): KnownResource | undefined {
  const isChanged = fields.some(({ field }) => field !== "position");
  return live && { ...live, version: live.version + (isChanged ? 1 : 0) };
}
