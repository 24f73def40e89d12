import { firstOf } from "../../syntax/first-of.ts";
import { canonicalJson } from "../../syntax/json.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import { neighborOf } from "../../zone/rule-place.ts";
import type { Write } from "../../zone/write.ts";
import { type Change, unclear } from "../change.ts";
import type { Plan } from "../plan.ts";
import { isAlreadyApplied } from "./already-applied.ts";
import { fingerprintsOf, type SavedPlan } from "./saved-plan.ts";

/** What is left of a saved plan, and the writes of it that must not be sent. */
export interface ConfirmedPlan {
  readonly plan: Plan;
  readonly conflicts: readonly Write[];
}

/**
 * Compares a saved plan with the plan of today. A file is not trusted: only writes that today's plan has too are
 * confirmed, in today's order and with today's effects, if they have the direction that a person saw, and if what they
 * depend on is live as it was then. The first write of which that is not so ends them, in the file and today, since the
 * order of the writes matters. All other open writes are conflicts.
 *
 * @param today what the files of today and `live` lead to.
 */
export function confirmSaved(saved: SavedPlan, today: Plan, live: LiveZone): ConfirmedPlan {
  const current = new Set(today.writes.map(textOf));
  const done = saved.writes.filter(
    (write) => !current.has(textOf(write)) && isAlreadyApplied(write, live),
  );
  const open = saved.writes.filter((write) => !done.includes(write));
  const stale = open.findIndex((write) => isStale(write, saved, live));
  const held = stale < 0 ? [] : open.slice(stale);
  const fresh = open.filter((write) => !held.includes(write));
  const reviewed = new Set(fresh.map((write) => reviewedText(write, saved)));
  const gap = today.writes.findIndex((write) => !reviewed.has(reviewedText(write, today)));
  const confirmed = gap < 0 ? today.writes : today.writes.slice(0, gap);
  const sent = new Set(confirmed.map(textOf));
  const conflicts = open.filter((write) => !sent.has(textOf(write)));
  const missed = today.writes.slice(confirmed.length);
  const differences = conflicts.map((write) => differenceOf(write, missed, held));
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

/** @param missed the writes of today that are not confirmed. */
function differenceOf(write: Write, missed: readonly Write[], held: readonly Write[]): string {
  const name = nameOf(write);
  const same = missed.find((other) => nameOf(other) === name);
  if (same === undefined) return `today there is no ${name}`;
  if (textOf(same) !== textOf(write)) return `${name} differs`;
  if (held.includes(write)) return `${name} or a write before it acts on a changed resource`;
  const [first] = missed;
  if (first === same) return `${name} has another effect`;
  return `${name} comes after ${first === undefined ? "another write" : nameOf(first)}`;
}

function nameOf({ call, changes }: Write): string {
  return `${call} ${changes.join(", ")}`.trim();
}

function keysOf(writes: readonly Write[]): readonly string[] {
  return writes.flatMap(({ changes }) => changes);
}

/** What a write sends. What depends on how much of the plan is done is left out: the labels, and rules further off. */
function textOf({ changes: _labels, ...request }: Write): string {
  const position = "position" in request && request.position && neighborOf(request.position);
  return canonicalJson({ ...request, position });
}

/** What a person reviews of a write: what it sends, and whether that protects more or less. */
function reviewedText(write: Write, { changes }: Plan): string {
  const keys = new Set<string>(write.changes);
  const directions = changes
    .filter(({ key }) => keys.has(key))
    .map(({ effect }) => effect.direction);
  return `${textOf(write)} ${directions.join(" ")}`;
}

/** Whether a live resource that a write depends on is not as it was when the plan was saved. */
function isStale(write: Write, { fingerprints, writes }: SavedPlan, live: LiveZone): boolean {
  const now = fingerprintsOf([write], live, writes);
  return Object.entries(now).some(([name, print]) => fingerprints[name] !== print);
}
