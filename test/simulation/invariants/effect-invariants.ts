import type { EmulatedZone } from "../../../src/emulator/state.ts";
import { rulePhases } from "../../../src/zone/rule-phase.ts";
import type { Effect } from "../ledger.ts";
import { maxFleetShare } from "../world/simulated-process.ts";
import { declaredTo, type Invariant, type Truth } from "./invariant.ts";
import {
  customRulesetsOf,
  foreignRulesIn,
  foreignRulesOf,
  keyOfRule,
  levelsDeclared,
  levelsOf,
  namesDeclared,
  namesOfOurs,
  objectsIn,
  ownedIn,
  rulesOf,
  weakened,
} from "./oracle.ts";
import { maxAgeMs, memoryMs, replacesAll } from "./sending-invariants.ts";

/** A write that undoes what others did rests on a read of 5 s, and a read may be as old as the service makes it. */
const graceMs = 5_000;
const staleMs = 50_000;
/** So long the files of before may still be in a run. */
const revisionMs = 5_000;

/** How long before a write somebody may have changed what it touches, without the program knowing. */
function blindMs({ request }: Effect, truth: Truth): number {
  const { sender, zone = "" } = request;
  if (sender === "plan") return 0;
  const isWhole = replacesAll(request);
  const readMs = isWhole ? graceMs * 2 ** 3 : maxAgeMs(sender, zone, truth) + graceMs;
  const isStale = truth.ledger.interferences.some(
    ({ kind, zone: where, at }) =>
      kind === "stale" && where === zone && at > request.at - readMs - graceMs,
  );
  return readMs + (isStale ? staleMs : 0);
}

/** Without its state, a process has no revision to compare a mistake with: it changes no larger share than the limit. */
function isUnguarded({ isStateLost, ledger }: Truth): boolean {
  return isStateLost && ledger.disturbed.some(({ does }) => does === "files_mass");
}

/**
 * The rules of others, without those that the files tell to delete, and those that came to a ruleset so short a time before
 * it was deleted that nobody could know.
 */
function foreignRules(zone: EmulatedZone, effect: Effect, truth: Truth): string {
  const { request, after } = effect;
  const left = new Set(customRulesetsOf(after).map(({ id }) => id));
  const unseen = request.at - blindMs(effect, truth);
  const inRulesets = customRulesetsOf(zone).map((ruleset) => {
    const rules = foreignRulesIn(ruleset);
    return left.has(ruleset.id)
      ? rules
      : rules.filter(({ id }) => (truth.ledger.foreignSince(id) ?? -Infinity) < unseen);
  });
  const declared = declaredAround(effect, truth);
  const kept = rulePhases.filter((phase) =>
    declared.every((content) => content?.pruned.includes(phase) !== true),
  );
  return JSON.stringify([
    ...kept.map((phase) => foreignRulesOf(zone, phase)),
    ...inRulesets.filter((rules) => rules.length > 0),
  ]);
}

/** What the files declared of the zone of a write, as far as its run may have read them. */
function declaredAround(
  { before, request }: Effect,
  { ledger }: Truth,
): ReturnType<Truth["ledger"]["declaredSince"]> {
  return ledger.declaredSince(before.name, request.at - revisionMs);
}

/** Ids of the rules in phases that the files tell to delete. */
function prunedIds(zone: EmulatedZone, effect: Effect, truth: Truth): ReadonlySet<string> {
  const declared = declaredAround(effect, truth);
  const phases = declared.flatMap((content) => content?.pruned ?? []);
  return new Set(phases.flatMap((phase) => rulesOf(zone, phase).map(({ id }) => id)));
}

/** Ids of the custom rulesets without a mark that the files declare, by name or description, and of our rules in them. */
function claimedIds(zone: EmulatedZone, effect: Effect, truth: Truth): ReadonlySet<string> {
  const declared = declaredAround(effect, truth);
  const rulesets = declared.flatMap((content) => content?.rulesets ?? []);
  const claimed = customRulesetsOf(zone).filter((live) =>
    rulesets.some(({ key, description }) => live.name === key || live.description === description),
  );
  return new Set(
    claimed.flatMap(({ id, rules }) => [
      id,
      ...rules.filter((rule) => keyOfRule(rule) !== undefined).map((rule) => rule.id),
    ]),
  );
}

/** A zone with the descriptions that its rulesets have in another state of it. */
function withMarksOf(other: EmulatedZone, zone: EmulatedZone): EmulatedZone {
  const descriptions = new Map(
    customRulesetsOf(other).map(({ id, description }) => [id, description]),
  );
  const rulesets = zone.rulesets.map((each) => {
    const description = descriptions.get(each.current.id) ?? each.current.description;
    return { ...each, current: { ...each.current, description } };
  });
  return { ...zone, rulesets };
}

export const effectInvariants: readonly Invariant[] = [
  {
    name: "foreign-rules-stay",
    sentence: "No write changes a rule that does not bear our mark, nor the order of such rules.",
    onEffect: (effect, truth) => {
      const { before, after, request } = effect;
      const marked = withMarksOf(after, before);
      const [was, is] = [marked, after].map((zone) => foreignRules(zone, effect, truth));
      return was === is ? undefined : `${request.method} ${request.path}`;
    },
  },
  {
    name: "created-where-declared",
    sentence: "What is created is declared, a rule in its phase.",
    onEffect: ({ before, after, request }, truth) => {
      // A ruleset whose mark was taken off has its rules already.
      const known = namesOfOurs(withMarksOf(after, before));
      const declared = declaredTo(truth, before.name, request.at - revisionMs);
      const wanted = new Set(
        declared.flatMap((content) => (content ? namesDeclared(content) : [])),
      );
      const wrong = namesOfOurs(after).find((name) => !known.includes(name) && !wanted.has(name));
      return wrong === undefined ? undefined : `${request.method} ${request.path} created ${wrong}`;
    },
  },
  {
    name: "unowned-untouched",
    sentence: "What does not bear our mark is neither changed nor deleted.",
    onEffect: (effect, truth) => {
      const { before, after, request } = effect;
      const owned = ownedIn(before);
      const left = objectsIn(after);
      const told = new Set([
        ...prunedIds(before, effect, truth),
        ...claimedIds(before, effect, truth),
      ]);
      for (const [id, content] of objectsIn(before)) {
        if (owned.has(id) || told.has(id) || left.get(id) === content) continue;
        const since = truth.ledger.foreignSince(id) ?? Number.NEGATIVE_INFINITY;
        if (since < request.at - blindMs(effect, truth)) {
          return `${request.method} ${request.path} ${left.has(id) ? "changed" : "deleted"} ${content}`;
        }
      }
      return undefined;
    },
  },
  {
    name: "guard-stays-closed",
    sentence:
      "What the fleet guard holds is never written, not even after a restart: it alone switches Page Shield off. Without its state, a process changes no larger share of the zones than the limit.",
    onEffect: ({ before, after, request }, truth) => {
      if (!before.settings.enabled || after.settings.enabled) return undefined;
      const off = truth.zones.filter(({ settings }) => !settings.enabled).length;
      if (isUnguarded(truth) && off / truth.zones.length <= maxFleetShare) return undefined;
      const sender = request.sender === "plan" ? "plan" : request.sender.pid;
      return `${request.method} ${request.path} by process ${sender}`;
    },
  },
  {
    name: "declared-is-not-deleted",
    sentence:
      "What is declared is not deleted, be a file broken, a read failed or a revision held; but for duplicates.",
    onEffect: (effect, truth) => {
      const { before, after, request, at } = effect;
      if (isUnguarded(truth)) return undefined;
      const declared = declaredAround(effect, truth);
      const left = new Set(namesOfOurs(after));
      const gone = namesOfOurs(before).filter((name) => !left.has(name));
      if (truth.ledger.isDisturbed(before.name, at - memoryMs)) return undefined;
      const wrong = gone.find((name) =>
        declared.every((content) => content !== undefined && namesDeclared(content).includes(name)),
      );
      return wrong === undefined ? undefined : `${request.method} ${request.path} deleted ${wrong}`;
    },
  },
  {
    name: "never-weaker",
    sentence:
      "No write leaves a zone weaker than both what it was and what is declared, unless somebody else changed it.",
    onEffect: (effect, truth) => {
      const { before, after, request, at } = effect;
      if (isUnguarded(truth)) return undefined;
      if (truth.ledger.isDisturbed(before.name, at - memoryMs)) return undefined;
      const targets = declaredAround(effect, truth).flatMap((content) =>
        content === undefined ? [] : [levelsDeclared(content)],
      );
      const [from, to] = [levelsOf(before), levelsOf(after)];
      const weak = targets.map((target) => weakened(from, to, target));
      const least = weak.toSorted((a, b) => a.length - b.length)[0] ?? [];
      return least.length === 0
        ? undefined
        : `${request.method} ${request.path}: ${least.join(", ")}`;
    },
  },
];
