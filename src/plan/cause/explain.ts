import { isDeepStrictEqual } from "node:util";

import { declaredOf, type ZoneContent } from "../../zone/desired-zone.ts";
import {
  isRuleKind,
  type Kind,
  type ListedKind,
  type Policy,
  type ResourceKey,
  type Rule,
  type RuleKind,
  ruleKinds,
} from "../../zone/resource.ts";
import { phaseOfKind } from "../../zone/rule-phase.ts";
import type { Cause, Change, FieldChange } from "../change.ts";
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
  const orderCauses = new Map(
    ruleKinds
      .filter((kind) => changes.some((change) => change.kind === kind))
      .map((kind) => [kind, causesOfOrder(kind, [...liveKeys.values()], content, applied)]),
  );
  return changes.map((change) => {
    if (change.verb === "delete" && change.reason === "unmanaged") {
      const found = causeOfUnmanaged(change.kind, applied);
      return explained(change, () => [found]);
    }
    const known = applied.get(storedName(change.kind, change.key, content, applied));
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
      const { kind, key } = change;
      if (name !== "position" || !isRuleKind(kind)) return causesOfField(field, known);
      const by = placedBy.get(key);
      if (by !== undefined) return [causeOfPlace(kind, key, by, content, applied)];
      return orderCauses.get(kind) ?? ["unknown"];
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
function storedName(
  kind: Kind,
  key: ResourceKey,
  content: ZoneContent,
  applied: AppliedZone,
): string {
  const items: readonly (Policy | Rule)[] =
    kind === "setting" ? [] : (declaredOf(content, kind)?.items ?? []);
  const was = items.find((each) => `${kind}/${each.key}` === key)?.was;
  const names = appliedNames(key, was === undefined ? undefined : `${kind}/${was}`);
  return names.find((name) => applied.has(name)) ?? "";
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
  const isUncertain = resourcesOf(kind, applied).some(([, fields]) =>
    [...fields.values()].includes(uncertain),
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

function resourcesOf(
  kind: Kind,
  applied: AppliedZone,
): readonly (readonly [string, AppliedFields])[] {
  const code = appliedName(`${kind}/x`).slice(0, 2);
  return [...applied].filter(([name]) => name.startsWith(code) && name !== `${code}*`);
}

/** The causes of rules that are not in their declared places. */
function causesOfOrder(
  kind: RuleKind,
  liveOrder: readonly ResourceKey[],
  { rules }: ZoneContent,
  applied: AppliedZone,
): readonly Cause[] {
  if (isOrderUnknown(kind, applied)) return ["unknown"];
  const stored = resourcesOf(kind, applied).map(([name]) => name);
  const isLive = new Set(liveOrder);
  const known = (rules[phaseOfKind(kind)]?.items ?? [])
    .map(({ key, was }) => ({
      key: `${kind}/${key}` as const,
      was: was === undefined ? undefined : (`${kind}/${was}` as const),
    }))
    .filter(({ key }) => isLive.has(key))
    .flatMap((each) => {
      const name = appliedNames(each.key, each.was).find((one) => stored.includes(one));
      return name === undefined ? [] : [{ key: each.key, name }];
    });
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
  kind: RuleKind,
  key: ResourceKey,
  by: ResourceKey,
  content: ZoneContent,
  applied: AppliedZone,
): Cause {
  const [name, nameOfBy] = [key, by].map((each) => storedName(kind, each, content, applied));
  const last = positionIn(applied.get(nameOfBy ?? ""));
  const rules = content.rules[phaseOfKind(kind)]?.items ?? [];
  const place = rules.findIndex((each) => `${kind}/${each.key}` === key);
  const placeOfBy = rules.findIndex((each) => `${kind}/${each.key}` === by);
  if (last === uncertain) return "unknown";
  if (last !== digestOfValue(rules[placeOfBy]?.position)) return "pending";
  if (key === by) return "drift";
  if (isOrderUnknown(kind, applied)) return "unknown";
  const stored = [...applied.keys()];
  const wasFirst = stored.indexOf(name ?? "") < stored.indexOf(nameOfBy ?? "");
  return place < placeOfBy === wasFirst ? "drift" : "pending";
}

/** The digest of the position that a rule had; none of a rule that was never applied. */
function positionIn(known: AppliedFields | undefined): string {
  return known?.get("") === uncertain ? uncertain : (known?.get("position") ?? noValue);
}

function isOrderUnknown(kind: ListedKind, applied: AppliedZone): boolean {
  return applied.get(wholeName(kind))?.get("position") === uncertain;
}
