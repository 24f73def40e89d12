import { isDeepStrictEqual } from "node:util";

import {
  type DeclaredList,
  declaredLists,
  keysOf,
  type ResourceKeys,
  type ZoneContent,
} from "../../zone/desired-zone.ts";
import type { Kind, ListedKind, ResourceKey } from "../../zone/resource.ts";
import { type Cause, type Change, type FieldChange, isMove } from "../change.ts";
import type { Plan } from "../plan.ts";
import {
  type AppliedFields,
  appliedName,
  appliedNames,
  type AppliedZone,
  digestOfValue,
  isStoredField,
  noValue,
  uncertain,
  wholeName,
} from "./applied-zone.ts";
import { explained } from "./cause.ts";

/**
 * Says of each field of each change why it differs, by what was last applied: a three-way comparison, as `kubectl apply` makes.
 *
 * @param applied `undefined`: nothing is known, and every cause is `unknown`.
 */
export function explainChanges(
  { changes, liveKeys, placedBy }: Pick<Plan, "changes" | "liveKeys" | "placedBy">,
  content: ZoneContent,
  applied: AppliedZone | undefined,
): readonly Change[] {
  if (applied === undefined) return changes.map((each) => explained(each, () => ["unknown"]));
  const moved = new Set(changes.filter(isMove).map(({ key }) => key));
  const lists = declaredLists(content);
  const declared: readonly ResourceKeys[] = [
    ...(content.policies?.items ?? []).map((policy) => keysOf("policy", policy)),
    ...lists.flatMap(({ rules }) => rules),
  ];
  const orderCauses = new Map(
    lists
      .filter(({ rules }) => rules.some(({ key }) => moved.has(key)))
      .flatMap((list) => {
        const found = causesOfOrder(list, [...new Set(liveKeys.values())], applied);
        return list.rules.map(({ key }) => [key, found] as const);
      }),
  );
  return changes.map((change) => {
    if (change.verb === "delete" && change.reason === "unmanaged") {
      const found = causeOfUnmanaged(change.kind, applied);
      return explained(change, () => [found]);
    }
    const { key } = change;
    const keys = declared.find((each) => each.key === key) ?? { key, was: undefined };
    const known = applied.get(nameIn(applied, keys));
    if (known === undefined) {
      const found = causeOfUnknownResource(change, applied);
      return explained(change, () => [found]);
    }
    // It was declared, then nothing of its kind, and now it is declared again.
    if (known.size === 0) return explained(change, () => ["pending"]);
    const fields = new Map(change.fields.map((each) => [each.field, each]));
    return explained(change, (name) => {
      const field = fields.get(name);
      if (field === undefined || known.get("") === uncertain) return ["unknown"];
      if (name !== "position") return causesOfField(field, known);
      const by = placedBy.get(key);
      if (by === undefined) return orderCauses.get(key) ?? ["unknown"];
      const list = lists.find(({ rules }) => rules.some((each) => each.key === key));
      return [list === undefined ? "unknown" : causeOfPlace(list, key, by, applied)];
    });
  });
}

/**
 * The changes that are left after writes: each has the causes that it had. What a write was to change and did not is
 * `unknown`: the service did not take it, or somebody else changed it at once.
 */
export function explainLeft(
  left: readonly Change[],
  planned: readonly Change[],
  written: ReadonlySet<ResourceKey>,
): readonly Change[] {
  return left.map((change) => {
    const before = planned.find(({ key }) => key === change.key);
    return explained(change, (name) => {
      const found = (before?.causes ?? []).filter(({ fields }) => fields.includes(name));
      if (written.has(change.key) || found.length === 0) return ["unknown"];
      return found.map(({ cause }) => cause);
    });
  });
}

/** The name under which a resource is stored; "" if it is not. */
function nameIn(applied: AppliedZone, { key, was }: ResourceKeys): string {
  return appliedNames(key, was).find((name) => applied.has(name)) ?? "";
}

function causesOfField(
  { field, before, after }: FieldChange,
  known: AppliedFields,
): readonly Cause[] {
  if (field === "key") return ["pending"];
  const last = known.get(field) ?? noValue;
  if (last === uncertain || !isStoredField(field)) return ["unknown"];
  const isDrift = digestOfValue(before) !== last;
  const isPending = digestOfValue(after) !== last;
  // Two values of one digest: both equal what was applied, and differ. Then the live one is the changed one.
  if (!isDrift && !isPending) return ["drift"];
  return [...(isDrift ? (["drift"] as const) : []), ...(isPending ? (["pending"] as const) : [])];
}

/**
 * The cause of a change of a resource of which nothing is stored. A declared one is new in the files. One to delete carries
 * our mark and was not there before; after a lost answer, it may be the result of our own request.
 */
function causeOfUnknownResource({ verb, kind }: Change, applied: AppliedZone): Cause {
  if (verb !== "delete") return "pending";
  const code = appliedName(`${kind}/x`).slice(0, 2);
  const isUncertain = [...applied].some(
    ([name, fields]) =>
      name.startsWith(code) &&
      name !== `${code}*` &&
      fields.values().some((digest) => digest === uncertain),
  );
  return isUncertain ? "unknown" : "drift";
}

/** Where unmanaged resources were deleted before, this one is new; else the files declare it now. */
function causeOfUnmanaged(kind: Kind, applied: AppliedZone): Cause {
  if (kind === "setting") return "unknown";
  const mode = applied.get(wholeName(kind))?.get("unmanaged");
  if (mode === uncertain) return "unknown";
  return mode === digestOfValue("delete") ? "drift" : "pending";
}

/** The causes of rules of a list that are not in their declared places. */
function causesOfOrder(
  { kind, rules }: DeclaredList,
  liveOrder: readonly ResourceKey[],
  applied: AppliedZone,
): readonly Cause[] {
  if (isOrderUnknown(kind, applied)) return ["unknown"];
  const stored = [...applied.keys()];
  const isLive = new Set(liveOrder);
  const known = rules
    .filter(({ key }) => isLive.has(key))
    .map((each) => ({ key: each.key, name: nameIn(applied, each) }))
    .filter(({ name }) => name !== "");
  const declared = known.map(({ name }) => name);
  const last = stored.filter((name) => declared.includes(name));
  const names = new Map<ResourceKey, string>(known.map(({ key, name }) => [key, name]));
  const live = liveOrder.flatMap((key) => names.get(key) ?? []);
  const isDrift = !isDeepStrictEqual(live, last);
  const isPending = !isDeepStrictEqual(declared, last) || !isDrift;
  return [...(isDrift ? (["drift"] as const) : []), ...(isPending ? (["pending"] as const) : [])];
}

/**
 * The cause of a rule not being where the position of a rule puts it: itself, or another one that it comes before or after
 * in the list. Where neither that position nor the order of the two was changed in the files, somebody moved something.
 */
function causeOfPlace(
  { kind, rules }: DeclaredList,
  key: ResourceKey,
  by: ResourceKey,
  applied: AppliedZone,
): Cause {
  const [self, other] = [key, by].map((name) => rules.find((each) => each.key === name));
  if (self === undefined || other === undefined) return "unknown";
  const stored = [...applied.keys()];
  const placeOf = (each: ResourceKeys): number => stored.indexOf(nameIn(applied, each));
  const last = positionIn(applied.get(nameIn(applied, other)));
  if (last === uncertain) return "unknown";
  if (last !== digestOfValue(other.rule.position)) return "pending";
  if (key === by) return "drift";
  if (isOrderUnknown(kind, applied)) return "unknown";
  const wasFirst = placeOf(self) < placeOf(other);
  return rules.indexOf(self) < rules.indexOf(other) === wasFirst ? "drift" : "pending";
}

/** The digest of the position that a rule had; none of a rule that was never applied. */
function positionIn(known: AppliedFields | undefined): string {
  return known?.get("") === uncertain ? uncertain : (known?.get("position") ?? noValue);
}

function isOrderUnknown(kind: ListedKind, applied: AppliedZone): boolean {
  return applied.get(wholeName(kind))?.get("position") === uncertain;
}
