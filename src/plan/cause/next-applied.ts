import {
  declaredLists,
  declaredOf,
  keysOf,
  type ResourceKeys,
  type ZoneContent,
} from "../../zone/desired-zone.ts";
import { isRuleKind, type Kind, kinds, type ListedKind, listedKinds } from "../../zone/resource.ts";
import { type Change, type Fields, isMove } from "../change.ts";
import { policyFields } from "../policies/policy-match.ts";
import { targetOf } from "../rules/rule-body.ts";
import { comparable, ruleFields, rulesetFields } from "../rules/rule-fields.ts";
import {
  type AppliedFields,
  appliedName,
  appliedNames,
  type AppliedZone,
  digestOfValue,
  noValue,
  leftLive,
  uncertain,
  uncertainResource,
  wholeName,
} from "./applied-zone.ts";
import { leftLiveNames } from "./left-live.ts";

/** What became of a change of a plan. */
export interface ChangeOutcome {
  readonly change: Change;
  /** `not_done`: nothing was sent, or the service refused it. `unknown`: its answer was lost, or is not there yet. */
  readonly result: "done" | "not_done" | "unknown";
  /** The fields that differ nevertheless. */
  readonly left: readonly string[];
}

/**
 * What is known to be applied after a run. A value is known where the run saw it in sync or wrote it; what the run left
 * undone stays as it was known before.
 *
 * @param last before the run; `undefined` if nothing was known.
 * @param outcomes of all changes of the plan of the run.
 */
export function nextApplied(
  last: AppliedZone | undefined,
  content: ZoneContent,
  scoreRuleId: string,
  outcomes: readonly ChangeOutcome[],
): AppliedZone {
  const byKey = new Map(outcomes.map((each) => [each.change.key, each]));
  const declared = declaredResources(content, scoreRuleId).flatMap((resource) => {
    const fields = fieldsAfter(resource, byKey.get(resource.key), last);
    return fields === undefined ? [] : [{ ...resource, fields }];
  });
  const names = new Set(declared.map(({ key }) => appliedName(key)));
  const others = outcomes.flatMap((outcome): readonly KnownResource[] => {
    const { key } = outcome.change;
    const name = appliedName(key);
    const fields = names.has(name) ? undefined : fieldsOfUndeclared(outcome, name, last);
    return fields === undefined ? [] : [{ key, was: undefined, fields }];
  });
  const next = new Map(
    inKnownOrder([...declared, ...others], outcomes, last).map(
      ({ key, fields }) => [appliedName(key), fields] as const,
    ),
  );
  for (const name of leftLiveNames(content, last)) next.set(name, leftLive);
  for (const kind of listedKinds) {
    const fields = wholeAfter(kind, content, outcomes, last);
    if (fields.size > 0) next.set(wholeName(kind), fields);
  }
  return next;
}

/** What stays known of a resource that was to be deleted and may still be there; `undefined`: nothing. */
function fieldsOfUndeclared(
  outcome: ChangeOutcome,
  name: string,
  last: AppliedZone | undefined,
): AppliedFields | undefined {
  const { change, result } = outcome;
  if (change.verb !== "delete" || change.reason === "unmanaged" || !isOpen(outcome)) {
    return undefined;
  }
  if (last === undefined) return uncertainResource;
  const known = last.get(name);
  return known === undefined || result === "not_done" ? known : uncertainResource;
}

/** The fields of a declared resource; `undefined` if none of it was ever applied. */
function fieldsAfter(
  resource: KnownResource,
  outcome: ChangeOutcome | undefined,
  last: AppliedZone | undefined,
): AppliedFields | undefined {
  if (outcome === undefined) return resource.fields;
  const { change, result, left } = outcome;
  if (result === "done") return withFields(resource.fields, left, () => uncertain);
  const known = appliedNames(resource.key, resource.was)
    .map((name) => last?.get(name))
    .find((fields) => fields !== undefined);
  const isNew = last !== undefined && known === undefined;
  if (isNew && result === "not_done") return undefined;
  const differing = change.fields.map(({ field }) => field);
  if (known === undefined && differing.includes("key")) return uncertainResource;
  return withFields(resource.fields, differing, (field, declared) => {
    if (known === undefined || known.get("") === uncertain) return uncertain;
    const before = known.get(field) ?? noValue;
    // A lost answer leaves one of two values, the one before or the declared one.
    return result === "not_done" || before === declared ? before : uncertain;
  });
}

function withFields(
  fields: AppliedFields,
  names: readonly string[],
  digestFor: (field: string, declared: string) => string,
): AppliedFields {
  // The key is no value of a resource: it is its name.
  const values = names.filter((name) => name !== "key");
  if (values.length === 0) return fields;
  const changed = new Map(fields);
  for (const name of values) {
    const digest = digestFor(name, fields.get(name) ?? noValue);
    if (digest === noValue) changed.delete(name);
    else changed.set(name, digest);
  }
  return changed;
}

function isOpen({ result, left }: ChangeOutcome): boolean {
  return result !== "done" || left.length > 0;
}

/** What is known of a kind as a whole: whether unmanaged resources are deleted, and whether the order of rules is known. */
function wholeAfter(
  kind: ListedKind,
  content: ZoneContent,
  outcomes: readonly ChangeOutcome[],
  last: AppliedZone | undefined,
): AppliedFields {
  const declared = declaredOf(content, kind);
  const known = last?.get(wholeName(kind));
  const fields = new Map<string, string>();
  if (declared?.unmanaged === "delete") {
    const isLeft = outcomes.some(
      (each) =>
        each.change.kind === kind &&
        each.change.verb === "delete" &&
        each.change.reason === "unmanaged" &&
        isOpen(each),
    );
    const before = last === undefined ? uncertain : known?.get("unmanaged");
    const mode = isLeft ? before : digestOfValue("delete");
    if (mode !== undefined) fields.set("unmanaged", mode);
  }
  if (isOrderUncertain(kind, outcomes, last)) fields.set("position", uncertain);
  return fields;
}

/** The rule that executes a custom ruleset is one of the custom rules. */
function listOf(kind: Kind): Kind {
  return kind === "custom_ruleset" ? "custom_rule" : kind;
}

/** Whether rules of a kind may be elsewhere than in their declared order: one was to move, or to go, and may not have done so. */
function isOrderOpen(kind: Kind, outcomes: readonly ChangeOutcome[]): boolean {
  return outcomes.some((each) => {
    const { change } = each;
    const goes = isRuleKind(kind) && change.verb === "delete" && change.reason !== "unmanaged";
    return listOf(change.kind) === kind && (isMove(change) || goes) && isOpen(each);
  });
}

function isOrderUncertain(
  kind: ListedKind,
  outcomes: readonly ChangeOutcome[],
  last: AppliedZone | undefined,
): boolean {
  if (!isOrderOpen(kind, outcomes)) return false;
  if (last?.get(wholeName(kind))?.get("position") === uncertain) return true;
  // A rule got, or may have got, its place among others that did not get theirs.
  const isPartly = outcomes.some(
    ({ change, result }) =>
      listOf(change.kind) === kind &&
      result !== "not_done" &&
      (isMove(change) || change.verb === "create"),
  );
  return last === undefined || isPartly;
}

/** Resources in the order in which the rules are known to be: the declared one, or if it was not applied the last one. */
function inKnownOrder(
  known: readonly KnownResource[],
  outcomes: readonly ChangeOutcome[],
  last: AppliedZone | undefined,
): readonly KnownResource[] {
  if (last === undefined) return known;
  const places = new Map([...last.keys()].map((name, place) => [name, place]));
  const placeOf = (resource: KnownResource): number =>
    Math.min(
      ...appliedNames(resource.key, resource.was).map((name) => places.get(name) ?? places.size),
    );
  return kinds.flatMap((kind) => {
    const inList = kinds.filter((each) => listOf(each) === kind);
    const resources = known.filter(({ key }) => inList.some((each) => key.startsWith(`${each}/`)));
    if (!isOrderOpen(kind, outcomes)) return resources;
    return resources.toSorted((a, b) => placeOf(a) - placeOf(b));
  });
}

/** A resource with the digests of its values. */
interface KnownResource extends ResourceKeys {
  readonly fields: AppliedFields;
}

/** The declared resources of a zone; rules in their declared order. */
function declaredResources(content: ZoneContent, scoreRuleId: string): readonly KnownResource[] {
  const { settings, policies } = content;
  return [
    ...settings.map(({ name, value }) => ({
      key: `setting/${name}` as const,
      was: undefined,
      fields: digestsOf({ value }),
    })),
    ...(policies?.items ?? []).map((policy) => ({
      ...keysOf("policy", policy),
      fields: digestsOf(policyFields(policy, policy.description)),
    })),
    ...declaredLists(content).flatMap(({ rules }) =>
      rules.map(({ key, was, rule }) => ({
        key,
        was,
        fields: digestsOf({
          ...("rules" in rule
            ? rulesetFields(rule)
            : ruleFields(comparable(targetOf(rule, scoreRuleId), scoreRuleId))),
          position: rule.position,
        }),
      })),
    ),
  ];
}

function digestsOf(fields: Fields): AppliedFields {
  const digests = Object.entries(fields).map(
    ([field, value]) => [field, digestOfValue(value)] as const,
  );
  return new Map(digests.filter(([, digest]) => digest !== noValue));
}
