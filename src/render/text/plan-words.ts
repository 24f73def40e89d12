import type { Plan } from "../../plan/plan.ts";
import { plural } from "../../state/plural.ts";
import type { Summary } from "../../state/summary.ts";

/** Why there is something to do, in words. */
export const causeWords = {
  drift: "live has drifted",
  pending: "not carried out yet",
} as const;

/** How many changes a plan has. */
export function countWords({ changes }: Plan): string {
  return plural(changes.length, "change");
}

/** A run in one line: what is planned or was sent, and how many zones are as they shall be. */
export function summaryWords({ zones, converged, changes, writes, outcomes }: Summary): string {
  const total = Object.values(zones).reduce((sum, count) => sum + count, 0);
  const states = [
    `${converged} of ${plural(total, "zone")} in sync`,
    ...(zones.held > 0 ? [`${zones.held} held`] : []),
    ...(zones.error > 0 ? [`${zones.error} unreadable`] : []),
  ].join(", ");
  if (zones.applied > 0) {
    const ends = Object.entries(outcomes).filter(([, count]) => count > 0);
    const sent = ends.map(([status, count]) => `${count} ${status}`).join(", ");
    return `Applied to ${plural(zones.applied, "zone")}: requests ${sent}. ${states}.`;
  }
  if (changes.create + changes.update + changes.delete === 0) {
    return zones.error === 0
      ? `No changes. ${states}.`
      : unreadableWords(zones.error, converged, total);
  }
  const verbs = `${changes.create} to create, ${changes.update} to update, ${changes.delete} to delete`;
  return `Plan: ${verbs}, in ${plural(writes, "request")}. ${states}.`;
}

/** What could not be read comes first: it must not pass for all clear. */
function unreadableWords(unreadable: number, converged: number, total: number): string {
  const unread = `${plural(unreadable, "zone")} could not be read`;
  if (unreadable === total) return `Nothing could be planned: ${unread}.`;
  return `${unread}. No changes in the others: ${converged} of ${plural(total, "zone")} in sync.`;
}
