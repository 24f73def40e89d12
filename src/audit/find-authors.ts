import { actorIdentity, type Author, writtenActor } from "../plan/cause/author.ts";
import { fieldsWith } from "../plan/cause/cause.ts";
import { isFound } from "../plan/cause/written-values.ts";
import type { Change, Create, Delete, Update } from "../plan/change.ts";
import {
  type ActorStyle,
  type AuditedWrite,
  type AuditEntry,
  isOfAllRules,
  type WrittenValues,
} from "../zone/audit-entry.ts";
import type { Kind } from "../zone/resource.ts";
import { isOfKind, mayConcern, replacesAll } from "./seen-resources.ts";

/** The entries of the audit log that can explain the drift of one change. */
export interface KnownEntries {
  /** In the order of their times. */
  readonly entries: readonly AuditEntry[];
  /** Whether they begin when the resource was last as declared; `false`: it is not known when that was. */
  readonly isSinceDeclared: boolean;
  readonly isOwn: (entry: AuditEntry) => boolean;
  /** Ids of each kind that were live and are not any more; `undefined`: not known. */
  readonly gone: ((kind: Kind) => readonly string[]) | undefined;
  /** Ids and refs of the rules that execute the custom ruleset of the change, or did. */
  readonly executors?: readonly string[];
}

/** The most possible authors that are named of a field: those who wrote last. */
const mostPossible = 3;

/** An entry of a request that wrote something. */
interface WriteEntry extends AuditEntry {
  readonly wrote: AuditedWrite;
}

/** An entry that fits, and whether it is proved to have made what was found. */
interface Fit {
  readonly entry: AuditEntry;
  readonly isCertain: boolean;
}

/**
 * Who made the drift of a change. An author is certain where an entry says that it wrote the value that was found since the
 * resource was as declared, or created or deleted this very resource, and no known entry of anybody else did. It is possible
 * where several entries fit, where the entries do not say what they wrote, or if it is not known since when the resource
 * is not as declared. Nobody is named where nothing fits: entries come late, or are lost.
 */
export function authorsOf(
  change: Change,
  known: KnownEntries,
  style: ActorStyle,
): readonly Author[] {
  const fields = [...fieldsWith("drift", change), ...fieldsWith("unknown", change)];
  if (fields.length === 0) return [];
  const entries = known.entries.filter(
    (entry): entry is WriteEntry =>
      entry.wrote !== undefined && mayConcern(entry.wrote, change.kind) && !entry.isRefused,
  );
  const found =
    change.verb === "update"
      ? fields.map((field) => ({
          fields: [field],
          fits: fitsOfField(change, field, entries, known),
        }))
      : [{ fields, fits: fitsOfResource(change, entries, known) }];
  return joined(found, style);
}

function fitsOfResource(
  change: Create | Delete,
  entries: readonly WriteEntry[],
  known: KnownEntries,
): readonly Fit[] {
  const others = entries.filter((entry) => !known.isOwn(entry));
  return change.verb === "create"
    ? deleters(change, others, known)
    : creators(change, others, known);
}

/** Who wrote the live value of a field: the entries since the last one that wrote another value. */
function fitsOfField(
  change: Update,
  field: string,
  entries: readonly WriteEntry[],
  { isOwn, isSinceDeclared, executors }: KnownEntries,
): readonly Fit[] {
  let written: AuditEntry[] = [];
  let silent: AuditEntry[] = [];
  let otherwise: Date | undefined;
  for (const entry of entries) {
    const says =
      change.kind === "custom_ruleset"
        ? whatItSaysOfRuleset(entry, change, field, executors)
        : whatItSays(entry, change, field);
    if (says === "nothing") continue;
    if (isOwn(entry) || says === "another value") {
      [written, silent, otherwise] = [[], [], entry.at];
    } else if (says === "this value") written.push(entry);
    else silent.push(entry);
  }
  const all = [...written, ...silent];
  // Two writes of the same millisecond have no order.
  const isOrdered = all.every(({ at }) => Number(at) !== Number(otherwise));
  const isSinceOther = isSinceDeclared || otherwise !== undefined;
  return fits(all, silent.length === 0 && isSinceOther && isOrdered && isOneActor(all));
}

type Statement = "nothing" | "this value" | "another value" | "not which value";

/** What an entry says about the live value of a field of a live resource. */
function whatItSays({ wrote }: WriteEntry, change: Update, field: string): Statement {
  if (isOfAllRules(wrote)) {
    const isValue = field !== "position";
    return isValue ? statementOf(change, field, wrote.rules?.get(change.id)) : "not which value";
  }
  if (wrote.verb === "delete") return "nothing";
  // Any write of a rule may move others.
  if (field === "position") return "not which value";
  const isObject = change.kind === "setting" || wrote.id === change.id;
  return isObject ? statementOf(change, field, wrote.values) : "nothing";
}

/** The same of a custom ruleset. All fields but those in its description are those of the rule that executes it. */
function whatItSaysOfRuleset(
  entry: WriteEntry,
  change: Update,
  field: string,
  executors: readonly string[] = [],
): Statement {
  const { kind, verb, ruleset, id, values, rules } = entry.wrote;
  const isOwn = field === "description" || field === "key";
  if (isOwn !== (ruleset === change.id)) return "nothing";
  const isOfWhole = kind === "ruleset" || verb === "replace";
  if (isOwn) return isOfWhole ? statementOf(change, field, values) : "nothing";
  if (kind === "ruleset") return "nothing";
  const named = executors.find((each) => each === id || rules?.has(each) === true);
  if (verb !== "delete") return whatItSays(entry, { ...change, id: named ?? change.id }, field);
  return named === undefined ? "nothing" : saysOf(isFound(change, field, new Map()));
}

/** @param values `undefined`: what was written is not known; empty: a rule was only moved. */
function statementOf(change: Change, field: string, values: WrittenValues | undefined): Statement {
  if (values === undefined) return "not which value";
  return values.size === 0 ? "nothing" : saysOf(isFound(change, field, values));
}

function saysOf(isLive: boolean | undefined): Statement {
  if (isLive === undefined) return "nothing";
  return isLive ? "this value" : "another value";
}

/** Who deleted a declared resource: an id is deleted once. Which of several ids was the declared resource's is not known. */
function deleters(
  { kind }: Create,
  others: readonly WriteEntry[],
  { gone }: KnownEntries,
): readonly Fit[] {
  const ids = gone?.(kind);
  const all = others.filter(({ wrote }) => {
    if (replacesAll(wrote, kind)) return true;
    if (wrote.verb !== "delete") return false;
    return ids === undefined ? isOfKind(wrote, kind) : ids.includes(wrote.id);
  });
  const isEachNamed = ids?.every((id) => all.some(({ wrote }) => wrote.id === id)) === true;
  const isReplaced = all.some(({ wrote }) => replacesAll(wrote, kind));
  return fits(all, isEachNamed && !isReplaced && isOneActor(all));
}

/** Who created a resource: an id is created once. Entries of rules do not say the id; their values do. */
function creators(
  change: Delete,
  others: readonly WriteEntry[],
  { isSinceDeclared }: KnownEntries,
): readonly Fit[] {
  const made = others.filter(
    ({ wrote }) => wrote.verb === "create" && isOfKind(wrote, change.kind),
  );
  const named = made.filter(({ wrote }) => wrote.id === change.id);
  if (named.length > 0) return fits(named, isOneActor(named));
  const fitting = made.filter(({ wrote }) => {
    const { id, values } = wrote;
    if (id !== "" || values === undefined) return false;
    return change.fields.every(({ field }) => isFound(change, field, values) !== false);
  });
  if (fitting.length > 0) return fits(fitting, isSinceDeclared && fitting.length === 1);
  // A resource that is marked as ours counts as created by us and no longer declared.
  const touched = others.filter(
    ({ wrote }) =>
      replacesAll(wrote, change.kind) || (wrote.verb === "update" && wrote.id === change.id),
  );
  return fits(touched, false);
}

function fits(entries: readonly AuditEntry[], isCertain: boolean): readonly Fit[] {
  const [first] = entries;
  if (isCertain) return first === undefined ? [] : [{ entry: first, isCertain }];
  const latest = new Map(entries.map((entry) => [actorIdentity(entry.actor), entry]));
  return entries
    .filter((entry) => latest.get(actorIdentity(entry.actor)) === entry)
    .slice(-mostPossible)
    .map((entry) => ({ entry, isCertain }));
}

function isOneActor(entries: readonly AuditEntry[]): boolean {
  return new Set(entries.map(({ actor }) => actorIdentity(actor))).size === 1;
}

/** One author for the fields that one entry explains. */
function joined(
  found: readonly { readonly fields: readonly string[]; readonly fits: readonly Fit[] }[],
  style: ActorStyle,
): readonly Author[] {
  const all = found.flatMap(({ fields, fits: each }) =>
    each.map((fit) => ({ ...fit, fields, key: `${fit.entry.id} ${fit.isCertain}` })),
  );
  return [...Map.groupBy(all, ({ key }) => key).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { entry, isCertain } = first;
    const { at, method, path, ray } = entry;
    const actor = writtenActor(entry.actor, style);
    return [
      { ...actor, at, method, path, ray, isCertain, fields: group.flatMap((each) => each.fields) },
    ];
  });
}
