import type { JsonObject } from "../../syntax/json.ts";
import type { LiveRule } from "../../zone/live-zone.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import type { RulePhase } from "../../zone/rule-phase.ts";
import type { Position, Write } from "../../zone/write.ts";
import { unchangedBody } from "./rule-body.ts";
import type { RuleMatch } from "./rule-match.ts";
import type { Entry } from "./rule-positions.ts";

/** The live and the desired list of rules. */
export interface RuleLists {
  readonly phase: RulePhase;
  /** Id of the entry point; `undefined` without one. */
  readonly ruleset: string | undefined;
  readonly before: readonly LiveRule[];
  readonly after: readonly Entry[];
  /** Live rules of which a field other than the position differs. */
  readonly differing: ReadonlySet<LiveRule>;
  readonly body: (match: RuleMatch) => JsonObject;
  /** Keys of all changes that the write makes. */
  readonly changes: readonly ResourceKey[];
}

/**
 * The smallest write that turns one list into the other; `undefined` if they are equal. One new rule is a POST, one
 * that differs or moves a PATCH, one to delete a DELETE. Several at once are one PUT of the list, as the service
 * recommends (SERVICE.md B.8); it repeats every undeclared rule with its id and ref, byte for byte.
 */
export function smallestWrite(lists: RuleLists): Write | undefined {
  const { phase, ruleset, before, after, changes } = lists;
  const whole: Write = {
    call: "put-entrypoint",
    phase,
    rules: after.map((entry) => bodyOf(lists, entry)),
    changes,
  };
  if (ruleset === undefined) return after.length === 0 ? undefined : whole;

  const created = after.filter(({ live }) => live === undefined);
  const kept = new Set(after.map(({ live }) => live));
  const deleted = before.filter((rule) => !kept.has(rule));
  const differing = after.filter(({ live }) => live !== undefined && lists.differing.has(live));
  const touched = created.length + deleted.length + differing.length;
  if (touched > 1) return whole;
  if (touched === 1) return oneRule(ruleset, lists, created[0], deleted[0], differing[0]) ?? whole;
  return isSameOrder(before, liveOf(after)) ? undefined : (moveOne(ruleset, lists) ?? whole);
}

function oneRule(
  ruleset: string,
  lists: RuleLists,
  created: Entry | undefined,
  deleted: LiveRule | undefined,
  differing: Entry | undefined,
): Write | undefined {
  const { phase, after, before, changes } = lists;
  const survivors = before.filter((rule) => rule !== deleted);
  const isMoved = !isSameOrder(survivors, liveOf(after));
  if (created?.match !== undefined && !isMoved) {
    const position = positionOf(after, after.indexOf(created));
    return { call: "create-rule", phase, ruleset, body: bodyOf(lists, created), position, changes };
  }
  if (deleted !== undefined && !isMoved) {
    return { call: "delete-rule", phase, ruleset, id: deleted.id, changes };
  }
  if (differing?.live === undefined) return undefined;
  const rule = differing.live;
  if (!isSameOrder(without(before, rule), without(liveOf(after), rule))) return undefined;
  const position = isMoved ? positionOf(after, after.indexOf(differing)) : null;
  return {
    call: "update-rule",
    phase,
    ruleset,
    id: rule.id,
    body: bodyOf(lists, differing),
    position,
    changes,
  };
}

/** Moves one rule: a position is the one body that the service merges (SERVICE.md B.4). */
function moveOne(ruleset: string, { phase, before, after, changes }: RuleLists): Write | undefined {
  const moved = after.findIndex(
    ({ live, match }) =>
      live !== undefined &&
      match !== undefined &&
      isSameOrder(without(before, live), without(liveOf(after), live)),
  );
  const rule = after[moved]?.live;
  if (rule === undefined) return undefined;
  const position = positionOf(after, moved);
  return { call: "update-rule", phase, ruleset, id: rule.id, body: {}, position, changes };
}

/** A position relative to the rule before it, which stays valid when somebody adds a rule elsewhere meanwhile. */
function positionOf(after: readonly Entry[], index: number): Position {
  const previous = after[index - 1]?.live;
  return previous === undefined ? { before: "" } : { after: previous.id };
}

function bodyOf(lists: RuleLists, { live, match }: Entry): JsonObject {
  return match === undefined ? unchangedBody(live) : lists.body(match);
}

function liveOf(entries: readonly Entry[]): readonly LiveRule[] {
  return entries.flatMap(({ live }) => live ?? []);
}

function without(rules: readonly LiveRule[], rule: LiveRule): readonly LiveRule[] {
  return rules.filter((each) => each !== rule);
}

function isSameOrder(a: readonly LiveRule[], b: readonly LiveRule[]): boolean {
  return a.length === b.length && a.every((rule, index) => rule === b[index]);
}
