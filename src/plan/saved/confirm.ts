import { firstOf } from "../../syntax/first-of.ts";
import { canonicalJson } from "../../syntax/json.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import { partOf, type Write, type ZonePart } from "../../zone/write.ts";
import { type Change, unclear } from "../change.ts";
import type { Plan } from "../plan.ts";
import { isAlreadyApplied } from "./already-applied.ts";

/** What is left of a saved plan, and the writes of it that must not be sent. */
export interface ConfirmedPlan {
  readonly plan: Plan;
  readonly conflicts: readonly Write[];
}

/** The parts of a zone that must be read before a saved plan is applied. */
export function partsTouched({ writes }: Plan): Readonly<Record<ZonePart, boolean>> {
  const parts = new Set(writes.map(partOf));
  return {
    settings: parts.has("settings"),
    policies: parts.has("policies"),
    rules: parts.has("rules"),
  };
}

/**
 * Compares a saved plan with the plan of today. A file is not trusted: only writes that today's plan has too are
 * confirmed, in today's order and with today's effects, if they change the same fields from the same live values. The
 * first write of today of which that is not so ends them, since the order of the writes matters. All other open writes
 * are conflicts.
 *
 * @param today what the files of today and `live` lead to.
 */
export function confirmSaved(saved: Plan, today: Plan, live: LiveZone): ConfirmedPlan {
  const current = new Set(today.writes.map(textOf));
  const done = saved.writes.filter(
    (write) => !current.has(textOf(write)) && isAlreadyApplied(write, live),
  );
  const reviewed = new Set(saved.writes.map((write) => reviewedText(write, saved)));
  const gap = today.writes.findIndex((write) => !reviewed.has(reviewedText(write, today)));
  const confirmed = gap < 0 ? today.writes : today.writes.slice(0, gap);
  const sent = new Set(confirmed.map(textOf));
  const conflicts = saved.writes.filter(
    (write) => !done.includes(write) && !sent.has(textOf(write)),
  );
  const differences = conflicts.map((write) => differenceOf(write, saved, today, confirmed.length));
  const notes = [
    ...today.notes,
    ...(done.length === 0 ? [] : [`already applied: ${keysOf(done).join(", ")}`]),
    ...(differences.length === 0 ? [] : [differsText(differences)]),
  ];
  const writes = [...confirmed, ...conflicts];
  return {
    plan: { ...today, writes, changes: changesOf(writes, today, saved), notes },
    conflicts,
  };
}

/** A saved plan of which nothing may be sent. */
export function rejectSaved(plan: Plan, difference: string): ConfirmedPlan {
  const changes = plan.changes.map(withoutEffect);
  const notes = [differsText([difference])];
  return { plan: { ...plan, changes, notes, holds: [] }, conflicts: plan.writes };
}

/** Today's changes; those of conflicts that only the file has follow, without the effects that it claims. */
function changesOf(writes: readonly Write[], today: Plan, saved: Plan): readonly Change[] {
  const keys = new Set(keysOf(writes));
  const isKept = ({ key }: Change): boolean => keys.has(key);
  const changes = today.changes.filter(isKept);
  const known = new Set(changes.map(({ key }) => key));
  const others = saved.changes.filter((change) => isKept(change) && !known.has(change.key));
  return [...changes, ...others.map(withoutEffect)];
}

function withoutEffect(change: Change): Change {
  return { ...change, effect: unclear("not a change of today's plan", false) };
}

const maxDifferences = 3;

function differsText(differences: readonly string[]): string {
  const shown = firstOf(differences, maxDifferences);
  return `the plan in the file is not the plan of today: ${shown}; save a new plan`;
}

/** @param count how many writes of today are confirmed. */
function differenceOf(write: Write, saved: Plan, today: Plan, count: number): string {
  const missed = today.writes.slice(count);
  const name = nameOf(write);
  const same = missed.find((other) => nameOf(other) === name);
  if (same === undefined) return `today there is no ${name}`;
  if (textOf(same) !== textOf(write)) return `${name} differs`;
  if (reviewedText(same, today) !== reviewedText(write, saved)) {
    return `${name} acts on a changed resource`;
  }
  const [first] = missed;
  return `${name} comes after ${first === undefined ? "another write" : nameOf(first)}`;
}

function nameOf({ call, changes }: Write): string {
  return `${call} ${changes.join(", ")}`.trim();
}

function keysOf(writes: readonly Write[]): readonly string[] {
  return writes.flatMap(({ changes }) => changes);
}

/** What a write sends. The changes that it names are labels: they depend on what else is live. */
function textOf({ changes: _labels, ...request }: Write): string {
  return canonicalJson(request);
}

/**
 * What a person reviews of a write: what it sends, and what it changes from which live values. The keys of changes are
 * labels too, where the resource has an id.
 */
function reviewedText(write: Write, { changes }: Plan): string {
  const keys = new Set<string>(write.changes);
  const made = changes
    .filter(({ key }) => keys.has(key))
    .map((change) => ({
      verb: change.verb,
      name: change.verb === "create" ? change.key : change.id,
      fields: change.fields,
    }));
  return `${textOf(write)} ${canonicalJson(made)}`;
}
