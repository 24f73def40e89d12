import { didYouMean, nearest } from "../../syntax/nearest.ts";
import { placeAmong, type RuleBase, type RulePosition } from "../../zone/resource.ts";
import { contradiction, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import type { AnyRule } from "./merged-values.ts";

const sides = ["before", "after"] as const;

type Side = (typeof sides)[number];

/**
 * Moves rules beside the rules of the list that they name; all others keep the order of the list.
 * Rules before (or after) the same rule keep their order among themselves.
 */
export function inOrder<R extends AnyRule>(rules: readonly R[]): readonly R[] {
  const ordered = [...rules];
  for (const rule of neighboursFirst(rules, "before")) move(ordered, rule, "before");
  // Each moves directly behind its neighbour, so the last one goes first.
  for (const rule of neighboursFirst(rules.toReversed(), "after")) move(ordered, rule, "after");
  return ordered;
}

function move<R extends AnyRule>(ordered: R[], rule: R, side: Side): void {
  const neighbour = neighbourOf(rule, side, ordered);
  if (neighbour === undefined) return;
  ordered.splice(ordered.indexOf(rule), 1);
  ordered.splice(ordered.indexOf(neighbour) + (side === "after" ? 1 : 0), 0, rule);
}

/** The rules, each after its neighbour, whose own move would leave it behind. */
function neighboursFirst<R extends AnyRule>(rules: readonly R[], side: Side): ReadonlySet<R> {
  const sorted = new Set<R>();
  for (const rule of rules) {
    const chain: R[] = [];
    let next: R | undefined = rule;
    while (next !== undefined && !sorted.has(next) && !chain.includes(next)) {
      chain.push(next);
      next = neighbourOf(next, side, rules);
    }
    for (const each of chain.toReversed()) sorted.add(each);
  }
  return sorted;
}

function neighbourOf<R extends AnyRule>(rule: R, side: Side, rules: readonly R[]): R | undefined {
  const named = placesOf(rule).findLast((place) => place.side === side);
  if (named === undefined || named.of === rule.key) return undefined;
  return rules.find(({ key }) => key === named.of);
}

/** What a rule says of its place beside another one. */
interface Place {
  readonly side: Side;
  /** Key of a rule of the list; in a `position`, else the ref or id of a live rule. */
  readonly of: string;
  /** Where the rule says so. */
  readonly path: readonly string[];
}

function placesOf({ position, ...rule }: AnyRule): readonly Place[] {
  const among = typeof position === "object" ? position : {};
  return sides.flatMap((side) => [
    ...(rule[side] ? [{ side, of: rule[side], path: [side] }] : []),
    ...(among[side] ? [{ side, of: among[side], path: ["position", side] }] : []),
  ]);
}

/**
 * The place of a rule among rules that are not ours. Beside another rule of the list, the order of
 * the list is its place.
 */
export function positionOf(
  { position }: AnyRule,
  keys: ReadonlySet<string>,
): RulePosition | undefined {
  if (position === undefined || typeof position === "string") return position;
  const { before, after } = position;
  if (before !== undefined) return keys.has(before) ? undefined : { before };
  return after === undefined || keys.has(after) ? undefined : { after };
}

/**
 * Rules beside others that are not there, or in a circle.
 *
 * @param elsewhere keys of other rules that a position may name
 */
export function misplaced(
  rules: readonly AnyRule[],
  list: Path,
  elsewhere: readonly string[] = [],
): readonly UnplacedDiagnostic[] {
  const keys = [...rules.map(({ key }) => key), ...elsewhere];
  return [
    ...rules.flatMap((rule) => [...unknownNeighbours(rule, keys, list), ...twoPlaces(rule, list)]),
    ...circle(rules, list),
  ];
}

function unknownNeighbours(
  rule: AnyRule,
  keys: readonly string[],
  list: Path,
): readonly UnplacedDiagnostic[] {
  const places = placesOf(rule);
  if (places.length === 0) return [];
  const others = keys.filter((key) => key !== rule.key);
  return places.flatMap(({ side, of, path: inRule }): readonly UnplacedDiagnostic[] => {
    if (others.includes(of)) return [];
    const path = [...list, rule.key, ...inRule];
    if (inRule.length === 1) {
      const message = `"${rule.key}" cannot be ${side} "${of}": the list has no other rule with that key`;
      const known =
        others.length === 0 ? "there is no other rule" : `known here: ${others.join(", ")}`;
      return [{ code: "UNKNOWN_ORDER", path, message, remedy: didYouMean(of, others) || known }];
    }
    if (of === rule.key) {
      const message = `"${rule.key}" cannot be ${side} itself`;
      return [{ code: "ORDER_CYCLE", path, message, remedy: "name another rule" }];
    }
    const near = nearest(of, others);
    if (near === undefined) return [];
    const message = `no rule of the list has the key "${of}", so this is the ref of a live rule`;
    return [{ code: "POSITION_RESEMBLES_KEY", path, message, remedy: `did you mean "${near}"?` }];
  });
}

function twoPlaces({ key, position }: AnyRule, list: Path): readonly UnplacedDiagnostic[] {
  if (typeof position !== "object" || !position.before || !position.after) return [];
  const message = `"position" of "${key}" has both "before" and "after"`;
  const remedy = "keep one of the two; null removes the one of a profile";
  return [contradiction([...list, key, "position"], message, remedy)];
}

/** Rules each of which must come before the next, and the last one before the first. */
function circle(rules: readonly AnyRule[], list: Path): readonly UnplacedDiagnostic[] {
  const keys = new Set(rules.map(({ key }) => key));
  let steps = rules.flatMap((rule) =>
    placesOf(rule)
      .filter(({ of }) => of !== rule.key && keys.has(of))
      .map(({ side, of, path }) => ({
        from: side === "before" ? rule.key : of,
        to: side === "before" ? of : rule.key,
        path: [...list, rule.key, ...path],
      })),
  );
  for (let before = -1; before !== steps.length;) {
    before = steps.length;
    const [starts, ends] = [steps.map(({ from }) => from), steps.map(({ to }) => to)].map(
      (each) => new Set(each),
    );
    steps = steps.filter(({ from, to }) => ends?.has(from) === true && starts?.has(to) === true);
  }
  const [first] = steps;
  if (first === undefined) return [];
  const names = [...new Set(steps.map(({ from }) => from))].slice(0, shownOfCircle);
  const message = `rules are to stand before each other in a circle: ${names.join(", ")}`;
  return [{ code: "ORDER_CYCLE", path: first.path, message, remedy: "delete one of their places" }];
}

/** Rules of a circle that are shown. */
const shownOfCircle = 5;

/** Positions that the order of the list makes impossible. */
export function impossiblePositions(
  items: readonly Placed[],
  list: Path,
): readonly UnplacedDiagnostic[] {
  /** By the live rule that it must come after ("": after all), the first rule. */
  const behind = new Map<string, string>();
  return items.flatMap(({ key, position }): readonly UnplacedDiagnostic[] => {
    if (position === undefined) return [];
    const [side, of = ""] = wordsOf(position);
    const [first] = behind.values();
    const blocking =
      side === "before" ? (behind.get("") ?? behind.get(of)) : side === "first" && first;
    if (side === "last" || side === "after") behind.set(of, behind.get(of) ?? key);
    if (!blocking) return [];
    return [blocked(key, side === "first" ? side : `before "${of}"`, blocking, list)];
  });
}

/** Positions beside the rules of another list, given in order by their keys, that the order of the list makes impossible. */
export function impossibleAmong(
  others: readonly string[],
  items: readonly Placed[],
  list: Path,
): readonly UnplacedDiagnostic[] {
  let furthest = { at: 0, key: "" };
  return items.flatMap(({ key, position }): readonly UnplacedDiagnostic[] => {
    const at = placeAmong(others, position);
    if (position === undefined || at === undefined) return [];
    const [side, of = ""] = wordsOf(position);
    if (at < furthest.at) return [blocked(key, `${side} "${of}"`, furthest.key, list)];
    furthest = { at, key };
    return [];
  });
}

type Placed = Pick<RuleBase, "key" | "position">;

function blocked(key: string, place: string, blocking: string, list: Path): UnplacedDiagnostic {
  const message = `"${key}" cannot be ${place}: the list has "${blocking}" before it, whose own position is behind`;
  const remedy = "change one of the two positions, or the order of the list";
  return { code: "ORDER_CYCLE", path: [...list, key, "position"], message, remedy };
}

function wordsOf(position: RulePosition): readonly [side: string, of?: string] {
  if (typeof position === "string") return [position];
  return "before" in position ? ["before", position.before] : ["after", position.after];
}
